//! The fees of a period's deposits, by merchant, currency and month of payment.

use std::collections::BTreeMap;

use crate::night::NightError;
use tieout_model::money::{Currency, Minor};
use tieout_model::{DepositRow, FeeRateRow, MerchantId};

/// A row for each merchant, currency and month, in that order.
///
/// # Errors
/// When a sum overflows.
pub(crate) fn rates(deposits: &[DepositRow]) -> Result<Vec<FeeRateRow>, NightError> {
    let mut rows: BTreeMap<(&MerchantId, &str, String), FeeRateRow> = BTreeMap::new();
    for deposit in deposits {
        let Some(paid) = deposit.payment_date else { continue };
        let month = paid.format("%Y-%m").to_string();
        let code = deposit.currency.map_or("", Currency::code);
        let row =
            rows.entry((&deposit.merchant_id, code, month.clone())).or_insert_with(|| FeeRateRow {
                merchant_id: deposit.merchant_id.clone(),
                merchant_name: deposit.merchant_name.clone(),
                currency: deposit.currency,
                month,
                deposits: 0,
                sales: Some(Minor(0)),
                fees: Some(Minor(0)),
            });
        row.deposits += 1;
        row.sales = added(row.sales, deposit.sales)?;
        row.fees = added(row.fees, deposit.daily_fees)?;
    }
    Ok(rows.into_values().collect())
}

/// A sum with an unknown part is unknown.
fn added(sum: Option<Minor>, more: Option<Minor>) -> Result<Option<Minor>, NightError> {
    let Some((sum, more)) = sum.zip(more) else { return Ok(None) };
    let overflow = || NightError::NotConserved("the fees of a period overflow".to_owned());
    sum.checked_add(more).map(Some).ok_or_else(overflow)
}
