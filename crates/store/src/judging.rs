//! The temporary tables that a date is judged by, and the statements of the checks over them. The
//! caller names its action when a statement fails. Makes no decisions.

mod adjusted;
mod aside;
mod cards;
mod restated;
mod results;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Params, Row, ToSql, named_params};

pub use adjusted::{
    AdjustedDeposit, BelowZero, Group, LateReturn, Movement, add_returned, below_zero,
    days_with_disputes, first_adjusted, groups, late_returns, movements, unclear_disputes,
    wait_for_rests,
};
pub use aside::Aside;
pub use cards::{Card, card_days, days_ahead, each_card, repeated};
pub use restated::{Compared, Fate, UnreadAgain, compared, unread_again};
pub use results::{
    FailedRead, NotAsked, SummaryFigures, Unjudged, date_listings, dispute_rows, failed_reads,
    in_transit, merchant_rules, nameless_records, not_asked, open_since, summary_figures,
    unjudged_batches, unjudged_deposits, unjudged_parts,
};

use super::dataset::cell;
use super::statement::rows;
use super::{StatementError, Store, StoredCell};
use tieout_model::Discrepancy;

type Result<T> = std::result::Result<T, StatementError>;

/// The description of a statement that `SQLite` has prepared but not run.
pub struct Statement {
    pub columns: Vec<String>,
    /// Whether it changes nothing.
    pub is_query: bool,
}

/// Empties the temporary tables of an earlier date and makes those that hold the settings; the SQL
/// functions know the holidays from here on.
pub fn begin(store: &Store, extra_holidays: &BTreeSet<NaiveDate>) -> Result<()> {
    store.prepared.borrow_mut().begin(&store.connection, extra_holidays)?;
    run(store, include_str!("../sql/settings.sql"))
}

/// Runs statements that return no rows, such as a file of `sql/asof`; the tables that they make are
/// empty or do not exist.
pub fn run(store: &Store, sql: &str) -> Result<()> {
    Ok(store.prepared.borrow_mut().run(&store.connection, sql)?)
}

/// Writes the row of `temp.asof`: each parameter of `sql/settings_asof.sql` with its value.
pub fn insert_settings(store: &Store, settings: &[(&str, &dyn ToSql)]) -> Result<()> {
    let sql = include_str!("../sql/settings_asof.sql");
    store.connection.prepare_cached(sql)?.execute(settings)?;
    Ok(())
}

/// Adds rows to a temporary table, each with a value for every one of its `columns`, which are
/// separated by commas.
pub fn insert<P: Params>(
    store: &Store,
    table: &str,
    columns: &str,
    rows: impl IntoIterator<Item = P>,
) -> Result<()> {
    let places = vec!["?"; columns.split(',').count()].join(", ");
    let sql = format!("insert into temp.{table} ({columns}) values ({places})");
    let mut insert = store.connection.prepare_cached(&sql)?;
    for row in rows {
        insert.execute(row)?;
    }
    Ok(())
}

/// Adds discrepancies to be re-evaluated to `temp.carried`; one that comes twice counts once.
pub fn insert_carried(store: &Store, open: &[&Discrepancy]) -> Result<()> {
    let mut insert = store.connection.prepare_cached(include_str!("../sql/carried.sql"))?;
    for row in open {
        insert.execute(named_params! {
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":subject": row.subject,
            ":merchant_id": row.merchant_id.as_str(),
            ":currency": row.currency.map(tieout_model::money::Currency::code),
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
        })?;
    }
    Ok(())
}

/// Passes each row that a statement selects to `read`, by column name, and collects the results.
/// The inner error is that of `read`, which ends the walk.
pub fn select<T, E>(
    store: &Store,
    sql: &str,
    mut read: impl FnMut(&BTreeMap<&str, StoredCell<'_>>) -> std::result::Result<T, E>,
) -> Result<std::result::Result<Vec<T>, E>> {
    let mut statement = store.connection.prepare_cached(store.query_of(sql)?)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let named = columns.iter().enumerate();
        let values = named.map(|(place, name)| Ok((name.as_str(), cell(row, place)?)));
        match read(&values.collect::<rusqlite::Result<_>>()?) {
            Ok(one) => found.push(one),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(found))
}

/// The verdict of the newest reading of a listing (its resource, selector, business date and
/// scope) with its error; `None` when it was never read.
pub fn listing_verdict(
    store: &Store,
    listing: (&str, &str, &str, &str),
) -> Result<Option<(String, Option<String>)>> {
    let mut statement =
        store.connection.prepare_cached(include_str!("../sql/report/listing_verdict.sql"))?;
    Ok(statement.query_row(listing, |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

fn all<T, C: FromIterator<T>>(
    store: &Store,
    sql: &str,
    given: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<C> {
    Ok(rows(&store.connection, sql, given, read)?)
}
