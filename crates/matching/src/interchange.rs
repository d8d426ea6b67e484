//! Decides whether candidates are interchangeable: they agree in everything that a pass compares.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::progress::Progress;
use super::states::Pass;

/// The result for the candidates of one place in passes 3 and 4.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// None of them can be paired.
    Nothing,
    /// Pairs of item and record, in order of id.
    Pairs(Vec<(u32, u32)>),
    /// Several pairings are possible and not interchangeable; these are the candidates.
    Ambiguous(Vec<u32>, Vec<u32>),
}

/// Decides over `items` and `records` that agree in everything that the pass compares. Only their
/// order ids can differ; two different order ids contradict each other.
///
/// `is_either_way` means that candidates lie both before and after: then unequal numbers leave a
/// choice even if the larger side agrees in order id.
pub(super) fn decide(
    progress: &Progress<'_>,
    mut items: Vec<u32>,
    mut records: Vec<u32>,
    is_either_way: bool,
) -> Decision {
    let item_order = |&item: &u32| progress.item_orders[item as usize];
    let record_order = |&record: &u32| progress.record_orders[record as usize];
    keep_fitting(&mut items, item_order, &records, record_order);
    keep_fitting(&mut records, record_order, &items, item_order);
    if items.is_empty() || records.is_empty() {
        return Decision::Nothing;
    }
    progress.sort_items(&mut items);
    progress.sort_records(&mut records);
    let is_one_order = |mut orders: Vec<u32>| {
        orders.dedup();
        orders.len() == 1
    };
    let is_fair = match items.len().cmp(&records.len()) {
        Ordering::Equal => true,
        _ if is_either_way => false,
        Ordering::Greater => is_one_order(items.iter().map(item_order).collect()),
        Ordering::Less => is_one_order(records.iter().map(record_order).collect()),
    };
    let wanted = items.len().min(records.len());
    let pairs = if is_fair { zip(&items, item_order, &records, record_order) } else { Vec::new() };
    if pairs.len() == wanted { Decision::Pairs(pairs) } else { Decision::Ambiguous(items, records) }
}

/// Carries out a decision: pairs the candidates or sets them aside.
pub(super) fn carry_out(progress: &mut Progress<'_>, pass: Pass, decision: Decision) {
    match decision {
        Decision::Nothing => {}
        Decision::Pairs(pairs) => {
            for (item, record) in pairs {
                progress.pair(pass, &[item], &[record]);
            }
        }
        Decision::Ambiguous(items, records) => progress.mark_ambiguous(pass, items, records),
    }
}

/// Drops entries that contradict the whole other side: they add no choice.
fn keep_fitting(
    own: &mut Vec<u32>,
    own_order: impl Fn(&u32) -> u32,
    others: &[u32],
    other_order: impl Fn(&u32) -> u32,
) {
    let orders: HashSet<u32> = others.iter().map(other_order).collect();
    let is_any_plain = orders.contains(&0);
    own.retain(|one| match own_order(one) {
        0 => !orders.is_empty(),
        order => is_any_plain || orders.contains(&order),
    });
}

/// Pairs equal order ids, then entries with an order id with entries without one, then the rest;
/// each in order of id.
fn zip(
    items: &[u32],
    item_order: impl Fn(&u32) -> u32,
    records: &[u32],
    record_order: impl Fn(&u32) -> u32,
) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(items.len().min(records.len()));
    let is_plain = items.iter().all(|one| item_order(one) == 0)
        || records.iter().all(|one| record_order(one) == 0);
    if is_plain {
        pairs.extend(items.iter().copied().zip(records.iter().copied()));
        return pairs;
    }
    let mut with_order: HashMap<u32, Vec<u32>> = HashMap::new();
    for record in records.iter().rev().filter(|one| record_order(one) != 0) {
        with_order.entry(record_order(record)).or_default().push(*record);
    }
    let (mut plain_items, mut ordered_items) = (Vec::new(), Vec::new());
    for &item in items {
        match item_order(&item) {
            0 => plain_items.push(item),
            order => match with_order.get_mut(&order).and_then(Vec::pop) {
                Some(record) => pairs.push((item, record)),
                None => ordered_items.push(item),
            },
        }
    }
    let taken: HashSet<u32> = pairs.iter().map(|pair| pair.1).collect();
    let left = records.iter().copied().filter(|one| !taken.contains(one));
    let (plain_records, ordered_records): (Vec<u32>, Vec<u32>) =
        left.partition(|one| record_order(one) == 0);
    let (with_ordered, with_plain) = (ordered_records.len(), ordered_items.len());
    pairs.extend(plain_items.iter().copied().zip(ordered_records));
    pairs.extend(ordered_items.into_iter().zip(plain_records.iter().copied()));
    let plain_items = plain_items.into_iter().skip(with_ordered);
    pairs.extend(plain_items.zip(plain_records.into_iter().skip(with_plain)));
    pairs
}
