//! Pass 2: the order id of bank transfers.
//!
//! Within one order: first equal amounts one to one, the nearest days first, paid records before
//! others; the return of a payment takes part as a refund, and its record is a counter-entry. Then,
//! if one entry is left on a side, the smallest set of the other side that adds up, else all of it;
//! if several are left on both sides, all of them when their sums agree; else the order is
//! ambiguous. Last fours that both sides carry must agree. Under an order id with a masked number
//! only equal amounts are paired, because other ids can have the same masked form.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::counter::returns_left;
use super::input::Last4;
use super::keys::money_key;
use super::named_sums::smallest;
use super::names::{NameMap, name_map};
use super::order_by_id::last4_agree;
use super::order_entry::Entry;
use super::order_transfers::name_unsettled;
use super::progress::Progress;
use super::representment::Representments;
use super::states::Pass;
use tieout_model::is_masked;
use tieout_model::money::{Currency, Minor};
use tieout_model::{LedgerKind, LedgerStatus};

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>, representments: &Representments) {
    let orders = Orders::of(progress);
    let mut items = orders.items(progress);
    let mut records = orders.records(progress);
    let mut transfers = orders.transfers(progress);
    let mut returns = orders.returns(progress);
    items.sort_unstable();
    records.sort_unstable();
    transfers.sort_unstable();
    returns.sort_unstable();
    let (mut item_at, mut transfer_at, mut return_at) = (0, 0, 0);
    let mut record_at = 0;
    while record_at < records.len() {
        let key = records[record_at].0;
        let group = members(&records, &mut record_at, key);
        let named = members(&items, &mut item_at, key);
        let known = members(&transfers, &mut transfer_at, key);
        let back = members(&returns, &mut return_at, key);
        let order_id = progress.record(group[0].1).order_id.as_deref();
        let is_masked = order_id.is_some_and(is_masked);
        match (named, back, group) {
            ([], [], _) => {}
            ([item], [], [record])
                if !is_masked
                    && !representments.is_again(item.1)
                    && !progress.is_waiting(item.1) =>
            {
                pair_two(progress, item.1, record.1);
            }
            _ => {
                let sides = (&positions(named)[..], &positions(back)[..]);
                settle_order(progress, representments, sides, &positions(group), is_masked);
            }
        }
        if !known.is_empty() {
            let mut known = positions(known);
            known.retain(|one| !progress.named_transfers.contains(one));
            name_unsettled(progress, &known, &positions(group), is_masked);
        }
    }
    representments.follow_originals(progress);
}

type Keyed = (u128, u32);

/// Skips to `key` and takes all entries with it.
fn members<'a, T>(sorted: &'a [(u128, T)], at: &mut usize, key: u128) -> &'a [(u128, T)] {
    while *at < sorted.len() && sorted[*at].0 < key {
        *at += 1;
    }
    let first = *at;
    while *at < sorted.len() && sorted[*at].0 == key {
        *at += 1;
    }
    &sorted[first..*at]
}

fn positions<T: Copy>(keyed: &[(u128, T)]) -> Vec<T> {
    keyed.iter().map(|one| one.1).collect()
}

/// The common case: one item and one record are paired, with equal amounts or not.
fn pair_two(progress: &mut Progress<'_>, item: u32, record: u32) {
    if last4_agree(progress.item(item).last4, progress.record(record).last4) {
        progress.pair(Pass::Order, &[item], &[record]);
    }
}

/// Order ids of bank transfers as small numbers; order ids that no transfer has are of no use here.
struct Orders<'a> {
    numbers: NameMap<&'a str>,
}

impl<'a> Orders<'a> {
    fn of(progress: &Progress<'a>) -> Self {
        let input = progress.input;
        let of_items = input.items.iter().filter(|item| !item.kind.is_card());
        let of_items = of_items.filter_map(|item| item.order_id.as_deref());
        let of_transfers = input.transfers.iter().filter_map(|one| one.order_id.as_deref());
        let mut numbers = name_map(0);
        for (number, order) in (0..).zip(of_items.chain(of_transfers)) {
            numbers.entry(order).or_insert(number);
        }
        Self { numbers }
    }

    fn key(
        &self,
        order: Option<&str>,
        kind: LedgerKind,
        currency: Option<Currency>,
    ) -> Option<u128> {
        let number = self.numbers.get(order?)?;
        Some(money_key(kind, currency?, Minor(0)) | u128::from(*number))
    }

    fn items(&self, progress: &Progress<'a>) -> Vec<Keyed> {
        let keyed = (0..).zip(progress.all_items()).filter(|(position, item)| {
            !item.kind.is_card() && item.amount.is_some() && progress.is_item_open(*position)
        });
        keyed
            .filter_map(|(position, item)| {
                let kind = item.kind.ledger_kind();
                Some((self.key(item.order_id.as_deref(), kind, item.currency)?, position))
            })
            .collect()
    }

