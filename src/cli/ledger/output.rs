//! The output of `tieout ledger check`: tables, or JSON whose records are written as they are read.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::cli::{CliError, Context};
use tieout_config::LedgerSettings;
use tieout_model::money::{Currency, Minor, grouped};
use tieout_model::{LedgerFile, LedgerRecord, MerchantId};
use tieout_report::aligned::{AlignedTable, Colour, Side, Styled, printable};

/// The size of JSON that is buffered before it is written.
const BUFFER_BYTES: usize = 64 * 1024;

/// Further rows that are not records are only counted.
const SKIPPED_SHOWN: usize = 20;

/// The result of reading a file.
pub(super) struct Checked {
    file: String,
    ledger: String,
    sha256: Option<String>,
    records: u64,
    left_out: u64,
    skipped_rows: u64,
    sums: Vec<SumLine>,
    first_rows: Vec<RowLine>,
    skipped: Vec<SkippedLine>,
    faults: Vec<FaultLine>,
    notes: Vec<String>,
    pub refused: Option<String>,
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
pub(super) struct RowLine {
    line: u64,
    id: String,
    kind: &'static str,
    date: String,
    amount: String,
    currency: &'static str,
    order_id: Option<String>,
    reference: Option<String>,
    last4: Option<String>,
    status: &'static str,
    merchant: MerchantId,
}

/// A row that would be left out.
#[derive(Serialize)]
struct FaultLine {
    line: u64,
    column: Option<String>,
    reason: String,
}

/// A row that is not a record.
#[derive(Serialize)]
struct SkippedLine {
    line: u64,
    reason: String,
}

/// Sums by kind, status and currency code.
pub(super) type Sums = BTreeMap<(&'static str, &'static str, &'static str), (u64, i128)>;

impl From<LedgerRecord> for RowLine {
    fn from(record: LedgerRecord) -> Self {
        Self {
            line: record.line,
            id: record.ledger_id.into(),
            merchant: record.merchant_id,
            kind: record.kind.as_str(),
            date: record.date.to_string(),
            amount: record.currency.format(record.amount),
            currency: record.currency.code(),
            status: record.status.as_str(),
            order_id: record.order_id.map(Into::into),
            reference: record.reference.map(Into::into),
            last4: record.last4.map(Into::into),
        }
    }
}

impl Checked {
    /// Of a file that was read.
    pub(super) fn read(
        file: LedgerFile,
        ledger: &LedgerSettings,
        sums: Sums,
        first_rows: Vec<RowLine>,
    ) -> Self {
        let sum_line = |((kind, status, code), (records, sum)): ((_, _, &'static str), _)| {
            SumLine { kind, status, currency: code, records, amount: amount(code, sum) }
        };
        let faults = file.quarantined.into_iter();
        let skipped = file.skipped.into_iter();
        Self {
            file: file.path.display().to_string(),
            ledger: ledger.name.clone(),
            sha256: Some(file.sha256),
            records: file.record_rows,
            left_out: file.quarantined_rows,
            skipped_rows: file.skipped_rows,
            sums: sums.into_iter().map(sum_line).collect(),
            first_rows,
            skipped: skipped
                .map(|row| SkippedLine { line: row.line, reason: row.reason })
                .collect(),
            faults: faults
                .map(|one| FaultLine { line: one.line, column: one.column, reason: one.reason })
                .collect(),
            notes: file.notes,
            refused: None,
        }
    }

    /// The output for a file that cannot be read as a whole.
    pub(super) fn refused(file: &Path, ledger: &LedgerSettings, reason: String) -> Self {
        Self {
            file: file.display().to_string(),
            ledger: ledger.name.clone(),
            sha256: None,
            records: 0,
            left_out: 0,
            skipped_rows: 0,
            sums: Vec::new(),
            first_rows: Vec::new(),
            skipped: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            refused: Some(reason),
        }
    }

    /// Whether no row was left out because of a fault.
    pub(super) fn is_sound(&self) -> bool {
        self.refused.is_none() && self.left_out == 0
    }
}

/// The JSON object of `--json`; its records are written as they are read.
pub(super) struct JsonRecords<'a> {
    context: &'a Context,
    is_wanted: bool,
    buffer: Vec<u8>,
    has_any: bool,
}

/// The fields after the records.
#[derive(Serialize)]
struct Rest<'a> {
    skipped: &'a [SkippedLine],
    faults: &'a [FaultLine],
    /// The number of rows that are not listed.
    more_skipped: u64,
    more_faults: u64,
    notes: &'a [String],
    sums: &'a [SumLine],
    sha256: Option<&'a str>,
    refused: Option<&'a str>,
}

impl<'a> JsonRecords<'a> {
    pub(super) fn new(context: &'a Context, is_wanted: bool) -> Self {
        Self { context, is_wanted, buffer: Vec::new(), has_any: false }
    }

