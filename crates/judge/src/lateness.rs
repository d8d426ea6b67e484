//! Warns about ledgers whose files did not come. Never a finding: missing records have their own.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::AsOf;
use tieout_config::Settings;
use tieout_matching::{ItemState, LedgerInput, Outcome};
use tieout_model::MerchantId;
use tieout_store::LedgerFileState;

/// A warning for each ledger whose newest record is older than the last one that should have been
/// posted by now. A ledger with nothing to post is not late: `unposted` has, by merchant, the
/// newest day of an item that matches no record.
pub(super) fn late_ledgers(
    settings: &Settings,
    asof: &AsOf,
    files: &[LedgerFileState],
    unposted: &BTreeMap<&MerchantId, NaiveDate>,
) -> Vec<String> {
    let mut newest: BTreeMap<&str, NaiveDate> = BTreeMap::new();
    let dated = files.iter().filter_map(|file| Some((file.ledger.as_str(), file.last_date?)));
    for (ledger, last) in dated {
        let day = newest.entry(ledger).or_insert(last);
        *day = (*day).max(last);
    }
    let is_late = |ledger: &str, last: NaiveDate| {
        let merchants = settings.merchants.iter();
        let mut naming = merchants.filter(|merchant| merchant.ledger.as_deref() == Some(ledger));
        naming.any(|merchant| {
            let calendar = settings.calendar(merchant.calendar);
            calendar.due(last, merchant.terms.ledger_days) < asof.business_date
                && unposted.get(&merchant.id).is_some_and(|day| *day > last)
        })
    };
    let late = newest.into_iter().filter(|(ledger, last)| is_late(ledger, *last));
    late.map(|(ledger, last)| format!("ledger \"{ledger}\": no new file since {last}")).collect()
}

/// The newest day before `business_date` with an item that matches no record.
pub(super) fn newest_unposted(
    input: &LedgerInput,
    outcome: &Outcome,
    business_date: NaiveDate,
) -> Option<NaiveDate> {
    let items = input.items.iter().zip(&outcome.items);
    let unmatched = items.filter(|(_, state)| matches!(state, ItemState::Unmatched(_)));
    unmatched.map(|(item, _)| item.day).filter(|day| *day < business_date).max()
}
