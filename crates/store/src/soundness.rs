//! Whether a store is intact: its schema, and the pages of its file. Everything else rests on them.

use super::error::{StoreError, While};
use super::{Store, migrate};

/// The most sentences of damage to the file that are reported.
const DAMAGES: u32 = 20;

/// The differences between the schema and the one that the program makes, a sentence each.
///
/// # Errors
/// When the store refuses.
pub fn strange_schema(store: &Store) -> Result<Vec<String>, StoreError> {
    migrate::strange(store.connection()).during("proving the schema")
}

/// Damage to the pages of the file, including an index that lacks rows, through which a night
/// would miss records.
///
/// # Errors
/// When the store refuses.
pub fn damage(store: &Store) -> Result<Vec<String>, StoreError> {
    damage_by(store, "integrity_check")
}

/// The same without comparing every index with its table.
///
/// # Errors
/// When the store refuses.
pub fn obvious_damage(store: &Store) -> Result<Vec<String>, StoreError> {
    damage_by(store, "quick_check")
}

fn damage_by(store: &Store, check: &str) -> Result<Vec<String>, StoreError> {
    const DURING: &str = "proving the pages of the file";
    let sql = format!("pragma main.{check}({DAMAGES})");
    let mut statement = store.connection().prepare(&sql).during(DURING)?;
    let found = statement.query_map([], |row| row.get::<_, String>(0)).during(DURING)?;
    let found = found.collect::<rusqlite::Result<Vec<String>>>().during(DURING)?;
    let damages = found.into_iter().filter(|found| found != "ok");
    Ok(damages.map(|found| format!("the file of the store is damaged: {found}")).collect())
}
