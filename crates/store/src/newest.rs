//! How far the files of ledgers and banks reach. Never says whether that is far enough.

use chrono::NaiveDate;
use serde::Serialize;

use super::columns::required_date;
use super::statement::rows;
use super::{Store, StoreError, While};

const READING: &str = "reading how far ledgers and statements reach";

/// The newest day of the files of a ledger or of a bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewestDay {
    /// `ledger` or `bank`.
    pub kind: &'static str,
    /// Its name in the configuration.
    pub name: String,
    /// The newest record date, or the last day that the statements cover.
    pub day: NaiveDate,
}

/// The newest day of each ledger and of each bank whose files have one, ledgers first.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn days(store: &Store) -> Result<Vec<NewestDay>, StoreError> {
    let mut newest = newest_of(store, "ledger", include_str!("../sql/books/newest.sql"))?;
    newest.extend(newest_of(store, "bank", include_str!("../sql/banks/newest.sql"))?);
    Ok(newest)
}

fn newest_of(store: &Store, kind: &'static str, sql: &str) -> Result<Vec<NewestDay>, StoreError> {
    rows(&store.connection, sql, [], |row| {
        Ok(NewestDay { kind, name: row.get("name")?, day: required_date(row, "day")? })
    })
    .during(READING)
}
