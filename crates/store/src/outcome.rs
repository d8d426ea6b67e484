//! Writes and reads the results of reconciled dates: the report stage reads nothing else.

mod day;
mod kept;
mod posted;
mod record;
mod rows;
mod standing;
mod write;

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{OptionalExtension, named_params};

use super::columns::parse_date;
use super::match_page::Pairs;
use super::seal::{RESULT_TABLES, UNORDERED_TABLES, results_digest, seal};
use super::statement::rows;
use super::withdrawn::note_withdrawn;
use super::{Store, StoreError, While};
use tieout_model::clock;
use tieout_model::{Discrepancy, MatchRow, NotEvaluated, RunRecord, SummaryRow, TransitRow};

pub use day::DayOutcome;
use kept::of_date;
pub(super) use kept::read;
pub(super) use rows::discrepancy;
pub(super) use write::newest_reading;
pub(super) use write::write_prior_finding;
use write::{note_reconciled_listings, write_outcome};

/// Tables of results that are not in the digest of their date.
const OUTSIDE_DIGEST: [&str; 2] = ["bank_standing_result", "run_record"];

impl Store {
    /// Replaces the results of `date` and marks later reconciled dates stale. The matches are in
    /// the order in which they are to be reported.
    ///
    /// Returns the digest of the written results.
    ///
    /// # Errors
    /// When the store refuses; then nothing is changed.
    pub fn save_outcome(
        &mut self,
        date: NaiveDate,
        outcome: &DayOutcome,
        matches: &[MatchRow],
        configuration_digest: &str,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        const DURING: &str = "saving the results of a date";
        let text = date.to_string();
        let transaction = self.connection.transaction().during(DURING)?;
        note_withdrawn(&transaction, date, outcome, now).during(DURING)?;
        for table in RESULT_TABLES.iter().chain(&UNORDERED_TABLES).chain(&OUTSIDE_DIGEST) {
            transaction
                .execute(&format!("delete from {table} where business_date = ?1"), [&text])
                .during(DURING)?;
        }
        write_outcome(&transaction, &text, outcome, matches).during(DURING)?;
        let digest = results_digest(&transaction, date).during(DURING)?;
        let record = record::kept(&transaction, &text, &outcome.run_record).during(DURING)?;
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
    /// As [`Store::outcome`], and when its rows were altered.
    pub fn held_outcome(&self, date: NaiveDate) -> Result<Option<DayOutcome>, StoreError> {
        self.refuse_altered(date)?;
        self.outcome(date)
    }

    /// The results of `date`, or `None` when it was never reconciled.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn outcome(&self, date: NaiveDate) -> Result<Option<DayOutcome>, StoreError> {
        const DURING: &str = "reading the results of a date";
        let text = date.to_string();
        let Some((run_record, results_digest)) = self.run_record(date)? else {
            return Ok(None);
        };
        let connection = &self.connection;
        Ok(Some(DayOutcome {
            discrepancies: self.discrepancies(date)?,
            not_evaluated: self.not_evaluated(date)?,
            deposits: of_date(connection, &text, "ach_deposit_id").during(DURING)?,
            batches: of_date(connection, &text, "batch_id").during(DURING)?,
            in_transit: self.was_in_transit(date)?,
            disputes: of_date(connection, &text, "dispute_id").during(DURING)?,
            bank_matches: of_date(connection, &text, "ordinal").during(DURING)?,
            bank_standing: Vec::new(),
            journal: of_date(connection, &text, "ach_deposit_id").during(DURING)?,
            summary: self.summary(date)?,
            accepted: self.accepted(date)?,
            acceptances: of_date(connection, &text, "discrepancy_id").during(DURING)?,
            run_record,
            results_digest,
        }))
    }

