//! `tieout bank check`: the content of a bank statement, the processor's lines in it, and its
//! faults.

mod output;

use std::error::Error;
use std::path::{Path, PathBuf};

use chrono_tz::Tz;
use clap::{Args, Subcommand};

use super::suggest::{self, SuggestArguments};
use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use output::{Checked, render};
use tieout_config::{BankSettings, Merchant, Settings, TableSettings};
use tieout_import::bank::{Surroundings, check_file};
use tieout_import::files::files_of;
use tieout_model::MerchantId;
use tieout_model::money::Currency;

const EXAMPLES: &str = "\
Examples:
  tieout bank check statement.bai
  tieout bank check statement.csv --bank operating --json

Without a bank in the configuration, the processor's lines are not recognized, and a CSV cannot be
read.

Ends with 4 when a line has a fault, or when the file cannot be read at all.";

/// The commands for bank statements.
#[derive(Clone, Debug, Subcommand)]
pub enum BankCommand {
    Check(BankCheckArguments),
    Suggest(SuggestArguments),
}

/// Read a bank statement and show its lines and faults; nothing is stored
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BankCheckArguments {
    /// The file to read
    pub file: PathBuf,
    /// The bank to read it for [default: the only one, else the one whose path names the file]
    #[arg(long, value_name = "NAME")]
    pub bank: Option<String>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Runs the command.
///
/// # Errors
/// When the settings are wrong, or standard output cannot be written.
pub fn execute(command: &BankCommand, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let arguments = match command {
        BankCommand::Check(arguments) => arguments,
        BankCommand::Suggest(arguments) => {
            let known = match settings.banks.as_slice() {
                [only] => only.clone(),
                _ => plain(&arguments.file),
            };
            let merchants = merchants_of(&settings, &known);
            return suggest::bank(
                arguments,
                &known,
                surroundings(&settings, &merchants, &[]),
                context,
            );
        }
    };
    let bank = chosen(&settings, arguments)?;
    let merchants = merchants_of(&settings, &bank);
    let ids: Vec<&MerchantId> = merchants.iter().map(|merchant| &merchant.id).collect();
    let surroundings = surroundings(&settings, &merchants, &ids);
    let checked = match check_file(&arguments.file, &bank, surroundings) {
        Ok(statement) => Checked::read(&arguments.file, &bank, statement),
        Err(error) => Checked::refused(&arguments.file, &bank, with_causes(&error)),
    };
    if arguments.table.json {
        context.print_json(&checked)?;
    } else if let Some(reason) = &checked.refused {
        context.complain(&format!("error: {reason}\n"));
    } else {
        context.print(render(&checked, context.is_coloured()).as_bytes())?;
    }
    Ok(if checked.is_sound() { Exit::Done } else { Exit::Partial })
}

fn surroundings<'a>(
    settings: &Settings,
    merchants: &[&Merchant],
    merchant_ids: &'a [&'a MerchantId],
) -> Surroundings<'a> {
    let time_zone = Some(time_zone(settings, merchants));
    Surroundings { currency: currency(merchants), time_zone, merchant_ids }
}

/// The error and its causes, followed by the message's own hint.
pub(super) fn with_causes(error: &dyn Error) -> String {
    let text = error.to_string();
    let (message, hint) = text.split_once('\n').unwrap_or((&text, ""));
    let mut message = message.to_owned();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    if hint.is_empty() { message } else { format!("{message}\n{hint}") }
}

/// The named bank, else the only one, else the bank whose path matches the file, else a bank
/// without originators.
fn chosen(settings: &Settings, arguments: &BankCheckArguments) -> Result<BankSettings, CliError> {
    let names = || settings.banks.iter().map(|bank| bank.name.clone()).collect();
    match (&arguments.bank, settings.banks.as_slice()) {
        (Some(name), banks) => banks
            .iter()
            .find(|bank| bank.name == *name)
            .cloned()
            .ok_or_else(|| CliError::BankUnknown { name: name.clone(), known: names() }),
        (None, []) => Ok(plain(&arguments.file)),
        (None, [only]) => Ok(only.clone()),
        (None, banks) => {
            let mut naming = banks.iter().filter(|bank| names_file(bank, arguments));
            match (naming.next(), naming.next()) {
                (Some(bank), None) => Ok(bank.clone()),
                _ => Err(CliError::BankNotNamed { known: names() }),
            }
        }
    }
}

fn names_file(bank: &BankSettings, arguments: &BankCheckArguments) -> bool {
    let file = arguments.file.canonicalize().ok();
    let files = files_of(&bank.path).unwrap_or_default();
    file.is_some() && files.iter().any(|path| path.canonicalize().ok() == file)
}

fn plain(file: &Path) -> BankSettings {
    BankSettings {
        name: "bank".to_owned(),
        path: file.to_path_buf(),
        format: None,
        originators: Vec::new(),
        account: None,
        table: TableSettings::default(),
    }
}

/// The merchants that name the bank; all merchants while none does.
fn merchants_of<'a>(settings: &'a Settings, bank: &BankSettings) -> Vec<&'a Merchant> {
    let naming: Vec<&Merchant> = settings
        .merchants
        .iter()
        .filter(|merchant| merchant.bank.as_ref() == Some(&bank.name))
        .collect();
    if naming.is_empty() { settings.merchants.iter().collect() } else { naming }
}

/// The currency that all of them share.
fn currency(merchants: &[&Merchant]) -> Option<Currency> {
    let mut currencies = merchants.iter().map(|merchant| merchant.currency);
    let first = currencies.next().flatten();
    first.filter(|first| currencies.all(|other| other == Some(*first)))
}

fn time_zone(settings: &Settings, merchants: &[&Merchant]) -> Tz {
    merchants.first().map_or(settings.time_zone, |merchant| merchant.time_zone)
}
