//! Pass 2: the order id of bank transfers.
//!
//! Within one order: first equal amounts one to one, paid records before others; then, when
//! one side is left with exactly one, that one against the sum of the other side; else the
//! order is ambiguous. A last four that both sides carry must agree.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::board::{Board, Place, last4_agree, money_key};
use super::family::Families;
use super::input::{KnownTransfer, Last4, TransferStatus};
use super::names::{NameMap, name_map};
use super::outcome::Pass;
use crate::model::{LedgerKind, LedgerStatus};
use crate::money::{Currency, Minor};

/// Runs the pass.
pub(super) fn run(board: &mut Board<'_>, families: &Families) {
    let orders = Orders::of(board);
    let mut items = orders.items(board);
    let mut records = orders.records(board);
    let mut transfers = orders.transfers(board);
    items.sort_unstable();
    records.sort_unstable();
    transfers.sort_unstable();
    let (mut item_at, mut transfer_at) = (0, 0);
    let mut record_at = 0;
    while record_at < records.len() {
        let key = records[record_at].0;
        let group = members(&records, &mut record_at, key);
        let named = members(&items, &mut item_at, key);
        let known = members(&transfers, &mut transfer_at, key);
        match (named, group) {
            ([], _) => {}
            ([item], [record]) if !families.is_again(item.1) => pair_two(board, item.1, record.1),
            _ => settle_order(board, families, &positions(named), &positions(group)),
        }
        if !known.is_empty() {
            name_unsettled(board, &positions(known), &positions(group));
        }
    }
    families.follow_originals(board);
}

type Keyed = (u128, u32);

/// Skips to `key` and takes all that carry it.
fn members<'a>(sorted: &'a [Keyed], at: &mut usize, key: u128) -> &'a [Keyed] {
    while *at < sorted.len() && sorted[*at].0 < key {
        *at += 1;
    }
    let first = *at;
    while *at < sorted.len() && sorted[*at].0 == key {
        *at += 1;
    }
    &sorted[first..*at]
}

fn positions(keyed: &[Keyed]) -> Vec<u32> {
    keyed.iter().map(|one| one.1).collect()
}

/// The common case: equal amounts or not, one belongs to the other.
fn pair_two(board: &mut Board<'_>, item: u32, record: u32) {
    if last4_agree(board.item(item).last4, board.record(record).last4) {
        board.pair(Pass::Order, &[item], &[record]);
    }
}

/// Order ids of bank transfers as small numbers; an id that no transfer has is of no use here.
struct Orders<'a> {
    numbers: NameMap<&'a str>,
}

