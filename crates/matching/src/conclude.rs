//! The end of matching: gives every item and record its state and checks that the totals balance.

use std::collections::HashSet;

use super::candidate::Candidates;
use super::input::{Item, MerchantInput, Record};
use super::progress::{Place, Progress, Scope};
use super::states::{ItemState, Outcome, Pass, RecordState, Tally, Totals, spread};
use tieout_model::LedgerStatus;
use tieout_model::money::Currency;

/// Turns the progress into an outcome.
pub(super) fn outcome(mut progress: Progress<'_>) -> Outcome {
    let voided_before = release_out_of_scope(&mut progress);
    let candidates = Candidates::of(&progress);
    let items: Vec<ItemState> =
        (0..).zip(&progress.items).map(|(at, _)| item_state(&progress, &candidates, at)).collect();
    let records: Vec<RecordState> = (0..)
        .zip(&progress.records)
        .map(|(at, _)| record_state(&progress, &candidates, at))
        .collect();
    let item_pairs: Vec<Option<u32>> = items.iter().map(ItemState::pair).collect();
    let record_pairs: Vec<Option<u32>> = records.iter().map(RecordState::pair).collect();
    let (pairs, pair_items, pair_records) = spread(&progress.pairs, &item_pairs, &record_pairs);
    let mut totals = totals_of(&progress.input, &items, &records, |_| true, |_| true);
    if let Some(standing) = progress.input.standing {
        totals.add(&standing.totals);
    }
    let outcome = Outcome {
        items,
        records,
        pairs,
        ambiguities: progress.sets,
        totals,
        voided_before,
        pair_items,
        pair_records,
    };
    assert_conserved(&outcome);
    outcome
}

/// Dissolves pairs and sets with both sides out of scope: they only kept their members from others.
/// Returns the items of those with a void record.
fn release_out_of_scope(progress: &mut Progress<'_>) -> Vec<u32> {
    let mut is_judged_pair = vec![false; progress.pairs.len()];
    let mut is_judged_set = vec![false; progress.sets.len()];
    let places = progress.items.iter().zip(&progress.item_scopes);
    for (place, scope) in places.chain(progress.records.iter().zip(&progress.record_scopes)) {
        match (place, scope) {
            (Place::Pair(pair) | Place::StandsIn(pair), Scope::Inside) => {
                is_judged_pair[*pair as usize] = true;
            }
            (Place::Ambiguous(set), Scope::Inside) => is_judged_set[*set as usize] = true,
            _ => {}
        }
    }
    let released = |place: &Place| match *place {
        Place::Pair(pair) => Some(pair).filter(|pair| !is_judged_pair[*pair as usize]),
        _ => None,
    };
    let records = progress.input.records.iter().zip(&progress.records);
    let void = records.filter(|(record, _)| record.status == LedgerStatus::Void);
    let void: HashSet<u32> = void.filter_map(|(_, place)| released(place)).collect();
    let is_void = |place| released(place).is_some_and(|pair| void.contains(&pair));
    let voided_before: Vec<u32> =
        (0..).zip(&progress.items).filter(|(_, place)| is_void(place)).map(|one| one.0).collect();
    let pair_numbers = renumber(&is_judged_pair);
    let set_numbers = renumber(&is_judged_set);
    for place in progress.items.iter_mut().chain(&mut progress.records) {
        *place = match *place {
            Place::Pair(pair) => pair_numbers[pair as usize].map_or(Place::Free, Place::Pair),
            Place::StandsIn(pair) => {
                pair_numbers[pair as usize].map_or(Place::Free, Place::StandsIn)
            }
            Place::Ambiguous(set) => {
                set_numbers[set as usize].map_or(Place::Free, Place::Ambiguous)
            }
            other => other,
        };
    }
    let mut keep = is_judged_pair.into_iter();
    progress.pairs.retain(|_: &Pass| keep.next().unwrap_or(false));
    let mut keep = is_judged_set.into_iter();
    progress.sets.retain(|_| keep.next().unwrap_or(false));
    voided_before
}

fn renumber(is_kept: &[bool]) -> Vec<Option<u32>> {
    let mut next = 0;
    let number = |&kept: &bool| {
        let number = kept.then_some(next);
        next += u32::from(kept);
        number
    };
    is_kept.iter().map(number).collect()
}

fn item_state(
    progress: &Progress<'_>,
    candidates: &Candidates<'_, '_>,
    position: u32,
) -> ItemState {
    let at = position as usize;
    match (progress.items[at], progress.item_scopes[at]) {
        (Place::Pair(pair), _) => ItemState::Matched { pair, stands_in: false },
        (Place::StandsIn(pair), _) => ItemState::Matched { pair, stands_in: true },
        (Place::Ambiguous(set), _) => ItemState::Ambiguous { set },
        (_, Scope::Zero) => ItemState::Excluded,
        (_, Scope::Later) => ItemState::Later,
        (_, Scope::Named | Scope::Outside) => ItemState::OutOfScope,
        (_, Scope::Inside) => ItemState::Unmatched(candidates.for_item(position)),
    }
}