    /// The returns that no record has named, as refunds of their order.
    fn returns(&self, progress: &Progress<'a>) -> Vec<(u128, Entry)> {
        let keyed = returns_left(progress).into_iter().filter_map(|entry| {
            let item = progress.item(entry.item());
            Some((self.key(item.order_id.as_deref(), LedgerKind::Refund, item.currency)?, entry))
        });
        keyed.collect()
    }

    fn records(&self, progress: &Progress<'a>) -> Vec<Keyed> {
        let keyed = (0..).zip(progress.input.records).filter_map(|(position, record)| {
            let currency = Some(record.currency);
            Some((self.key(record.order_id.as_deref(), record.kind, currency)?, position))
        });
        keyed.filter(|(_, position)| progress.is_record_open(*position)).collect()
    }

    fn transfers(&self, progress: &Progress<'a>) -> Vec<Keyed> {
        let known = (0..).zip(progress.input.transfers);
        known
            .filter_map(|(position, transfer)| {
                let order = transfer.order_id.as_deref();
                Some((self.key(order, transfer.ledger_kind(), transfer.currency)?, position))
            })
            .collect()
    }
}

fn settle_order(
    progress: &mut Progress<'_>,
    representments: &Representments,
    (items, returns): (&[u32], &[Entry]),
    records: &[u32],
    is_masked: bool,
) {
    let (again, originals): (Vec<u32>, Vec<u32>) =
        items.iter().partition(|&&item| representments.is_again(item));
    let (paid, unpaid): (Vec<u32>, Vec<u32>) =
        records.iter().partition(|&&one| progress.record(one).status == LedgerStatus::Paid);
    // Void and declined attempts share the order id of the successful one. A re-presentment has a
    // record of its own only if the original has one already.
    let entries = |items: &[u32]| items.iter().copied().map(Entry::Item).collect::<Vec<_>>();
    pair_equal_amounts(progress, &[&entries(&originals), returns].concat(), &paid);
    pair_equal_amounts(progress, &entries(&again), &paid);
    pair_equal_amounts(progress, &entries(&originals), &unpaid);
    if is_masked {
        return;
    }
    let mut originals = progress.open_items(&originals);
    originals.retain(|&item| !progress.is_waiting(item));
    let mut left = progress.open_records(&paid);
    if left.is_empty() {
        left = progress.open_records(&unpaid);
    }
    pair_sums(progress, &originals, &left);
}

/// Pairs one to one within each amount, the nearest days first; all entries have the same order id.
fn pair_equal_amounts(progress: &mut Progress<'_>, entries: &[Entry], records: &[u32]) {
    let records = progress.open_records(records);
    let mut by_amount: BTreeMap<Minor, (Vec<Entry>, Vec<u32>)> = BTreeMap::new();
    for entry in open(progress, entries) {
        if let Some(amount) = progress.item(entry.item()).amount {
            by_amount.entry(amount).or_default().0.push(entry);
        }
    }
    for record in records {
        if let Some(sides) = by_amount.get_mut(&progress.record(record).amount) {
            sides.1.push(record);
        }
    }
    for (entries, records) in by_amount.into_values() {
        if !records.is_empty() {
            pair_same_last4(progress, &entries, &records);
        }
    }
}

fn open(progress: &Progress<'_>, entries: &[Entry]) -> Vec<Entry> {
    entries.iter().copied().filter(|entry| entry.is_open(progress)).collect()
}

/// Pairs equal last fours first, then entries without a last four with those left.
fn pair_same_last4(progress: &mut Progress<'_>, entries: &[Entry], records: &[u32]) {
    let last4s: BTreeMap<u32, Option<Last4>> =
        entries.iter().map(|one| (one.item(), progress.item(one.item()).last4)).collect();
    let last4_of = |entry: Entry| last4s[&entry.item()];
    let mut with_last4: BTreeMap<Last4, (Vec<Entry>, Vec<u32>)> = BTreeMap::new();
    for &entry in entries {
        if let Some(last4) = last4_of(entry) {
            with_last4.entry(last4).or_default().0.push(entry);
        }
    }
    for &record in records {
        if let Some(sides) =
            progress.record(record).last4.and_then(|last4| with_last4.get_mut(&last4))
        {
            sides.1.push(record);
        }
    }
    for (entries, records) in with_last4.into_values() {
        pair_nearest(progress, entries, records);
    }
    for (entry_has, record_has) in [(true, false), (false, true), (false, false)] {
        let mut entries = open(progress, entries);
        entries.retain(|&entry| last4_of(entry).is_some() == entry_has);
        let mut records = progress.open_records(records);
        records.retain(|&record| progress.record(record).last4.is_some() == record_has);
        pair_nearest(progress, entries, records);
    }
}

