//! Re-presentments: a returned payment that is presented again is a new payment that stands for its
//! original. The books hold one record for both, unless they say otherwise.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::input::ItemKind;
use super::order_by_id::compare_items;
use super::progress::{Place, Progress};
use super::spelling::spelling;
use tieout_model::{LedgerKind, LedgerStatus, ShortText, TransferKind};

/// Maximum length of a chain of re-presentments. A payment is presented again at most twice; longer
/// chains are a mistake in the data.
const MAX_GENERATIONS: usize = 16;

/// The re-presentments and their original payments.
pub(super) struct Representments {
    /// Each re-presentment whose original is loaded, with the first payment of its chain.
    again: Vec<(u32, u32)>,
    root_of: HashMap<u32, u32>,
}

impl Representments {
    pub(super) fn of(progress: &Progress<'_>) -> Self {
        let input = progress.input;
        let by_hand = collected_by_hand(progress);
        let is_again = |item: &super::Item| item.representment_of().is_some();
        if by_hand.is_empty() && !input.items.iter().any(is_again) {
            return Self { again: Vec::new(), root_of: HashMap::new() };
        }
        // Payment ids are unique; if they were not, the result must not depend on the input's
        // order.
        let mut payments: HashMap<&str, u32> = HashMap::new();
        for (position, item) in (0..).zip(input.items) {
            if item.kind == ItemKind::Payment && progress.is_item_known(position) {
                let lowest = payments.entry(&item.item_id).or_insert(position);
                if compare_items(item, progress.item(*lowest)).is_lt() {
                    *lowest = position;
                }
            }
        }
        let original_of = |position: u32| -> Option<u32> {
            match progress.item(position).representment_of() {
                Some(original) => payments.get(original).copied(),
                None => by_hand.get(&position).copied(),
            }
        };
        let mut again = Vec::new();
        for position in (0..).zip(input.items).map(|one| one.0) {
            let line = std::iter::successors(Some(position), |&at| original_of(at));
            let line: Vec<u32> = line.take(MAX_GENERATIONS + 1).collect();
            let is_circular = line.len() > MAX_GENERATIONS;
            if line.len() > 1 && !is_circular {
                again.push((position, line[line.len() - 1]));
            }
        }
        Self { root_of: again.iter().copied().collect(), again }
    }

    /// Whether `item` re-presents a loaded payment.
    pub(super) fn is_again(&self, item: u32) -> bool {
        self.root_of.contains_key(&item)
    }

    /// Gives free re-presentments the state of their originals. One with its own order id may have
    /// its own record, so it waits for the last pass.
    pub(super) fn follow_originals(&self, progress: &mut Progress<'_>) {
        self.follow(progress, false);
    }

    fn follow(&self, progress: &mut Progress<'_>, is_last: bool) {
        let countered: HashSet<u32> = progress.countered.iter().map(|one| one.0).collect();
        for &(item, root) in &self.again {
            // The record of the original is gone from books that post its return: what was
            // collected again needs one of its own, until it comes back as well.
            if countered.contains(&root) && !has_come_back(progress, item) {
                continue;
            }
            let place = match progress.items[root as usize] {
                Place::Pair(pair) | Place::StandsIn(pair) => Place::StandsIn(pair),
                Place::Ambiguous(set) => Place::Ambiguous(set),
                _ => continue,
            };
            let own_order = progress.item(item).order_id.is_some()
                && progress.item(item).order_id != progress.item(root).order_id;
            // If the books say that the original came back, their record does not cover both.
            let waits = own_order && (!is_last || says_returned(progress, place));
            if !progress.is_item_open(item) || waits {
                continue;
            }
            progress.place_item(item, place);
            if let Place::Ambiguous(set) = place {
                progress.add_candidate(set, item);
            }
        }
    }

    /// Adds free originals, and their other re-presentments, to the pair of the lowest
    /// re-presentment that has a record.
    pub(super) fn follow_each_other(&self, progress: &mut Progress<'_>) {
        let mut paired: BTreeMap<u32, u32> = BTreeMap::new();
        for &(item, root) in &self.again {
            if matches!(progress.items[item as usize], Place::Pair(_)) {
                let lowest = paired.entry(root).or_insert(item);
                if compare_items(progress.item(item), progress.item(*lowest)).is_lt() {
                    *lowest = item;
                }
            }
        }
        for (root, item) in paired {
            if let Place::Pair(pair) = progress.items[item as usize]
                && progress.is_item_open(root)
            {
                progress.place_item(root, Place::StandsIn(pair));
            }
        }
        self.follow(progress, true);
    }
}

