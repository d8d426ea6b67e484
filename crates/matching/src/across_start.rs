//! Pass 7: pairs records left since the start date with items left in the window before it, and the
//! reverse, where each has only one candidate: a Friday's sale that is posted on the Monday of the
//! first run.
//!
//! What agrees in the last four of both sides comes first, before entries from before the start are
//! paired among themselves by amount alone: the item of a record from before the start may lie on a
//! day that was not read. An item from before the start is not available if a record from before
//! the start fits it as well.

use std::collections::BTreeMap;

use super::keys::money_key;
use super::progress::{Place, Progress, Scope, Side};
use super::states::Pass;
use tieout_model::LedgerStatus;

/// Maximum number of combinations of one amount. Above it no pair would be unique.
const MAX_COMBINATIONS: usize = 1_000_000;

/// What a pair has to agree in besides kind, currency and amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    LastFour,
    Amount,
}

/// Items and records of one kind, currency and amount.
type Sides = BTreeMap<u128, (Vec<u32>, Vec<u32>)>;

/// Runs the pass.
pub(super) fn run(progress: &mut Progress<'_>, evidence: Evidence) {
    let early_items = available(progress, evidence);
    let early_records: Vec<u32> = progress.records_left(Side::Before).collect();
    if early_items.is_empty() && early_records.is_empty() {
        return;
    }
    let (terms, window) = (progress.input.terms, progress.input.terms.window_days);
    let near_items: Vec<u32> = progress
        .items_left(Side::Since)
        .filter(|&item| terms.away(progress.item(item), terms.start) <= window)
        .collect();
    let near_records: Vec<u32> = progress
        .records_left(Side::Since)
        .filter(|&one| {
            terms.banking_days.distance(progress.record(one).date, terms.start) <= window
        })
        .collect();
    pair_sole(progress, evidence, &near_items, &early_records);
    pair_sole(progress, evidence, &early_items, &near_records);
}

/// Items from before the start, within the window, that no record from before it fits.
fn available(progress: &Progress<'_>, evidence: Evidence) -> Vec<u32> {
    let terms = progress.input.terms;
    let items: Vec<u32> = progress
        .items_left(Side::Before)
        .filter(|&item| terms.away(progress.item(item), terms.start) <= terms.window_days)
        .collect();
    if items.is_empty() {
        return items;
    }
    let records: Vec<u32> = (0..)
        .zip(&progress.record_scopes)
        .filter(|(at, scope)| {
            let record = progress.record(*at);
            **scope == Scope::Named
                && record.date < terms.start
                && record.status == LedgerStatus::Paid
                && !names_something(progress, *at)
        })
        .map(|one| one.0)
        .collect();
    let mut taken: Vec<u32> = Vec::new();
    for (items, records) in by_amount(progress, &items, &records).into_values() {
        if items.len().saturating_mul(records.len()) > MAX_COMBINATIONS {
            taken.extend(items);
            continue;
        }
        let fits_any =
            |item: &u32| records.iter().any(|&record| fits(progress, evidence, *item, record));
        taken.extend(items.into_iter().filter(fits_any));
    }
    taken.sort_unstable();
    items.into_iter().filter(|item| taken.binary_search(item).is_err()).collect()
}

/// Whether the record names something that the processor knows, and so contradicts every other
/// item.
fn names_something(progress: &Progress<'_>, record: u32) -> bool {
    match progress.records[record as usize] {
        Place::Pair(pair) => progress.pairs[pair as usize] == Pass::Reference,
        Place::NamesOther | Place::Transfer(_) | Place::Duplicate(_) | Place::Counter { .. } => {
            true
        }
        Place::Free
        | Place::Apart
        | Place::StandsIn(_)
        | Place::Ambiguous(_)
        | Place::Waits { .. } => false,
    }
}

fn fits(progress: &Progress<'_>, evidence: Evidence, item: u32, record: u32) -> bool {
    let terms = progress.input.terms;
    let carries = || progress.item(item).last4.is_some() && progress.record(record).last4.is_some();
    (evidence == Evidence::Amount || carries())
        && terms.away(progress.item(item), progress.record(record).date) <= terms.window_days
        && progress.agree(item, record)
}

fn by_amount(progress: &Progress<'_>, items: &[u32], records: &[u32]) -> Sides {
    let mut sides = Sides::new();
    for &position in items {
        let item = progress.item(position);
        if let (Some(currency), Some(amount)) = (item.currency, item.amount) {
            let key = money_key(item.kind.ledger_kind(), currency, amount);
            sides.entry(key).or_default().0.push(position);
        }
    }
    for &position in records {
        let record = progress.record(position);
        let key = money_key(record.kind, record.currency, record.amount);
        if let Some(side) = sides.get_mut(&key) {
            side.1.push(position);
        }
    }
    sides
}

/// Pairs an item and a record that are each other's only candidate.
fn pair_sole(progress: &mut Progress<'_>, evidence: Evidence, items: &[u32], records: &[u32]) {
    for (items, records) in by_amount(progress, items, records).into_values() {
        if items.len().saturating_mul(records.len()) > MAX_COMBINATIONS {
            continue;
        }
        let mut of_record = vec![(0_u32, 0_u32); records.len()];
        let mut sole = Vec::new();
        for &item in &items {
            let fitting =
                (0..records.len()).filter(|&at| fits(progress, evidence, item, records[at]));
            let fitting: Vec<usize> = fitting.collect();
            for &at in &fitting {
                of_record[at] = (of_record[at].0 + 1, item);
            }
            if let [only] = fitting[..] {
                sole.push((item, only));
            }
        }
        for (item, at) in sole {
            if of_record[at] == (1, item) {
                progress.pair(Pass::AcrossStart, &[item], &[records[at]]);
            }
        }
    }
}
