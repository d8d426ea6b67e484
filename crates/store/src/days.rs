//! The state of each business date: fetched, reconciled, stale, closed.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::Row;

use super::columns::{parse_date, required_date};
use super::listings;
use super::listings::IncompleteListing;
use super::results::newest_reading;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::dates::left_out;

/// The state of a business date in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "six independent flags, each a column")]
pub struct DayState {
    pub business_date: NaiveDate,
    pub is_fetched: bool,
    pub is_reconciled: bool,
    /// An older date was reconciled after it.
    pub is_stale: bool,
    /// Records of it were listed after it was reconciled.
    pub has_late_records: bool,
    /// Every check could be evaluated.
    pub is_complete: bool,
    /// A person has signed it off.
    pub is_closed: bool,
    pub complete_listings: i64,
    pub incomplete_listings: i64,
    /// The incomplete listings.
    pub incomplete: Vec<IncompleteListing>,
    pub not_evaluated: i64,
    /// New and open discrepancies by severity.
    pub errors: i64,
    pub warnings: i64,
    pub notes: i64,
    pub last_run: Option<String>,
    /// The codes of the errors and warnings that are new on the date.
    pub new_codes: Vec<String>,
    /// Whether money is on its way: to be paid, or to arrive at a bank.
    pub is_moving: bool,
}

impl DayState {
    /// Whether its files show less than the store knows, and may still change.
    pub fn is_behind(&self) -> bool {
        self.is_stale || self.has_late_records && !self.is_closed
    }
}

/// The latest reconciled date before `date`.
///
/// # Errors
/// When the store refuses.
pub fn previous_reconciled(
    store: &Store,
    date: NaiveDate,
) -> Result<Option<NaiveDate>, StoreError> {
    reconciled_date(
        store,
        "select max(business_date) from business_day where reconciled and business_date < ?1",
        [date.to_string()],
    )
}

/// The start date: the earliest reconciled date, `date` included.
///
/// # Errors
/// When the store refuses.
pub fn start(store: &Store, date: NaiveDate) -> Result<NaiveDate, StoreError> {
    let earliest = reconciled_date(
        store,
        "select min(business_date) from business_day where reconciled and business_date < ?1",
        [date.to_string()],
    )?;
    Ok(earliest.unwrap_or(date))
}

