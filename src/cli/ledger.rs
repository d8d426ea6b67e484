//! `tieout ledger check`: what a ledger file says under a mapping, and what is wrong with it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::{CliError, Context, TableArguments};
use crate::config::{LedgerSettings, Merchant, Settings};
use crate::exit::Exit;
use crate::import::ledger::LedgerError;
use crate::import::ledger::LedgerFile;
use crate::import::ledger::LedgerRecord;
use crate::import::ledger::read_file;
use crate::model::MerchantId;
use crate::money::{Currency, Minor};
use crate::report::aligned::{AlignedTable, Colour, Side, Styled, printable};

const EXAMPLES: &str = "\
Examples:
  tieout ledger check export.csv
  tieout ledger check export.csv --ledger books --json

Without a ledger in the configuration the columns are expected under their own names: id, date,
amount (or debit and credit), and if they are there kind, currency, order_id, reference, last4,
status and merchant.

Ends with 4 when rows would be left out, and with 1 when the file cannot be read at all.";

/// Rows that are shown as they were understood: enough to see a wrong mapping.
const FIRST_ROWS: usize = 10;

/// What to do with a ledger.
#[derive(Clone, Debug, Subcommand)]
pub enum LedgerCommand {
    Check(LedgerCheckArguments),
}

/// Read a ledger file and say, row by row, what is wrong with it; nothing is stored
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

/// What a file came to.
#[derive(Serialize)]
struct Checked {
    file: String,
    ledger: String,
    sha256: String,
    records: u64,
    left_out: u64,
    footer_rows: u64,
    /// Mapped headers that the file does not have, by our name.
    absent_columns: BTreeMap<String, String>,
    sums: Vec<SumLine>,
    first_rows: Vec<RowLine>,
    faults: Vec<FaultLine>,
}

/// Records of one kind, status and currency.
#[derive(Serialize)]
struct SumLine {
    kind: &'static str,
    status: &'static str,
    currency: &'static str,
    records: u64,
    amount: String,
}

/// A row as it was understood.
#[derive(Serialize)]
struct RowLine {
    line: u64,
    id: String,
    merchant: String,
    kind: &'static str,
    date: String,
    amount: String,
    currency: &'static str,
    status: &'static str,
    order_id: Option<String>,
    reference: Option<String>,
    last4: Option<String>,
}

/// A row that would be left out.
#[derive(Serialize)]
struct FaultLine {
    line: u64,
    column: Option<String>,
    reason: String,
}

/// Sums by kind, status and currency code.
type Sums = BTreeMap<(&'static str, &'static str, &'static str), (u64, i128)>;

/// Runs the command.
///
/// # Errors
/// When the settings are wrong, or the file cannot be read.
pub fn execute(command: &LedgerCommand, context: &Context) -> Result<Exit, CliError> {
    let LedgerCommand::Check(arguments) = command;
    let settings = context.settings()?;
    let ledger = chosen(&settings, arguments)?;
    let merchants = readers(&settings, &ledger);
    let mut first_rows = Vec::new();
    let mut sums = Sums::new();
    let file = read_file(&arguments.file, &ledger, &merchants, |record| {
        let key = (record.kind.as_str(), record.status.as_str(), record.currency.code());
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + 1, sum.1 + i128::from(record.amount.0));
        if first_rows.len() < FIRST_ROWS {
            first_rows.push(row_line(record));
        }
        Ok::<(), LedgerError>(())
    })?;
    let exit = if file.quarantined_rows > 0 { Exit::Partial } else { Exit::Done };
    let checked = checked(file, &ledger, sums, first_rows);
    if arguments.table.json {
        context.print_json(&checked)?;
    } else {
        context.print(render(&checked, context.is_coloured()).as_bytes())?;
    }
    Ok(exit)
}

/// The named ledger, else the only one, else one whose columns have our own names.
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
        (None, []) => Ok(plain(arguments)),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(CliError::LedgerNotNamed { known: names() }),
    }
}

fn plain(arguments: &LedgerCheckArguments) -> LedgerSettings {
    LedgerSettings {
        name: "ledger".to_owned(),
        path: arguments.file.clone(),
        delimiter: ',',
        decimal: '.',
        thousands: ',',
        date_format: "%Y-%m-%d".to_owned(),
        skip_lines: 0,
        columns: BTreeMap::new(),
        values: BTreeMap::new(),
    }
}

