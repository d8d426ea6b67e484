//! Upgrades an older store in one transaction, after a backup copy. Refuses a newer one.
//!
//! The schema changes by adding a file to `sql/migrations` and to [`MIGRATIONS`]; a file that was
//! released never changes. `tests/fixtures/schemas` keeps a store of every released schema.

use std::path::Path;

use rusqlite::Connection;

use super::copy::copy_whole;
use super::error::StoreError;
use super::file::{cannot_open, patiently};
use super::sums;

/// Every migration, oldest first; the position plus one is the schema version.
const MIGRATIONS: [&str; 19] = [
    include_str!("../../sql/migrations/0001_initial.sql"),
    include_str!("../../sql/migrations/0002_parts.sql"),
    include_str!("../../sql/migrations/0003_disputes.sql"),
    include_str!("../../sql/migrations/0004_bank_reports.sql"),
    include_str!("../../sql/migrations/0005_transfers.sql"),
    include_str!("../../sql/migrations/0006_report_columns.sql"),
    include_str!("../../sql/migrations/0007_left_out_rows.sql"),
    include_str!("../../sql/migrations/0008_sums.sql"),
    include_str!("../../sql/migrations/0009_seen_files.sql"),
    include_str!("../../sql/migrations/0010_captures.sql"),
    include_str!("../../sql/migrations/0011_disputes_and_banks.sql"),
    include_str!("../../sql/migrations/0012_newest_records.sql"),
    include_str!("../../sql/migrations/0013_store_id.sql"),
    include_str!("../../sql/migrations/0014_journal.sql"),
    include_str!("../../sql/migrations/0015_preparation.sql"),
    include_str!("../../sql/migrations/0016_kept_books.sql"),
    include_str!("../../sql/migrations/0017_kind_of_left_out_rows.sql"),
    include_str!("../../sql/migrations/0018_amounts_of_a_batch.sql"),
    include_str!("../../sql/migrations/0019_what_transfers_say.sql"),
];

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
        .map_err(|source| cannot_open(source, path))?;
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
    let altered = sums::altered(&transaction).map_err(failed(found))?;
    for migration in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(migration).map_err(failed(found))?;
    }
    sums::renew(&transaction, &altered).map_err(failed(found))?;
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
    use crate::digest::sha256_hex;

    #[test]
    fn a_released_migration_never_changes() {
        let digest = sha256_hex(MIGRATIONS[0].as_bytes());
        assert_eq!(digest, "4abb3afd51078a1b5a5f8546125c5904b2b387469f6f572e5ff85d469ca7f261");
    }

    #[test]
    fn only_a_store_of_this_schema_is_opened_for_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        drop(crate::store::Store::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
        let newer = require_current(&connection, &path).unwrap_err();
        assert!(matches!(newer, StoreError::Newer { found, known, .. } if found == known + 1));
        assert!(newer.hint().unwrap().contains("newer tieout"));
        connection.pragma_update(None, "user_version", SCHEMA_VERSION).unwrap();
        require_current(&connection, &path).unwrap();
    }
}
