//! Findings that a rerun of a date withdrew: the date had reported them, and the facts of a later
//! run do not support them. They are in no report; their ids and history stay.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Row, Transaction, named_params};
use serde::Serialize;

use super::columns::required_date;
use super::results::{DayOutcome, discrepancy};
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::Discrepancy;
use tieout_model::clock;

const READING: &str = "reading withdrawn discrepancies";

/// A discrepancy as a date reported it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    pub last: Discrepancy,
    /// When the last run that reported it ended, RFC 3339 in UTC.
    pub reported_at: String,
    /// When the run that no longer found it ended.
    pub withdrawn_at: String,
}

/// A discrepancy that a rerun of a date withdrew, as `tieout status` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WithdrawnId {
    #[serde(skip)]
    pub business_date: NaiveDate,
    pub discrepancy_id: String,
    pub code: String,
    pub withdrawn_at: String,
}

/// The dates on which reruns withdrew the discrepancy, oldest first.
///
/// # Errors
/// When the store refuses.
pub fn of(store: &Store, id: &str) -> Result<Vec<Withdrawn>, StoreError> {
    let sql = include_str!("../sql/report/withdrawn_of.sql");
    let withdrawn = |row: &Row<'_>| {
        Ok(Withdrawn {
            last: discrepancy(row)?,
            reported_at: row.get("reported_at")?,
            withdrawn_at: row.get("withdrawn_at")?,
        })
    };
    rows(&store.connection, sql, [id], withdrawn).during(READING)
}

/// The findings that reruns withdrew and no later run over the same date has found again, by
/// date.
///
/// # Errors
/// When the store refuses.
pub fn ids(store: &Store) -> Result<Vec<WithdrawnId>, StoreError> {
    let sql = include_str!("../sql/report/withdrawn_on.sql");
    let withdrawn = |row: &Row<'_>| {
        Ok(WithdrawnId {
            business_date: required_date(row, "business_date")?,
            discrepancy_id: row.get("discrepancy_id")?,
            code: row.get("code")?,
            withdrawn_at: row.get("withdrawn_at")?,
        })
    };
    rows(&store.connection, sql, [], withdrawn).during(READING)
}

/// Keeps the rows of `date` that `outcome`, which is to replace them, does not hold.
pub(super) fn note_withdrawn(
    transaction: &Transaction<'_>,
    date: NaiveDate,
    outcome: &DayOutcome,
    now: DateTime<Utc>,
) -> rusqlite::Result<()> {
    let date = date.to_string();
    let found = outcome.discrepancies.iter().chain(&outcome.accepted);
    let found: BTreeSet<&str> = found.map(|one| one.discrepancy_id.as_str()).collect();
    let sql = "select discrepancy_id from discrepancy_day where business_date = ?1";
    let mut gone: Vec<String> = rows(transaction, sql, [&date], |row| row.get(0))?;
    gone.retain(|id| !found.contains(id.as_str()));
    let withdrawn_at = clock::written(now);
    for id in gone {
        transaction.execute(
            "delete from withdrawn_finding where discrepancy_id = ?1 and business_date = ?2",
            (&id, &date),
        )?;
        transaction.prepare_cached(include_str!("../sql/ingest/withdrawn_finding.sql"))?.execute(
            named_params! {
                ":business_date": date,
                ":discrepancy_id": id,
                ":withdrawn_at": withdrawn_at,
            },
        )?;
    }
    Ok(())
}