    /// The checks that could not be evaluated on `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn not_evaluated(&self, date: NaiveDate) -> Result<Vec<NotEvaluated>, StoreError> {
        let sql = include_str!("../sql/report/not_evaluated.sql");
        rows(&self.connection, sql, [date.to_string()], read)
            .during("reading the checks of a date that were not evaluated")
    }

    /// The run record of `date` and the digest of its results.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn run_record(&self, date: NaiveDate) -> Result<Option<(RunRecord, String)>, StoreError> {
        const DURING: &str = "reading the run record of a date";
        let text = date.to_string();
        let found: Option<(String, String)> = self
            .connection
            .query_row(
                "select content, results_digest from run_record where business_date = ?1",
                [&text],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .during(DURING)?;
        let Some((content, digest)) = found else { return Ok(None) };
        let record = record::whole(&self.connection, &text, &content).during(DURING)?;
        let record = record.map_err(|source| StoreError::RunRecord { business_date: date, source });
        Ok(Some((record?, digest)))
    }

    /// The rows of `summary.csv` of `date`; none when it was never reconciled.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn summary(&self, date: NaiveDate) -> Result<Vec<SummaryRow>, StoreError> {
        of_date(&self.connection, &date.to_string(), "merchant_id, currency")
            .during("reading the summary of a date")
    }

    /// The discrepancies that were new, open or cleared on `date`.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn discrepancies(&self, date: NaiveDate) -> Result<Vec<Discrepancy>, StoreError> {
        rows(
            &self.connection,
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
    pub fn accepted(&self, date: NaiveDate) -> Result<Vec<Discrepancy>, StoreError> {
        rows(
            &self.connection,
            "select * from discrepancy_day \
             where business_date = ?1 and status = 'accepted' order by discrepancy_id",
            [date.to_string()],
            discrepancy,
        )
        .during("reading discrepancies")
    }

    /// The rows of a statement that selects from `discrepancy_day`.
    pub(super) fn stored_discrepancies(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
    ) -> rusqlite::Result<Vec<Discrepancy>> {
        rows(&self.connection, sql, parameters, discrepancy)
    }

    /// Passes every row of `matches.csv` of `date` to `take`, in the order in which they were
    /// saved. The rows are many and never held at once. Stops at the first error of `take` and
    /// returns it.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn each_match<E>(
        &self,
        date: NaiveDate,
        mut take: impl FnMut(&MatchRow) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        const DURING: &str = "reading the matches of a date";
        let mut statement = self
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

    /// The first date of each discrepancy that existed before `date`, by id.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn first_seen_before(
        &self,
        date: NaiveDate,
        ids: &[String],
    ) -> Result<BTreeMap<String, NaiveDate>, StoreError> {
        const DURING: &str = "looking for earlier dates of a discrepancy";
        let mut statement = self
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

    /// The in-transit rows of a reconciled date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn was_in_transit(&self, date: NaiveDate) -> Result<Vec<TransitRow>, StoreError> {
        of_date(&self.connection, &date.to_string(), "kind, id")
            .during("reading the money in transit on a date")
    }

    /// The latest reconciled date before `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn previous_reconciled(&self, date: NaiveDate) -> Result<Option<NaiveDate>, StoreError> {
        self.reconciled_date(
            "select max(business_date) from business_day where reconciled and business_date < ?1",
            date,
        )
    }

    /// The start date: the earliest reconciled date, `date` included.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn start_date(&self, date: NaiveDate) -> Result<NaiveDate, StoreError> {
        let earliest = self.reconciled_date(
            "select min(business_date) from business_day where reconciled and business_date < ?1",
            date,
        )?;
        Ok(earliest.unwrap_or(date))
    }

    /// The reconciled dates before `last` from `first` on, and `last`, in their order.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn reconciled_between(
        &self,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<Vec<NaiveDate>, StoreError> {
        const DURING: &str = "looking for reconciled dates";
        let mut statement = self
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

    /// Notes that the results of `date` cover everything that was read so far.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn note_read_up_to_now(&self, date: NaiveDate) -> Result<(), StoreError> {
        const DURING: &str = "noting the input of a date";
        let newest = newest_reading(&self.connection).during(DURING)?;
        self.connection
            .execute(
                "update business_day set read_up_to = ?2 where business_date = ?1",
                (date.to_string(), newest),
            )
            .during(DURING)?;
        Ok(())
    }

    fn reconciled_date(&self, sql: &str, date: NaiveDate) -> Result<Option<NaiveDate>, StoreError> {
        const DURING: &str = "looking for reconciled dates";
        let text: Option<String> =
            self.connection.query_row(sql, [date.to_string()], |row| row.get(0)).during(DURING)?;
        text.map(|text| parse_date("business_date", &text)).transpose().during(DURING)
    }
}
