//! When a choice is no choice: records that agree in everything that a pass compares.

use std::cmp::Ordering;

use super::progress::Progress;
use crate::model::ShortText;

/// What may be done with the candidates of one place in passes 3 and 4.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// No two of them can be paired.
    Nothing,
    /// Item and record, in order of id.
    Pairs(Vec<(u32, u32)>),
    /// More pairings than one, and they are not interchangeable: these are the candidates.
    Ambiguous(Vec<u32>, Vec<u32>),
}

/// Candidates of one place, those with an order id apart: one with an order id contradicts
/// everything on the other side that carries one, because equal ids were paired by order id.
struct Side {
    plain: Vec<u32>,
    ordered: Vec<u32>,
}

impl Side {
    fn split(all: Vec<u32>, has_order: impl Fn(u32) -> bool) -> Self {
        let (ordered, plain) = all.into_iter().partition(|&position| has_order(position));
        Self { plain, ordered }
    }

    fn len(&self) -> usize {
        self.plain.len() + self.ordered.len()
    }

    fn all(&self) -> Vec<u32> {
        [self.plain.as_slice(), self.ordered.as_slice()].concat()
    }
}

/// Decides over `items` and `records` that agree in all that the pass compares.
///
/// `is_either_way` says that candidates lie before and after: then unequal numbers leave a
/// choice even when the larger side agrees in order id.
pub(super) fn decide(
    progress: &Progress<'_>,
    mut items: Vec<u32>,
    mut records: Vec<u32>,
    is_either_way: bool,
) -> Decision {
    progress.sort_items(&mut items);
    progress.sort_records(&mut records);
    let mut items = Side::split(items, |item| progress.item(item).order_id.is_some());
    let mut records = Side::split(records, |record| progress.record(record).order_id.is_some());
    if records.plain.is_empty() {
        items.ordered.clear();
    }
    if items.plain.is_empty() {
        records.ordered.clear();
    }
    if items.len() == 0 || records.len() == 0 {
        return Decision::Nothing;
    }
    let is_fair = match items.len().cmp(&records.len()) {
        Ordering::Equal => records.ordered.len() <= items.plain.len(),
        _ if is_either_way => false,
        Ordering::Greater => {
            agree_in_order(progress, &items, |progress, one| &progress.item(one).order_id)
        }
        Ordering::Less => {
            agree_in_order(progress, &records, |progress, one| &progress.record(one).order_id)
        }
    };
    if is_fair {
        Decision::Pairs(zip(progress, &items, &records))
    } else {
        Decision::Ambiguous(items.all(), records.all())
    }
}

fn agree_in_order<'a>(
    progress: &Progress<'a>,
    side: &Side,
    order_of: impl Fn(&Progress<'a>, u32) -> &'a Option<ShortText>,
) -> bool {
    let all = side.all();
    all.windows(2).all(|pair| order_of(progress, pair[0]) == order_of(progress, pair[1]))
}

/// Pairs what carries an order id with what carries none, then the rest; each in order of id.
fn zip(progress: &Progress<'_>, items: &Side, records: &Side) -> Vec<(u32, u32)> {
    let (ordered_items, ordered_records) = (items.ordered.len(), records.ordered.len());
    if ordered_items == 0 || ordered_records == 0 {
        let (mut items, mut records) = (items.all(), records.all());
        progress.sort_items(&mut items);
        progress.sort_records(&mut records);
        return items.into_iter().zip(records).collect();
    }
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(items.len());
    pairs.extend(items.plain.iter().copied().zip(records.ordered.iter().copied()));
    pairs.extend(items.ordered.iter().copied().zip(records.plain.iter().copied()));
    let plain_items = items.plain.iter().copied().skip(ordered_records);
    pairs.extend(plain_items.zip(records.plain.iter().copied().skip(ordered_items)));
    pairs
}
