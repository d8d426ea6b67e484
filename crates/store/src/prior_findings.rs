//! Discrepancies found in closed dates, until a later date reports them.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::Transaction;

use super::columns::parse_date;
use super::results::{discrepancy, write_prior_finding};
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::Discrepancy;

const DURING: &str = "reading findings of closed dates";
const KEEPING: &str = "saving findings of a closed date";

/// The discrepancies found in closed dates that `date` reports, each under its closed date;
/// with `takes_waiting` also those that no date has reported yet.
///
/// # Errors
/// When the store refuses.
pub fn of(
    store: &Store,
    date: NaiveDate,
    takes_waiting: bool,
) -> Result<Vec<Discrepancy>, StoreError> {
    let sql = include_str!("../sql/plan/prior_findings.sql");
    rows(&store.connection, sql, (date.to_string(), takes_waiting), discrepancy).during(DURING)
}

/// The closed date of a discrepancy that was found in it and reported by a date up to `date`.
///
/// # Errors
/// When the store refuses.
pub fn closed_date(
    store: &Store,
    id: &str,
    date: NaiveDate,
) -> Result<Option<NaiveDate>, StoreError> {
    let text: Option<String> = store
        .connection()
        .prepare_cached(include_str!("../sql/plan/prior_date.sql"))
        .and_then(|mut statement| statement.query_row((id, date.to_string()), |row| row.get(0)))
        .during(DURING)?;
    text.map(|text| parse_date("closed_date", &text)).transpose().during(DURING)
}

/// Replaces the discrepancies known to have been found in `closed` since it was closed. One
/// that a later date lists itself is not a prior finding. Returns how many are kept.
///
/// # Errors
/// When the store refuses; then nothing is changed.
pub fn keep(
    store: &mut Store,
    closed: NaiveDate,
    late: &[Discrepancy],
) -> Result<usize, StoreError> {
    let transaction = store.connection.transaction().during(KEEPING)?;
    let kept = write_all(&transaction, closed, late).during(KEEPING)?;
    transaction.commit().during(KEEPING)?;
    Ok(kept)
}

/// Keeps restatements of records of closed dates, each under that date, until a date reports
/// them.
///
/// # Errors
/// When the store refuses; then nothing is changed.
pub fn keep_restated(
    store: &mut Store,
    waiting: &[(NaiveDate, Discrepancy)],
) -> Result<(), StoreError> {
    if waiting.is_empty() {
        return Ok(());
    }
    let transaction = store.connection.transaction().during(KEEPING)?;
    for (closed, stored) in waiting {
        write_prior_finding(&transaction, &closed.to_string(), stored).during(KEEPING)?;
    }
    transaction.commit().during(KEEPING)
}

/// Notes that `date` has reported `priors`.
///
/// # Errors
/// When the store refuses.
pub fn note_reported(
    store: &Store,
    date: NaiveDate,
    priors: &[Discrepancy],
) -> Result<(), StoreError> {
    let mut statement = store
        .connection()
        .prepare_cached(
            "update prior_finding set reported_on = ?3 \
             where closed_date = ?1 and discrepancy_id = ?2 and reported_on is null",
        )
        .during(KEEPING)?;
    for prior in priors {
        let closed = prior.business_date.to_string();
        statement.execute((closed, &prior.discrepancy_id, date.to_string())).during(KEEPING)?;
    }
    Ok(())
}

/// Withdraws the findings of a date that was closed: it is open again and reports them itself.
///
/// # Errors
/// When the store refuses.
pub fn forget(store: &Store, date: NaiveDate) -> Result<(), StoreError> {
    store
        .connection()
        .execute(
            "update prior_finding set is_withdrawn = 1 where closed_date = ?1",
            [date.to_string()],
        )
        .during(KEEPING)?;
    Ok(())
}

fn write_all(
    transaction: &Transaction<'_>,
    closed: NaiveDate,
    late: &[Discrepancy],
) -> rusqlite::Result<usize> {
    let date = closed.to_string();
    let mut is_listed = transaction.prepare(include_str!("../sql/plan/is_listed_later.sql"))?;
    let mut kept = BTreeSet::new();
    for stored in late {
        let id = &stored.discrepancy_id;
        if is_listed.query_row((id, &date), |row| row.get(0))? {
            continue;
        }
        write_prior_finding(transaction, &date, stored)?;
        kept.insert(id.clone());
    }
    let known: Vec<String> = rows(
        transaction,
        "select discrepancy_id from prior_finding where closed_date = ?1",
        [&date],
        |row| row.get(0),
    )?;
    let mut forget = transaction.prepare(
        "update prior_finding set is_withdrawn = 1 \
             where closed_date = ?1 and discrepancy_id = ?2",
    )?;
    for id in known.iter().filter(|id| !kept.contains(*id)) {
        forget.execute((&date, id))?;
    }
    // The date is judged as far as it can be; its own rows stay unchanged.
    transaction.execute("update business_day set stale = 0 where business_date = ?1", [&date])?;
    Ok(kept.len())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// The pages of one date are written while another date is judged.
    #[test]
    fn waits_for_whoever_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        let (mut store, mut other) = (Store::open(&path).unwrap(), Store::open(&path).unwrap());
        let closed = "2026-10-30".parse().unwrap();
        let (begun, has_begun) = channel();
        let writer = std::thread::spawn(move || {
            let transaction = other.connection.transaction().unwrap();
            transaction.execute("insert into fetch_session values (1, '2026-10-31')", []).unwrap();
            begun.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(200));
            transaction.commit().unwrap();
        });
        has_begun.recv().unwrap();
        assert_eq!(keep(&mut store, closed, &[]).unwrap(), 0);
        writer.join().unwrap();
    }
}
