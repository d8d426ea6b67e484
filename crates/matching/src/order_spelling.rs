//! Pass 2 once more, for order ids in another spelling: `PIZZA-1002` and `pizza 1002`.
//!
//! Only equal amounts are paired, and only if one entry is left on each side.

use super::counter::returns_left;
use super::input::ItemKind;
use super::keys::money_key;
use super::names::{NameMap, name_map};
use super::order_by_id::last4_agree;
use super::order_entry::Entry;
use super::progress::{Place, Progress};
use super::representment::Representments;
use super::spelling::spelling;
use super::states::Pass;
use tieout_model::money::{Currency, Minor};
use tieout_model::{LedgerKind, LedgerStatus, ShortText};

type Keyed = (u128, u32);

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>, representments: &Representments) {
    let returns = returns_left(progress);
    let numbers = Spellings::of(progress, &returns);
    if numbers.is_empty() {
        return;
    }
    let items = items(progress, representments, &numbers);
    for is_paid in [true, false] {
        let mut entries = items.clone();
        entries.extend(keyed_returns(progress, &numbers, &returns).filter(|_| is_paid));
        for (entry, record) in sole_pairs(&entries, &records(progress, &numbers, is_paid)) {
            let last4 = (progress.item(entry.item()).last4, progress.record(record).last4);
            if entry.is_open(progress)
                && last4_agree(last4.0, last4.1)
                && entry.allows(progress, record)
            {
                entry.pair(progress, Pass::OrderSpelling, record);
            }
        }
    }
    let transfers = transfers(progress, &numbers);
    for (transfer, record) in sole_pairs(&transfers, &records(progress, &numbers, true)) {
        let known = &progress.input.transfers[transfer as usize];
        if last4_agree(known.last4, progress.record(record).last4) {
            progress.place_record(record, Place::Transfer(transfer));
        }
    }
}

/// The order ids of bank transfers by spelling; order ids that no transfer has are of no use here.
struct Spellings {
    numbers: NameMap<ShortText>,
}

impl Spellings {
    fn of(progress: &Progress<'_>, returns: &[Entry]) -> Self {
        let input = progress.input;
        let of_returns = returns.iter();
        let of_returns = of_returns.filter_map(|one| progress.item(one.item()).order_id.as_deref());
        let of_items = (0..)
            .zip(input.items)
            .filter(|(at, item)| !item.kind.is_card() && progress.is_item_open(*at))
            .filter_map(|(_, item)| item.order_id.as_deref());
        let of_transfers = input.transfers.iter().filter_map(|one| one.order_id.as_deref());
        let mut numbers = name_map(0);
        for (number, order) in (0..).zip(of_items.chain(of_transfers).chain(of_returns)) {
            numbers.entry(spelling(order)).or_insert(number);
        }
        Self { numbers }
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    fn key(
        &self,
        order: Option<&str>,
        kind: LedgerKind,
        money: (Option<Currency>, Option<Minor>),
    ) -> Option<u128> {
        let number = self.numbers.get(&spelling(order?))?;
        Some(money_key(kind, money.0?, money.1?) | u128::from(*number))
    }
}

fn items(
    progress: &Progress<'_>,
    representments: &Representments,
    spellings: &Spellings,
) -> Vec<(u128, Entry)> {
    let left = (0..).zip(progress.input.items).filter(|(at, item)| {
        matches!(item.kind, ItemKind::Payment | ItemKind::Refund)
            && progress.is_item_open(*at)
            && !representments.is_again(*at)
    });
    let keyed = left.filter_map(|(at, item)| {
        let money = (item.currency, item.amount);
        Some((
            spellings.key(item.order_id.as_deref(), item.kind.ledger_kind(), money)?,
            Entry::Item(at),
        ))
    });
    keyed.collect()
}

/// Returns as refunds of their order.
fn keyed_returns(
    progress: &Progress<'_>,
    spellings: &Spellings,
    returns: &[Entry],
) -> impl Iterator<Item = (u128, Entry)> {
    returns.iter().filter_map(|entry| {
        let item = progress.item(entry.item());
        let money = (item.currency, item.amount);
        Some((spellings.key(item.order_id.as_deref(), LedgerKind::Refund, money)?, *entry))
    })
}

fn records(progress: &Progress<'_>, spellings: &Spellings, is_paid: bool) -> Vec<Keyed> {
    let left = (0..).zip(progress.input.records).filter(|(at, record)| {
        (record.status == LedgerStatus::Paid) == is_paid && progress.is_record_open(*at)
    });
    let keyed = left.filter_map(|(at, record)| {
        let money = (Some(record.currency), Some(record.amount));
        Some((spellings.key(record.order_id.as_deref(), record.kind, money)?, at))
    });
    keyed.collect()
}

fn transfers(progress: &Progress<'_>, spellings: &Spellings) -> Vec<Keyed> {
    let keyed = (0..).zip(progress.input.transfers).filter_map(|(at, one)| {
        let money = (one.currency, one.amount);
        Some((spellings.key(one.order_id.as_deref(), one.ledger_kind(), money)?, at))
    });
    keyed.collect()
}

/// The pairs of entries whose key occurs once on each side.
fn sole_pairs<T: Copy + Ord>(left: &[(u128, T)], right: &[Keyed]) -> Vec<(T, u32)> {
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    left.sort_unstable();
    right.sort_unstable();
    let mut pairs = Vec::new();
    let mut rights = right.chunk_by(|one, other| one.0 == other.0).peekable();
    for same in left.chunk_by(|one, other| one.0 == other.0) {
        while rights.next_if(|other| other[0].0 < same[0].0).is_some() {}
        let others = rights.peek().filter(|other| other[0].0 == same[0].0);
        if let ([one], Some([other])) = (same, others) {
            pairs.push((one.1, other.1));
        }
    }
    pairs
}
