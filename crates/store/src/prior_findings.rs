//! The state besides the checks that decides how a discrepancy continues: acceptances and their
//! end, assignments, and discrepancies found in closed dates.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row, Transaction};

use super::columns::{moment_column, parse_date, required_date};
use super::outcome::{discrepancy, write_prior_finding};
use super::statement::rows;
use super::trail::{AuditRow, audit_row};
use super::{Store, StoreError, While};
use tieout_model::{Acceptance, Assignment, Discrepancy};

const DURING: &str = "reading decisions";
const KEEPING: &str = "saving findings of a closed date";

impl Store {
    /// Whether a person has accepted the discrepancy, as of `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn is_accepted(&self, id: &str, date: NaiveDate) -> Result<bool, StoreError> {
        let accepted: Option<bool> = self
            .connection()
            .prepare_cached(include_str!("../sql/plan/acceptance.sql"))
            .and_then(|mut statement| {
                statement.query_row((id, date.to_string()), |row| row.get(0)).optional()
            })
            .during(DURING)?;
        Ok(accepted.unwrap_or(false))
    }

    /// The acceptance of each of `accepted` as of `date`; it is new where `opening` holds the
    /// discrepancy.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn acceptances(
        &self,
        date: NaiveDate,
        accepted: &[Discrepancy],
        opening: &[Discrepancy],
    ) -> Result<Vec<Acceptance>, StoreError> {
        let was_open: BTreeSet<&str> =
            opening.iter().map(|stored| stored.discrepancy_id.as_str()).collect();
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../sql/plan/acceptance.sql"))
            .during(DURING)?;
        let mut acceptances = Vec::new();
        for id in accepted.iter().map(|stored| stored.discrepancy_id.as_str()) {
            let is_new = was_open.contains(id);
            let found = statement
                .query_row((id, date.to_string()), |row| acceptance(row, id, is_new))
                .optional();
            acceptances.extend(found.during(DURING)?);
        }
        Ok(acceptances)
    }

    /// Those of `ids` that are accepted as of `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn accepted_among<'id>(
        &self,
        ids: impl Iterator<Item = &'id str>,
        date: NaiveDate,
    ) -> Result<BTreeSet<String>, StoreError> {
        let mut accepted = BTreeSet::new();
        for id in ids {
            if self.is_accepted(id, date)? {
                accepted.insert(id.to_owned());
            }
        }
        Ok(accepted)
    }

    /// The assignments as of `date`, by discrepancy id.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn assignments(&self, date: NaiveDate) -> Result<BTreeMap<String, Assignment>, StoreError> {
        let sql = include_str!("../sql/plan/assignments.sql");
        let said: Vec<AuditRow> =
            rows(&self.connection, sql, [date.to_string()], audit_row).during(DURING)?;
        // A later act replaces an earlier one.
        let mut newest: BTreeMap<String, Assignment> =
            said.into_iter().map(|row| (row.subject.clone(), row.assignment())).collect();
        newest.retain(|_, assignment| !assignment.is_none());
        Ok(newest)
    }

    /// Discrepancies that were cleared from `from` on and are in no list since, as of `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn cleared_lately(
        &self,
        from: NaiveDate,
        date: NaiveDate,
    ) -> Result<Vec<Discrepancy>, StoreError> {
        self.stored_discrepancies(
            include_str!("../sql/plan/cleared_lately.sql"),
            (from.to_string(), date.to_string()),
        )
        .during(DURING)
    }

    /// The discrepancies found in closed dates that `date` reports, each under its closed date;
    /// with `takes_waiting` also those that no date has reported yet.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn prior_findings(
        &self,
        date: NaiveDate,
        takes_waiting: bool,
    ) -> Result<Vec<Discrepancy>, StoreError> {
        let sql = include_str!("../sql/plan/prior_findings.sql");
        rows(&self.connection, sql, (date.to_string(), takes_waiting), discrepancy).during(DURING)
    }

    /// The closed date of a discrepancy that was found in it and reported by a date up to `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn prior_date(&self, id: &str, date: NaiveDate) -> Result<Option<NaiveDate>, StoreError> {
        let text: Option<String> = self
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
    pub fn keep_prior_findings(
        &mut self,
        closed: NaiveDate,
        late: &[Discrepancy],
    ) -> Result<usize, StoreError> {
        let transaction = self.connection.transaction().during(KEEPING)?;
        let kept = keep(&transaction, closed, late).during(KEEPING)?;
        transaction.commit().during(KEEPING)?;
        Ok(kept)
    }

    /// Keeps restatements of records of closed dates, each under that date, until a date reports
    /// them.
    ///
    /// # Errors
    /// When the store refuses; then nothing is changed.
    pub fn keep_restated(
        &mut self,
        waiting: &[(NaiveDate, Discrepancy)],
    ) -> Result<(), StoreError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let transaction = self.connection.transaction().during(KEEPING)?;
        for (closed, stored) in waiting {
            write_prior_finding(&transaction, &closed.to_string(), stored).during(KEEPING)?;
        }
        transaction.commit().during(KEEPING)
    }

    /// Notes that `date` has reported `priors`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn note_reported(&self, date: NaiveDate, priors: &[Discrepancy]) -> Result<(), StoreError> {
        let mut statement = self
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

    /// The ids of at most two discrepancies that begin with `prefix`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn ids_like(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        rows(&self.connection, include_str!("../sql/report/ids_like.sql"), [prefix], |row| {
            row.get(0)
        })
        .during(DURING)
    }

    /// The row of a discrepancy on the latest date that holds it.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn newest_row(&self, id: &str) -> Result<Option<Discrepancy>, StoreError> {
        let rows = self
            .stored_discrepancies(include_str!("../sql/report/newest_row.sql"), [id])
            .during(DURING)?;
        Ok(rows.into_iter().next())
    }

    /// Every date that holds the discrepancy, oldest first, with its status there.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn history_of(&self, id: &str) -> Result<Vec<(String, String)>, StoreError> {
        rows(&self.connection, include_str!("../sql/evidence/history.sql"), [id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .during(DURING)
    }

    /// Withdraws the findings of a date that was closed: it is open again and reports them itself.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn forget_prior_findings(&self, date: NaiveDate) -> Result<(), StoreError> {
        self.connection()
            .execute(
                "update prior_finding set is_withdrawn = 1 where closed_date = ?1",
                [date.to_string()],
            )
            .during(KEEPING)?;
        Ok(())
    }
}

fn keep(
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

fn acceptance(row: &Row<'_>, id: &str, is_new: bool) -> rusqlite::Result<Acceptance> {
    let until: String = row.get("until")?;
    let until = (!until.is_empty()).then(|| parse_date("until", &until)).transpose()?;
    Ok(Acceptance {
        discrepancy_id: id.to_owned(),
        who: row.get("who")?,
        moment: moment_column(row, "moment")?,
        note: row.get("note")?,
        since: required_date(row, "business_date")?,
        until,
        is_new,
    })
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
        assert_eq!(store.keep_prior_findings(closed, &[]).unwrap(), 0);
        writer.join().unwrap();
    }
}
