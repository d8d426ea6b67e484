//! Writes and reads the results of reconciled dates: the report stage reads nothing else.

mod day;
mod kept;
mod posted;
mod run_record;
mod standing;
mod tables;
mod write;

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{OptionalExtension, named_params};

use super::discrepancies;
use super::match_page::Pairs;
use super::seal;
use super::seal::{RESULT_TABLES, UNORDERED_TABLES, results_digest, seal};
use super::statement::rows;
use super::withdrawn::note_withdrawn;
use super::{Store, StoreError, While};
use tieout_model::clock;
use tieout_model::{MatchRow, NotEvaluated, RunRecord, SummaryRow, TransitRow};

pub use day::DayOutcome;
use kept::of_date;
pub(super) use kept::read;
pub use posted::{deposit_as_paid, posted_before};
pub use standing::bank_standing;
pub(super) use tables::discrepancy;
pub(super) use write::newest_reading;
pub(super) use write::write_prior_finding;
use write::{note_reconciled_listings, write_outcome};

/// Tables of results that are not in the digest of their date.
const OUTSIDE_DIGEST: [&str; 2] = ["bank_standing_result", "run_record"];

/// Replaces the results of `date` and marks later reconciled dates stale. The matches are in
/// the order in which they are to be reported.
///
/// Returns the digest of the written results.
///
/// # Errors
/// When the store refuses; then nothing is changed.
pub fn save(
    store: &mut Store,
    date: NaiveDate,
    outcome: &DayOutcome,
    matches: &[MatchRow],
    configuration_digest: &str,
    now: DateTime<Utc>,
) -> Result<String, StoreError> {
    const DURING: &str = "saving the results of a date";
    let text = date.to_string();
    let transaction = store.connection.transaction().during(DURING)?;
    note_withdrawn(&transaction, date, outcome, now).during(DURING)?;
    for table in RESULT_TABLES.iter().chain(&UNORDERED_TABLES).chain(&OUTSIDE_DIGEST) {
        transaction
            .execute(&format!("delete from {table} where business_date = ?1"), [&text])
            .during(DURING)?;
    }
    write_outcome(&transaction, &text, outcome, matches).during(DURING)?;
    let digest = results_digest(&transaction, date).during(DURING)?;
    let record = run_record::kept(&transaction, &text, &outcome.run_record).during(DURING)?;
    transaction
        .execute(
            "insert into run_record (business_date, content, results_digest) \
             values (?1, ?2, ?3)",
            (&text, &record, &digest),
        )
        .during(DURING)?;
    seal(&transaction, "run_record", &[&text]).during(DURING)?;
    note_reconciled_listings(&transaction, &text).during(DURING)?;
    transaction
        .execute(
            include_str!("../sql/ingest/reconciled.sql"),
            named_params! {
                ":business_date": text,
                ":is_complete": outcome.not_evaluated.is_empty(),
                ":configuration_digest": configuration_digest,
                ":last_run": clock::written(now),
            },
        )
        .during(DURING)?;
    // Every later date starts from the results of an earlier one.
    transaction
        .execute(
            "update business_day set stale = 1 where reconciled and business_date > ?1",
            [&text],
        )
        .during(DURING)?;
    transaction.commit().during(DURING)?;
    Ok(digest)
}

/// The results of `date`, checked against their digest: for callers that write them elsewhere.
///
/// # Errors
/// As [`of_day`], and when its rows were altered.
pub fn held(store: &Store, date: NaiveDate) -> Result<Option<DayOutcome>, StoreError> {
    seal::refuse_altered(store, date)?;
    of_day(store, date)
}

/// The results of `date`, or `None` when it was never reconciled.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn of_day(store: &Store, date: NaiveDate) -> Result<Option<DayOutcome>, StoreError> {
    const DURING: &str = "reading the results of a date";
    let text = date.to_string();
    let Some((run_record, results_digest)) = run_record(store, date)? else {
        return Ok(None);
    };
    let connection = &store.connection;
    Ok(Some(DayOutcome {
        discrepancies: discrepancies::of_date(store, date)?,
        not_evaluated: not_evaluated(store, date)?,
        deposits: of_date(connection, &text, "ach_deposit_id").during(DURING)?,
        batches: of_date(connection, &text, "batch_id").during(DURING)?,
        in_transit: in_transit(store, date)?,
        disputes: of_date(connection, &text, "dispute_id").during(DURING)?,
        bank_matches: of_date(connection, &text, "ordinal").during(DURING)?,
        bank_standing: Vec::new(),
        journal: of_date(connection, &text, "ach_deposit_id").during(DURING)?,
        summary: summary(store, date)?,
        accepted: discrepancies::accepted(store, date)?,
        acceptances: of_date(connection, &text, "discrepancy_id").during(DURING)?,
        run_record,
        results_digest,
    }))
}

/// The checks that could not be evaluated on `date`.
///
/// # Errors
/// When the store refuses.
pub fn not_evaluated(store: &Store, date: NaiveDate) -> Result<Vec<NotEvaluated>, StoreError> {
    let sql = include_str!("../sql/report/not_evaluated.sql");
    rows(&store.connection, sql, [date.to_string()], read)
        .during("reading the checks of a date that were not evaluated")
}

/// The run record of `date` and the digest of its results.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn run_record(
    store: &Store,
    date: NaiveDate,
) -> Result<Option<(RunRecord, String)>, StoreError> {
    const DURING: &str = "reading the run record of a date";
    let text = date.to_string();
    let found: Option<(String, String)> = store
        .connection
        .query_row(
            "select content, results_digest from run_record where business_date = ?1",
            [&text],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()
        .during(DURING)?;
    let Some((content, digest)) = found else { return Ok(None) };
    let record = run_record::whole(&store.connection, &text, &content).during(DURING)?;
    let record = record.map_err(|source| StoreError::RunRecord { business_date: date, source });
    Ok(Some((record?, digest)))
}

/// The rows of `summary.csv` of `date`; none when it was never reconciled.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn summary(store: &Store, date: NaiveDate) -> Result<Vec<SummaryRow>, StoreError> {
    of_date(&store.connection, &date.to_string(), "merchant_id, currency")
        .during("reading the summary of a date")
}

/// Passes every row of `matches.csv` of `date` to `take`, in the order in which they were
/// saved. The rows are many and never held at once. Stops at the first error of `take` and
/// returns it.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn each_match<E>(
    store: &Store,
    date: NaiveDate,
    mut take: impl FnMut(&MatchRow) -> Result<(), E>,
) -> Result<Result<(), E>, StoreError> {
    const DURING: &str = "reading the matches of a date";
    let mut statement = store
        .connection
        .prepare_cached(include_str!("../sql/report/matches.sql"))
        .during(DURING)?;
    let mut pairs = Pairs::of(statement.query([date.to_string()]).during(DURING)?);
    while let Some(row) = pairs.next().during(DURING)? {
        if let Err(refused) = take(&row) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(()))
}

/// The in-transit rows of a reconciled date.
///
/// # Errors
/// When the store refuses.
pub fn in_transit(store: &Store, date: NaiveDate) -> Result<Vec<TransitRow>, StoreError> {
    of_date(&store.connection, &date.to_string(), "kind, id")
        .during("reading the money in transit on a date")
}
