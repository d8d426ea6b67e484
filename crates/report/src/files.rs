//! The files of a report beside its manifest: each format from the same tables, first all under
//! temporary names, then all under their final ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::atomic::{FileFacts, StagedFile};
use super::column::Row as _;
use super::error::ReportError;
use super::journal::{JournalLine, PLAIN_FILE};
use super::table::Table;
use super::xlsx::{OverviewLine, WorkbookContent};
use tieout_config::ReportFormat;

/// The page's name.
pub const PAGE_FILE: &str = "report.html";
/// The workbook's name.
pub const WORKBOOK_FILE: &str = "report.xlsx";

/// The files that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFiles {
    /// The folder of the business date.
    pub folder: PathBuf,
    /// Name to SHA-256, including the manifest.
    pub files: BTreeMap<String, String>,
}

/// The contents of the files beside the manifest.
pub(super) struct Contents<'a> {
    pub(super) title: String,
    /// The creation date stated in the workbook.
    pub(super) date: NaiveDate,
    /// Tables of the workbook alone.
    pub(super) sheets: &'a [Table<'a>],
    pub(super) tables: &'a [Table<'a>],
    /// A text file beside the tables, with its name.
    pub(super) plain: Option<(&'static str, String)>,
    pub(super) overview: Vec<OverviewLine>,
    /// Renders the page, given the names of the files beside it.
    pub(super) page: &'a dyn Fn(&[String]) -> String,
}

impl Contents<'_> {
    /// The files of formats that are not configured. Such a file of an earlier run is outdated and
    /// is removed.
    pub(super) fn others(&self, formats: &BTreeSet<ReportFormat>) -> Vec<&'static str> {
        let tables = self.tables.iter().map(|table| (ReportFormat::Csv, table.file));
        tables
            .chain([(ReportFormat::Xlsx, WORKBOOK_FILE), (ReportFormat::Html, PAGE_FILE)])
            .filter(|(format, _)| !formats.contains(format))
            .map(|(_, file)| file)
            .chain(
                self.plain
                    .is_none()
                    .then_some([JournalLine::FILE, PLAIN_FILE])
                    .into_iter()
                    .flatten(),
            )
            .collect()
    }

    /// Writes the files of the formats, all under temporary names.
    pub(super) fn stage(
        self,
        folder: &Path,
        formats: &BTreeSet<ReportFormat>,
    ) -> Result<Vec<StagedFile>, ReportError> {
        let mut staged = Vec::new();
        if formats.contains(&ReportFormat::Csv) {
            for table in self.tables {
                staged.push(StagedFile::write(folder, table.file, |out| table.write_csv(out))?);
            }
            if let Some((name, text)) = &self.plain {
                let write = StagedFile::write(folder, name, |out| out.write_all(text.as_bytes()));
                staged.push(write?);
            }
        }
        if formats.contains(&ReportFormat::Xlsx) {
            let workbook = WorkbookContent {
                title: self.title,
                date: self.date,
                overview: self.overview,
                sheets: self.sheets,
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

pub(super) fn publish(staged: Vec<StagedFile>) -> Result<BTreeMap<String, String>, ReportError> {
    let mut files = BTreeMap::new();
    for file in staged {
        let FileFacts { name, sha256 } = file.publish()?;
        files.insert(name, sha256);
    }
    Ok(files)
}
