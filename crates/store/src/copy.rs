//! Whole copies of a store. A copy has a temporary name until it is proved whole, so that a file
//! with the final name is always whole, and a failed copy can be made again.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, MAIN_DB};

use super::error::StoreError;
use super::file::create_private;

/// Copies the store of `connection` to `file`, which it replaces, while others read and write it.
pub(super) fn copy_whole(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    let unfinished = unfinished(file);
    let result = write(connection, &unfinished).and_then(|()| {
        let failed = |source| StoreError::Rename { file: file.to_owned(), source };
        std::fs::rename(&unfinished, file).map_err(failed)
    });
    if result.is_err() {
        // The unfinished copy takes the space that the next attempt needs.
        drop(std::fs::remove_file(&unfinished));
    }
    result
}

fn unfinished(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

fn write(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Copy { file: file.to_owned(), source };
    let stale = |source| StoreError::Rename { file: file.to_owned(), source };
    if file.exists() {
        std::fs::remove_file(file).map_err(stale)?;
    }
    create_private(file)?;
    connection.backup(MAIN_DB, file, None::<fn(rusqlite::backup::Progress)>).map_err(failed)?;
    let copy = Connection::open(file).map_err(failed)?;
    // One file, whole in itself: no log beside it that could be forgotten.
    copy.pragma_update(None, "journal_mode", "delete").map_err(failed)?;
    refuse_torn(&copy, file)
}

/// Refuses a database with missing or inconsistent pages.
pub(super) fn refuse_torn(copy: &Connection, file: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Copy { file: file.to_owned(), source };
    let verdict: String =
        copy.query_row("pragma integrity_check(1)", [], |row| row.get(0)).map_err(failed)?;
    if verdict != "ok" {
        return Err(StoreError::Content {
            what: "the copy",
            found: verdict,
            expected: "a database that is whole",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn a_copy_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        let file = folder.path().join("copy.db");
        // The rest of an attempt that was killed.
        std::fs::create_dir(folder.path().join("copy.db.unfinished")).unwrap();
        assert!(copy_whole(store.connection(), &file).is_err());
        assert!(!file.exists());
        std::fs::remove_dir(folder.path().join("copy.db.unfinished")).unwrap();
        let unfinished = folder.path().join("copy.db.unfinished");
        let torn = std::fs::File::create(&unfinished).unwrap();
        torn.set_len(100).unwrap();
        copy_whole(store.connection(), &file).unwrap();
        copy_whole(store.connection(), &file).unwrap();
        assert!(!folder.path().join("copy.db.unfinished").exists());
        drop(Store::open_for_reading(&file).unwrap());
    }
}
