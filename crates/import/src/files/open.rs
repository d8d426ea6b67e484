//! Opens input files, which must be regular files. A pipe, a device or a socket could make the
//! program wait for ever, so it is refused before it is opened.

use std::fs::{self, File, Metadata, OpenOptions};
use std::path::Path;

use super::FileError;

/// Opens the regular file at `path`, or the target of a link there.
///
/// # Errors
/// When it cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> Result<File, FileError> {
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    check(path, &fs::metadata(path).map_err(failed)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    let file = options.open(path).map_err(failed)?;
    // The file may have been replaced since the first check.
    check(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// A pipe that replaces the file between the two checks is opened without waiting for a writer.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

fn check(path: &Path, metadata: &Metadata) -> Result<(), FileError> {
    if metadata.is_file() {
        return Ok(());
    }
    let found = if metadata.is_dir() { "a folder" } else { "a pipe, a device or a socket" };
    Err(FileError::NotRegular { path: path.to_path_buf(), found })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_would_never_end() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("endless.csv");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let dangling = folder.path().join("dangling.csv");
        std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
        for path in [link.as_path(), folder.path(), Path::new("/dev/null")] {
            assert!(matches!(open_regular(path), Err(FileError::NotRegular { .. })), "{path:?}");
        }
        assert!(matches!(open_regular(&dangling), Err(FileError::Io { .. })));
    }
}