fn record_state(
    progress: &Progress<'_>,
    candidates: &Candidates<'_, '_>,
    position: u32,
) -> RecordState {
    let at = position as usize;
    let is_paid = progress.record(position).status == LedgerStatus::Paid;
    match (progress.records[at], progress.record_scopes[at]) {
        (Place::Pair(pair) | Place::StandsIn(pair), _) => RecordState::Matched { pair },
        (Place::Ambiguous(set), _) => RecordState::Ambiguous { set },
        (_, Scope::Zero) => RecordState::Excluded,
        (_, Scope::Later) => RecordState::Later,
        (_, Scope::Named | Scope::Outside) => RecordState::OutOfScope,
        (Place::Transfer(transfer), _) => RecordState::NamesUnsettled { transfer },
        (Place::Waits { transfer, pass }, _) => RecordState::Waits { transfer, pass },
        (Place::Duplicate(of), _) => RecordState::Duplicate { of },
        (Place::Counter { item, date }, _) => RecordState::Counter { item, date },
        (Place::Free | Place::Apart | Place::NamesOther, _) if is_paid => {
            RecordState::Unmatched(candidates.for_record(position))
        }
        (Place::Free | Place::Apart | Place::NamesOther, _) => RecordState::Excluded,
    }
}

/// The totals of the items and records for which the two predicates hold.
pub(super) fn totals_of(
    input: &MerchantInput<'_>,
    items: &[ItemState],
    records: &[RecordState],
    is_item_counted: impl Fn(u32) -> bool,
    is_record_counted: impl Fn(u32) -> bool,
) -> Totals {
    let mut totals = Totals::default();
    for ((at, item), state) in (0..).zip(input.items).zip(items) {
        if item.day < input.terms.start || !is_item_counted(at) {
            continue;
        }
        let part = match state {
            ItemState::Matched { .. } => &mut totals.items_matched,
            ItemState::Unmatched(_) => &mut totals.items_unmatched,
            ItemState::Ambiguous { .. } => &mut totals.items_ambiguous,
            ItemState::Excluded => {
                totals.items_excluded.add_item(item);
                continue;
            }
            ItemState::OutOfScope | ItemState::Later => continue,
        };
        part.add_item(item);
        totals.items.add_item(item);
    }
    for ((at, record), state) in (0..).zip(input.records).zip(records) {
        if !is_record_counted(at) {
            continue;
        }
        let is_paid = record.status == LedgerStatus::Paid;
        let part = match state {
            RecordState::Matched { .. } | RecordState::Counter { .. } => {
                &mut totals.records_matched
            }
            RecordState::NamesUnsettled { .. } if !is_paid => &mut totals.records_excluded,
            RecordState::Unmatched(_)
            | RecordState::NamesUnsettled { .. }
            | RecordState::Waits { .. }
            | RecordState::Duplicate { .. } => &mut totals.records_unmatched,
            RecordState::Ambiguous { .. } => &mut totals.records_ambiguous,
            RecordState::Excluded => &mut totals.records_excluded,
            RecordState::OutOfScope => &mut totals.records_out_of_scope,
            RecordState::Later => continue,
        };
        part.add_record(record);
        totals.records.add_record(record);
    }
    totals
}

impl Totals {
    /// Adds the totals of `other`.
    pub fn add(&mut self, other: &Self) {
        let parts = [
            (&mut self.items, &other.items),
            (&mut self.items_matched, &other.items_matched),
            (&mut self.items_unmatched, &other.items_unmatched),
            (&mut self.items_ambiguous, &other.items_ambiguous),
            (&mut self.items_excluded, &other.items_excluded),
            (&mut self.records, &other.records),
            (&mut self.records_matched, &other.records_matched),
            (&mut self.records_unmatched, &other.records_unmatched),
            (&mut self.records_ambiguous, &other.records_ambiguous),
            (&mut self.records_excluded, &other.records_excluded),
            (&mut self.records_out_of_scope, &other.records_out_of_scope),
        ];
        for (sum, one) in parts {
            *sum = std::mem::take(sum).plus(one);
        }
    }
}

impl Tally {
    pub(super) fn add_item(&mut self, item: &Item) {
        self.count += 1;
        if let (Some(currency), Some(amount)) = (item.currency, item.amount) {
            self.add(currency, amount.0.into());
        }
    }

    fn add_record(&mut self, record: &Record) {
        self.count += 1;
        self.add(record.currency, record.amount.0.into());
    }

    fn add(&mut self, currency: Currency, amount: i128) {
        *self.amounts.entry(currency).or_default() += amount;
    }

    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.count += other.count;
        for (&currency, &amount) in &other.amounts {
            self.add(currency, amount);
        }
        self
    }
}

/// Asserts that nothing is lost and nothing counts twice, by count and by amount.
fn assert_conserved(outcome: &Outcome) {
    let totals = &outcome.totals;
    let items =
        totals.items_matched.clone().plus(&totals.items_unmatched).plus(&totals.items_ambiguous);
    assert!(items == totals.items, "items: {items:?} of {:?}", totals.items);
    let records = totals
        .records_matched
        .clone()
        .plus(&totals.records_unmatched)
        .plus(&totals.records_ambiguous)
        .plus(&totals.records_excluded)
        .plus(&totals.records_out_of_scope);
    assert!(records == totals.records, "records: {records:?} of {:?}", totals.records);
    for pair in &outcome.pairs {
        let is_whole = !outcome.items_of(pair).is_empty() && !outcome.records_of(pair).is_empty();
        assert!(is_whole, "a pair lost one of its sides");
    }
    let candidates = outcome.ambiguities.iter().map(|set| set.items.len()).sum::<usize>();
    let ambiguous = outcome.items.iter().filter(|one| matches!(one, ItemState::Ambiguous { .. }));
    assert!(candidates == ambiguous.count(), "an ambiguity lost one of its items");
}
