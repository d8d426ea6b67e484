//! Records that do not correspond to one item each: several that name one item, an order in two
//! parts, the reversal of a return, a void for a returned sale, and no record of its own for a
//! payment collected by hand.

use super::entry::{Entry, Source, Uses};
use crate::random::mix;
use crate::world::details::CORRECTION_NOTICE;
use crate::world::records::{Authorization, CardKind, Records, Transfer, TransferStatus};
use crate::world::{Kind, WorldOptions};

/// One in this many suitable entries is split.
const SHARE: u64 = 4;
/// The amount that the books move from one payment of an order to the other.
const MOVED: i64 = 100;

/// Rewrites the entry of a bank transfer, when it suits a kind.
type Way = fn(&Records, usize, &Entry) -> Option<Vec<Entry>>;

/// The entries written in place of an entry, and their kind.
pub fn write(
    options: &WorldOptions,
    records: &Records,
    uses: &Uses,
    entry: &Entry,
) -> Option<(Kind, Vec<Entry>)> {
    let has = |kind| options.kinds.contains(&kind);
    match entry.source {
        Source::Card(at) => {
            let item = &records.authorizations[at];
            if has(Kind::LateVoids)
                && let Some(written) = late_void(records, item, entry)
            {
                return Some((Kind::LateVoids, written));
            }
        }
        Source::Transfer(at) => {
            let ways: [(Kind, Way); 4] = [
                (Kind::Subscriptions, subscription),
                (Kind::OrdersInParts, order_in_parts),
                (Kind::CollectedByHand, collected),
                (Kind::CounterEntries, counter_entry),
            ];
            for (kind, way) in ways {
                if has(kind)
                    && let Some(written) = way(records, at, entry)
                {
                    return Some((kind, written));
                }
            }
            let is_one = uses.is_order_alone(&records.transfers[at]);
            if has(Kind::Instalments) && is_one && is_drawn(at, 1) {
                return Some((Kind::Instalments, instalments(records, at, entry)?));
            }
        }
        Source::Nothing => return None,
    }
    let at = match entry.source {
        Source::Card(at) | Source::Transfer(at) => at,
        Source::Nothing => return None,
    };
    let is_fit = entry.reference.is_some() && entry.status == "paid" && entry.amount > 900;
    (has(Kind::PaidTogether) && is_fit && is_drawn(at, 0))
        .then(|| (Kind::PaidTogether, together(entry)))
}

fn is_drawn(at: usize, remainder: u64) -> bool {
    mix(at as u64) % SHARE == remainder
}

/// Three records of one item.
fn together(entry: &Entry) -> Vec<Entry> {
    let (first, second) = (entry.amount / 2, entry.amount / 3);
    let part = |nth: usize, amount: i64| Entry {
        id: format!("{}-{nth}", entry.id),
        amount,
        order_id: None,
        ..entry.clone()
    };
    vec![part(1, first), part(2, second), part(3, entry.amount - first - second)]
}

/// The order of a payment in two records, the second one on the next banking day.
fn instalments(records: &Records, at: usize, entry: &Entry) -> Option<Vec<Entry>> {
    let transfer = &records.transfers[at];
    let settled = transfer.settled.filter(|_| is_plain(transfer) && entry.status == "paid")?;
    let first = entry.amount / 2;
    let part = |nth: usize, date, amount| Entry {
        id: format!("{}-{nth}", entry.id),
        date,
        amount,
        reference: None,
        last4: None,
        order_id: Some(transfer.order_id.clone()),
        ..entry.clone()
    };
    let next = records.due(entry.merchant, settled, 1);
    Some(vec![part(1, settled, first), part(2, next, entry.amount - first)])
}

fn is_plain(transfer: &Transfer) -> bool {
    transfer.status == TransferStatus::Complete
        && transfer.returns.is_empty()
        && transfer.representment.is_none()
        && transfer.represents.is_none()
}

/// Named only by the order id.
fn by_order(records: &Records, at: usize, prefix: &str, entry: &Entry) -> Option<Entry> {
    let order = &records.transfers[at].order_id;
    order.starts_with(prefix).then(|| Entry {
        date: records.transfers[at].settled.unwrap_or(entry.date),
        order_id: Some(order.clone()),
        reference: None,
        last4: None,
        ..entry.clone()
    })
}

fn subscription(records: &Records, at: usize, entry: &Entry) -> Option<Vec<Entry>> {
    by_order(records, at, "SUB-", entry).map(|one| vec![one])
}

/// The books have more for the first payment of the order, and less for the second.
fn order_in_parts(records: &Records, at: usize, entry: &Entry) -> Option<Vec<Entry>> {
    let one = by_order(records, at, "PART-", entry)?;
    let mut same = records.transfers.iter();
    let first = same.position(|other| other.order_id == records.transfers[at].order_id)?;
    let amount = if first == at { one.amount + MOVED } else { one.amount - MOVED };
    Some(vec![Entry { amount, ..one }])
}

/// A returned payment was collected by hand under its order id: one record covers both.
fn collected(records: &Records, at: usize, entry: &Entry) -> Option<Vec<Entry>> {
    let one = &records.transfers[at];
    let is_presented_again =
        |one: &Transfer| one.represents.is_some() || one.representment.is_some();
    if is_presented_again(one) {
        return None;
    }
    let is_other = |(place, other): (usize, &Transfer)| {
        place != at
            && other.return_of.is_none()
            && !is_presented_again(other)
            && (&other.order_id, other.merchant, other.amount, other.account_last4)
                == (&one.order_id, one.merchant, one.amount, one.account_last4)
    };
    let mut others = records.transfers.iter().enumerate().filter(|other| is_other(*other));
    let (_, other) = others.next()?;
    if other.status == TransferStatus::Returned {
        return Some(Vec::new());
    }
    (one.status == TransferStatus::Returned).then(|| {
        let order_id = Some(one.order_id.clone());
        vec![Entry { order_id, reference: Some(one.id.clone()), status: "paid", ..entry.clone() }]
    })
}

/// The receipt stays, and a refund of its amount names it on the day of the return.
fn counter_entry(records: &Records, at: usize, entry: &Entry) -> Option<Vec<Entry>> {
    let transfer = &records.transfers[at];
    let [back] = &transfer.returns[..] else { return None };
    let is_fit = transfer.status == TransferStatus::Returned
        && transfer.settled.is_some()
        && transfer.representment.is_none()
        && back.code < CORRECTION_NOTICE;
    is_fit.then(|| {
        let named = Some(transfer.id.clone());
        let receipt = Entry { reference: named.clone(), status: "paid", ..entry.clone() };
        let reversal = Entry {
            id: format!("{}-R", entry.id),
            is_refund: true,
            date: back.date,
            reference: named,
            order_id: None,
            last4: None,
            ..receipt.clone()
        };
        vec![receipt, reversal]
    })
}

/// A sale that was returned in full is void in the books, and the return is not posted.
fn late_void(records: &Records, item: &Authorization, entry: &Entry) -> Option<Vec<Entry>> {
    if item.kind == CardKind::Return {
        let sale = records.authorization(item.part_of)?;
        return (sale.amount == item.amount).then(Vec::new);
    }
    let is_back = |other: &Authorization| {
        other.kind == CardKind::Return
            && other.part_of == item.authorization_id()
            && other.amount == item.amount
    };
    records.authorizations.iter().any(is_back).then(|| {
        let reference = Some(item.transaction_id.to_string());
        vec![Entry { reference, status: "void", ..entry.clone() }]
    })
}
