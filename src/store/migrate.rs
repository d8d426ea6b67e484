//! Upgrades an older store in one transaction, after a backup copy. Refuses a newer one.

use std::path::Path;

use rusqlite::{Connection, MAIN_DB};

use super::{StoreError, patiently};

/// Every migration, oldest first; the position plus one is the schema version.
const MIGRATIONS: [&str; 1] = [include_str!("../../sql/migrations/0001_initial.sql")];

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
    let sql = "select count(*) > 0 and sum(name = 'business_day') = 0 from sqlite_schema";
    let is_other: bool = patiently(|| connection.query_row(sql, [], |row| row.get(0)))
        .map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
    if is_other {
        let found = "a database of another program";
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
    for migration in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(migration).map_err(failed(found))?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(failed(found))?;
    transaction.commit().map_err(failed(found))
}

fn back_up(connection: &Connection, path: &Path, version: u32) -> Result<(), StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.backup"));
    let backup = std::path::PathBuf::from(name);
    connection
        .backup(MAIN_DB, &backup, None::<fn(rusqlite::backup::Progress)>)
        .map_err(|source| StoreError::Backup { path: path.to_owned(), backup, source })
}
