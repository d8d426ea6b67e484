//! Pass 1: the ledger names the paymentId, refundId, transactionId or authorizationId.
//!
//! A reference is believed even if amount, currency or last four digits differ. It applies within
//! one kind, so a refund that names the payment it refunds names nothing. Paid records come first;
//! a void, declined or returned record takes only an item that no paid record names.

use std::collections::{BTreeMap, HashSet};

use super::named_sums::smallest;
use super::names::{NameMap, name_map};
use super::odd_reference::is_scientific;
use super::progress::{Place, Progress};
use super::reference_names::{Names, Target};
use super::states::Pass;
use tieout_model::money::Minor;
use tieout_model::{LedgerKind, LedgerStatus};

/// A record, its target, and a key that all records with the same reference share.
#[derive(Clone, Copy)]
struct Named {
    key: u64,
    record: u32,
    target: Target,
}

/// Runs the pass, sets extra records apart, and bars records whose target is not available.
pub(super) fn run(progress: &mut Progress<'_>) {
    let with_reference: Vec<u32> = (0..)
        .zip(progress.input.records)
        .filter(|(position, record)| record.named().is_some() && progress.is_record_open(*position))
        .map(|(position, _)| position)
        .collect();
    if with_reference.is_empty() {
        return;
    }
    let mut names = Names::of(progress);
    let mut targets: Vec<(u32, Target)> = with_reference
        .into_iter()
        .map(|position| (position, names.resolve_item(progress, position)))
        .collect();
    if targets.iter().any(|one| one.1 == Target::Nothing) {
        names.find_authorizations(progress);
        for (position, target) in targets.iter_mut().filter(|one| one.1 == Target::Nothing) {
            *target = names.resolve(progress, *position);
        }
    }
    let is_paid = |one: &Named| progress.record(one.record).status == LedgerStatus::Paid;
    let (mut paid, mut unpaid): (Vec<Named>, Vec<Named>) =
        keyed(progress, targets).into_iter().partition(is_paid);
    let by_key = |one: &Named, other: &Named| one.key.cmp(&other.key);
    paid.sort_unstable_by(by_key);
    unpaid.sort_unstable_by(by_key);
    settle_paid(progress, &names, &paid);
    settle_unpaid(progress, &names, &paid, &unpaid);
}

/// Gives records with the same reference the same key.
fn keyed(progress: &Progress<'_>, targets: Vec<(u32, Target)>) -> Vec<Named> {
    let mut texts: NameMap<(&str, bool)> = name_map(0);
    let key = |(record, target): (u32, Target)| {
        let (tag, number) = match target {
            Target::Item(item) => (0, item),
            Target::Authorization(first) => (1, first),
            Target::Transfer(transfer) => (2, transfer),
            Target::Nothing | Target::StandIn(_) | Target::Known => {
                let of = progress.record(record);
                // References that have lost digits are never equal to each other.
                if of.named().is_some_and(is_scientific) {
                    return Named { key: (4 << 32) | u64::from(record), record, target };
                }
                let text = (of.named().unwrap_or_default(), of.kind == LedgerKind::Refund);
                let next = u32::try_from(texts.len()).unwrap_or(u32::MAX);
                (3, *texts.entry(text).or_insert(next))
            }
        };
        Named { key: (tag << 32) | u64::from(number), record, target }
    };
    targets.into_iter().map(key).collect()
}

fn settle_paid(progress: &mut Progress<'_>, names: &Names<'_>, paid: &[Named]) {
    let mut later = Vec::new();
    for same in paid.chunk_by(|one, other| one.key == other.key) {
        let first = same[0].target;
        let mut records: Vec<u32> = same.iter().map(|one| one.record).collect();
        progress.sort_records(&mut records);
        match first {
            // Items named by their own id must be taken before an authorization's items are added
            // up.
            Target::Authorization(_) | Target::StandIn(_) => later.push((first, records)),
            Target::Item(item) if records.len() > 1 && progress.is_item_open(item) => {
                settle_several(progress, item, &records);
            }
            Target::Item(_) => {
                settle_one(progress, first, records[0]);
                place_duplicates(progress, &records[1..], records[0]);
            }
            // An object that is not listed has no duplicates.
            Target::Transfer(_) | Target::Nothing | Target::Known => {
                for record in records {
                    settle_one(progress, first, record);
                }
            }
        }
    }
    for (target, records) in later {
        settle_captures(progress, names, target, &records);
    }
}

/// Several records name one item. A record of its amount is paired, else the smallest set that adds
/// up; the others are duplicates. If nothing adds up, all of them together are paired with it.
fn settle_several(progress: &mut Progress<'_>, item: u32, records: &[u32]) {
    let booked = booked(progress, records);
    let amount = progress.item(item).amount;
    let equal = records.iter().copied().filter(|&one| Some(progress.record(one).amount) == amount);
    let banking_days = &progress.input.terms.banking_days;
    let day = progress.item(item).day;
    let nearest = equal.min_by_key(|&one| banking_days.distance(day, progress.record(one).date));
    let own = match (nearest, amount) {
        (Some(nearest), _) => Some(vec![nearest]),
        (None, Some(amount)) => smallest(amount, &booked),
        (None, None) => Some(vec![records[0]]),
    };
    let own = own.unwrap_or_else(|| records.to_vec());
    progress.pair(Pass::Reference, &[item], &own);
    let extra: Vec<u32> = records.iter().copied().filter(|one| !own.contains(one)).collect();
    place_duplicates(progress, &extra, own[0]);
}

