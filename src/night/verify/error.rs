//! Why reports cannot be verified.

use std::path::PathBuf;

use tieout_report::MANIFEST_FILE;

/// A folder that cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("{} holds no {MANIFEST_FILE} and no folder of a business date or period", dir.display())]
    NoReports { dir: PathBuf },
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
}
