//! Pass 5: the same day and amount, when that leaves one candidate on both sides.

use std::collections::HashMap;

use super::input::Last4;
use super::keys::{day_key, money_key};
use super::order_by_id::last4_agree;
use super::outcome::Pass;
use super::progress::Progress;

type Ticket = (u128, u32);

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>) {
    let mut items: Vec<Ticket> = progress
        .items_left()
        .filter_map(|position| {
            let item = progress.item(position);
            let key = money_key(item.kind.ledger_kind(), item.currency?, item.amount?);
            Some((key | day_key(item.day), position))
        })
        .collect();
    let mut records: Vec<Ticket> = progress
        .records_left()
        .map(|position| {
            let record = progress.record(position);
            let key = money_key(record.kind, record.currency, record.amount);
            (key | day_key(record.date), position)
        })
        .collect();
    items.sort_unstable();
    records.sort_unstable();
    let (mut items, mut records) = (items.as_slice(), records.as_slice());
    while let (Some(item), Some(record)) = (items.first(), records.first()) {
        let key = item.0.min(record.0);
        let same = |tickets: &[Ticket]| tickets.iter().take_while(|one| one.0 == key).count();
        let (item_count, record_count) = (same(items), same(records));
        pair_unique(progress, &items[..item_count], &records[..record_count]);
        items = &items[item_count..];
        records = &records[record_count..];
    }
}

fn pair_unique(progress: &mut Progress<'_>, items: &[Ticket], records: &[Ticket]) {
    if items.is_empty() || records.is_empty() {
        return;
    }
    if let ([item], [record]) = (items, records) {
        let (item, record) = (item.1, record.1);
        if Trait::of_item(progress, item).agrees(Trait::of_record(progress, record)) {
            progress.pair(Pass::Unique, &[item], &[record]);
        }
        return;
    }
    let item_crowd = Crowd::of(items.iter().map(|one| (Trait::of_item(progress, one.1), one.1)));
    let record_crowd =
        Crowd::of(records.iter().map(|one| (Trait::of_record(progress, one.1), one.1)));
    for &(_, item) in items {
        let Some(record) = record_crowd.only_one_for(Trait::of_item(progress, item)) else {
            continue;
        };
        if item_crowd.only_one_for(Trait::of_record(progress, record)) == Some(item) {
            progress.pair(Pass::Unique, &[item], &[record]);
        }
    }
}

/// What can contradict the other side.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Trait {
    last4: Option<Last4>,
    /// Equal order ids were paired by order id, so two that are left differ.
    has_order: bool,
}

impl Trait {
    fn of_item(progress: &Progress<'_>, position: u32) -> Self {
        let item = progress.item(position);
        Self { last4: item.last4, has_order: item.order_id.is_some() }
    }

    fn of_record(progress: &Progress<'_>, position: u32) -> Self {
        let record = progress.record(position);
        Self { last4: record.last4, has_order: record.order_id.is_some() }
    }

    fn agrees(self, other: Self) -> bool {
        last4_agree(self.last4, other.last4) && !(self.has_order && other.has_order)
    }
}

/// One side of a day and amount, counted by trait so that nobody is compared with everybody.
struct Crowd {
    members: HashMap<Trait, Vec<u32>>,
    plain: Vec<u32>,
    ordered: Vec<u32>,
}

impl Crowd {
    fn of(all: impl Iterator<Item = (Trait, u32)>) -> Self {
        let mut crowd = Self { members: HashMap::new(), plain: Vec::new(), ordered: Vec::new() };
        for (own, position) in all {
            crowd.members.entry(own).or_default().push(position);
            if own.has_order { &mut crowd.ordered } else { &mut crowd.plain }.push(position);
        }
        crowd
    }

    /// The only member that does not contradict `other`, if there is exactly one.
    fn only_one_for(&self, other: Trait) -> Option<u32> {
        let named = |last4: Option<Last4>, has_order: bool| {
            self.members.get(&Trait { last4, has_order }).map_or(&[][..], Vec::as_slice)
        };
        let lists = match other.last4 {
            None => [self.plain.as_slice(), &[], self.ordered.as_slice(), &[]],
            own => [named(None, false), named(own, false), named(None, true), named(own, true)],
        };
        let allowed = if other.has_order { &lists[..2] } else { &lists[..] };
        let mut found = allowed.iter().copied().flatten();
        match (found.next(), found.next()) {
            (Some(&only), None) => Some(only),
            _ => None,
        }
    }
}