fn place_duplicates(progress: &mut Progress<'_>, extra: &[u32], of: u32) {
    for &one in extra {
        progress.place_record(one, Place::Duplicate(of));
    }
}

/// Pairs or places one record by its target. A reference to an unknown object has no effect.
fn settle_one(progress: &mut Progress<'_>, target: Target, record: u32) {
    match target {
        Target::Item(item) if progress.is_item_open(item) => {
            progress.pair(Pass::Reference, &[item], &[record]);
        }
        Target::Transfer(transfer) => progress.place_record(record, Place::Transfer(transfer)),
        Target::Item(_) | Target::Known => progress.place_record(record, Place::NamesOther),
        Target::Nothing if may_name_a_return(progress, record) => {
            progress.place_record(record, Place::NamesOther);
        }
        Target::Nothing | Target::Authorization(_) | Target::StandIn(_) => {}
    }
}

/// Pairs the records that name one authorization with its captures by amount, and compares the rest
/// as sums. A single record of the first capture's amount is paired with it alone: the books may
/// post the next capture later, or under another name.
fn settle_captures(
    progress: &mut Progress<'_>,
    names: &Names<'_>,
    target: Target,
    records: &[u32],
) {
    let (mut items, limit) = match target {
        Target::Authorization(first) => {
            (names.free_captures(progress, first), names.captures(first).count())
        }
        Target::StandIn(item) if progress.is_item_open(item) => (vec![item], 1),
        _ => (Vec::new(), 1),
    };
    progress.sort_items(&mut items);
    let mut left = Vec::new();
    let mut by_amount: BTreeMap<Minor, Vec<u32>> = BTreeMap::new();
    for &item in items.iter().rev() {
        if let Some(amount) = progress.item(item).amount {
            by_amount.entry(amount).or_default().push(item);
        }
    }
    let mut taken = Vec::new();
    for &record in records {
        let same = by_amount.get_mut(&progress.record(record).amount).and_then(Vec::pop);
        match same {
            Some(item) => {
                progress.pair(Pass::Reference, &[item], &[record]);
                taken.push(record);
            }
            None => left.push(record),
        }
    }
    items.retain(|&item| progress.is_item_open(item));
    if left.is_empty() {
        return;
    }
    if !items.is_empty() {
        let own = sum_of(progress, &items).and_then(|sum| smallest(sum, &booked(progress, &left)));
        let own = own.unwrap_or_else(|| left.clone());
        progress.pair(Pass::Reference, &items, &own);
        left.retain(|one| !own.contains(one));
        taken.extend(own);
        progress.sort_records(&mut taken);
    }
    // Records beyond the number of captures are duplicates.
    let extra = left.split_off(left.len() - records.len().saturating_sub(limit).min(left.len()));
    place_duplicates(progress, &extra, taken.first().copied().unwrap_or(records[0]));
    for record in left {
        progress.place_record(record, Place::NamesOther);
    }
}

fn booked(progress: &Progress<'_>, records: &[u32]) -> Vec<(u32, Minor)> {
    records.iter().map(|&record| (record, progress.record(record).amount)).collect()
}

/// `None` if an amount is unknown or the sum overflows.
fn sum_of(progress: &Progress<'_>, items: &[u32]) -> Option<Minor> {
    let mut amounts = items.iter().map(|&item| progress.item(item).amount);
    amounts.try_fold(Minor(0), |sum, amount| sum.0.checked_add(amount?.0).map(Minor))
}

/// Of the records that are not paid, the first takes an item that no paid record names.
fn settle_unpaid(progress: &mut Progress<'_>, names: &Names<'_>, paid: &[Named], unpaid: &[Named]) {
    if unpaid.is_empty() {
        return;
    }
    let paid_keys: HashSet<u64> = paid.iter().map(|one| one.key).collect();
    for same in unpaid.chunk_by(|one, other| one.key == other.key) {
        let target = same[0].target;
        let mut records: Vec<u32> = same.iter().map(|one| one.record).collect();
        progress.sort_records(&mut records);
        let is_free = !paid_keys.contains(&same[0].key);
        for (number, record) in records.into_iter().enumerate() {
            match target {
                // An unknown reference contradicts nothing, however many records carry it.
                Target::Nothing => settle_one(progress, target, record),
                _ if !is_free || number > 0 => progress.place_record(record, Place::NamesOther),
                Target::Authorization(_) | Target::StandIn(_) => {
                    settle_captures(progress, names, target, &[record]);
                }
                _ => settle_one(progress, target, record),
            }
        }
    }
}

/// Whether an unknown reference of the record may name a returned payment.
fn may_name_a_return(progress: &Progress<'_>, record: u32) -> bool {
    progress.input.returns_unread && progress.record(record).kind == LedgerKind::Payment
}
