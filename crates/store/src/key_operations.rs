//! The operations of the service that not every key has.

use rusqlite::OptionalExtension;

use super::{Store, StoreError, While};

/// Notes whether the key has an operation that not every key has.
///
/// # Errors
/// When the store refuses.
pub fn save(store: &Store, name: &str, is_there: bool) -> Result<(), StoreError> {
    store
        .connection()
        .execute(
            include_str!("../sql/ingest/key_operation.sql"),
            rusqlite::named_params! { ":name": name, ":is_there": is_there },
        )
        .map(drop)
        .during("saving the operations of the key")
}

/// Whether the key lacks an operation, as far as it was requested.
///
/// # Errors
/// When the store refuses.
pub fn lacks(store: &Store, name: &str) -> Result<bool, StoreError> {
    store
        .connection()
        .prepare_cached(include_str!("../sql/plan/lacks_operation.sql"))
        .and_then(|mut statement| statement.query_row([name], |row| row.get(0)))
        .during("reading the operations of the key")
}

/// Whether the key has an operation that not every key has; `None` when it was never requested.
///
/// # Errors
/// When the store refuses.
pub fn has(store: &Store, name: &str) -> Result<Option<bool>, StoreError> {
    store
        .connection()
        .prepare_cached("select is_there from key_operation where name = ?1")
        .and_then(|mut statement| statement.query_row([name], |row| row.get(0)).optional())
        .during("reading the operations of the key")
}
