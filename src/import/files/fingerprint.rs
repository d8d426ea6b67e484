//! Whether a file was written to while it was read.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::FileError;

/// What tells that a file has been written to.
#[derive(PartialEq, Eq)]
pub struct Fingerprint {
    length_bytes: u64,
    modified: Option<SystemTime>,
}

impl Fingerprint {
    /// Of the file as it lies on disk now.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let metadata = fs::metadata(path)
            .map_err(|source| FileError::Io { path: path.to_path_buf(), source })?;
        Ok(Self { length_bytes: metadata.len(), modified: metadata.modified().ok() })
    }
}
