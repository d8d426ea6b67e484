//! Reads one ledger file from its first byte to its last row.

use std::fmt;
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord};

use super::LedgerError;
use super::columns::Columns;
use super::row::{Fault, Row, RowReader, merchants_of};
use crate::config::{LedgerSettings, Merchant};
use crate::import::files::FileError;
use crate::import::files::Fingerprint;
use crate::import::files::TextReader;
use crate::import::files::probe;
use crate::model::LedgerRecord;

/// Faults beyond these are counted and not kept: the first thousands explain a wrong mapping.
const MAX_FAULTS_KEPT: usize = 10_000;

/// A row over more lines than this was probably opened by a stray quote.
const MAX_USUAL_LINES: u64 = 20;

/// What reading a file came to, its records aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFile {
    pub path: PathBuf,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// Rows that became records.
    pub record_rows: u64,
    /// Rows that were left out for a fault.
    pub quarantined_rows: u64,
    /// Totals and remarks: rows without a date, and without an id or with one that says so.
    pub footer_rows: u64,
    /// The faults, in order of their lines; the first 10,000.
    pub quarantined: Vec<Quarantined>,
    /// Mapped headers that the file does not have: our name and the header. Such a column
    /// takes its default, which is worth a warning.
    pub absent_columns: Vec<(String, String)>,
}

/// A row that was left out. `Display` gives file, line, column, expected and found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    pub file: PathBuf,
    /// Counted from 1, as an editor does.
    pub line: u64,
    /// The file's own header, when one column is to blame.
    pub column: Option<String>,
    /// What was expected and what was found; never more than 40 characters of a cell.
    pub reason: String,
}

impl fmt::Display for Quarantined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: ", self.file.display(), self.line)?;
        if let Some(column) = &self.column {
            write!(formatter, "column \"{column}\": ")?;
        }
        formatter.write_str(&self.reason)
    }
}

/// A whole file, understood row by row; for looking at a file, not for loading a large one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    pub file: LedgerFile,
    pub records: Vec<LedgerRecord>,
}

/// Reads `path` and keeps its records.
///
/// # Errors
/// When the file as a whole is wrong: see [`LedgerError`].
pub fn check_file(
    path: &Path,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
) -> Result<CheckedFile, LedgerError> {
    let mut records = Vec::new();
    let file = read_file(path, ledger, merchants, |record| {
        records.push(record);
        Ok::<(), LedgerError>(())
    })?;
    Ok(CheckedFile { file, records })
}

/// SHA-256 of the bytes of `path`, as [`LedgerFile`] has it: whether it must be read again.
///
/// # Errors
/// When it cannot be read.
pub fn digest_of(path: &Path) -> Result<String, LedgerError> {
    Ok(probe(path).map_err(LedgerError::from)?.sha256)
}

/// Reads `path` and hands each record to `take`, in order of their lines.
///
/// `merchants` are all that the configuration names. When this returns an error, what `take`
/// was given must be thrown away: that the file changed is known only at its end.
///
/// # Errors
/// When the file as a whole is wrong, and whatever `take` returns.
pub fn read_file<E: From<LedgerError>>(
    path: &Path,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
    mut take: impl FnMut(LedgerRecord) -> Result<(), E>,
) -> Result<LedgerFile, E> {
    let before = Fingerprint::of(path).map_err(LedgerError::from)?;
    let probed = probe(path).map_err(LedgerError::from)?;
    if probed.is_blank {
        return Err(empty(path, ledger).into());
    }
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    let text =
        TextReader::open(path, probed.encoding).map_err(failed).map_err(LedgerError::from)?;
    let mut rows = Rows::open(text, path, ledger)?;
    let header = rows.header()?;
    let columns = Columns::find(&header, ledger, path)?;
    check_merchants(&columns, ledger, merchants, path)?;
    let reader = RowReader::new(&columns, ledger, merchants);
    let mut file = LedgerFile {
        path: path.to_path_buf(),
        sha256: probed.sha256,
        record_rows: 0,
        quarantined_rows: 0,
        footer_rows: 0,
        quarantined: Vec::new(),
        absent_columns: absent_columns(&columns, ledger),
    };
    let mut cells = StringRecord::new();
    while let Some(lines) = rows.next(&mut cells)? {
        match reader.read(&cells, lines.first) {
            Ok(Row::Record(record)) => {
                file.record_rows += 1;
                take(record)?;
            }
            Ok(Row::Footer) => file.footer_rows += 1,
            Err(fault) => file.quarantine(fault, &columns, lines),
        }
    }
    if Fingerprint::of(path).map_err(LedgerError::from)? != before {
        return Err(LedgerError::from(FileError::Changed { path: path.to_path_buf() }).into());
    }
    Ok(file)
}

