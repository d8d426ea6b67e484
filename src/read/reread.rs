//! What is read once more: the records behind what is open, and the records behind a
//! difference in a total before it is reported. Pure.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::config::Settings;
use crate::model::{
    AuthorizationId, BatchId, DepositId, Discrepancy, Listing, MerchantId, Resource, Selector,
    TransferId,
};
use crate::read::needs;

/// Ids of one report column, which joins several with `;`.
fn numbers(column: &str) -> impl Iterator<Item = i64> + '_ {
    column.split(';').filter_map(|id| id.parse().ok())
}

/// The records behind a difference in a total: the deposits by id, their fees, the
/// authorizations by batch, and the batches themselves.
pub(crate) fn behind_total(code: &str, deposits: &str, batches: &str) -> BTreeSet<Listing> {
    let mut listings = BTreeSet::new();
    if code.starts_with("DEPOSIT_") {
        for id in numbers(deposits).map(DepositId) {
            let [deposit, fees] = behind_part(id);
            listings.insert(deposit);
            if code == "DEPOSIT_FEES_MISMATCH" {
                listings.insert(fees);
            }
        }
    }
    if matches!(code, "BATCH_SALES_MISMATCH" | "BATCH_RETURNS_MISMATCH" | "BATCH_COUNT_MISMATCH") {
        for id in numbers(batches).map(BatchId) {
            listings.insert(Listing::new(Resource::Authorizations, Selector::Batch(id)));
        }
    }
    let is_about_headers = code.starts_with("BATCH_") || is_about_group(code);
    if is_about_headers && code != "BATCH_WITHOUT_DEPOSIT" {
        for id in numbers(batches).map(BatchId) {
            listings.insert(Listing::new(Resource::Batches, Selector::BatchById(id)));
        }
    }
    listings
}

/// A deposit by its id, and its fees.
pub(crate) fn behind_part(id: DepositId) -> [Listing; 2] {
    [
        Listing::new(Resource::Deposits, Selector::DepositById(id)),
        Listing::new(Resource::Fees, Selector::Deposit(id)),
    ]
}

/// Whether a code compares the deposits of a group with its batches.
fn is_about_group(code: &str) -> bool {
    matches!(code, "DEPOSIT_SALES_MISMATCH" | "DEPOSIT_RETURNS_MISMATCH" | "DEPOSIT_COUNT_MISMATCH")
}

/// Whether what a code says of a group can rest on which deposit holds a transaction.
pub(crate) fn rests_on_links(code: &str) -> bool {
    code == "BATCH_WITHOUT_DEPOSIT" || (is_about_batches(code) && code.starts_with("DEPOSIT_"))
}

/// Whether a code is about a total that is read once more before it is reported.
pub(crate) fn is_total(code: &str) -> bool {
    code.ends_with("_MISMATCH") && (code.starts_with("DEPOSIT_") || code.starts_with("BATCH_"))
}

/// The records behind a discrepancy that was open when the earlier date closed.
pub(crate) fn behind_open(settings: &Settings, open: &Discrepancy) -> BTreeSet<Listing> {
    let row = &open;
    let mut listings = behind_total(&row.code, &row.ids.ach_deposit_id, &row.ids.batch_id);
    if let Some(day) = row.batch_date.filter(|_| is_about_batches(&row.code)) {
        listings.insert(Listing::new(Resource::Batches, Selector::Date(day)));
        let merchant = settings.merchant(&MerchantId::from(row.merchant_id.as_str()));
        if row.code.starts_with("BATCH_") && row.code != "BATCH_WITHOUT_DEPOSIT" {
            listings
                .extend(merchant.into_iter().flat_map(|merchant| needs::settled(merchant, day)));
        }
    }
    if row.code == "FEE_WITHOUT_DEPOSIT" {
        let listed_on: Option<NaiveDate> =
            open.subject.get(..10).and_then(|date| date.parse().ok());
        listings.extend(listed_on.map(|day| Listing::new(Resource::Fees, Selector::Date(day))));
        for id in numbers(&row.ids.ach_deposit_id).map(DepositId) {
            listings.insert(Listing::new(Resource::Deposits, Selector::DepositById(id)));
        }
    }
    for id in numbers(&row.ids.authorization_id).map(AuthorizationId) {
        listings.insert(Listing::new(Resource::Authorizations, Selector::AuthorizationById(id)));
    }
    if let Some(day) = row.batch_date.filter(|_| row.code.ends_with("_AFTER_RECONCILED")) {
        listings.extend(behind_restated(settings, row, day));
    }
    listings.extend(transfers(Resource::Payments, &row.ids.payment_id));
    listings.extend(transfers(Resource::Refunds, &row.ids.refund_id));
    listings
}

/// What lists a record that was restated or has vanished, or lists it again.
fn behind_restated(settings: &Settings, row: &Discrepancy, day: NaiveDate) -> BTreeSet<Listing> {
    let mut listings = BTreeSet::new();
    for id in numbers(&row.ids.ach_deposit_id).map(DepositId) {
        listings.insert(Listing::new(Resource::Deposits, Selector::DepositById(id)));
    }
    if !row.ids.batch_id.is_empty() {
        // A batch by its id is an optional operation.
        listings.insert(Listing::new(Resource::Batches, Selector::Date(day)));
    }
    if !row.ids.payment_id.is_empty() || !row.ids.refund_id.is_empty() {
        let merchant = settings.merchant(&MerchantId::from(row.merchant_id.as_str()));
        listings.extend(merchant.into_iter().flat_map(|merchant| needs::settled(merchant, day)));
    }
    listings
}

fn is_about_batches(code: &str) -> bool {
    code.starts_with("BATCH_")
        || code == "ITEM_WITHOUT_BATCH"
        || code == "DEPOSIT_WITHOUT_BATCH"
        || (code.starts_with("DEPOSIT_")
            && !matches!(code, "DEPOSIT_NET_MISMATCH" | "DEPOSIT_FEES_MISMATCH"))
}

fn transfers(resource: Resource, column: &str) -> impl Iterator<Item = Listing> + '_ {
    column
        .split(';')
        .filter(|id| !id.is_empty())
        .map(move |id| Listing::new(resource, Selector::TransferById(TransferId::from(id))))
}
