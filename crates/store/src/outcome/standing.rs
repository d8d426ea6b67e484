//! Writes and reads the state of deposits and lines at the banks. A date keeps a row only where a
//! state has changed, so that the newest rows up to any date give the whole state.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::{Connection, Row, Transaction, named_params};

use crate::columns::{currency_column, date_column, minor_column, wrong};
use crate::statement::rows;
use crate::{Store, StoreError, While};
use tieout_model::money::{Currency, Minor};
use tieout_model::{BankStanding, StandingKind};

const STANDING_SQL: &str = include_str!("../../sql/report/bank_standing.sql");

/// Stored for a deposit or line that no longer has a state.
const GONE: &str = "gone";

type Key = (String, StandingKind, String);

impl Store {
    /// The state of all deposits and lines at the banks as of `date`, from reconciled dates up to
    /// it.
    ///
    /// # Errors
    /// When the store refuses or holds a value that this version does not write.
    pub fn bank_standing(&self, date: NaiveDate) -> Result<Vec<BankStanding>, StoreError> {
        as_of(&self.connection, date).during("reading where things stand at the banks")
    }
}

fn as_of(connection: &Connection, date: NaiveDate) -> rusqlite::Result<Vec<BankStanding>> {
    rows(connection, STANDING_SQL, [date.to_string()], standing)
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
    for one in now {
        if before.remove(&key(one)).as_ref() != Some(one) {
            write_one(transaction, date, one)?;
        }
    }
    for one in before.into_values() {
        write_one(transaction, date, &BankStanding { verdict: GONE.to_owned(), ..one })?;
    }
    Ok(())
}

fn write_one(
    transaction: &Transaction<'_>,
    date: &str,
    one: &BankStanding,
) -> rusqlite::Result<()> {
    let day = |date: Option<NaiveDate>| date.map(|date| date.to_string());
    let minor = |amount: Option<Minor>| amount.map(|amount| amount.0);
    transaction
        .prepare_cached(include_str!("../../sql/ingest/bank_standing_result.sql"))?
        .execute(named_params! {
            ":bank": one.bank,
            ":kind": one.kind.as_str(),
            ":id": one.id,
            ":business_date": date,
            ":currency": one.currency.map(Currency::code),
            ":merchant_id": one.merchant_id,
            ":day": day(one.day),
            ":due_date": day(one.due_date),
            ":amount_minor": minor(one.amount),
            ":bank_date": day(one.bank_date),
            ":bank_minor": minor(one.bank_amount),
            ":ach_deposit_id": one.ach_deposit_id,
            ":place": one.place,
            ":verdict": one.verdict,
        })?;
    Ok(())
}

fn standing(row: &Row<'_>) -> rusqlite::Result<BankStanding> {
    let kind: String = row.get("kind")?;
    let kinds = [StandingKind::Deposit, StandingKind::Line, StandingKind::Gap];
    Ok(BankStanding {
        bank: row.get("bank")?,
        kind: kinds
            .into_iter()
            .find(|one| one.as_str() == kind)
            .ok_or_else(|| wrong("kind", &kind))?,
        id: row.get("id")?,
        currency: currency_column(row, "currency")?,
        merchant_id: row.get("merchant_id")?,
        day: date_column(row, "day")?,
        due_date: date_column(row, "due_date")?,
        amount: minor_column(row, "amount_minor")?,
        bank_date: date_column(row, "bank_date")?,
        bank_amount: minor_column(row, "bank_minor")?,
        ach_deposit_id: row.get("ach_deposit_id")?,
        place: row.get("place")?,
        verdict: row.get("verdict")?,
    })
}
