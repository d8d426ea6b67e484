//! Why a report could not be written.

use std::io;
use std::path::PathBuf;

/// A report could not be written; the earlier one is still whole.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot create the report folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} holds reports of store {found}, and this is store {ours}", path.display())]
    OtherStore { path: PathBuf, found: String, ours: String },
    #[error("the register {} was altered: {found}", path.display())]
    Register { path: PathBuf, found: String },
}

impl ReportError {
    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        let source = match self {
            Self::Register { .. } => {
                let remedy = "nothing is signed on top of it: restore it from a copy; where the key \
                              is a new one, begin another folder with --out";
                return Some(remedy.to_owned());
            }
            Self::Folder { source, .. } | Self::File { source, .. } => source,
            Self::OtherStore { .. } => {
                let remedy = "name the store of these reports with --db, or another folder with \
                              --out";
                return Some(remedy.to_owned());
            }
        };
        match source.kind() {
            io::ErrorKind::PermissionDenied => {
                Some("choose another folder with --out or [reports] dir".to_owned())
            }
            _ => None,
        }
    }
}
