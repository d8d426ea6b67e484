//! Records that a night watches until they are settled: undecided disputes, card transactions on
//! hold, and returns that were not handled.

use chrono::NaiveDate;
use rusqlite::named_params;

use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::{BatchId, DisputeId, TransferId};

const WATCHING: &str = "looking for records to watch";

/// Disputes submitted up to `date` whose statuses decide nothing, or are older than the status in
/// their listing.
pub fn undecided_disputes(store: &Store, date: NaiveDate) -> Result<Vec<DisputeId>, StoreError> {
    let sql = include_str!("../sql/plan/undecided_disputes.sql");
    rows(&store.connection, sql, named_params! { ":date": date.to_string() }, |row| {
        row.get(0).map(DisputeId)
    })
    .during(WATCHING)
}

/// Batches of the days from `first` to the day before `before` with card transactions that no
/// deposit holds and that may still be paid.
pub fn batches_on_hold(
    store: &Store,
    first: NaiveDate,
    before: NaiveDate,
) -> Result<Vec<BatchId>, StoreError> {
    let sql = include_str!("../sql/plan/batches_on_hold.sql");
    rows(
        &store.connection,
        sql,
        named_params! { ":first": first.to_string(), ":before": before.to_string() },
        |row| row.get(0).map(BatchId),
    )
    .during(WATCHING)
}

/// Payments run before `from` with a return that is neither re-presented nor closed.
pub fn returns_to_watch(store: &Store, from: NaiveDate) -> Result<Vec<TransferId>, StoreError> {
    let sql = include_str!("../sql/plan/returns_to_watch.sql");
    rows(&store.connection, sql, named_params! { ":from": from.to_string() }, |row| {
        row.get::<_, String>(0).map(TransferId::from)
    })
    .during(WATCHING)
}
