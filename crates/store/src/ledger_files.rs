//! The ledger files of the merchants in the store. A file that is read again replaces its earlier
//! content, in one transaction.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row};

use super::columns::date_column;
use super::ledger_import::{IMPORTING, forget_file, replace_file};
use super::seal::seal;
use super::statement::rows;
use super::{Store, StoreError, While};

/// A ledger file as it was read last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFileState {
    pub ledger: String,
    pub path: String,
    pub rows: u64,
    pub quarantined: u64,
    /// The first row that was left out, with line, column and reason.
    pub first_fault: Option<String>,
    /// Mapped headers that it does not have; empty without any.
    pub absent_columns: String,
    /// Why it could not be read.
    pub error: Option<String>,
    /// The newest date of a record.
    pub last_date: Option<NaiveDate>,
}

/// Whether the stored content of a file (its ledger, path and the digest of the settings) came
/// from a file of that size and those times.
///
/// # Errors
/// When the store refuses.
pub fn has_seen(
    store: &Store,
    (ledger, path, configuration_digest): (&str, &str, &str),
    seen: &str,
) -> Result<bool, StoreError> {
    let same: Option<bool> = store
        .connection
        .query_row(
            "select coalesce(seen = ?4, 0) and configuration_digest = ?3 and error is null \
             from ledger_file where ledger = ?1 and path = ?2",
            (ledger, path, configuration_digest, seen),
            |row| row.get(0),
        )
        .optional()
        .during(IMPORTING)?;
    Ok(same.unwrap_or(false))
}

/// Whether the stored content came from these bytes under these settings.
///
/// # Errors
/// When the store refuses.
pub fn has(
    store: &Store,
    (ledger, path, configuration_digest): (&str, &str, &str),
    sha256: &str,
) -> Result<bool, StoreError> {
    let same: Option<bool> = store
        .connection
        .query_row(
            "select sha256 = ?4 and configuration_digest = ?3 and error is null \
             from ledger_file where ledger = ?1 and path = ?2",
            (ledger, path, configuration_digest, sha256),
            |row| row.get(0),
        )
        .optional()
        .during(IMPORTING)?;
    Ok(same.unwrap_or(false))
}

/// Notes the size and times of a file whose bytes are already stored.
///
/// # Errors
/// When the store refuses.
pub fn note_seen(
    store: &mut Store,
    ledger: &str,
    path: &str,
    seen: Option<&str>,
) -> Result<(), StoreError> {
    let noted = store.connection.execute(
        "update ledger_file set seen = ?3 where ledger = ?1 and path = ?2",
        (ledger, path, seen),
    );
    noted.map(drop).during(IMPORTING)
}

/// Notes that the file at `path` cannot be read, and deletes its earlier content.
///
/// # Errors
/// When the store refuses.
pub fn note_unreadable(
    store: &mut Store,
    ledger: &str,
    path: &str,
    error: &str,
) -> Result<(), StoreError> {
    let transaction = store.connection.transaction().during(IMPORTING)?;
    replace_file(&transaction, ledger, path, Some(error))
        .and_then(|file_id| seal(&transaction, "ledger_file", &[&file_id]))
        .during(IMPORTING)?;
    transaction.commit().during(IMPORTING)
}

/// Deletes every file but those of `kept` (ledger and path): a removed file contributes
/// nothing.
///
/// # Errors
/// When the store refuses.
pub fn keep(store: &mut Store, kept: &BTreeSet<(String, String)>) -> Result<(), StoreError> {
    let gone: Vec<LedgerFileState> = all(store)?
        .into_iter()
        .filter(|file| !kept.contains(&(file.ledger.clone(), file.path.clone())))
        .collect();
    for file in gone {
        forget_file(&store.connection, &file.ledger, &file.path).during(IMPORTING)?;
    }
    Ok(())
}

/// Every ledger file, in order of ledger and path.
///
/// # Errors
/// When the store refuses.
pub fn all(store: &Store) -> Result<Vec<LedgerFileState>, StoreError> {
    const DURING: &str = "reading the ledger files";
    rows(&store.connection, include_str!("../sql/books/files.sql"), [], |row| {
        Ok(LedgerFileState {
            ledger: row.get("ledger")?,
            path: row.get("path")?,
            rows: natural(row, "rows")?,
            quarantined: natural(row, "quarantined")?,
            first_fault: first_fault(row)?,
            absent_columns: row.get("absent_columns")?,
            error: row.get("error")?,
            last_date: date_column(row, "last_date")?,
        })
    })
    .during(DURING)
}

/// The first row that was left out, with the reason.
fn first_fault(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let Some(line) = row.get::<_, Option<i64>>("fault_line")? else { return Ok(None) };
    let column: Option<String> = row.get("fault_column")?;
    let column = column.map_or_else(String::new, |name| format!(", column \"{name}\""));
    let reason: String = row.get("fault")?;
    Ok(Some(format!("line {line}{column}: {reason}")))
}

fn natural(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}
