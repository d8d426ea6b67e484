//! The decisions of people about discrepancies: acceptances and their end, assignments.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row};

use super::columns::{moment_column, parse_date, required_date};
use super::statement::rows;
use super::trail::{AuditRow, audit_row};
use super::{Store, StoreError, While};
use tieout_model::{Acceptance, Assignment, Discrepancy};

const DURING: &str = "reading decisions";

/// Whether a person has accepted the discrepancy, as of `date`.
///
/// # Errors
/// When the store refuses.
pub fn is_accepted(store: &Store, id: &str, date: NaiveDate) -> Result<bool, StoreError> {
    let accepted: Option<bool> = store
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
    store: &Store,
    date: NaiveDate,
    accepted: &[Discrepancy],
    opening: &[Discrepancy],
) -> Result<Vec<Acceptance>, StoreError> {
    let was_open: BTreeSet<&str> =
        opening.iter().map(|stored| stored.discrepancy_id.as_str()).collect();
    let mut statement = store
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
    store: &Store,
    ids: impl Iterator<Item = &'id str>,
    date: NaiveDate,
) -> Result<BTreeSet<String>, StoreError> {
    let mut accepted = BTreeSet::new();
    for id in ids {
        if is_accepted(store, id, date)? {
            accepted.insert(id.to_owned());
        }
    }
    Ok(accepted)
}

/// The assignments as of `date`, by discrepancy id.
///
/// # Errors
/// When the store refuses.
pub fn assignments(
    store: &Store,
    date: NaiveDate,
) -> Result<BTreeMap<String, Assignment>, StoreError> {
    let sql = include_str!("../sql/plan/assignments.sql");
    let said: Vec<AuditRow> =
        rows(&store.connection, sql, [date.to_string()], audit_row).during(DURING)?;
    // A later act replaces an earlier one.
    let mut newest: BTreeMap<String, Assignment> =
        said.into_iter().map(|row| (row.subject.clone(), row.assignment())).collect();
    newest.retain(|_, assignment| !assignment.is_none());
    Ok(newest)
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
