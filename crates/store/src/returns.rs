//! Debits and returns of a window, for the return rates of a period.

use chrono::NaiveDate;

use super::columns::{minor_column, required_date};
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::money::Minor;

/// Debits of one terminal on a day whose settled payments were all read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebitDay {
    pub terminal_id: String,
    pub day: NaiveDate,
    pub debits: i64,
}

/// Debits of one terminal that came back on a day with one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnDay {
    pub terminal_id: String,
    pub day: NaiveDate,
    pub code: String,
    pub reason: String,
    pub returned: i64,
    /// `None` when one of them has no amount.
    pub amount: Option<Minor>,
}

const READING: &str = "reading debits and their returns";

/// Notes `last`, the last business date of the run that has just read them, for two kinds of bank
/// transfers, unless an earlier run noted another date: as the run date of those without a time,
/// and as the return date of those with the status `returned` that state no return.
pub fn note_undated(store: &Store, last: NaiveDate) -> Result<(), StoreError> {
    let statements = [
        include_str!("../sql/ingest/timeless_transfers.sql"),
        include_str!("../sql/ingest/undated_returns.sql"),
    ];
    for sql in statements {
        let parameters = rusqlite::named_params! { ":date": last.to_string() };
        let noted = store.connection().execute(sql, parameters);
        noted.during("noting returns without a date")?;
    }
    Ok(())
}

/// The ACH debits that settled from `first` to `last`.
pub fn debits(
    store: &Store,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<DebitDay>, StoreError> {
    let sql = include_str!("../sql/report/debits.sql");
    rows(&store.connection, sql, [first.to_string(), last.to_string()], |row| {
        Ok(DebitDay {
            terminal_id: row.get("terminal_id")?,
            day: required_date(row, "day")?,
            debits: row.get("debits")?,
        })
    })
    .during(READING)
}

/// The ACH debits that came back from `first` to `last`.
pub fn returned_debits(
    store: &Store,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<ReturnDay>, StoreError> {
    let sql = include_str!("../sql/report/returned_debits.sql");
    rows(&store.connection, sql, [first.to_string(), last.to_string()], |row| {
        Ok(ReturnDay {
            terminal_id: row.get("terminal_id")?,
            day: required_date(row, "day")?,
            code: row.get("code")?,
            reason: row.get("reason")?,
            returned: row.get("returned")?,
            amount: minor_column(row, "amount_minor")?,
        })
    })
    .during(READING)
}
