//! `tieout bank suggest` and `tieout ledger suggest`: the lines of configuration that read a file.

use std::error::Error;
use std::path::PathBuf;

use clap::Args;

use super::{CliError, Context};
use crate::exit::Exit;
use tieout_config::{BankSettings, Merchant};
use tieout_import::bank::Surroundings;
use tieout_import::suggest::{self, SuggestError, Suggestion};
use tieout_model::money::Currency;

const AFTER_HELP: &str = "\
Nothing is guessed: a doubt is a comment below the lines. Add the lines to tieout.toml and read the file again with `check`.

Ends with 4 when the file cannot be read at all.";

/// Print the lines of configuration that read a file, with doubts; nothing is stored
#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct SuggestArguments {
    /// The file to look at
    pub file: PathBuf,
}

/// Suggested settings for a statement.
pub(super) fn bank(
    arguments: &SuggestArguments,
    known: &BankSettings,
    surroundings: Surroundings<'_>,
    context: &Context,
) -> Result<Exit, CliError> {
    // If a table names no currency, its currency does not affect how it is read.
    let currency = surroundings.currency.or(Currency::from_code("USD"));
    let surroundings = Surroundings { currency, ..surroundings };
    shown(suggest::bank(&arguments.file, known, surroundings), context)
}

/// Suggested settings for a ledger.
pub(super) fn ledger(
    arguments: &SuggestArguments,
    merchants: &[Merchant],
    context: &Context,
) -> Result<Exit, CliError> {
    let mut merchants = merchants.to_vec();
    // The same for a ledger; the merchant of the records does not matter yet.
    merchants.truncate(1);
    for merchant in &mut merchants {
        merchant.currency = merchant.currency.or(Currency::from_code("USD"));
        merchant.ledger = Some("books".to_owned());
    }
    shown(suggest::ledger(&arguments.file, "books", &merchants), context)
}

fn shown(
    suggestion: Result<Suggestion, SuggestError>,
    context: &Context,
) -> Result<Exit, CliError> {
    match suggestion {
        Ok(suggestion) => {
            context.print(suggestion.text.as_bytes())?;
            Ok(Exit::Done)
        }
        Err(error) => {
            let reason = super::bank::with_causes(&error as &dyn Error);
            context.complain(&format!("error: {reason}\n"));
            Ok(Exit::Partial)
        }
    }
}
