//! Upgrades an older store in one transaction, after a backup copy. Refuses a newer one.
//!
//! The schema changes by adding a file to `sql/migrations` and to [`MIGRATIONS`]; a file that was
//! released never changes.

use std::path::Path;

use rusqlite::Connection;

use super::copy::copy_whole;
use super::error::StoreError;
use super::file::{cannot_open, patiently};
use super::{schema, sums};

/// Every migration, oldest first; the position plus one is the schema version.
const MIGRATIONS: [&str; 1] = [include_str!("../sql/migrations/0001_initial.sql")];

/// Identifies the file as one of tieout in its header: "tieo". Stores from before the first release
/// lack it; their schema versions had another meaning.
const APPLICATION: u32 = u32::from_be_bytes(*b"tieo");

/// The schema version that this program writes.
#[expect(clippy::cast_possible_truncation, reason = "there will never be four billion migrations")]
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// The schema version of an open store; 0 for one that is empty.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Refuses a database that another program has made, before anything is written into it. One
/// statement, since another process may be creating the store.
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
    upgrade_by(connection, path, &MIGRATIONS)
}

fn upgrade_by(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    let failed = |from| move |source| StoreError::Migrate { path: path.to_owned(), from, source };
    let found =
        version(connection).map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    if found > 0 {
        let past = migrations.get(..found as usize).unwrap_or(migrations);
        schema::refuse_strange(connection, path, past)?;
    }
    if found == known {
        return Ok(());
    }
    if found > 0 {
        back_up(connection, path, found)?;
    }
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)
        .map_err(failed(found))?;
    // Another process may have upgraded it while this one waited for the lock.
    if version(&transaction).map_err(failed(found))? == known {
        return Ok(());
    }
    let altered = sums::altered(&transaction).map_err(failed(found))?;
    for migration in migrations.iter().skip(found as usize) {
        transaction.execute_batch(migration).map_err(failed(found))?;
    }
    sums::renew(&transaction, &altered).map_err(failed(found))?;
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed(found))?;
    transaction.pragma_update(None, "user_version", known).map_err(failed(found))?;
    transaction.commit().map_err(failed(found))
}

/// The differences between the schema and the one that the program makes, a sentence each.
pub(super) fn strange(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    schema::strange(connection, &MIGRATIONS)
}

/// Refuses a store of this version whose schema differs from the one that the program makes.
pub(super) fn refuse_strange(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    schema::refuse_strange(connection, path, &MIGRATIONS)
}

/// Refuses a store of another version, for a connection that cannot upgrade it.
pub(super) fn require_current(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    require(connection, path, SCHEMA_VERSION)
}

fn require(connection: &Connection, path: &Path, known: u32) -> Result<(), StoreError> {
    let path = path.to_owned();
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
    use crate::key_operations;
    use tieout_model::digest::sha256_hex;

    #[test]
    fn a_released_migration_never_changes() {
        let digest = sha256_hex(MIGRATIONS[0].as_bytes());
        assert_eq!(digest, "cee6da1a84e071f93e06c8fd37a9f9f58ed7f34f4c97cb933adbba97385c44e8");
    }

    /// A store of the newest schema with one row, on a connection without the program's triggers.
    fn stored(folder: &Path) -> (std::path::PathBuf, Connection) {
        let path = folder.join("tieout.db");
        let store = crate::Store::open(&path).unwrap();
        key_operations::save(&store, "transactions", false).unwrap();
        drop(store);
        let connection = Connection::open(&path).unwrap();
        (path, connection)
    }

    #[test]
    fn only_a_store_of_this_schema_is_opened_for_reading() {
        let folder = tempfile::tempdir().unwrap();
        let (path, connection) = stored(folder.path());
        let newer = require(&connection, &path, SCHEMA_VERSION - 1).unwrap_err();
        assert!(matches!(newer, StoreError::Newer { found, known, .. } if found == known + 1));
        assert!(newer.hint().unwrap().contains("newer tieout"));
        let older = require(&connection, &path, SCHEMA_VERSION + 1).unwrap_err();
        assert!(matches!(older, StoreError::Older { found, known, .. } if found + 1 == known));
        assert!(older.hint().unwrap().contains("tieout run"));
        require_current(&connection, &path).unwrap();
    }

    /// With a possible next migration: a new table, and a new column of a summed table.
    #[test]
    fn an_older_store_is_upgraded_after_a_backup_and_an_altered_table_stays_altered() {
        const NEXT: &str = "create table later (id integer not null, primary key (id)) strict;
                            alter table key_operation add column note text;";
        let next: Vec<&str> = MIGRATIONS.into_iter().chain([NEXT]).collect();
        for is_altered in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let (path, mut connection) = stored(folder.path());
            if is_altered {
                connection.execute("update key_operation set is_there = 1", []).unwrap();
            }
            upgrade_by(&mut connection, &path, &next).unwrap();
            assert_eq!(version(&connection).unwrap(), SCHEMA_VERSION + 1);
            let altered = sums::altered(&connection).unwrap();
            assert_eq!(altered, if is_altered { vec!["key_operation"] } else { vec![] });
            let name = format!("tieout.db.v{SCHEMA_VERSION}.backup");
            let backup = Connection::open(folder.path().join(name)).unwrap();
            assert_eq!(version(&backup).unwrap(), SCHEMA_VERSION);
            assert!(backup.prepare("select id from later").is_err());
        }
    }

    #[test]
    fn an_upgrade_that_fails_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut connection) = stored(folder.path());
        let next: Vec<&str> =
            MIGRATIONS.into_iter().chain(["drop table shard; select no_such()"]).collect();
        assert!(upgrade_by(&mut connection, &path, &next).is_err());
        require_current(&connection, &path).unwrap();
        assert_eq!(sums::altered(&connection).unwrap(), Vec::<String>::new());
    }
}
