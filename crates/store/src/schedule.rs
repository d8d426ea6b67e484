//! The state of the schedule that must survive a restart: when it last fired, and the dates that it
//! named and that have not been done.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{OptionalExtension, Row, named_params};

use super::columns::required_date;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::clock;

/// The last moment at which the schedule fired or, before it ever did, began.
///
/// # Errors
/// When the store cannot be read.
pub fn last_firing(store: &Store) -> Result<Option<DateTime<Utc>>, StoreError> {
    let text: Option<String> = store
        .connection()
        .query_row(include_str!("../sql/plan/last_firing.sql"), [], |row| row.get(0))
        .optional()
        .during("reading when the schedule fired")?;
    text.map(|text| {
        text.parse().map_err(|_| StoreError::Content {
            what: "schedule_firing.fired_at",
            found: text,
            expected: "an RFC 3339 moment",
        })
    })
    .transpose()
}

/// Notes that the schedule fired, and the dates that it named, in one transaction.
///
/// # Errors
/// When the store cannot be written.
pub fn save_firing(
    store: &mut Store,
    fired_at: DateTime<Utc>,
    dates: &[NaiveDate],
) -> Result<(), StoreError> {
    let what = "writing when the schedule fired";
    let fired_at = clock::written(fired_at);
    let transaction = store.connection.transaction().during(what)?;
    transaction
        .execute(
            include_str!("../sql/ingest/schedule_firing.sql"),
            named_params! { ":fired_at": fired_at },
        )
        .during(what)?;
    for date in dates {
        transaction
            .execute(
                include_str!("../sql/ingest/schedule_date.sql"),
                named_params! { ":business_date": date.to_string(), ":fired_at": fired_at },
            )
            .during(what)?;
    }
    transaction.commit().during(what)
}

/// The dates that the schedule named up to `now` and that have not been done, oldest first.
///
/// # Errors
/// When the store cannot be read.
pub fn pending_dates(store: &Store, now: DateTime<Utc>) -> Result<Vec<NaiveDate>, StoreError> {
    let what = "reading the dates of the schedule";
    let sql = include_str!("../sql/plan/pending_dates.sql");
    let date = |row: &Row<'_>| required_date(row, "business_date");
    rows(&store.connection, sql, named_params! { ":now": clock::written(now) }, date).during(what)
}

/// Notes that dates which were named after `now`, by a clock that has been set back, are to be
/// done again in their time. Returns their number.
///
/// # Errors
/// When the store cannot be written.
pub fn undo_dates_after(store: &Store, now: DateTime<Utc>) -> Result<usize, StoreError> {
    store
        .connection()
        .execute(
            include_str!("../sql/ingest/schedule_date_again.sql"),
            named_params! { ":now": clock::written(now) },
        )
        .during("writing the dates of the schedule")
}

/// Notes that a date of the schedule has been done.
///
/// # Errors
/// When the store cannot be written.
pub fn save_date_done(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    store
        .connection()
        .execute(
            include_str!("../sql/ingest/schedule_date_done.sql"),
            named_params! { ":business_date": date.to_string() },
        )
        .map(drop)
        .during("writing a date of the schedule")
}
