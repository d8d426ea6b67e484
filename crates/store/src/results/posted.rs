//! The journal entries that earlier dates posted for deposits, and the deposits' rows when paid.

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, Row};

use super::kept::read;
use crate::columns::required_date;
use crate::statement::rows;
use crate::{Store, StoreError, While};
use tieout_model::DepositId;
use tieout_model::{DepositRow, JournalEntry};

const DURING: &str = "reading the journal entries of a deposit";

/// The entries that reconciled dates before `date` have posted for a deposit, by date.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn posted_before(
    store: &Store,
    date: NaiveDate,
    ach_deposit_id: DepositId,
) -> Result<Vec<JournalEntry>, StoreError> {
    let sql = "select * from journal_result \
               where ach_deposit_id = ?1 and business_date < ?2 order by business_date";
    rows(&store.connection, sql, (ach_deposit_id.0, date.to_string()), read).during(DURING)
}

/// The date on which a deposit was paid and its row of that date; `None` when the date was not
/// reconciled.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn deposit_as_paid(
    store: &Store,
    ach_deposit_id: DepositId,
) -> Result<Option<(NaiveDate, DepositRow)>, StoreError> {
    let sql = "select result.* from deposit cross join deposit_result as result \
               on result.business_date = deposit.day \
               and result.ach_deposit_id = deposit.ach_deposit_id \
               where deposit.ach_deposit_id = ?1";
    let mut statement = store.connection.prepare_cached(sql).during(DURING)?;
    let paid = |row: &Row<'_>| Ok((required_date(row, "business_date")?, read(row)?));
    statement.query_row([ach_deposit_id.0], paid).optional().during(DURING)
}
