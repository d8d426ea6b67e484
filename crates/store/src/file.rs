//! The file of a store: who may read it, and how long one process waits for another.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::ErrorCode;

use super::error::StoreError;

/// How long a process waits for another that holds the store before it gives up.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// Retries while another process switches a new store to its log: meanwhile `SQLite` refuses all
/// others at once, despite the busy timeout.
pub(super) fn patiently<T>(ask: impl Fn() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let begun = Instant::now();
    loop {
        match ask() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            answer => return answer,
        }
    }
}

/// Why a store cannot be opened. `SQLite` cannot open a store with a log on a read-only file
/// system, as it keeps an index beside it, and its error does not name that cause.
pub(super) fn cannot_open(source: rusqlite::Error, path: &Path) -> StoreError {
    let is_refused = source.sqlite_error_code() == Some(ErrorCode::CannotOpen);
    let path = path.to_owned();
    if is_refused && path.exists() && is_on_read_only(&path) {
        return StoreError::ReadOnly { path };
    }
    StoreError::Open { path, source }
}

#[cfg(unix)]
fn is_on_read_only(path: &Path) -> bool {
    rustix::fs::statvfs(path)
        .is_ok_and(|facts| facts.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY))
}

#[cfg(not(unix))]
fn is_on_read_only(_: &Path) -> bool {
    false
}

/// Creates the file with owner-only permissions before `SQLite` opens it; the write-ahead log takes
/// its permissions from it. An existing file is not opened: closing it again would release every
/// lock that this process has on it.
pub(super) fn create_private(path: &Path) -> Result<(), StoreError> {
    if path.is_file() {
        return Ok(());
    }
    let folder_error = |source| StoreError::Folder { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_folder(folder).map_err(folder_error)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(folder_error)
}

/// Creates `folder` and what is missing above it, for its owner alone.
///
/// # Errors
/// When it cannot be created.
pub fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
