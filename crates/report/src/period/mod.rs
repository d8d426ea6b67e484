//! The report of a period: one set of files over several consecutive business dates, in
//! `<dir>/periods/<first>..<last>/`. Its manifest is `period.json`, written last.

mod columns;
mod period_json;

use std::collections::BTreeSet;
use std::path::Path;

use super::atomic::{self, StagedFile};
use super::error::ReportError;
use super::files::{Contents, WrittenFiles, publish};
use super::period_report::PeriodReport;
use super::{overview, page};
use period_json::PeriodRecord;
use tieout_config::ReportFormat;

/// The folder of the periods, beside those of the dates.
pub const PERIODS_FOLDER: &str = "periods";
/// The manifest's name. It is written for every set of formats.
pub const PERIOD_MANIFEST_FILE: &str = "period.json";

/// Writes the files of a period.
///
/// # Errors
/// When a folder or file cannot be written. No file is ever half written under its own name.
pub fn write_period(
    dir: &Path,
    report: &PeriodReport,
    formats: &BTreeSet<ReportFormat>,
) -> Result<WrittenFiles, ReportError> {
    write_noted_period(dir, report, formats, |_| Ok(()))
}

/// The same with a `note` of the digest of the manifest, taken before the manifest has its name.
///
/// # Errors
/// As [`write_period`], and when the note is refused.
pub fn write_noted_period<E: From<ReportError>>(
    dir: &Path,
    report: &PeriodReport,
    formats: &BTreeSet<ReportFormat>,
    note: impl FnOnce(&str) -> Result<(), E>,
) -> Result<WrittenFiles, E> {
    let folder = dir.join(PERIODS_FOLDER).join(format!("{}..{}", report.first, report.last));
    atomic::create_folder(&folder)?;
    let tables = report.tables();
    let contents = Contents {
        title: format!("Settlement reconciliation, {} to {}", report.first, report.last),
        date: report.last,
        sheets: &[],
        tables: &tables,
        plain: None,
        overview: overview::of_period(report),
        page: &|files| page::period_page(report, files),
    };
    let others = contents.others(formats);
    let mut files = publish(contents.stage(&folder, formats)?)?;
    let record = PeriodRecord::of(report, files.clone());
    let manifest = StagedFile::write(&folder, PERIOD_MANIFEST_FILE, |out| record.write_to(out))?;
    note(manifest.sha256())?;
    files.extend(publish(vec![manifest])?);
    atomic::remove_files(&folder, &others)?;
    atomic::sync_folder(&folder)?;
    Ok(WrittenFiles { folder, files })
}
