//! Warns about a bank whose statements did not come. Never a finding: missing deposits have their
//! own.

use super::account::Account;
use crate::JudgeError;
use tieout_model::money::Minor;
use tieout_store::{Store, banks};

/// A warning if the statements end so early that they cannot show a deposit that is due by now.
/// A bank without such a deposit is not late.
pub(super) fn warning(account: &Account<'_>, store: &Store) -> Result<Option<String>, JudgeError> {
    let Some(last) = account.spans.iter().map(|span| span.last).max() else { return Ok(None) };
    for merchant in &account.merchants {
        let id = &merchant.id;
        if account.due(id, last) >= account.asof.business_date {
            continue;
        }
        let deposits = banks::deposits(store, id, merchant.currency, last)?;
        let is_awaited = deposits.iter().any(|deposit| {
            deposit.is_dated
                && deposit.net_amount.is_some_and(|amount| amount != Minor(0))
                && deposit.payment_date > last
                && account.due(id, deposit.payment_date) <= account.asof.business_date
        });
        if is_awaited {
            let name = &account.bank.name;
            return Ok(Some(format!("bank \"{name}\": no new file since {last}")));
        }
    }
    Ok(None)
}
