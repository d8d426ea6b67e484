//! The sign-off of a business date: its acts in the audit trail, in order.

use chrono::NaiveDate;
use rusqlite::OptionalExtension;

use super::columns::{parse_moment, required_date};
use super::days;
use super::statement::rows;
use super::trail::{self, Act, AuditRow};
use super::{Store, StoreError, While};
use tieout_model::{SignOff, Signature};

const READING: &str = "reading who has signed a business date off";

/// The people who prepared and closed `date`, as of now.
///
/// # Errors
/// When the store refuses.
pub fn of(store: &Store, date: NaiveDate) -> Result<SignOff, StoreError> {
    let last_run = days::of_date(store, date)?.and_then(|day| day.last_run).unwrap_or_default();
    let mut state = SignOff::default();
    for row in trail::acts_about(store, &date.to_string())? {
        let is = |act: Act| row.act == act.as_str();
        if is(Act::Prepare) {
            // A date that was reconciled again since differs from the one that this person saw.
            let prepared = (row.moment >= last_run).then(|| signature(&row)).transpose();
            state = SignOff { prepared: prepared.during(READING)?, ..SignOff::default() };
        } else if is(Act::Close) {
            state.closed = Some(signature(&row).during(READING)?);
            state.taken_back = None;
        } else if is(Act::ReopenDate) {
            let taken_back = Some(signature(&row).during(READING)?);
            state = SignOff { taken_back, ..SignOff::default() };
        }
    }
    Ok(state)
}

/// The dates whose sign-off no report has followed: a process ended between the act and the
/// files that show it. A date without files is not among them.
///
/// # Errors
/// When the store refuses.
pub fn interrupted(store: &Store) -> Result<Vec<NaiveDate>, StoreError> {
    let sql = include_str!("../sql/plan/interrupted_sign_offs.sql");
    rows(store.connection(), sql, [], |row| required_date(row, "subject")).during(READING)
}

/// Whether a person has signed `date` off.
///
/// # Errors
/// When the store refuses.
pub fn is_closed(store: &Store, date: NaiveDate) -> Result<bool, StoreError> {
    let act: Option<String> = store
        .connection()
        .prepare_cached(include_str!("../sql/plan/sign_off.sql"))
        .and_then(|mut statement| {
            statement.query_row([date.to_string()], |row| row.get(0)).optional()
        })
        .during(READING)?;
    Ok(act.as_deref() == Some(Act::Close.as_str()))
}

fn signature(row: &AuditRow) -> rusqlite::Result<Signature> {
    let moment = parse_moment("moment", &row.moment)?;
    Ok(Signature { who: row.who.clone(), moment, note: row.note.clone() })
}
