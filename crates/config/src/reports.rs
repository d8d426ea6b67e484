//! Where reports go and in which formats.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::fields::path;
use super::tree::{Entry, Table, declared};

/// Where reports go and in which formats.
#[derive(Clone, Debug)]
pub struct ReportSettings {
    pub dir: PathBuf,
    pub formats: BTreeSet<ReportFormat>,
}

/// A format of `[reports] formats`. `Json` is `run.json`, the record of the run: it is always
/// written, as `verify` starts from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportFormat {
    Csv,
    Json,
    Html,
    Xlsx,
}

pub(super) fn reports(table: &Table, folder: &Path) -> ReportSettings {
    use ReportFormat::{Csv, Html, Json, Xlsx};
    let format_of = |entry: &Entry| match entry.text()?.0 {
        "csv" => Some(Csv),
        "json" => Some(Json),
        "html" => Some(Html),
        _ => Some(Xlsx),
    };
    ReportSettings {
        dir: declared(path(table, "dir", folder)),
        formats: table.list("formats").iter().filter_map(format_of).collect(),
    }
}
