//! Checks whether a merchant's captures exceed their authorizations as tips do, and which
//! percentage would cover them.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::probe::Probe;
use tieout_config::Settings;
use tieout_model::{Authorization, Listing, MerchantId, Record, Resource, Selector};
use tieout_read::api::Api;

/// When a merchant has this many, each by at most half, they are usual for its trade.
const FEW: usize = 5;
const MOST_PERCENT: i128 = 50;

/// A warning for each merchant, from the first page of the authorizations of `date`.
pub(super) async fn probes(settings: &Settings, api: &Api, date: NaiveDate) -> Vec<Probe> {
    let listing = Listing::new(Resource::Authorizations, Selector::Date(date));
    // A failed reading is reported by the probe of the permissions.
    let Ok(Some(page)) = api.first_page(&listing, u32::MAX).await else { return Vec::new() };
    let mut beyond: BTreeMap<&MerchantId, Vec<i128>> = BTreeMap::new();
    for record in &page.records {
        if let Record::Authorization(one) = record
            && let (Some(id), Some(percent)) = (&one.merchant.merchant_id, percent_beyond(one))
        {
            beyond.entry(id).or_default().push(percent);
        }
    }
    let of_merchant = |(id, mut percents): (&MerchantId, Vec<i128>)| {
        let own = settings.merchants.iter().find(|one| one.id == *id)?;
        percents.retain(|one| *one > i128::from(own.capture_tolerance_percent));
        let (count, most) = (percents.len(), percents.iter().max()?);
        (count >= FEW).then(|| {
            let found = format!(
                "{count} captures of merchant {id} on {date} exceed their authorized amounts, by \
                 up to {most} %; {} % are allowed",
                own.capture_tolerance_percent
            );
            let hint = format!(
                "if these are tips, set capture_tolerance_percent = {most} for merchant {id}"
            );
            Probe::warning("tolerances", found, &hint)
        })
    };
    beyond.into_iter().filter_map(of_merchant).collect()
}

/// The percentage, rounded up, by which a capture exceeds its authorization. `None` when it does
/// not, or by more than a tip would.
fn percent_beyond(one: &Authorization) -> Option<i128> {
    let card = one.transaction.as_ref()?;
    let is_capture = card.transaction_type.as_ref().is_some_and(|kind| kind.as_str() == "capture");
    let captured = i128::from(card.amount.filter(|_| is_capture)?.0);
    let authorized = i128::from(one.preauthorization_request_amount?.0);
    let beyond = captured - authorized;
    if authorized <= 0 || beyond <= 0 {
        return None;
    }
    let percent = (beyond * 100 + authorized - 1) / authorized;
    (percent <= MOST_PERCENT).then_some(percent)
}