    pub(super) fn begin(&mut self, file: &Path, ledger: &str) -> Result<(), CliError> {
        self.add("{\n  \"file\": ")?;
        self.add_json(&file.display().to_string())?;
        self.add(",\n  \"ledger\": ")?;
        self.add_json(&ledger)?;
        self.add(",\n  \"records\": [")
    }

    pub(super) fn record(&mut self, row: &RowLine) -> Result<(), CliError> {
        self.add(if self.has_any { ",\n    " } else { "\n    " })?;
        self.has_any = true;
        self.add_json(row)
    }

    /// Writes the fields after the records.
    pub(super) fn end(mut self, checked: &Checked) -> Result<(), CliError> {
        let rest = Rest {
            skipped: &checked.skipped,
            faults: &checked.faults,
            more_skipped: checked.skipped_rows.saturating_sub(checked.skipped.len() as u64),
            more_faults: checked.left_out.saturating_sub(checked.faults.len() as u64),
            notes: &checked.notes,
            sums: &checked.sums,
            sha256: checked.sha256.as_deref(),
            refused: checked.refused.as_deref(),
        };
        self.add(if self.has_any { "\n  ],\n" } else { "],\n" })?;
        let text = serde_json::to_string_pretty(&rest).map_err(broken)?;
        // The fields of an object, without its opening brace.
        self.add(text.trim_start_matches(['{', '\n']))?;
        self.add("\n")?;
        self.flush()
    }

    fn add(&mut self, text: &str) -> Result<(), CliError> {
        if self.is_wanted {
            self.buffer.extend_from_slice(text.as_bytes());
        }
        if self.buffer.len() > BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn add_json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        if self.is_wanted {
            serde_json::to_writer(&mut self.buffer, value).map_err(broken)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), CliError> {
        let written = self.context.print(&self.buffer);
        self.buffer.clear();
        written
    }
}

fn broken(error: serde_json::Error) -> CliError {
    CliError::Output(std::io::Error::other(error))
}

/// A sum in major units; one that leaves 64 bits is not stated.
fn amount(code: &str, sum: i128) -> String {
    match (Currency::from_code(code), i64::try_from(sum)) {
        (Some(currency), Ok(sum)) => currency.format(Minor(sum)),
        _ => "too large".to_owned(),
    }
}

/// The tables.
pub(super) fn render(checked: &Checked, is_coloured: bool) -> String {
    let Checked { file, ledger, records, left_out, skipped_rows, .. } = checked;
    let (file, ledger) = (printable(file), printable(ledger));
    let mut lines = vec![format!(
        "{file} as ledger \"{ledger}\": records {records}, left out {left_out}, skipped \
         {skipped_rows}\n"
    )];
    if !checked.sums.is_empty() {
        lines.push(format!("\n{}", sums_table(checked).render("", is_coloured)));
        lines.push(format!("\n{}", rows_table(checked).render("", is_coloured)));
    }
    if !checked.skipped.is_empty() {
        lines.push("\nskipped:\n".to_owned());
    }
    for row in checked.skipped.iter().take(SKIPPED_SHOWN) {
        lines.push(format!("{file}:{}: {}\n", row.line, printable(&row.reason)));
    }
    let more = skipped_rows.saturating_sub(checked.skipped.len().min(SKIPPED_SHOWN) as u64);
    if more > 0 {
        lines.push(format!("and {more} more\n"));
    }
    if !checked.notes.is_empty() {
        lines.push("\nnot mapped:\n".to_owned());
    }
    lines.extend(checked.notes.iter().map(|note| format!("{}\n", printable(note))));
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
            grouped(&sum.records.to_string()).into(),
            grouped(&sum.amount).into(),
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
            grouped(&row.amount).into(),
            row.currency.into(),
            row.status.into(),
            optional(&row.order_id),
            optional(&row.reference),
            optional(&row.last4),
        ]);
    }
    table
}
