//! Why a report could not be written.

use std::io;
use std::path::PathBuf;

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