/// The reconciled dates before `last` from `first` on, and `last`, in their order.
///
/// # Errors
/// When the store refuses.
pub fn reconciled_between(
    store: &Store,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<NaiveDate>, StoreError> {
    const DURING: &str = "looking for reconciled dates";
    let mut statement = store
        .connection
        .prepare_cached(
            "select business_date from business_day \
             where reconciled and business_date >= ?1 and business_date < ?2 \
             union select ?2 order by 1",
        )
        .during(DURING)?;
    let dates = statement
        .query_map([first.to_string(), last.to_string()], |row| {
            parse_date("business_date", &row.get::<_, String>(0)?)
        })
        .during(DURING)?;
    dates.collect::<rusqlite::Result<_>>().during(DURING)
}

/// Notes that the results of `date` cover everything that was read so far, with the records behind
/// open findings read again for it.
///
/// # Errors
/// When the store refuses.
pub fn note_read_up_to_now(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    note_newest_reading(
        store,
        date,
        "update business_day set read_up_to = ?2, judged_up_to = ?2 where business_date = ?1",
    )
}

/// Notes that the results of `date` cover everything that the store holds.
///
/// # Errors
/// When the store refuses.
pub fn note_judged_up_to_now(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    let sql = "update business_day set judged_up_to = ?2 where business_date = ?1";
    note_newest_reading(store, date, sql)
}

fn note_newest_reading(store: &Store, date: NaiveDate, sql: &str) -> Result<(), StoreError> {
    const DURING: &str = "noting the input of a date";
    let newest = newest_reading(&store.connection).during(DURING)?;
    store.connection.execute(sql, (date.to_string(), newest)).during(DURING)?;
    Ok(())
}

fn reconciled_date(
    store: &Store,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> Result<Option<NaiveDate>, StoreError> {
    const DURING: &str = "looking for reconciled dates";
    let text: Option<String> =
        store.connection.query_row(sql, parameters, |row| row.get(0)).during(DURING)?;
    text.map(|text| parse_date("business_date", &text)).transpose().during(DURING)
}

/// Whether a fetch of `date` was ever begun.
///
/// # Errors
/// When the store refuses.
pub fn was_fetched(store: &Store, date: NaiveDate) -> Result<bool, StoreError> {
    store
        .connection
        .prepare_cached(
            "select exists (select 1 from business_day \
             where business_date = ?1 and fetch_state <> 'none')",
        )
        .and_then(|mut statement| statement.query_row([date.to_string()], |row| row.get(0)))
        .during("looking a date up")
}

/// Every business date that was fetched or reconciled, oldest first.
///
/// # Errors
/// When the store refuses.
pub fn all(store: &Store) -> Result<Vec<DayState>, StoreError> {
    selected(store, None)
}

/// The states of all dates, or of this one.
fn selected(store: &Store, date: Option<NaiveDate>) -> Result<Vec<DayState>, StoreError> {
    const DURING: &str = "reading the dates";
    let sql = store.query_of(include_str!("../sql/report/status.sql")).during(DURING)?;
    let date = date.map(|date| date.to_string());
    let mut days: Vec<DayState> = rows(&store.connection, sql, [date], day_state).during(DURING)?;
    for day in days.iter_mut().filter(|day| day.incomplete_listings > 0) {
        day.incomplete = listings::incomplete(store, day.business_date)?;
    }
    Ok(days)
}

/// The dates that were reconciled.
///
/// # Errors
/// When the store refuses.
pub fn reconciled(store: &Store) -> Result<BTreeSet<NaiveDate>, StoreError> {
    let sql = "select business_date from business_day where reconciled = 1";
    let read = |row: &Row<'_>| required_date(row, "business_date");
    let found: Vec<NaiveDate> =
        rows(&store.connection, sql, [], read).during("reading the dates")?;
    Ok(found.into_iter().collect())
}

/// The dates between the first and the newest reconciled date that were never reconciled.
///
/// # Errors
/// When the store refuses.
pub fn missed(store: &Store) -> Result<Vec<NaiveDate>, StoreError> {
    Ok(left_out(&reconciled(store)?))
}

/// The state of one business date.
///
/// # Errors
/// When the store refuses.
pub fn of_date(store: &Store, date: NaiveDate) -> Result<Option<DayState>, StoreError> {
    Ok(selected(store, Some(date))?.pop())
}

/// Marks `date` and every later one as stale.
///
/// # Errors
/// When the store refuses.
pub fn mark_stale_from(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    store
        .connection
        .execute(
            "update business_day set stale = 1 where reconciled and business_date >= ?1",
            [date.to_string()],
        )
        .during("marking dates as stale")?;
    Ok(())
}

/// The latest reconciled date.
///
/// # Errors
/// When the store refuses.
pub fn latest_reconciled(store: &Store) -> Result<Option<NaiveDate>, StoreError> {
    reconciled_date(store, "select max(business_date) from business_day where reconciled", [])
}

fn day_state(row: &Row<'_>) -> rusqlite::Result<DayState> {
    let text: String = row.get("business_date")?;
    Ok(DayState {
        business_date: parse_date("business_date", &text)?,
        is_fetched: row.get::<_, String>("fetch_state")? == "fetched",
        is_reconciled: row.get("reconciled")?,
        is_stale: row.get("stale")?,
        has_late_records: row.get("has_late_records")?,
        is_complete: row.get("is_complete")?,
        is_closed: row.get("is_closed")?,
        complete_listings: row.get("complete_listings")?,
        incomplete_listings: row.get("incomplete_listings")?,
        incomplete: Vec::new(),
        not_evaluated: row.get("not_evaluated")?,
        errors: row.get("errors")?,
        warnings: row.get("warnings")?,
        notes: row.get("notes")?,
        last_run: row.get("last_run")?,
        new_codes: row
            .get::<_, String>("new_codes")?
            .split(',')
            .filter(|code| !code.is_empty())
            .map(str::to_owned)
            .collect(),
        is_moving: row.get("is_moving")?,
    })
}
