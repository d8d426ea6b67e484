//! Reads one ledger file from its first byte to its last row.

use std::path::Path;

use chrono::NaiveDate;

use super::LedgerError;
use super::row::{Fault, Glimpse, Reading, RowReader, WANTED, merchants_of};
use crate::files::{FileError, Fingerprint, Probe, TextReader, probe};
use crate::table::{Book, Columns, DateReader, Found, Source, Sums, Table, TableError, Unmapped};
use tieout_config::{LedgerSettings, Merchant};
use tieout_model::money::Minor;
use tieout_model::{LedgerFile, LedgerKind, LedgerRecord, Quarantined, Skipped};

/// Further faults are counted but not kept: the first thousands explain a wrong mapping.
const MAX_FAULTS_KEPT: usize = 10_000;

/// The content of a line of a ledger file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerItem {
    Record(LedgerRecord),
    Quarantined(Quarantined),
    Skipped(Skipped),
}

/// A whole file, read row by row; for examining a file, not for loading a large one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    pub file: LedgerFile,
    pub records: Vec<LedgerRecord>,
}

/// Reads `path` and keeps its records.
///
/// # Errors
/// When the file as a whole is not valid: see [`LedgerError`].
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

/// The first pass over a file, with which reading begins.
pub struct Looked {
    fingerprint: Fingerprint,
    probed: Probe,
}

impl Looked {
    /// Reads all of `path` once.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn at(path: &Path) -> Result<Self, LedgerError> {
        let fingerprint = Fingerprint::of(path)?;
        Ok(Self { fingerprint, probed: probe(path)? })
    }

    /// SHA-256 of the file's bytes, as in [`LedgerFile`].
    pub fn sha256(&self) -> &str {
        &self.probed.sha256
    }
}

/// Reads `path` and passes each record to `take`, in order of their lines.
///
/// `merchants` are all configured merchants. When this returns an error, the caller must discard
/// the records that `take` received: a change of the file is detected only at its end.
///
/// # Errors
/// When the file as a whole is not valid, and any error of `take`.
pub fn read_file<E: From<LedgerError>>(
    path: &Path,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
    take: impl FnMut(LedgerRecord) -> Result<(), E>,
) -> Result<LedgerFile, E> {
    read_looked(path, Looked::at(path)?, ledger, merchants, take)
}

/// As [`read_file`], for a file after its first pass.
///
/// # Errors
/// As [`read_file`].
pub fn read_looked<E: From<LedgerError>>(
    path: &Path,
    looked: Looked,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
    mut take: impl FnMut(LedgerRecord) -> Result<(), E>,
) -> Result<LedgerFile, E> {
    let (mut quarantined, mut skipped) = (Vec::new(), Vec::new());
    let mut file = items_of(path, looked, ledger, merchants, |item| {
        match item {
            LedgerItem::Record(record) => return take(record),
            LedgerItem::Quarantined(fault) if quarantined.len() < MAX_FAULTS_KEPT => {
                quarantined.push(fault);
            }
            LedgerItem::Skipped(row) if skipped.len() < MAX_FAULTS_KEPT => skipped.push(row),
            LedgerItem::Quarantined(_) | LedgerItem::Skipped(_) => {}
        }
        Ok(())
    })?;
    (file.quarantined, file.skipped) = (quarantined, skipped);
    Ok(file)
}

/// Reads `path` and passes every item to `take`, in order of lines. The lists of the returned file
/// are empty.
///
/// # Errors
/// As [`read_file`].
pub fn read_items<E: From<LedgerError>>(
    path: &Path,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
    take: impl FnMut(LedgerItem) -> Result<(), E>,
) -> Result<LedgerFile, E> {
    items_of(path, Looked::at(path)?, ledger, merchants, take)
}

fn items_of<E: From<LedgerError>>(
    path: &Path,
    looked: Looked,
    ledger: &LedgerSettings,
    merchants: &[Merchant],
    mut take: impl FnMut(LedgerItem) -> Result<(), E>,
) -> Result<LedgerFile, E> {
    let Looked { fingerprint: before, probed } = looked;
    let wrong = |error| LedgerError::Table { path: path.to_path_buf(), error };
    let source = source(path, &probed, ledger)?;
    let dates = DateReader::of(&ledger.table, zone(ledger, merchants));
    let mut table = Table::open(source, &ledger.table, WANTED, dates).map_err(wrong)?;
    check_merchants(table.columns(), ledger, merchants, path)?;
    let reader = RowReader::new(table.columns(), ledger, merchants);
    let (mut counts, mut sums) = (Counts::default(), Sums::default());
    let mut unmapped = Unmapped::of(table.columns(), Book::Ledger);
    while let Some(found) = table.next().map_err(wrong)? {
        match found {
            Found::Row => {
                let (item, refund) = item(path, &table, &reader, &mut sums);
                let is_payment = match &item {
                    LedgerItem::Record(record) => Some(record.kind == LedgerKind::Payment),
                    _ => None,
                };
                unmapped.look_at(table.row().cells, is_payment);
                for item in std::iter::once(item).chain(refund) {
                    counts.count(&item);
                    take(item)?;
                }
            }
            Found::Broken { line, rows, reason } => {
                for _ in 0..rows {
                    sums.add(None);
                    let fault = Fault { column: None, reason: reason.clone() };
                    let seen = Glimpse::default();
                    let fault = quarantined(path, table.columns(), line, fault, seen);
                    counts.quarantined += 1;
                    take(LedgerItem::Quarantined(fault))?;
                }
            }
            Found::Remark { line, reason } => {
                counts.skipped += 1;
                take(LedgerItem::Skipped(Skipped { line, reason: reason.to_owned() }))?;
            }
        }
    }
    let notes = unmapped.check().map_err(wrong)?;
    if Fingerprint::of(path).map_err(LedgerError::from)? != before {
        return Err(LedgerError::from(FileError::Changed { path: path.to_path_buf() }).into());
    }
    Ok(LedgerFile {
        path: path.to_path_buf(),
        sha256: probed.sha256,
        record_rows: counts.records,
        quarantined_rows: counts.quarantined,
        skipped_rows: counts.skipped,
        last_date: counts.last_date,
        notes,
        quarantined: Vec::new(),
        skipped: Vec::new(),
    })
}

