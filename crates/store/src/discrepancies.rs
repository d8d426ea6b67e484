//! The discrepancies of reconciled dates: of one date, of a span, of one id over all dates.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::columns::parse_date;
use super::results::discrepancy;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::Discrepancy;

const READING: &str = "reading discrepancies";

/// Discrepancies that were cleared from `from` on and are in no list since, as of `date`.
///
/// # Errors
/// When the store refuses.
pub fn cleared_lately(
    store: &Store,
    from: NaiveDate,
    date: NaiveDate,
) -> Result<Vec<Discrepancy>, StoreError> {
    stored(
        store,
        include_str!("../sql/plan/cleared_lately.sql"),
        (from.to_string(), date.to_string()),
    )
    .during(READING)
}

/// The ids of at most two discrepancies that begin with `prefix`.
///
/// # Errors
/// When the store refuses.
pub fn ids_like(store: &Store, prefix: &str) -> Result<Vec<String>, StoreError> {
    rows(&store.connection, include_str!("../sql/report/ids_like.sql"), [prefix], |row| row.get(0))
        .during(READING)
}

/// The row of a discrepancy on the latest date that holds it.
///
/// # Errors
/// When the store refuses.
pub fn newest(store: &Store, id: &str) -> Result<Option<Discrepancy>, StoreError> {
    let rows = stored(store, include_str!("../sql/report/newest_row.sql"), [id]).during(READING)?;
    Ok(rows.into_iter().next())
}

/// Every date that holds the discrepancy, oldest first, with its status there.
///
/// # Errors
/// When the store refuses.
pub fn history(store: &Store, id: &str) -> Result<Vec<(String, String)>, StoreError> {
    rows(&store.connection, include_str!("../sql/evidence/history.sql"), [id], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
    .during(READING)
}

/// The discrepancies that were new, open or cleared on `date`.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn of_date(store: &Store, date: NaiveDate) -> Result<Vec<Discrepancy>, StoreError> {
    rows(
        &store.connection,
        "select * from discrepancy_day \
         where business_date = ?1 and status <> 'accepted' order by discrepancy_id",
        [date.to_string()],
        discrepancy,
    )
    .during("reading discrepancies")
}

/// The accepted discrepancies of `date`.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn accepted(store: &Store, date: NaiveDate) -> Result<Vec<Discrepancy>, StoreError> {
    rows(
        &store.connection,
        "select * from discrepancy_day \
         where business_date = ?1 and status = 'accepted' order by discrepancy_id",
        [date.to_string()],
        discrepancy,
    )
    .during("reading discrepancies")
}

/// The rows of a statement that selects from `discrepancy_day`.
pub(super) fn stored(
    store: &Store,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Discrepancy>> {
    rows(&store.connection, sql, parameters, discrepancy)
}

/// The first date of each discrepancy that existed before `date`, by id.
///
/// # Errors
/// When the store refuses.
pub fn first_seen_before(
    store: &Store,
    date: NaiveDate,
    ids: &[String],
) -> Result<BTreeMap<String, NaiveDate>, StoreError> {
    const DURING: &str = "looking for earlier dates of a discrepancy";
    let mut statement = store
        .connection
        .prepare_cached(include_str!("../sql/report/first_seen.sql"))
        .during(DURING)?;
    let mut found = BTreeMap::new();
    for id in ids {
        let first: Option<String> =
            statement.query_row((id, date.to_string()), |row| row.get(0)).during(DURING)?;
        if let Some(first) = first {
            found.insert(id.clone(), parse_date("first_seen", &first).during(DURING)?);
        }
    }
    Ok(found)
}
