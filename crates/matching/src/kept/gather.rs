//! Gathers the entries to keep of a date, and the names of the others.

use std::collections::{HashMap, HashSet};

use super::super::conclude::totals_of;
use super::super::fit::Fit;
use super::super::matched::Matched;
use super::super::standing::{Role, Stays, Was};
use super::super::states::{ItemState, Outcome, Pass, RecordState};
use super::links::{Who, later_names, names_of_item, names_of_record, names_of_transfer};
use super::{Kept, Names};

/// The role of every kept entry; `None` for an entry that is not kept.
pub(super) struct Roles {
    pub(super) pairs: Vec<Option<Role>>,
    pub(super) sets: Vec<Option<Role>>,
    /// For entries in no pair and no set.
    pub(super) items: Vec<Option<Role>>,
    pub(super) records: Vec<Option<Role>>,
    pub(super) transfers: Vec<bool>,
}

impl Roles {
    pub(super) fn is_kept(&self, outcome: &Outcome, who: Who) -> bool {
        match who {
            Who::Item(at) => match outcome.items[at as usize] {
                ItemState::Matched { pair, .. } => self.pairs[pair as usize].is_some(),
                ItemState::Ambiguous { set } => self.sets[set as usize].is_some(),
                _ => self.items[at as usize].is_some(),
            },
            Who::Record(at) => match outcome.records[at as usize] {
                RecordState::Matched { pair } => self.pairs[pair as usize].is_some(),
                RecordState::Ambiguous { set } => self.sets[set as usize].is_some(),
                _ => self.records[at as usize].is_some(),
            },
            Who::Transfer(at) => self.transfers[at as usize],
        }
    }
}

/// The entries to keep, and the names of the others.
pub(super) fn gather(matched: &Matched<'_>, roles: &Roles) -> (Kept, Names) {
    let (input, outcome) = (matched.input, matched.outcome);
    let mut kept = Kept {
        up_to: matched.terms.business_date,
        items: Vec::new(),
        records: Vec::new(),
        pairs: Vec::new(),
        sets: Vec::new(),
        transfers: Vec::new(),
        others: Vec::new(),
        unclear: input.unclear.clone(),
        totals: totals_of(
            &matched.merchant_input(),
            &outcome.items,
            &outcome.records,
            |item| !roles.is_kept(outcome, Who::Item(item)),
            |record| !roles.is_kept(outcome, Who::Record(record)),
        ),
        fit: Fit::default(),
    };
    if let Some(standing) = &input.standing {
        kept.totals.add(&standing.totals);
        kept.fit = standing.fit.clone();
    }
    // Entries in no pair that take part in matching are always kept.
    let is_gone = |pair: Option<u32>| pair.is_some_and(|one| roles.pairs[one as usize].is_none());
    kept.fit.add(&matched.merchant_input(), outcome, is_gone);
    let mut names = Names::default();
    let mut numbers = Numbers::default();
    gather_items(matched, roles, &mut numbers, (&mut kept, &mut names));
    gather_records(matched, roles, &mut numbers, (&mut kept, &mut names));
    kept.pairs = numbers.pairs.1.iter().map(|&at| outcome.pairs[at as usize].pass).collect();
    kept.sets = numbers.sets.1.iter().map(|&at| outcome.ambiguities[at as usize].pass).collect();
    for (transfer, is_kept) in input.transfers.iter().zip(&roles.transfers) {
        if *is_kept {
            kept.transfers.push(transfer.clone());
        } else {
            names.of_items.extend(names_of_transfer(transfer).into_iter().skip(1));
        }
    }
    let asked: HashSet<&str> = kept.records.iter().filter_map(|one| one.0.named()).collect();
    let others = input.other_references.iter();
    kept.others = others.filter(|one| asked.contains(one.as_str())).cloned().collect();
    (kept, names)
}

/// Pairs of entries from before the start are neither reported nor kept. A new entry that shares a
/// name with one of them, loaded or not, needs all entries.
fn gather_items(
    matched: &Matched<'_>,
    roles: &Roles,
    numbers: &mut Numbers,
    (kept, names): (&mut Kept, &mut Names),
) {
    for (at, state) in (0..).zip(&matched.outcome.items) {
        let item = matched.item(at);
        let role = match *state {
            ItemState::Matched { pair, .. } => roles.pairs[pair as usize],
            ItemState::Ambiguous { set } => roles.sets[set as usize],
            _ => roles.items[at as usize],
        };
        if *state == ItemState::OutOfScope {
            names.add_to_both(&names_of_item(item));
        }
        let Some(role) = role else {
            names.of_items.extend(later_names(item));
            continue;
        };
        let was = match *state {
            ItemState::Matched { pair, stands_in: false } => Was::Pair(numbers.pair(pair)),
            ItemState::Matched { pair, stands_in: true } => Was::StandsIn(numbers.pair(pair)),
            ItemState::Ambiguous { set } => Was::Set(numbers.set(set)),
            _ => Was::Free,
        };
        let ids = matched.input.card_ids[at as usize];
        kept.items.push((item.clone(), ids, Stays { was, role }));
    }
}

fn gather_records(
    matched: &Matched<'_>,
    roles: &Roles,
    numbers: &mut Numbers,
    (kept, names): (&mut Kept, &mut Names),
) {
    for (at, state) in (0..).zip(&matched.outcome.records) {
        let record = matched.record(at);
        let role = match *state {
            RecordState::Matched { pair } => roles.pairs[pair as usize],
            RecordState::Ambiguous { set } => roles.sets[set as usize],
            _ => roles.records[at as usize],
        };
        if *state == RecordState::OutOfScope {
            names.add_to_both(&names_of_record(record));
        }
        let Some(role) = role else {
            // A record paired through its reference is taken, and the id can be looked up.
            if !is_of_its_item(matched, at, *state) {
                names.of_records.extend(names_of_record(record));
            }
            continue;
        };
        let was = match *state {
            RecordState::Matched { pair } => Was::Pair(numbers.pair(pair)),
            RecordState::Ambiguous { set } => Was::Set(numbers.set(set)),
            state if state.names_without_pair() => Was::Named,
            _ => Was::Free,
        };
        let name = matched.names().records[at as usize].clone();
        kept.records.push((record.clone(), name, Stays { was, role }));
    }
}

/// Whether the record is paired with the item that its reference names.
fn is_of_its_item(matched: &Matched<'_>, record: u32, state: RecordState) -> bool {
    let pair = state.pair().map(|pair| &matched.outcome.pairs[pair as usize]);
    let reference = matched.record(record).reference.as_deref();
    pair.filter(|pair| pair.pass == Pass::Reference).is_some_and(|pair| {
        matched.outcome.items_of(pair).iter().any(|&one| matched.item(one).is_named(reference))
    })
}

/// New numbers for the kept pairs and sets, in order of first use.
#[derive(Default)]
struct Numbers {
    pairs: (HashMap<u32, u32>, Vec<u32>),
    sets: (HashMap<u32, u32>, Vec<u32>),
}

impl Numbers {
    fn pair(&mut self, pair: u32) -> u32 {
        number(&mut self.pairs, pair)
    }

    fn set(&mut self, set: u32) -> u32 {
        number(&mut self.sets, set)
    }
}

fn number((numbers, list): &mut (HashMap<u32, u32>, Vec<u32>), one: u32) -> u32 {
    *numbers.entry(one).or_insert_with(|| {
        list.push(one);
        u32::try_from(list.len() - 1).unwrap_or(u32::MAX)
    })
}