impl<'a> Orders<'a> {
    fn of(board: &Board<'a>) -> Self {
        let input = board.input;
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

    fn items(&self, board: &Board<'a>) -> Vec<Keyed> {
        let keyed = (0..).zip(board.input.items).filter(|(position, item)| {
            !item.kind.is_card() && item.amount.is_some() && board.is_item_open(*position)
        });
        keyed
            .filter_map(|(position, item)| {
                let kind = item.kind.ledger_kind();
                Some((self.key(item.order_id.as_deref(), kind, item.currency)?, position))
            })
            .collect()
    }

    fn records(&self, board: &Board<'a>) -> Vec<Keyed> {
        let keyed = (0..).zip(board.input.records).filter_map(|(position, record)| {
            let currency = Some(record.currency);
            Some((self.key(record.order_id.as_deref(), record.kind, currency)?, position))
        });
        keyed.filter(|(_, position)| board.is_record_open(*position)).collect()
    }

    fn transfers(&self, board: &Board<'a>) -> Vec<Keyed> {
        let mut is_claimed = vec![false; board.input.transfers.len()];
        for place in &board.records {
            if let Place::Transfer(transfer) = place {
                is_claimed[*transfer as usize] = true;
            }
        }
        let free = (0..).zip(board.input.transfers).filter(|one| !is_claimed[one.0 as usize]);
        free.filter_map(|(position, transfer)| {
            let order = transfer.order_id.as_deref();
            Some((self.key(order, transfer.ledger_kind(), transfer.currency)?, position))
        })
        .collect()
    }
}

fn settle_order(board: &mut Board<'_>, families: &Families, items: &[u32], records: &[u32]) {
    let (again, originals): (Vec<u32>, Vec<u32>) =
        items.iter().partition(|&&item| families.is_again(item));
    let (paid, unpaid): (Vec<u32>, Vec<u32>) =
        records.iter().partition(|&&one| board.record(one).status == LedgerStatus::Paid);
    // Void and declined attempts share the order id of the one that went through, and a
    // re-presentment has a record of its own only when the original has one already.
    pair_equal_amounts(board, &originals, &paid);
    pair_equal_amounts(board, &again, &paid);
    pair_equal_amounts(board, &originals, &unpaid);
    let originals = open(&originals, |item| board.is_item_open(item));
    let mut left = open(&paid, |record| board.is_record_open(record));
    if left.is_empty() {
        left = open(&unpaid, |record| board.is_record_open(record));
    }
    pair_sum(board, &originals, &left);
}

fn open(positions: &[u32], is_open: impl Fn(u32) -> bool) -> Vec<u32> {
    positions.iter().copied().filter(|&position| is_open(position)).collect()
}

/// Pairs one to one within each amount, in order of id: all carry the same order id.
fn pair_equal_amounts(board: &mut Board<'_>, items: &[u32], records: &[u32]) {
    let items = open(items, |item| board.is_item_open(item));
    let records = open(records, |record| board.is_record_open(record));
    let mut by_amount: BTreeMap<Minor, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for item in items {
        if let Some(amount) = board.item(item).amount {
            by_amount.entry(amount).or_default().0.push(item);
        }
    }
    for record in records {
        if let Some(sides) = by_amount.get_mut(&board.record(record).amount) {
            sides.1.push(record);
        }
    }
    for (items, records) in by_amount.into_values() {
        if !records.is_empty() {
            pair_same_last4(board, items, records);
        }
    }
}

/// Equal last fours first, then those without one with whatever is left.
fn pair_same_last4(board: &mut Board<'_>, mut items: Vec<u32>, mut records: Vec<u32>) {
    board.sort_items(&mut items);
    board.sort_records(&mut records);
    let mut with_last4: HashMap<Last4, Vec<u32>> = HashMap::new();
    for &item in items.iter().rev() {
        if let Some(last4) = board.item(item).last4 {
            with_last4.entry(last4).or_default().push(item);
        }
    }
    for &record in &records {
        let last4 = board.record(record).last4;
        let waiting = last4.and_then(|last4| with_last4.get_mut(&last4));
        if let Some(item) = waiting.and_then(Vec::pop) {
            board.pair(Pass::Order, &[item], &[record]);
        }
    }
    for (item_has, record_has) in [(true, false), (false, true), (false, false)] {
        let items = open(&items, |item| {
            board.is_item_open(item) && board.item(item).last4.is_some() == item_has
        });
        let records = open(&records, |record| {
            board.is_record_open(record) && board.record(record).last4.is_some() == record_has
        });
        for (item, record) in items.into_iter().zip(records) {
            board.pair(Pass::Order, &[item], &[record]);
        }
    }
}

/// One against the sum of the other side, or nothing.
fn pair_sum(board: &mut Board<'_>, items: &[u32], records: &[u32]) {
    let item_last4: Vec<Option<Last4>> = items.iter().map(|&one| board.item(one).last4).collect();
    let record_last4: Vec<Option<Last4>> =
        records.iter().map(|&one| board.record(one).last4).collect();
    let items = agreeing(items, &item_last4, &record_last4);
    let records = agreeing(records, &record_last4, &item_last4);
    if items.is_empty() || records.is_empty() {
        return;
    }
    if items.len() == 1 || records.len() == 1 {
        board.pair(Pass::Order, &items, &records);
    } else {
        board.set_aside(Pass::Order, items, records);
    }
}

/// Those of `positions` that do not contradict everything on the other side.
fn agreeing(positions: &[u32], own: &[Option<Last4>], other: &[Option<Last4>]) -> Vec<u32> {
    let mut others: Vec<Last4> = other.iter().flatten().copied().collect();
    others.sort_unstable();
    let any_without = others.len() < other.len();
    let agrees = |last4: &Option<Last4>| match last4 {
        None => !other.is_empty(),
        Some(last4) => any_without || others.binary_search(last4).is_ok(),
    };
    positions.iter().zip(own).filter(|(_, last4)| agrees(last4)).map(|(&one, _)| one).collect()
}

/// Records that are left name the order's unsettled bank transfers, equal amounts first: one each
/// while there are any, then several the same one. A last four that both carry must agree.
fn name_unsettled(board: &mut Board<'_>, transfers: &[u32], records: &[u32]) {
    let mut left = open(records, |record| board.is_record_open(record));
    board.sort_records(&mut left);
    let mut unnamed = Unnamed::of(board.input.transfers, transfers);
    for is_same_last4 in [true, false] {
        left.retain(|&at| {
            let record = board.record(at);
            let named = unnamed.take(Some(record.amount), record.last4, is_same_last4);
            named.inspect(|&transfer| board.place_record(at, Place::Transfer(transfer))).is_none()
        });
    }
    let mut last = None;
    let mut last_with: HashMap<Option<Last4>, u32> = HashMap::new();
    for at in left {
        let last4 = board.record(at).last4;
        let next = unnamed.take(None, last4, true).or_else(|| unnamed.take(None, last4, false));
        let shared = || match last4 {
            None => last,
            Some(_) => last_with.get(&last4).or_else(|| last_with.get(&None)).copied(),
        };
        let Some(transfer) = next.or_else(shared) else { continue };
        last = Some(transfer);
        last_with.insert(board.input.transfers[transfer as usize].last4, transfer);
        board.place_record(at, Place::Transfer(transfer));
    }
}

/// The transfers of an order that no record has named, by what a record can ask for.
struct Unnamed {
    waiting: HashMap<(Option<Minor>, Asked), Vec<u32>>,
    named: HashSet<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Asked {
    Any,
    Last4(Option<Last4>),
}

impl Unnamed {
    fn of(known: &[KnownTransfer], transfers: &[u32]) -> Self {
        // A record in the books is more likely the attempt that still lives.
        let is_refused = |transfer: u32| {
            let status = known[transfer as usize].facts.status;
            matches!(status, TransferStatus::Declined | TransferStatus::Reversal)
        };
        let mut sorted = transfers.to_vec();
        sorted.sort_unstable_by(|&one, &other| {
            let id = |transfer: u32| known[transfer as usize].transfer_id.as_str();
            is_refused(one)
                .cmp(&is_refused(other))
                .then_with(|| super::board::compare_ids(id(one), id(other)))
                .then(one.cmp(&other))
        });
        let mut waiting: HashMap<(Option<Minor>, Asked), Vec<u32>> = HashMap::new();
        for transfer in sorted.into_iter().rev() {
            let KnownTransfer { amount, last4, .. } = known[transfer as usize];
            for asked in [Asked::Any, Asked::Last4(last4)] {
                waiting.entry((None, asked)).or_default().push(transfer);
                if amount.is_some() {
                    waiting.entry((amount, asked)).or_default().push(transfer);
                }
            }
        }
        Self { waiting, named: HashSet::new() }
    }

    /// The first that agrees with a record of that last four, of that amount where one is given;
    /// with `is_same_last4` one that carries the same, else one where either carries none.
    fn take(
        &mut self,
        amount: Option<Minor>,
        last4: Option<Last4>,
        is_same_last4: bool,
    ) -> Option<u32> {
        let asked = match last4 {
            Some(_) if is_same_last4 => Asked::Last4(last4),
            Some(_) => Asked::Last4(None),
            None if is_same_last4 => return None,
            None => Asked::Any,
        };
        let waiting = self.waiting.get_mut(&(amount, asked))?;
        let named = &mut self.named;
        std::iter::from_fn(|| waiting.pop()).find(|&transfer| named.insert(transfer))
    }
}
