//! Detects whether a file was written to, while it was read or since.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::FileError;

/// The properties by which a change of a file is detected.
#[derive(PartialEq, Eq)]
pub struct Fingerprint {
    length_bytes: u64,
    modified: Option<SystemTime>,
    changed: Option<String>,
}

impl Fingerprint {
    /// The fingerprint of the file on disk now.
    ///
    /// # Errors
    /// When the file's metadata cannot be read.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let metadata = fs::metadata(path)
            .map_err(|source| FileError::Io { path: path.to_path_buf(), source })?;
        Ok(Self {
            length_bytes: metadata.len(),
            modified: metadata.modified().ok(),
            changed: changed(&metadata),
        })
    }

    /// The size and the times of the last change as one text. `None` where the system keeps only
    /// times that a copy can preserve or a clock of whole seconds can hide.
    pub fn to_text(&self) -> Option<String> {
        let modified = self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let changed = self.changed.as_ref()?;
        let is_coarse = modified.subsec_nanos() == 0;
        (!is_coarse).then(|| format!("{} {} {changed}", self.length_bytes, modified.as_nanos()))
    }
}

/// The time of the last change of the file or its metadata, and its inode number: a program that
/// copies files cannot set either.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems keep no such time")]
fn changed(metadata: &fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    Some(format!("{}.{:09} {}", metadata.ctime(), metadata.ctime_nsec(), metadata.ino()))
}

#[cfg(not(unix))]
fn changed(_: &fs::Metadata) -> Option<String> {
    None
}
