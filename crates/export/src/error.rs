//! Why a dataset could not be written.

use std::io;
use std::path::PathBuf;

use chrono::NaiveDate;

use tieout_judge::JudgeError;
use tieout_report::ReportError;
use tieout_store::StoreError;

use super::manifest::DATASET_VERSION;

/// A dataset could not be written. Partitions that were complete still are.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("{business_date} was never reconciled")]
    NotReconciled { business_date: NaiveDate },
    #[error("no date was ever reconciled: there is nothing to export")]
    Nothing,
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("another export holds the lock {}", path.display())]
    Held { path: PathBuf },
    #[error(
        "{} holds version {found} of the dataset, this program writes version {DATASET_VERSION}",
        path.display()
    )]
    OtherVersion { path: PathBuf, found: String },
    #[error("{} is not a manifest of a dataset: {reason}", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error(
        "{} holds shard {found} of {business_date}, this store is shard {wanted}: \
         their rows would count twice",
        path.display()
    )]
    OtherShards { path: PathBuf, business_date: String, found: String, wanted: String },
    #[error("the table {table} of {business_date}: {reason}")]
    Table { table: String, business_date: NaiveDate, reason: String },
    #[error("the definition of the table {table} of the dataset: {reason}")]
    Header { table: String, reason: String },
}

impl ExportError {
    /// Whether the command line or the folder is wrong, and nothing was done.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::OtherVersion { .. } | Self::Manifest { .. } | Self::OtherShards { .. })
    }

    /// Whether another export holds the dataset.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::Report(error) => error.hint(),
            Self::NotReconciled { business_date } => {
                Some(format!("run it first: tieout run --date {business_date}"))
            }
            Self::Nothing => Some("run a date first: tieout run --date 2026-11-20".to_owned()),
            Self::Held { .. } => {
                Some("wait until it has ended; a killed export leaves no lock".to_owned())
            }
            Self::OtherVersion { .. } => Some(
                "export every date into a new folder, and point the engine there: \
                 tieout export --to DIR"
                    .to_owned(),
            ),
            Self::OtherShards { .. } => Some(
                "export into a new folder, or remove the partitions of the earlier shards"
                    .to_owned(),
            ),
            Self::Manifest { .. } => Some("remove the file and export its date again".to_owned()),
            Self::Judge(_) | Self::Read { .. } | Self::Table { .. } | Self::Header { .. } => None,
        }
    }
}
