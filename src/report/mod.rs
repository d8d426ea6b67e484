//! Writes what a business date came to: CSV files, the manifest `run.json`, and the summary
//! on the terminal. Computes no result; every figure is handed in.

pub mod aligned;
pub mod atomic;
mod cell;
mod manifest;
mod order;
mod rows;
pub mod terminal;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use crate::config::ReportFormat;
use crate::model::{BatchRow, DepositRow, DiscrepancyRow, MatchRow, SummaryRow, TransitRow};

pub use cell::{Cell, Column, ColumnKind};
pub use manifest::{
    Amount, ChecksRecord, Count, DiscrepancyTotals, ItemTotals, LedgerTotals, ListingRecord,
    NotEvaluated, RecordTotals, RunRecord, SCHEMA_VERSION, StageRecord, Total,
};
pub use rows::Row;

use atomic::{FileFacts, StagedFile};

/// The manifest's name, which is written whatever the formats.
pub const MANIFEST_FILE: &str = "run.json";

/// Everything that is written for one business date.
#[derive(Clone, Debug)]
pub struct DateReport {
    pub business_date: NaiveDate,
    pub discrepancies: Vec<DiscrepancyRow>,
    pub deposits: Vec<DepositRow>,
    pub batches: Vec<BatchRow>,
    pub matches: Vec<MatchRow>,
    pub in_transit: Vec<TransitRow>,
    pub summary: Vec<SummaryRow>,
    /// Its `files` are filled in by the writer.
    pub run: RunRecord,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFiles {
    /// The folder of the business date.
    pub folder: PathBuf,
    /// Name to SHA-256, the manifest included.
    pub files: BTreeMap<String, String>,
}

/// A report could not be written; what was there before is still whole.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot create the report folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl ReportError {
    /// What to look at.
    pub fn hint(&self) -> Option<String> {
        let (Self::Folder { source, .. } | Self::File { source, .. }) = self;
        match source.kind() {
            io::ErrorKind::PermissionDenied => {
                Some("choose another folder with --out or [reports] dir".to_owned())
            }
            io::ErrorKind::StorageFull => Some("make room on the disk and run again".to_owned()),
            _ => None,
        }
    }
}

/// Writes the files of one business date into `<dir>/<date>/`. The manifest comes last: when
/// it is new, everything that it names is.
///
/// # Errors
/// When a folder or file cannot be written. No file is ever half written under its own name.
pub fn write_date(
    dir: &Path,
    report: &DateReport,
    formats: &BTreeSet<ReportFormat>,
) -> Result<WrittenFiles, ReportError> {
    let folder = dir.join(report.business_date.to_string());
    atomic::create_folder(&folder)?;
    let mut staged = Vec::new();
    if formats.contains(&ReportFormat::Csv) {
        staged.push(stage_table(&folder, order::discrepancies(&report.discrepancies))?);
        staged.push(stage_table(&folder, order::deposits(&report.deposits))?);
        staged.push(stage_table(&folder, order::batches(&report.batches))?);
        staged.push(stage_table(&folder, order::matches(&report.matches))?);
        staged.push(stage_table(&folder, order::in_transit(&report.in_transit))?);
        staged.push(stage_table(&folder, order::summary(&report.summary))?);
    }
    // The page and the workbook are staged here, from the same rows and typed cells.
    let mut files = publish(staged)?;
    let run = RunRecord { files: files.clone(), ..report.run.clone() };
    let manifest = StagedFile::write(&folder, MANIFEST_FILE, |out| run.write_to(out))?;
    files.extend(publish(vec![manifest])?);
    atomic::sync_folder(&folder)?;
    Ok(WrittenFiles { folder, files })
}

fn stage_table<R: Row>(folder: &Path, rows: Vec<&R>) -> Result<StagedFile, ReportError> {
    StagedFile::write(folder, R::FILE, |out| write_table(out, rows))
}

/// Writes the header and the rows as they come.
fn write_table<'a, R: Row + 'a>(
    out: &mut dyn Write,
    rows: impl IntoIterator<Item = &'a R>,
) -> io::Result<()> {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    writer.write_record(R::COLUMNS.iter().map(|column| column.name))?;
    for row in rows {
        let cells = row.cells();
        assert_eq!(cells.len(), R::COLUMNS.len(), "a row of {} has a cell per column", R::FILE);
        for (cell, column) in cells.iter().zip(R::COLUMNS) {
            assert_eq!(cell.kind(), column.kind, "{} of {}", column.name, R::FILE);
            writer.write_field(cell.to_csv().as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The columns of `discrepancies.csv` for rows whose status is said by somebody else.
///
/// # Errors
/// When there is no memory left to write to.
pub fn discrepancies_csv<'a>(
    rows: impl Iterator<Item = (&'a DiscrepancyRow, &'static str)>,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::Any(b'\n'))
        .from_writer(&mut text);
    writer.write_record(DiscrepancyRow::COLUMNS.iter().map(|column| column.name))?;
    for (row, status) in rows {
        for (cell, column) in row.cells().iter().zip(DiscrepancyRow::COLUMNS) {
            let cell = if column.name == "status" { status.into() } else { cell.to_csv() };
            writer.write_field(cell.as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()?;
    drop(writer);
    Ok(text)
}

fn publish(staged: Vec<StagedFile>) -> Result<BTreeMap<String, String>, ReportError> {
    let mut files = BTreeMap::new();
    for file in staged {
        let FileFacts { name, sha256 } = file.publish()?;
        files.insert(name, sha256);
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
