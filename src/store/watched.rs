//! What a night keeps under watch until it is settled: undecided disputes, card transactions on
//! hold, and returns that nobody has handled.

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, named_params};

use super::{Store, StoreError, While};
use crate::model::{BatchId, DisputeId, TransferId};

const WATCHING: &str = "looking for what is not settled yet";

impl Store {
    /// Whether the key has an operation that not every key has; `None` when it never asked.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn has_operation(&self, name: &str) -> Result<Option<bool>, StoreError> {
        self.connection()
            .prepare_cached("select is_there from key_operation where name = ?1")
            .and_then(|mut statement| statement.query_row([name], |row| row.get(0)).optional())
            .during("reading what the key may ask for")
    }

    /// Disputes submitted up to `date` whose statuses decide nothing, or are older than what their
    /// listing says.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn undecided_disputes(&self, date: NaiveDate) -> Result<Vec<DisputeId>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/plan/undecided_disputes.sql"))
            .during(WATCHING)?;
        statement
            .query_map(named_params! { ":date": date.to_string() }, |row| row.get(0).map(DisputeId))
            .and_then(Iterator::collect)
            .during(WATCHING)
    }

    /// Batches of the days from `first` to the day before `before` with card transactions that no
    /// deposit holds and that may still be paid.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn batches_on_hold(
        &self,
        first: NaiveDate,
        before: NaiveDate,
    ) -> Result<Vec<BatchId>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/plan/batches_on_hold.sql"))
            .during(WATCHING)?;
        statement
            .query_map(
                named_params! { ":first": first.to_string(), ":before": before.to_string() },
                |row| row.get(0).map(BatchId),
            )
            .and_then(Iterator::collect)
            .during(WATCHING)
    }

    /// Payments run before `from` with a return that is neither re-presented nor closed.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn returns_to_watch(&self, from: NaiveDate) -> Result<Vec<TransferId>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/plan/returns_to_watch.sql"))
            .during(WATCHING)?;
        statement
            .query_map(named_params! { ":from": from.to_string() }, |row| {
                row.get::<_, String>(0).map(TransferId::from)
            })
            .and_then(Iterator::collect)
            .during(WATCHING)
    }
}
