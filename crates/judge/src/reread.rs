//! The listings to re-read: the records behind open discrepancies, and the records behind a
//! difference in a total before it is reported. The header of each check names them. Pure.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::check::{Check, Reread};
use tieout_config::Settings;
use tieout_model::{
    AuthorizationId, BatchId, DepositId, Discrepancy, Finding, IdColumn, Listing, MerchantId,
    RecordIds, Resource, Selector, TransferId,
};
use tieout_read::needs;

/// The listings to re-read before a finding is first reported, if its check demands it: the records
/// that it names, and the bank transfers of its day, which are items without being named.
pub(crate) fn behind_found(
    settings: &Settings,
    check: &Check,
    found: &Finding,
) -> BTreeSet<Listing> {
    if !check.is_confirmed {
        return BTreeSet::new();
    }
    let mut listings: BTreeSet<Listing> =
        check.rereads.iter().flat_map(|what| behind_ids(*what, &found.ids)).collect();
    if check.rereads.contains(&Reread::SettledDay)
        && let Some(day) = found.batch_date
    {
        listings.extend(settled(settings, &found.merchant_id, day));
    }
    listings
}

/// A deposit by its id, and its fees.
pub(crate) fn behind_part(id: DepositId) -> [Listing; 2] {
    [deposit(id.0), fees(id.0)]
}

/// The listings behind an open discrepancy. Authorizations and bank transfers that it names are
/// always re-read.
pub(crate) fn behind_open(
    settings: &Settings,
    check: Option<&Check>,
    open: &Discrepancy,
) -> BTreeSet<Listing> {
    let ids = &open.ids;
    let mut listings = BTreeSet::new();
    for what in check.into_iter().flat_map(|check| &check.rereads) {
        listings.extend(behind_ids(*what, ids));
        listings.extend(behind_days(settings, *what, open));
    }
    for id in ids.numbers(IdColumn::Authorization).map(AuthorizationId) {
        listings.insert(Listing::new(Resource::Authorizations, Selector::AuthorizationById(id)));
    }
    for (resource, column) in
        [(Resource::Payments, IdColumn::Payment), (Resource::Refunds, IdColumn::Refund)]
    {
        let by_id = |id| Listing::new(resource, Selector::TransferById(TransferId::from(id)));
        listings.extend(ids.each(column).map(by_id));
    }
    listings
}

fn behind_ids(what: Reread, ids: &RecordIds) -> Vec<Listing> {
    let items = |id| Listing::new(Resource::Authorizations, Selector::Batch(BatchId(id)));
    let batch = |id| Listing::new(Resource::Batches, Selector::BatchById(BatchId(id)));
    match what {
        Reread::Deposits => ids.numbers(IdColumn::Deposit).map(deposit).collect(),
        Reread::Fees => ids.numbers(IdColumn::Deposit).map(fees).collect(),
        Reread::Items => ids.numbers(IdColumn::Batch).map(items).collect(),
        Reread::Batches => ids.numbers(IdColumn::Batch).map(batch).collect(),
        Reread::BatchDay
        | Reread::NamedBatchDay
        | Reread::SettledDay
        | Reread::NamedSettledDay
        | Reread::FeeDay => Vec::new(),
    }
}

fn deposit(id: i64) -> Listing {
    Listing::new(Resource::Deposits, Selector::DepositById(DepositId(id)))
}

fn fees(id: i64) -> Listing {
    Listing::new(Resource::Fees, Selector::Deposit(DepositId(id)))
}

fn behind_days(settings: &Settings, what: Reread, open: &Discrepancy) -> Vec<Listing> {
    let RecordIds { batch_id, payment_id, refund_id, .. } = &open.ids;
    let names_transfer = !payment_id.is_empty() || !refund_id.is_empty();
    match (what, open.batch_date) {
        (Reread::FeeDay, _) => {
            let day: Option<NaiveDate> = open.subject.get(..10).and_then(|day| day.parse().ok());
            day.map(|day| Listing::new(Resource::Fees, Selector::Date(day))).into_iter().collect()
        }
        (Reread::BatchDay, Some(day)) => batches(day),
        (Reread::NamedBatchDay, Some(day)) if !batch_id.is_empty() => batches(day),
        (Reread::SettledDay, Some(day)) => settled(settings, &open.merchant_id, day),
        (Reread::NamedSettledDay, Some(day)) if names_transfer => {
            settled(settings, &open.merchant_id, day)
        }
        _ => Vec::new(),
    }
}

fn batches(day: NaiveDate) -> Vec<Listing> {
    vec![Listing::new(Resource::Batches, Selector::Date(day))]
}

fn settled(settings: &Settings, merchant_id: &MerchantId, day: NaiveDate) -> Vec<Listing> {
    let merchant = settings.merchant(merchant_id);
    merchant.into_iter().flat_map(|merchant| needs::settled(merchant, day)).collect()
}