/// Pairs each payment that came back and was closed with the first later payment of the same order
/// id, amount and last four, while fewer records than payments carry that order id. The later
/// payment is the key.
fn collected_by_hand(progress: &Progress<'_>) -> HashMap<u32, u32> {
    let input = progress.input;
    let closed = |item: &super::Item| {
        let returns = item.facts.iter().flat_map(|facts| &facts.returns);
        let closed = returns.filter(|one| one.is_closed && one.stands(input.terms.business_date));
        closed.map(|one| one.date).max()
    };
    let payments: Vec<u32> = (0..)
        .zip(input.items)
        .filter(|(at, one)| one.kind == ItemKind::Payment && progress.is_item_known(*at))
        .map(|(at, _)| at)
        .collect();
    let order_of = |at: u32| progress.item(at).order_id.as_deref().map(spelling);
    let mut originals = payments.clone();
    originals.retain(|&at| closed(progress.item(at)).is_some());
    let mut orders: HashMap<ShortText, Order> =
        originals.iter().filter_map(|&at| Some((order_of(at)?, Order::default()))).collect();
    if orders.is_empty() {
        return HashMap::new();
    }
    for &at in &payments {
        if let Some(order) = order_of(at).and_then(|id| orders.get_mut(&id)) {
            order.payments.push(at);
        }
    }
    for one in input.transfers.iter().filter(|one| one.kind == TransferKind::Payment) {
        if let Some(order) = one.order_id.as_deref().and_then(|id| orders.get_mut(&spelling(id))) {
            order.unsettled += 1;
        }
    }
    for (one, place) in input.records.iter().zip(&progress.records) {
        let is_known = one.kind == LedgerKind::Payment && one.date <= input.terms.business_date;
        let order = one.order_id.as_deref().and_then(|id| orders.get_mut(&spelling(id)));
        let Some(order) = order.filter(|_| is_known) else { continue };
        // A record that names an item outside of the order is no record of its payments.
        let mut own = order.payments.iter().map(|&at| progress.items[at as usize]);
        if !matches!(place, Place::Pair(_)) || own.any(|item| item == *place) {
            order.booked += 1;
        }
    }
    progress.sort_items(&mut originals);
    let mut by_hand = HashMap::new();
    for original in originals {
        let Some(order) = order_of(original).and_then(|id| orders.get(&id)) else { continue };
        if order.booked >= order.payments.len() + order.unsettled {
            continue;
        }
        let item = progress.item(original);
        let is_later = |at: &u32| {
            let one = progress.item(*at);
            *at != original
                && (one.amount, one.last4) == (item.amount, item.last4)
                && Some(one.days()[1]) >= closed(item)
        };
        let first = order.payments.iter().copied().filter(is_later).min_by(|&one, &other| {
            let (one, other) = (progress.item(one), progress.item(other));
            one.days()[1].cmp(&other.days()[1]).then_with(|| compare_items(one, other))
        });
        if let Some(at) = first {
            by_hand.entry(at).or_insert(original);
        }
    }
    by_hand
}

/// The payments and records with one order id.
#[derive(Default)]
struct Order {
    /// Settled payments.
    payments: Vec<u32>,
    unsettled: usize,
    booked: usize,
}

fn has_come_back(progress: &Progress<'_>, item: u32) -> bool {
    let date = progress.input.terms.business_date;
    let mut returns = progress.item(item).facts.iter().flat_map(|facts| &facts.returns);
    returns.any(|one| one.stands(date))
}

/// Whether no record of the pair is paid.
fn says_returned(progress: &Progress<'_>, place: Place) -> bool {
    let is_paid = |record: &super::Record| record.status == LedgerStatus::Paid;
    let records = progress.input.records.iter().zip(&progress.records);
    match place {
        Place::StandsIn(pair) => {
            !records.filter(|(_, at)| **at == Place::Pair(pair)).any(|(one, _)| is_paid(one))
        }
        _ => false,
    }
}
