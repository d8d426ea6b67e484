//! `tieout ledger check`: the records of a ledger file under a mapping, and its faults.

mod output;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::suggest::{self, SuggestArguments};
use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use output::{Checked, JsonRecords, RowLine, Sums, render};
use tieout_config::{LedgerSettings, Merchant, Settings, TableSettings};
use tieout_import::ledger::{LedgerError, read_file};
use tieout_model::LedgerRecord;
use tieout_model::MerchantId;

const EXAMPLES: &str = "\
Examples:
  tieout ledger check export.csv
  tieout ledger check export.xlsx --ledger books --json

Without a ledger in the configuration the columns are expected under their own names: id, date,
amount (or debit and credit), and if they are there kind, currency, order_id, reference, last4,
status and merchant.

Ends with 4 when rows would be left out, or when the file cannot be read at all.";

/// Rows that are shown as they were understood: enough to see a wrong mapping.
const FIRST_ROWS: usize = 10;

/// The commands for ledgers.
#[derive(Clone, Debug, Subcommand)]
pub enum LedgerCommand {
    Check(LedgerCheckArguments),
    Suggest(SuggestArguments),
}

/// Read a ledger file and show its faults, row by row; nothing is stored
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LedgerCheckArguments {
    /// The file to read
    pub file: PathBuf,
    /// The ledger whose mapping to read it with [default: the only one that is configured]
    #[arg(long, value_name = "NAME")]
    pub ledger: Option<String>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Runs the command.
///
/// # Errors
/// When the settings are wrong, or standard output cannot be written.
pub fn execute(command: &LedgerCommand, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let arguments = match command {
        LedgerCommand::Check(arguments) => arguments,
        LedgerCommand::Suggest(arguments) => {
            let merchants = readers(&settings, &plain(&arguments.file));
            return suggest::ledger(arguments, &merchants, context);
        }
    };
    let ledger = chosen(&settings, arguments)?;
    let merchants = readers(&settings, &ledger);
    let mut json = JsonRecords::new(context, arguments.table.json);
    json.begin(&arguments.file, &ledger.name)?;
    let mut first_rows = Vec::new();
    let mut sums = Sums::new();
    let read = read_file(&arguments.file, &ledger, &merchants, |record: LedgerRecord| {
        let key = (record.kind.as_str(), record.status.as_str(), record.currency.code());
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + 1, sum.1 + i128::from(record.amount.0));
        if arguments.table.json {
            json.record(&record.into())?;
        } else if first_rows.len() < FIRST_ROWS {
            first_rows.push(RowLine::from(record));
        }
        Ok::<(), CliError>(())
    });
    let checked = match read {
        Ok(file) => Checked::read(file, &ledger, sums, first_rows),
        Err(CliError::Ledger(error)) => Checked::refused(&arguments.file, &ledger, refusal(&error)),
        Err(error) => return Err(error),
    };
    if arguments.table.json {
        json.end(&checked)?;
    } else if let Some(reason) = &checked.refused {
        context.complain(&format!("error: {reason}\n"));
    } else {
        context.print(render(&checked, context.is_coloured()).as_bytes())?;
    }
    Ok(if checked.is_sound() { Exit::Done } else { Exit::Partial })
}

/// Why the file cannot be read, with its causes.
fn refusal(error: &LedgerError) -> String {
    super::bank::with_causes(error)
}

/// The named ledger, else the only one, else one whose columns have tieout's own names.
fn chosen(
    settings: &Settings,
    arguments: &LedgerCheckArguments,
) -> Result<LedgerSettings, CliError> {
    let names = || settings.ledgers.iter().map(|ledger| ledger.name.clone()).collect();
    match (&arguments.ledger, settings.ledgers.as_slice()) {
        (Some(name), ledgers) => ledgers
            .iter()
            .find(|ledger| ledger.name == *name)
            .cloned()
            .ok_or_else(|| CliError::LedgerUnknown { name: name.clone(), known: names() }),
        (None, []) => Ok(plain(&arguments.file)),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(CliError::LedgerNotNamed { known: names() }),
    }
}

fn plain(file: &Path) -> LedgerSettings {
    LedgerSettings {
        name: "ledger".to_owned(),
        path: file.to_path_buf(),
        table: TableSettings::default(),
    }
}

/// The merchants that rows can belong to. If no merchant names the ledger yet and only one is
/// configured (or none), that one (or one without an id) gets it.
fn readers(settings: &Settings, ledger: &LedgerSettings) -> Vec<Merchant> {
    let mut merchants = settings.merchants.clone();
    if merchants.is_empty() {
        merchants.push(Merchant {
            id: MerchantId::from(""),
            name: None,
            currency: None,
            time_zone: settings.time_zone,
            terminals: Vec::new(),
            names_terminals: true,
            checks: BTreeMap::new(),
            terms: settings.usual_terms(),
            capture_tolerance_percent: 0,
            calendar: settings.settlement.calendar,
            ledger: None,
            bank: None,
        });
    }
    if let [only] = merchants.as_mut_slice()
        && only.ledger.is_none()
    {
        only.ledger = Some(ledger.name.clone());
    }
    merchants
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test's scratch files need no atomic write")]
mod tests;
