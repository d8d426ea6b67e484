//! Pass 2 once more, for order ids in another spelling: `PIZZA-1002` and `pizza 1002`.
//!
//! Two ids are one when their runs of letters, without case, and of digits, without leading zeros,
//! are the same sequence. Only equal amounts are paired so, and only where one is left on either
//! side.

use super::input::ItemKind;
use super::keys::money_key;
use super::names::{NameMap, name_map};
use super::order_by_id::last4_agree;
use super::outcome::Pass;
use super::progress::{Place, Progress};
use super::representment::Representments;
use crate::model::{LedgerKind, LedgerStatus, ShortText};
use crate::money::{Currency, Minor};

type Keyed = (u128, u32);

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>, representments: &Representments) {
    let numbers = Spellings::of(progress);
    if numbers.is_empty() {
        return;
    }
    let items = items(progress, representments, &numbers);
    for is_paid in [true, false] {
        for (item, record) in sole_pairs(&items, &records(progress, &numbers, is_paid)) {
            let last4 = (progress.item(item).last4, progress.record(record).last4);
            if progress.is_item_open(item) && last4_agree(last4.0, last4.1) {
                progress.pair(Pass::OrderSpelling, &[item], &[record]);
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

/// The runs of letters and digits of an order id, in one text.
pub(super) fn spelling(order: &str) -> ShortText {
    #[derive(PartialEq)]
    enum Run {
        Gap,
        Letters,
        Zeros,
        Digits,
    }
    let mut text = ShortText::default();
    let mut run = Run::Gap;
    for character in order.chars() {
        let kind = match character {
            '0' if run != Run::Digits => Run::Zeros,
            '0'..='9' => Run::Digits,
            _ if character.is_alphabetic() => Run::Letters,
            _ => Run::Gap,
        };
        let is_number = matches!(run, Run::Zeros | Run::Digits);
        let goes_on = kind == run || (kind == Run::Digits && is_number);
        if run == Run::Zeros && !matches!(kind, Run::Zeros | Run::Digits) {
            text.push('0');
        }
        if !goes_on && kind != Run::Gap {
            text.push(' ');
        }
        match kind {
            Run::Letters => text.extend(character.to_lowercase()),
            Run::Digits => text.push(character),
            Run::Gap | Run::Zeros => {}
        }
        run = kind;
    }
    if run == Run::Zeros {
        text.push('0');
    }
    // Without a letter or a digit only the id itself is left to compare.
    if text.is_empty() { order.into() } else { text }
}

/// A number for each spelling; 0 stands for no order id.
#[derive(Default)]
pub(super) struct OrderNumbers {
    numbers: std::collections::HashMap<ShortText, u32>,
}

impl OrderNumbers {
    pub(super) fn of(&mut self, order: Option<&str>, is_wanted: bool) -> u32 {
        let Some(order) = order.filter(|_| is_wanted) else { return 0 };
        let next = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        *self.numbers.entry(spelling(order)).or_insert(next)
    }
}

/// Whether two numbers of order ids let a pair be: only two that differ do not.
pub(super) fn orders_agree(one: u32, other: u32) -> bool {
    one == 0 || other == 0 || one == other
}

/// The order ids of bank transfers by spelling; that of any other record is of no use here.
struct Spellings {
    numbers: NameMap<ShortText>,
}

impl Spellings {
    fn of(progress: &Progress<'_>) -> Self {
        let input = progress.input;
        let of_items = (0..)
            .zip(input.items)
            .filter(|(at, item)| !item.kind.is_card() && progress.is_item_open(*at))
            .filter_map(|(_, item)| item.order_id.as_deref());
        let of_transfers = input.transfers.iter().filter_map(|one| one.order_id.as_deref());
        let mut numbers = name_map(0);
        for (number, order) in (0..).zip(of_items.chain(of_transfers)) {
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
) -> Vec<Keyed> {
    let left = (0..).zip(progress.input.items).filter(|(at, item)| {
        matches!(item.kind, ItemKind::Payment | ItemKind::Refund)
            && progress.is_item_open(*at)
            && !representments.is_again(*at)
    });
    let keyed = left.filter_map(|(at, item)| {
        let money = (item.currency, item.amount);
        Some((spellings.key(item.order_id.as_deref(), item.kind.ledger_kind(), money)?, at))
    });
    keyed.collect()
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

/// One of each side wherever a key stands once on both.
fn sole_pairs(left: &[Keyed], right: &[Keyed]) -> Vec<(u32, u32)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_order_ids_by_their_runs_of_letters_and_digits() {
        let same = [
            ("EVENT-00005", "EVENT-0005"),
            ("PIZZA-1002", "pizza-1002"),
            ("ORD 1003", "ORD1003"),
            ("0001004", "1004"),
            ("#SO-1005", "SO-1005"),
            ("ABC-1006 ", "ABC-1006"),
            ("A-0", "a000"),
        ];
        for (one, other) in same {
            assert_eq!(spelling(one), spelling(other), "{one} {other}");
        }
        let different =
            [("A1-2", "A12"), ("A-1", "B-1"), ("10", "100"), ("--", "#"), ("A0B", "AB")];
        for (one, other) in different {
            assert_ne!(spelling(one), spelling(other), "{one} {other}");
        }
    }
}