impl LedgerFile {
    fn quarantine(&mut self, fault: Fault, columns: &Columns, lines: Lines) {
        self.quarantined_rows += 1;
        if self.quarantined.len() == MAX_FAULTS_KEPT {
            return;
        }
        let mut reason = fault.reason;
        if lines.count > MAX_USUAL_LINES {
            reason = format!("{reason} in a row of {} lines: is a quote open?", lines.count);
        }
        let column = fault.column.and_then(|at| columns.headers.get(at)).cloned();
        self.quarantined.push(Quarantined {
            file: self.path.clone(),
            line: lines.first,
            column,
            reason,
        });
    }
}

fn empty(path: &Path, ledger: &LedgerSettings) -> LedgerError {
    LedgerError::Empty { path: path.to_path_buf(), skip_lines: ledger.skip_lines }
}

fn check_merchants(
    columns: &Columns,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
    path: &Path,
) -> Result<(), LedgerError> {
    let named = merchants_of(ledger, merchants).count();
    if columns.merchant.is_some() || named == 1 {
        return Ok(());
    }
    Err(LedgerError::MerchantUnknown {
        path: path.to_path_buf(),
        ledger: ledger.name.clone(),
        merchants: named,
    })
}

fn absent_columns(columns: &Columns, ledger: &LedgerSettings) -> Vec<(String, String)> {
    let is_absent = |header: &str| {
        !columns.headers.iter().any(|found| found.to_lowercase() == header.trim().to_lowercase())
    };
    let mapped = ledger.columns.iter();
    mapped
        .filter(|(_, header)| is_absent(header))
        .map(|(column, header)| (column.clone(), header.clone()))
        .collect()
}

/// Where a row stands.
#[derive(Clone, Copy)]
struct Lines {
    first: u64,
    count: u64,
}

/// The rows of a text, each with its line.
struct Rows<'a> {
    reader: csv::Reader<TextReader>,
    path: &'a Path,
    ledger: &'a LedgerSettings,
}

impl<'a> Rows<'a> {
    fn open(
        mut text: TextReader,
        path: &'a Path,
        ledger: &'a LedgerSettings,
    ) -> Result<Self, LedgerError> {
        let delimiter = u8::try_from(ledger.delimiter)
            .ok()
            .filter(|byte| byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r'))
            .ok_or_else(|| LedgerError::DelimiterUnusable {
                ledger: ledger.name.clone(),
                found: ledger.delimiter,
            })?;
        for _ in 0..ledger.skip_lines {
            let is_there = text
                .skip_line()
                .map_err(|source| FileError::Io { path: path.to_path_buf(), source })?;
            if !is_there {
                return Err(empty(path, ledger));
            }
        }
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(64 * 1024)
            .from_reader(text);
        Ok(Self { reader, path, ledger })
    }

    fn header(&mut self) -> Result<StringRecord, LedgerError> {
        let mut cells = StringRecord::new();
        match self.next(&mut cells)? {
            Some(_) => Ok(cells),
            None => Err(empty(self.path, self.ledger)),
        }
    }

    /// Reads the next row into `cells`; `None` at the end.
    fn next(&mut self, cells: &mut StringRecord) -> Result<Option<Lines>, LedgerError> {
        self.reader.get_mut().begin_row();
        let begins_at = self.reader.position().line();
        let is_row = self.reader.read_record(cells).map_err(|source| LedgerError::Csv {
            path: self.path.to_path_buf(),
            line: self.ledger.skip_lines + begins_at,
            source,
        })?;
        if !is_row {
            return Ok(None);
        }
        // The text ends every line with a line feed, so the parser now stands on the line
        // after the row; blank lines before the row are counted as well.
        let inside = cells.iter().flat_map(str::bytes).filter(|&byte| byte == b'\n').count();
        let count = 1 + inside as u64;
        let first = self.ledger.skip_lines + self.reader.position().line() - count;
        Ok(Some(Lines { first, count }))
    }
}

#[cfg(test)]
pub(super) mod tests_support {
    use std::collections::BTreeMap;

    use super::*;
    use crate::calendar::CalendarName;
    use crate::money::Currency;

    pub(crate) fn settings() -> LedgerSettings {
        LedgerSettings {
            name: "books".to_owned(),
            path: PathBuf::from("ledger/*.csv"),
            delimiter: ',',
            decimal: '.',
            thousands: ',',
            date_format: "%Y-%m-%d".to_owned(),
            skip_lines: 0,
            columns: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }

    pub(crate) fn merchant(id: &str, ledger: Option<&str>, currency: Option<&str>) -> Merchant {
        Merchant {
            id: id.into(),
            name: None,
            currency: currency.map(|code| Currency::from_code(code).unwrap()),
            time_zone: chrono_tz::UTC,
            terminals: Vec::new(),
            calendar: CalendarName::UsFederalReserve,
            ledger: ledger.map(str::to_owned),
            bank: None,
        }
    }
}

#[cfg(test)]
mod tests;
