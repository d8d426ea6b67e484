//! Writes and reads the state of deposits and lines at the banks. A date keeps a row only where a
//! state has changed, so that the newest rows up to any date give the whole state.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::{Connection, Transaction};

use super::kept::{insert, read};
use crate::statement::rows;
use crate::{Store, StoreError, While};
use tieout_model::{BankStanding, StandingKind};

const STANDING_SQL: &str = include_str!("../../sql/report/bank_standing.sql");

/// Stored for a deposit or line that no longer has a state.
const GONE: &str = "gone";

type Key = (String, StandingKind, String);

/// The state of all deposits and lines at the banks as of `date`, from reconciled dates up to
/// it.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn bank_standing(store: &Store, date: NaiveDate) -> Result<Vec<BankStanding>, StoreError> {
    as_of(&store.connection, date).during("reading the state of deposits at the banks")
}

fn as_of(connection: &Connection, date: NaiveDate) -> rusqlite::Result<Vec<BankStanding>> {
    rows(connection, STANDING_SQL, [date.to_string()], read::<BankStanding>)
}

/// Stores the states that differ from those of the dates before, and those that are gone.
pub(super) fn write(
    transaction: &Transaction<'_>,
    date: &str,
    now: &[BankStanding],
) -> rusqlite::Result<()> {
    let before = match date.parse::<NaiveDate>().ok().and_then(|date| date.pred_opt()) {
        Some(before) => as_of(transaction, before)?,
        None => Vec::new(),
    };
    let key = |one: &BankStanding| (one.bank.clone(), one.kind, one.id.clone());
    let mut before: BTreeMap<Key, BankStanding> =
        before.into_iter().map(|one| (key(&one), one)).collect();
    let mut changed = Vec::new();
    for one in now {
        if before.remove(&key(one)).as_ref() != Some(one) {
            changed.push(one.clone());
        }
    }
    let gone = |one| BankStanding { verdict: GONE.to_owned(), ..one };
    changed.extend(before.into_values().map(gone));
    insert(transaction, &[("business_date", date)], &changed)
}
