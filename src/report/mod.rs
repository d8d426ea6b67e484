//! Writes the results of a business date: CSV files, page, workbook, the manifest `run.json`, and
//! the summary on the terminal. Computes nothing; every figure is handed in.

pub mod aligned;
pub mod atomic;
mod cell;
mod index;
mod manifest;
mod order;
mod overview;
mod page;
mod period;
mod rows;
mod table;
pub mod terminal;
mod totals;
mod xlsx;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use crate::config::{ComponentSigns, ReportFormat};
use crate::model::{BatchRow, DepositRow, Discrepancy, MatchRow, SummaryRow, TransitRow};

pub use cell::{Cell, Column, ColumnKind};
pub use index::{INDEX_FILE, write_index};
pub use manifest::{
    Amount, ChecksRecord, Count, DateStanding, DiscrepancyTotals, ItemTotals, LedgerTotals,
    ListingRecord, RecordTotals, RunRecord, SCHEMA_VERSION, StageRecord, Total,
};
pub use order::{compare_matches, sort_matches};
pub use period::{PERIOD_MANIFEST_FILE, PERIODS_FOLDER, PeriodReport, write_period};
pub use rows::Row;
pub use table::RowSource;
pub use totals::verdict_of_date;

use atomic::{FileFacts, StagedFile};
use table::Table;
use xlsx::{OverviewLine, WorkbookContent};

/// The manifest's name, which is written whatever the formats.
pub const MANIFEST_FILE: &str = "run.json";
/// The page's name.
pub const PAGE_FILE: &str = "report.html";
/// The workbook's name.
pub const WORKBOOK_FILE: &str = "report.xlsx";

/// Everything that is written for one business date.
#[derive(Clone, Debug)]
pub struct DateReport {
    pub business_date: NaiveDate,
    pub discrepancies: Vec<Discrepancy>,
    pub deposits: Vec<DepositRow>,
    pub batches: Vec<BatchRow>,
    pub in_transit: Vec<TransitRow>,
    pub summary: Vec<SummaryRow>,
    /// Its `files` are filled in by the writer.
    pub run: RunRecord,
    /// With which signs the components of a deposit add up to its net amount.
    pub signs: ComponentSigns,
    /// Code to what the check looks for.
    pub meanings: BTreeMap<String, String>,
}

impl DateReport {
    /// Every table, in the order in which a person wants to see them.
    fn tables<'a>(&'a self, matches: &'a dyn RowSource<MatchRow>) -> Vec<Table<'a>> {
        vec![
            Table::of(order::summary(&self.summary)),
            Table::of(order::discrepancies(&self.discrepancies)),
            Table::of(order::deposits(&self.deposits)),
            Table::of(order::batches(&self.batches)),
            Table::streamed(matches),
            Table::of(order::in_transit(&self.in_transit)),
        ]
    }
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
    matches: &dyn RowSource<MatchRow>,
    formats: &BTreeSet<ReportFormat>,
) -> Result<WrittenFiles, ReportError> {
    let folder = dir.join(report.business_date.to_string());
    atomic::create_folder(&folder)?;
    let tables = report.tables(matches);
    let contents = Contents {
        title: format!("Settlement reconciliation of {}", report.business_date),
        date: report.business_date,
        tables: &tables,
        overview: overview::of_date(report),
        page: &|files| page::date_page(report, files),
    };
    let others = contents.others(formats);
    let mut files = publish(contents.stage(&folder, formats)?)?;
    let standing = Some(index::standing_of(report));
    let run = RunRecord { files: files.clone(), standing, ..report.run.clone() };
    let manifest = StagedFile::write(&folder, MANIFEST_FILE, |out| run.write_to(out))?;
    files.extend(publish(vec![manifest])?);
    atomic::remove_files(&folder, &others)?;
    atomic::sync_folder(&folder)?;
    Ok(WrittenFiles { folder, files })
}

/// What the files beside the manifest are written from.
struct Contents<'a> {
    title: String,
    /// The day that the workbook says it was made on.
    date: NaiveDate,
    tables: &'a [Table<'a>],
    overview: Vec<OverviewLine>,
    /// The page, given the names of the files that lie beside it.
    page: &'a dyn Fn(&[String]) -> String,
}

impl Contents<'_> {
    /// The files of formats that are not configured. One of an earlier run would be out of date and
    /// is removed.
    fn others(&self, formats: &BTreeSet<ReportFormat>) -> Vec<&'static str> {
        let tables = self.tables.iter().map(|table| (ReportFormat::Csv, table.file));
        tables
            .chain([(ReportFormat::Xlsx, WORKBOOK_FILE), (ReportFormat::Html, PAGE_FILE)])
            .filter(|(format, _)| !formats.contains(format))
            .map(|(_, file)| file)
            .collect()
    }

    /// Writes the files of the formats, all under temporary names.
    fn stage(
        self,
        folder: &Path,
        formats: &BTreeSet<ReportFormat>,
    ) -> Result<Vec<StagedFile>, ReportError> {
        let mut staged = Vec::new();
        if formats.contains(&ReportFormat::Csv) {
            for table in self.tables {
                staged.push(StagedFile::write(folder, table.file, |out| table.write_csv(out))?);
            }
        }
        if formats.contains(&ReportFormat::Xlsx) {
            let workbook = WorkbookContent {
                title: self.title,
                date: self.date,
                overview: self.overview,
                tables: self.tables,
                folder,
            };
            staged.push(StagedFile::write(folder, WORKBOOK_FILE, |out| workbook.write(out))?);
        }
        if formats.contains(&ReportFormat::Html) {
            let beside: Vec<String> = staged.iter().map(|file| file.name().to_owned()).collect();
            let page = (self.page)(&beside);
            let write = StagedFile::write(folder, PAGE_FILE, |out| out.write_all(page.as_bytes()));
            staged.push(write?);
        }
        Ok(staged)
    }
}

/// The columns of `discrepancies.csv` for rows with a status that decisions have changed.
///
/// # Errors
/// When there is no memory left to write to.
pub fn discrepancies_csv<'a>(
    rows: impl Iterator<Item = (&'a Discrepancy, &'static str)>,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(&mut text);
    writer.write_record(Discrepancy::COLUMNS.iter().map(|column| column.name))?;
    for (row, status) in rows {
        for (cell, column) in row.cells().iter().zip(Discrepancy::COLUMNS) {
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