/// The item of the table's current row, with its refund when the row states one.
fn item(
    path: &Path,
    table: &Table,
    reader: &RowReader<'_>,
    sums: &mut Sums,
) -> (LedgerItem, Option<LedgerItem>) {
    let line = table.row().line;
    let item = match reader.read(table, sums) {
        Ok(Reading::Record(record, refund)) => {
            return (LedgerItem::Record(record), refund.map(LedgerItem::Record));
        }
        Ok(Reading::Skipped(reason)) => LedgerItem::Skipped(Skipped { line, reason }),
        Err(fault) => {
            let seen = reader.glimpse(table);
            sums.add(seen.amount);
            LedgerItem::Quarantined(quarantined(path, table.columns(), line, fault, seen))
        }
    };
    (item, None)
}

#[derive(Default)]
struct Counts {
    records: u64,
    quarantined: u64,
    skipped: u64,
    last_date: Option<NaiveDate>,
}

impl Counts {
    fn count(&mut self, item: &LedgerItem) {
        match item {
            LedgerItem::Record(record) => {
                self.records += 1;
                self.last_date = self.last_date.max(Some(record.date));
            }
            LedgerItem::Quarantined(_) => self.quarantined += 1,
            LedgerItem::Skipped(_) => self.skipped += 1,
        }
    }
}

/// The table in the file, if there is one.
fn source(path: &Path, probed: &Probe, ledger: &LedgerSettings) -> Result<Source, LedgerError> {
    let wrong = |error| LedgerError::Table { path: path.to_path_buf(), error };
    if probed.is_zip {
        return Ok(Source::Workbook(path.to_path_buf()));
    }
    if let Some(foreign) = probed.foreign {
        return Err(wrong(TableError::Foreign(foreign)));
    }
    if probed.is_blank {
        return Err(wrong(TableError::Empty { skip_lines: ledger.table.skip_lines }));
    }
    let encoding = ledger.table.encoding.or(probed.encoding);
    let encoding = encoding.ok_or_else(|| wrong(TableError::NotText))?;
    Ok(Source::File(TextReader::open(path, encoding)?, path.to_path_buf()))
}

/// The time zone in which a timestamp has its date: the ledger's, else that of its first merchant.
fn zone(ledger: &LedgerSettings, merchants: &[Merchant]) -> Option<chrono_tz::Tz> {
    let named = || merchants_of(ledger, merchants).map(|merchant| merchant.time_zone).next();
    ledger.table.time_zone.or_else(named)
}

fn quarantined(
    path: &Path,
    columns: &Columns,
    line: u64,
    fault: Fault,
    seen: Glimpse,
) -> Quarantined {
    Quarantined {
        file: path.to_path_buf(),
        line,
        column: fault.column.and_then(|at| columns.headers.get(at)).cloned(),
        reason: fault.reason,
        merchant_id: seen.merchant_id,
        kind: seen.kind,
        date: seen.date,
        amount: seen.amount.map(|amount| Minor(amount.0.abs())),
        currency: seen.currency,
        reference: seen.reference,
    }
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

#[cfg(test)]
pub(super) mod tests_support {
    use super::*;
    use std::path::PathBuf;
    use tieout_model::calendar::CalendarName;

    use tieout_config::{MerchantTerms, TableSettings};
    use tieout_model::money::Currency;

    pub fn settings() -> LedgerSettings {
        LedgerSettings {
            name: "books".to_owned(),
            path: PathBuf::from("ledger/*.csv"),
            table: TableSettings::default(),
        }
    }

    pub fn merchant(id: &str, ledger: Option<&str>, currency: Option<&str>) -> Merchant {
        Merchant {
            id: id.into(),
            name: None,
            currency: currency.map(|code| Currency::from_code(code).unwrap()),
            time_zone: chrono_tz::UTC,
            terminals: Vec::new(),
            names_terminals: true,
            checks: std::collections::BTreeMap::new(),
            terms: MerchantTerms::default(),
            capture_tolerance_percent: 0,
            calendar: CalendarName::UsFederalReserve,
            ledger: ledger.map(str::to_owned),
            bank: None,
        }
    }
}

#[cfg(test)]
mod tests;
