//! Errors of a file that appear before its content is read.

use std::path::PathBuf;

/// Why a file, or the pattern that should find it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("file {}: cannot be read", path.display())]
    Io { path: PathBuf, source: std::io::Error },

    #[error("file {}: expected a regular file, found {found}", path.display())]
    NotRegular { path: PathBuf, found: &'static str },

    #[error("path {}: more than {limit} files match", pattern.display())]
    TooMany { pattern: PathBuf, limit: usize },

    #[error("file {}: expected at most {limit} bytes, found more", path.display())]
    TooLarge { path: PathBuf, limit: usize },

    #[error(
        "file {}: changed while it was read\n\
         hint: let the export finish, or write it elsewhere and move it here",
        path.display()
    )]
    Changed { path: PathBuf },
}
