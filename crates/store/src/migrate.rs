//! Upgrades an older store in one transaction, after a backup copy. Refuses a newer one.
//!
//! The schema changes by adding a file to `sql/migrations` and to [`MIGRATIONS`]; a file that was
//! released never changes. `tests/fixtures/schemas` keeps a store of the initial schema.

use std::path::Path;

use rusqlite::Connection;

use super::copy::copy_whole;
use super::error::StoreError;
use super::file::{cannot_open, patiently};
use super::sums;

/// Every migration, oldest first; the position plus one is the schema version.
const MIGRATIONS: [&str; 2] = [
    include_str!("../sql/migrations/0001_initial.sql"),
    include_str!("../sql/migrations/0002_what_people_read.sql"),
];

/// What the header of the file says of whose it is: "tout". Stores from before the first release
/// lack it, whose schema versions meant something else.
const APPLICATION: u32 = u32::from_be_bytes(*b"tout");

/// The schema version that this program writes.
#[expect(clippy::cast_possible_truncation, reason = "there will never be four billion migrations")]
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// The schema version of an open store; 0 for one that is empty.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Refuses a database that another program has made, before anything is written into it. One
/// statement, since somebody else may be creating the store.
pub(super) fn refuse_others(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let sql = "select exists (select 1 from sqlite_schema) and application_id <> ?1
               from pragma_application_id";
    let is_other: bool = patiently(|| connection.query_row(sql, [APPLICATION], |row| row.get(0)))
        .map_err(|source| cannot_open(source, path))?;
    if is_other {
        let found = "a database of another program, or of tieout before its first release";
        return Err(StoreError::Foreign { path: path.to_owned(), found });
    }
    Ok(())
}

/// Brings the store to [`SCHEMA_VERSION`].
pub(super) fn upgrade(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |from| move |source| StoreError::Migrate { path: path.to_owned(), from, source };
    let found =
        version(connection).map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: SCHEMA_VERSION });
    }
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    if found > 0 {
        back_up(connection, path, found)?;
    }
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)
        .map_err(failed(found))?;
    // Another process may have upgraded it while this one waited for the lock.
    if version(&transaction).map_err(failed(found))? == SCHEMA_VERSION {
        return Ok(());
    }
    let altered = sums::altered(&transaction).map_err(failed(found))?;
    for migration in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(migration).map_err(failed(found))?;
    }
    sums::renew(&transaction, &altered).map_err(failed(found))?;
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed(found))?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(failed(found))?;
    transaction.commit().map_err(failed(found))
}

/// Refuses a store of another version, for a connection that cannot upgrade it.
pub(super) fn require_current(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let path = path.to_owned();
    let known = SCHEMA_VERSION;
    match version(connection) {
        Err(source) => Err(StoreError::Open { path, source }),
        Ok(0) => Err(StoreError::Foreign { path, found: "an empty file" }),
        Ok(found) if found > known => Err(StoreError::Newer { path, found, known }),
        Ok(found) if found < known => Err(StoreError::Older { path, found, known }),
        Ok(_) => Ok(()),
    }
}

fn back_up(connection: &Connection, path: &Path, version: u32) -> Result<(), StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.backup"));
    copy_whole(connection, Path::new(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::digest::sha256_hex;

    #[test]
    fn a_released_migration_never_changes() {
        let digest = sha256_hex(MIGRATIONS[0].as_bytes());
        assert_eq!(digest, "0786b18444a9819b159871c56ae642fdc6cda586faa502273ba1bc29bb45e083");
    }

    #[test]
    fn only_a_store_of_this_schema_is_opened_for_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        drop(crate::Store::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
        let newer = require_current(&connection, &path).unwrap_err();
        assert!(matches!(newer, StoreError::Newer { found, known, .. } if found == known + 1));
        assert!(newer.hint().unwrap().contains("newer tieout"));
        connection.pragma_update(None, "user_version", SCHEMA_VERSION).unwrap();
        require_current(&connection, &path).unwrap();
    }
}
