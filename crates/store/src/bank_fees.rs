//! The fees of a month that name no deposit, which a line of a bank may take.

use chrono::NaiveDate;
use rusqlite::named_params;

use super::columns::required_date;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::MerchantId;
use tieout_model::money::Minor;

const READING: &str = "reading the fees of a month";

/// The fees of a merchant's month that name no deposit, as a line that takes them shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthFees {
    /// The last day of the month.
    pub last: NaiveDate,
    /// Whether the month began before the start date: some of its fees may not be known.
    pub is_partial: bool,
    pub amount: Minor,
}

/// The months of a merchant with fees that name no deposit. The merchant is of this shard or of
/// another that shares its account.
///
/// # Errors
/// When the store refuses or holds a value that this version does not write.
pub fn monthly_fees(store: &Store, merchant_id: &MerchantId) -> Result<Vec<MonthFees>, StoreError> {
    let sql = include_str!("../sql/banks/monthly_fees.sql");
    let parameters = named_params! { ":merchant_id": merchant_id.as_str() };
    rows(&store.connection, sql, parameters, |row| {
        Ok(MonthFees {
            last: required_date(row, "last")?,
            is_partial: row.get("is_partial")?,
            amount: Minor(row.get("amount_minor")?),
        })
    })
    .during(READING)
}

/// Notes the months whose fees a line of a bank took: no deposit is compared with them.
///
/// # Errors
/// When the store refuses.
pub fn take_fees(store: &Store, taken: &[(MerchantId, NaiveDate)]) -> Result<(), StoreError> {
    let of_month = "update temp.monthly_fees set is_at_bank = 1 \
                    where merchant_id = ?1 and last = ?2";
    let of_deposit = "update temp.judged_deposits \
                      set is_billed_by_month = 0, fees_total_minor = 0 \
                      where is_billed_by_month and ach_deposit_id in \
                          (select taken_by from temp.monthly_fees where is_at_bank)";
    for (merchant_id, last) in taken {
        let of = (merchant_id.as_str(), last.to_string());
        store.connection.execute(of_month, of).during(READING)?;
    }
    if !taken.is_empty() {
        store.connection.execute(of_deposit, []).during(READING)?;
    }
    Ok(())
}
