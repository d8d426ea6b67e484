//! Writes the results of a business date: CSV files, page, workbook, the manifest `run.json`, and
//! the summary on the terminal. Computes no figure of its own; every figure is passed in.

pub mod aligned;
pub mod atomic;
mod causes;
mod cell;
mod chain;
mod column;
mod columns;
mod date_report;
mod error;
mod files;
mod headline;
mod index;
mod journal;
mod manifest;
mod open_errors;
mod order;
mod overview;
mod page;
mod period;
mod period_report;
mod register;
mod rows_beside;
mod signature;
mod signed;
mod table;
pub mod terminal;
mod totals;
mod visible;
mod xlsx;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use tieout_config::ReportFormat;
use tieout_model::{Discrepancy, MatchRow, RunRecord};

pub use cell::{Cell, Column, ColumnKind};
pub use column::{ColumnOf, Row};
pub use date_report::DateReport;
pub use error::ReportError;
pub use files::{PAGE_FILE, WORKBOOK_FILE, WrittenFiles};
pub use headline::{
    ACCEPTED, MoneyByCode, OpenCounts, OpenMoney, Owed, open_counts, open_money, owed,
};
pub use index::{INDEX_FILE, write_index};
pub use manifest::{MANIFEST_FILE, sign_off_of, store_of};
pub use open_errors::{OpenErrors, open_errors};
pub use order::{compare_matches, sort_matches};
pub use period::{PERIOD_MANIFEST_FILE, PERIODS_FOLDER, write_noted_period, write_period};
pub use period_report::PeriodReport;
pub use register::{Entry, REGISTER_FILE, Register};
pub use signature::{KeyError, PublicKey, SIGNATURE_ENDING, Signer, signature_of};
pub use table::RowSource;
pub use totals::{final_until, is_moving, own_verdict, verdict_of_date};
pub use visible::visible;

use atomic::StagedFile;
use files::{Contents, publish};
use table::Table;

/// Writes the files of one business date into `<dir>/<date>/`. The manifest comes last: once it is
/// new, every file that it names is new.
///
/// # Errors
/// When a folder or file cannot be written. No file is ever half written under its own name.
pub fn write_date(
    dir: &Path,
    report: &DateReport<'_>,
    matches: &dyn RowSource<MatchRow>,
    formats: &BTreeSet<ReportFormat>,
) -> Result<WrittenFiles, ReportError> {
    write_noted_date(dir, report, matches, formats, |_| Ok(()))
}

/// The same with a `note` of the digest of the manifest, taken before the manifest has its name: what
/// lies in the folder was noted, also after a power cut.
///
/// # Errors
/// As [`write_date`], and when the note is refused.
pub fn write_noted_date<E: From<ReportError>>(
    dir: &Path,
    report: &DateReport<'_>,
    matches: &dyn RowSource<MatchRow>,
    formats: &BTreeSet<ReportFormat>,
    note: impl FnOnce(&str) -> Result<(), E>,
) -> Result<WrittenFiles, E> {
    let folder = dir.join(report.business_date.to_string());
    atomic::create_folder(&folder)?;
    let lines = report.journal();
    let tables = report.tables(matches, lines.as_deref());
    let plain = lines.as_deref().map(|lines| (journal::PLAIN_FILE, journal::plain(lines)));
    let chain = chain::lines(report, &order::summary(&report.summary));
    let sheets = [Table::of(chain.iter().collect())];
    let contents = Contents {
        title: format!("Settlement reconciliation of {}", report.business_date),
        date: report.business_date,
        sheets: &sheets,
        tables: &tables,
        plain,
        overview: overview::of_date(report),
        page: &|files| page::date_page(report, files),
    };
    let others = contents.others(formats);
    let mut files = publish(contents.stage(&folder, formats)?)?;
    let standing = Some(index::standing_of(report));
    let run = RunRecord { files: files.clone(), standing, ..report.run.clone() };
    let manifest = StagedFile::write(&folder, MANIFEST_FILE, |out| manifest::write(&run, out))?;
    note(manifest.sha256())?;
    files.extend(publish(vec![manifest])?);
    atomic::remove_files(&folder, &others)?;
    atomic::sync_folder(&folder)?;
    Ok(WrittenFiles { folder, files })
}

/// `discrepancies.csv` for rows with a status that decisions have changed.
///
/// # Errors
/// When there is no memory left to write to.
pub fn discrepancies_csv<'a>(
    rows: impl Iterator<Item = (&'a Discrepancy, &'static str)>,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(&mut text);
    let columns = Discrepancy::columns();
    writer.write_record(columns.iter().map(|column| column.head.name))?;
    for (row, status) in rows {
        for column in &columns {
            let cell = column.cell(row);
            let is_status = column.head.name == "status";
            let cell = if is_status { status.into() } else { cell.to_csv() };
            writer.write_field(cell.as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()?;
    drop(writer);
    Ok(text)
}

#[cfg(test)]
mod tests;