/// Pairs entries that agree in everything but the day: the nearest days first, by the nearer of an
/// entry's days; at equal distances in order of day, on one day in order of id.
fn pair_nearest(progress: &mut Progress<'_>, mut entries: Vec<Entry>, mut records: Vec<u32>) {
    if let ([entry @ Entry::Item(_)], [record]) = (&entries[..], &records[..]) {
        entry.pair(progress, Pass::Order, *record);
        return;
    }
    entries.sort_unstable_by(|one, other| one.compare(*other, progress));
    progress.sort_records(&mut records);
    // On one day an item comes before a return.
    let mut of_entries: BTreeMap<(NaiveDate, bool, NaiveDate), Vec<Entry>> = BTreeMap::new();
    for &entry in &entries {
        let is_back = matches!(entry, Entry::Back { .. });
        let [day, second] = entry.days(progress);
        of_entries.entry((day, is_back, second)).or_default().push(entry);
    }
    let mut of_records: BTreeMap<NaiveDate, Vec<u32>> = BTreeMap::new();
    for &record in &records {
        of_records.entry(progress.record(record).date).or_default().push(record);
    }
    let terms = progress.input.terms;
    let mut cells = Vec::new();
    for &place in of_entries.keys() {
        for &date in of_records.keys() {
            let distance = |day: NaiveDate| terms.banking_days.distance(day, date);
            cells.push((distance(place.0).min(distance(place.2)), place, date));
        }
    }
    cells.sort_unstable();
    for (_, place, date) in cells {
        let entries = open(progress, &of_entries[&place]);
        let mut records = progress.open_records(&of_records[&date]);
        if let Some(first) = entries.first() {
            records.retain(|&record| first.allows(progress, record));
        }
        for (entry, record) in entries.into_iter().zip(records) {
            entry.pair(progress, Pass::Order, record);
        }
    }
}

/// For each group of entries with compatible last fours: one entry is paired with the smallest set
/// of the other side that adds up, else with all of it; several are paired with several if their
/// sums agree; else the group is ambiguous.
fn pair_sums(progress: &mut Progress<'_>, items: &[u32], records: &[u32]) {
    for (mut items, mut records) in by_last4(progress, items, records) {
        progress.sort_items(&mut items);
        progress.sort_records(&mut records);
        let (of_items, of_records) = (amounts(progress, &items), booked(progress, &records));
        match (&items[..], &records[..]) {
            ([_], _) => {
                let own = of_items.and_then(|one| smallest(one[0].1, &of_records));
                progress.pair(Pass::Order, &items, own.as_deref().unwrap_or(&records));
            }
            (_, [_]) => {
                let own = of_items.and_then(|all| smallest(of_records[0].1, &all));
                progress.pair(Pass::Order, own.as_deref().unwrap_or(&items), &records);
            }
            _ if of_items.is_some_and(|all| total(&all) == total(&of_records)) => {
                progress.pair(Pass::Order, &items, &records);
            }
            _ => progress.mark_ambiguous(Pass::Order, items, records),
        }
    }
}

/// Items with their amounts; `None` if one is unknown.
fn amounts(progress: &Progress<'_>, items: &[u32]) -> Option<Vec<(u32, Minor)>> {
    items.iter().map(|&item| Some((item, progress.item(item).amount?))).collect()
}

fn booked(progress: &Progress<'_>, records: &[u32]) -> Vec<(u32, Minor)> {
    records.iter().map(|&record| (record, progress.record(record).amount)).collect()
}

fn total(all: &[(u32, Minor)]) -> i128 {
    all.iter().map(|one| i128::from(one.1.0)).sum()
}

/// Groups of items and records that could be paired, directly or through others. An entry that
/// contradicts the whole other side is in no group.
fn by_last4(progress: &Progress<'_>, items: &[u32], records: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
    if items.is_empty() || records.is_empty() {
        return Vec::new();
    }
    let mut groups: BTreeMap<Option<Last4>, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for &item in items {
        groups.entry(progress.item(item).last4).or_default().0.push(item);
    }
    for &record in records {
        groups.entry(progress.record(record).last4).or_default().1.push(record);
    }
    let (any_items, any_records) = groups.remove(&None).unwrap_or_default();
    let is_shared = |side: &(Vec<u32>, Vec<u32>)| !side.0.is_empty() && !side.1.is_empty();
    if any_items.is_empty() && any_records.is_empty() {
        return groups.into_values().filter(is_shared).collect();
    }
    // An entry without a last four is compatible with the whole other side, so it merges the
    // groups.
    let mut all = (any_items, any_records);
    let (fits_records, fits_items) = (!all.0.is_empty(), !all.1.is_empty());
    for side in groups.into_values() {
        let shared = is_shared(&side);
        if shared || fits_items {
            all.0.extend(side.0);
        }
        if shared || fits_records {
            all.1.extend(side.1);
        }
    }
    if is_shared(&all) { vec![all] } else { Vec::new() }
}
