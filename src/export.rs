//! Replaces the dataset in a build without the feature `parquet`: every export is refused.

use std::path::Path;

use chrono::NaiveDate;
use tieout_config::Settings;
use tieout_store::{ReadEvidence, Store};

/// This build writes no dataset.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("this tieout was built without the feature parquet, and writes no dataset")]
    LeftOut,
}

impl ExportError {
    /// Whether the error is in the command line or the folder, and nothing was done.
    pub fn is_usage(&self) -> bool {
        true
    }

    /// Whether another export holds the dataset.
    pub fn is_held(&self) -> bool {
        false
    }

    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        Some("take tieout from its package, or build it with --features parquet".to_owned())
    }
}

/// The result of an export, which never exists here.
pub struct Exported {
    pub partitions: Vec<Partition>,
}

/// A partition of the dataset.
pub struct Partition {
    pub tables: Vec<()>,
}

impl Exported {
    pub fn rows(&self) -> u64 {
        0
    }

    pub fn bytes(&self) -> u64 {
        0
    }
}

/// Refuses to write a dataset.
///
/// # Errors
/// Always: this build cannot write Parquet.
pub fn export(
    _: &Store,
    _: &Settings,
    _: &Path,
    _: Option<&[NaiveDate]>,
) -> Result<Exported, ExportError> {
    Err(ExportError::LeftOut)
}

/// Refuses to write a dataset.
///
/// # Errors
/// As [`export`].
pub fn export_run(
    _: &Store,
    _: ReadEvidence<'_>,
    _: &Settings,
    _: &Path,
    _: &[NaiveDate],
) -> Result<Exported, ExportError> {
    Err(ExportError::LeftOut)
}
