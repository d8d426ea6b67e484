//! The end of matching: every item and record gets its state, and the books must balance.

use super::board::{Board, Place, Scope};
use super::candidate::Candidates;
use super::input::{Item, Record};
use super::outcome::{ItemState, Outcome, Pass, RecordState, Tally, Totals, spread};
use crate::model::LedgerStatus;

/// Turns the board into an outcome.
pub(super) fn outcome(mut board: Board<'_>) -> Outcome {
    release_what_nobody_judges(&mut board);
    let candidates = Candidates::of(&board);
    let items: Vec<ItemState> =
        (0..).zip(&board.items).map(|(at, _)| item_state(&board, &candidates, at)).collect();
    let records: Vec<RecordState> =
        (0..).zip(&board.records).map(|(at, _)| record_state(&board, &candidates, at)).collect();
    let item_pairs: Vec<Option<u32>> = items.iter().map(ItemState::pair).collect();
    let record_pairs: Vec<Option<u32>> = records.iter().map(RecordState::pair).collect();
    let (pairs, pair_items, pair_records) = spread(&board.pairs, &item_pairs, &record_pairs);
    let totals = totals(&board, &items, &records);
    let outcome = Outcome {
        items,
        records,
        pairs,
        ambiguities: board.sets,
        totals,
        pair_items,
        pair_records,
    };
    assert_conserved(&outcome);
    outcome
}

/// Takes apart pairs and sets of which both sides are out of scope: they only served to keep
/// their members from others.
fn release_what_nobody_judges(board: &mut Board<'_>) {
    let mut is_judged_pair = vec![false; board.pairs.len()];
    let mut is_judged_set = vec![false; board.sets.len()];
    let places = board.items.iter().zip(&board.item_scopes);
    for (place, scope) in places.chain(board.records.iter().zip(&board.record_scopes)) {
        match (place, scope) {
            (Place::Pair(pair) | Place::Joined(pair), Scope::Inside) => {
                is_judged_pair[*pair as usize] = true;
            }
            (Place::Set(set), Scope::Inside) => is_judged_set[*set as usize] = true,
            _ => {}
        }
    }
    let pair_numbers = renumber(&is_judged_pair);
    let set_numbers = renumber(&is_judged_set);
    for place in board.items.iter_mut().chain(&mut board.records) {
        *place = match *place {
            Place::Pair(pair) => pair_numbers[pair as usize].map_or(Place::Free, Place::Pair),
            Place::Joined(pair) => pair_numbers[pair as usize].map_or(Place::Free, Place::Joined),
            Place::Set(set) => set_numbers[set as usize].map_or(Place::Free, Place::Set),
            other => other,
        };
    }
    let mut keep = is_judged_pair.into_iter();
    board.pairs.retain(|_: &Pass| keep.next().unwrap_or(false));
    let mut keep = is_judged_set.into_iter();
    board.sets.retain(|_| keep.next().unwrap_or(false));
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

fn item_state(board: &Board<'_>, candidates: &Candidates<'_, '_>, position: u32) -> ItemState {
    let at = position as usize;
    match (board.items[at], board.item_scopes[at]) {
        (Place::Pair(pair), _) => ItemState::Matched { pair, stands_in: false },
        (Place::Joined(pair), _) => ItemState::Matched { pair, stands_in: true },
        (Place::Set(set), _) => ItemState::Ambiguous { set },
        (_, Scope::Later) => ItemState::Later,
        (_, Scope::Named | Scope::Outside) => ItemState::OutOfScope,
        (_, Scope::Inside) => ItemState::Unmatched(candidates.for_item(position)),
    }
}

fn record_state(board: &Board<'_>, candidates: &Candidates<'_, '_>, position: u32) -> RecordState {
    let at = position as usize;
    let is_paid = board.record(position).status == LedgerStatus::Paid;
    match (board.records[at], board.record_scopes[at]) {
        (Place::Pair(pair) | Place::Joined(pair), _) => RecordState::Matched { pair },
        (Place::Set(set), _) => RecordState::Ambiguous { set },
        (_, Scope::Later) => RecordState::Later,
        (_, Scope::Named | Scope::Outside) => RecordState::OutOfScope,
        (Place::Transfer(transfer), _) => RecordState::NamesUnsettled { transfer },
        (Place::Duplicate(of), _) => RecordState::Duplicate { of },
        (Place::Free | Place::Barred, _) if is_paid => {
            RecordState::Unmatched(candidates.for_record(position))
        }
        (Place::Free | Place::Barred, _) => RecordState::Excluded,
    }
}

fn totals(board: &Board<'_>, items: &[ItemState], records: &[RecordState]) -> Totals {
    let mut totals = Totals::default();
    for (item, state) in board.input.items.iter().zip(items) {
        if item.day < board.input.terms.start {
            continue;
        }
        let part = match state {
            ItemState::Matched { .. } => &mut totals.items_matched,
            ItemState::Unmatched(_) => &mut totals.items_unmatched,
            ItemState::Ambiguous { .. } => &mut totals.items_ambiguous,
            ItemState::OutOfScope | ItemState::Later => continue,
        };
        part.add_item(item);
        totals.items.add_item(item);
    }
    for (record, state) in board.input.records.iter().zip(records) {
        let is_paid = record.status == LedgerStatus::Paid;
        let part = match state {
            RecordState::Matched { .. } => &mut totals.records_matched,
            RecordState::NamesUnsettled { .. } if !is_paid => &mut totals.records_excluded,
            RecordState::Unmatched(_)
            | RecordState::NamesUnsettled { .. }
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

impl Tally {
    fn add_item(&mut self, item: &Item) {
        self.count += 1;
        if let (Some(currency), Some(amount)) = (item.currency, item.amount) {
            self.add(currency.code(), amount.0.into());
        }
    }

    fn add_record(&mut self, record: &Record) {
        self.count += 1;
        self.add(record.currency.code(), record.amount.0.into());
    }

    fn add(&mut self, code: &'static str, amount: i128) {
        *self.amounts.entry(code).or_default() += amount;
    }

    fn plus(mut self, other: &Self) -> Self {
        self.count += other.count;
        for (&code, &amount) in &other.amounts {
            self.add(code, amount);
        }
        self
    }
}

/// Nothing is lost and nothing counts twice, by count and by amount.
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