/// The merchants that rows can belong to. When none names the ledger yet and there is no
/// choice, the only merchant (or one without an id) is taken to.
fn readers(settings: &Settings, ledger: &LedgerSettings) -> Vec<Merchant> {
    let mut merchants = settings.merchants.clone();
    if merchants.is_empty() {
        merchants.push(Merchant {
            id: MerchantId::from(""),
            name: None,
            currency: None,
            time_zone: settings.time_zone,
            terminals: Vec::new(),
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

fn row_line(record: LedgerRecord) -> RowLine {
    RowLine {
        line: record.line,
        id: record.ledger_id,
        merchant: record.merchant_id.to_string(),
        kind: record.kind.as_str(),
        date: record.date.to_string(),
        amount: record.currency.format(record.amount),
        currency: record.currency.code(),
        status: record.status.as_str(),
        order_id: record.order_id,
        reference: record.reference,
        last4: record.last4,
    }
}

fn checked(
    file: LedgerFile,
    ledger: &LedgerSettings,
    sums: Sums,
    first_rows: Vec<RowLine>,
) -> Checked {
    let sum_line = |((kind, status, code), (records, sum)): ((_, _, &'static str), (u64, i128))| {
        SumLine { kind, status, currency: code, records, amount: amount(code, sum) }
    };
    Checked {
        file: file.path.display().to_string(),
        ledger: ledger.name.clone(),
        sha256: file.sha256,
        records: file.record_rows,
        left_out: file.quarantined_rows,
        footer_rows: file.footer_rows,
        absent_columns: file.absent_columns.into_iter().collect(),
        sums: sums.into_iter().map(sum_line).collect(),
        first_rows,
        faults: file
            .quarantined
            .into_iter()
            .map(|fault| FaultLine { line: fault.line, column: fault.column, reason: fault.reason })
            .collect(),
    }
}

/// A sum in major units; one that leaves 64 bits is not stated.
fn amount(code: &str, sum: i128) -> String {
    match (Currency::from_code(code), i64::try_from(sum)) {
        (Some(currency), Ok(sum)) => currency.format(Minor(sum)),
        _ => "too large".to_owned(),
    }
}

fn render(checked: &Checked, is_coloured: bool) -> String {
    let Checked { file, ledger, records, left_out, footer_rows, .. } = checked;
    let (file, ledger) = (printable(file), printable(ledger));
    let mut lines = vec![format!(
        "{file} as ledger \"{ledger}\": records {records}, left out {left_out}, footer rows \
         {footer_rows}\n"
    )];
    for (column, header) in &checked.absent_columns {
        lines.push(format!("no column \"{}\" for {column}\n", printable(header)));
    }
    if !checked.sums.is_empty() {
        lines.push(format!("\n{}", sums_table(checked).render("", is_coloured)));
        lines.push(format!("\n{}", rows_table(checked).render("", is_coloured)));
    }
    if !checked.faults.is_empty() {
        lines.push("\nleft out:\n".to_owned());
    }
    for fault in &checked.faults {
        let column = fault
            .column
            .as_deref()
            .map_or_else(String::new, |column| format!("column \"{}\": ", printable(column)));
        let place = Styled::new(format!("{file}:{}:", fault.line), Colour::Red);
        let reason = printable(&fault.reason);
        lines.push(format!("{} {column}{reason}\n", place.painted(is_coloured)));
    }
    let more = left_out.saturating_sub(checked.faults.len() as u64);
    if more > 0 {
        lines.push(format!("and {more} more\n"));
    }
    lines.concat()
}

fn sums_table(checked: &Checked) -> AlignedTable {
    use Side::{Left, Right};
    let mut table = AlignedTable::new(&[
        ("kind", Left),
        ("status", Left),
        ("currency", Left),
        ("records", Right),
        ("amount", Right),
    ]);
    for sum in &checked.sums {
        table.push(vec![
            sum.kind.into(),
            sum.status.into(),
            sum.currency.into(),
            sum.records.to_string().into(),
            sum.amount.as_str().into(),
        ]);
    }
    table
}

fn rows_table(checked: &Checked) -> AlignedTable {
    use Side::{Left, Right};
    let mut table = AlignedTable::new(&[
        ("line", Right),
        ("id", Left),
        ("merchant", Left),
        ("kind", Left),
        ("date", Left),
        ("amount", Right),
        ("currency", Left),
        ("status", Left),
        ("order_id", Left),
        ("reference", Left),
        ("last4", Left),
    ]);
    for row in &checked.first_rows {
        let optional = |text: &Option<String>| text.as_deref().unwrap_or_default().into();
        table.push(vec![
            row.line.to_string().into(),
            row.id.as_str().into(),
            row.merchant.as_str().into(),
            row.kind.into(),
            row.date.as_str().into(),
            row.amount.as_str().into(),
            row.currency.into(),
            row.status.into(),
            optional(&row.order_id),
            optional(&row.reference),
            optional(&row.last4),
        ]);
    }
    table
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test's scratch files need no atomic write")]
mod tests;
