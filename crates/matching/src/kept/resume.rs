//! Resumes from the kept books: joins them with the new entries, and checks the result before it is
//! used.

use std::collections::{HashMap, HashSet};

use super::super::input::{Item, KnownTransfer, Record, Terms};
use super::super::ledger_input::LedgerInput;
use super::super::standing::{Role, Standing, Stays, Was};
use super::super::states::{ItemState, Outcome, Pass, RecordState};
use super::super::waiting;
use super::Kept;

/// The kept entries, followed by the new ones.
pub fn resume(kept: Kept, new: LedgerInput) -> LedgerInput {
    let mut standing = Standing {
        up_to: kept.up_to,
        pairs: kept.pairs,
        sets: kept.sets,
        totals: kept.totals,
        fit: kept.fit,
        ..Standing::default()
    };
    let mut input = LedgerInput {
        unclear: kept.unclear,
        transfers: Vec::new(),
        other_references: kept.others,
        returns_unread: new.returns_unread,
        disputed: new.disputed,
        left_out: new.left_out,
        days_read: new.days_read,
        early_failed: new.early_failed,
        ..LedgerInput::default()
    };
    for (item, ids, stays) in kept.items {
        input.items.push(item);
        input.card_ids.push(ids);
        standing.items.push(stays);
    }
    for (record, name, stays) in kept.records {
        input.records.push(record);
        standing.names.push(name);
        standing.records.push(stays);
    }
    // A kept bank transfer that has settled is an item now, and one listed again is new.
    let settled = new.items.iter().map(|item| (item.kind.ledger_kind(), item.item_id.clone()));
    let again = new.transfers.iter().map(|one| (one.ledger_kind(), one.transfer_id.clone()));
    let known: HashSet<_> = settled.chain(again).collect();
    input.transfers = kept.transfers;
    input.transfers.retain(|one| !known.contains(&(one.ledger_kind(), one.transfer_id.clone())));
    input.items.extend(new.items);
    input.card_ids.extend(new.card_ids);
    input.records.extend(new.records);
    input.transfers.extend(new.transfers);
    input.other_references.extend(new.other_references);
    input.unclear.extend(new.unclear);
    input.standing = Some(Box::new(standing));
    input
}

/// Whether a bank transfer from before the kept date may settle that could not, or was unknown, as of
/// that date: what lies near it was not kept.
pub fn is_any_revived(kept: &Kept, new: &[KnownTransfer], terms: &Terms) -> bool {
    let key = |one: &KnownTransfer| (one.kind, one.transfer_id.clone());
    let watched = kept.transfers.iter();
    let watched: HashSet<_> =
        watched.filter(|one| waiting::item_of(one, terms, kept.up_to).is_some()).map(key).collect();
    kept.transfers.iter().chain(new).any(|one| {
        let item = waiting::item_of(one, terms, terms.business_date);
        item.is_some_and(|item| item.day <= kept.up_to) && !watched.contains(&key(one))
    })
}

/// The new pairs of pass 6. No other entry may lie near them, so older entries that are not loaded
/// must be looked up.
pub fn crowded(input: &LedgerInput, outcome: &Outcome) -> Vec<(Item, Record)> {
    let Some(standing) = &input.standing else { return Vec::new() };
    let kept_pair = |stays: Option<&Stays>| match stays?.was {
        Was::Pair(pair) => Some(pair),
        _ => None,
    };
    let unique = outcome.pairs.iter().filter(|pair| pair.pass == Pass::NearbyUnique);
    let sides = unique.filter_map(|pair| {
        let (item, record) = (outcome.items_of(pair)[0], outcome.records_of(pair)[0]);
        let of_item = kept_pair(standing.items.get(item as usize));
        let of_record = kept_pair(standing.records.get(record as usize));
        let stood = of_item.is_some_and(|pair| {
            of_record == Some(pair) && standing.pairs[pair as usize] == Pass::NearbyUnique
        });
        let sides = || (input.items[item as usize].clone(), input.records[record as usize].clone());
        (!stood).then(sides)
    });
    // What waits is decided anew on every date.
    let waiting = input.records.iter().zip(&outcome.records).filter_map(|(record, state)| {
        let RecordState::Waits { transfer, pass: Pass::NearbyUnique } = *state else { return None };
        let transfer = &input.transfers[transfer as usize];
        Some((waiting::as_item(transfer, transfer.run_date?), record.clone()))
    });
    sides.chain(waiting).collect()
}

/// Whether every kept entry has a permitted state; if not, all entries are needed.
pub fn stands(standing: &Standing, outcome: &Outcome) -> bool {
    let mut same = Sameness::default();
    let items = standing.items.iter().zip(&outcome.items).all(|(stays, state)| {
        let now = match *state {
            ItemState::Matched { pair, stands_in: false } => Now::Pair(pair),
            ItemState::Matched { pair, stands_in: true } => Now::StandsIn(pair),
            ItemState::Ambiguous { set } => Now::Set(set),
            _ => Now::Free,
        };
        same.is_as_it_must_be(standing, outcome, *stays, now)
    });
    let records = standing.records.iter().zip(&outcome.records).all(|(stays, state)| {
        let now = match *state {
            RecordState::Matched { pair } => Now::Pair(pair),
            RecordState::Ambiguous { set } => Now::Set(set),
            state if state.names_without_pair() => Now::Named,
            _ => Now::Free,
        };
        same.is_as_it_must_be(standing, outcome, *stays, now)
    });
    items && records && same.are_whole(outcome)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Now {
    Free,
    Pair(u32),
    StandsIn(u32),
    Set(u32),
    Named,
}

/// Maps each kept pair and set to its counterpart in the new result.
#[derive(Default)]
struct Sameness {
    pairs: HashMap<u32, u32>,
    sets: HashMap<u32, u32>,
    /// Number of members of each kept pair and set that must stay the same.
    pair_members: HashMap<u32, usize>,
    set_members: HashMap<u32, usize>,
}

impl Sameness {
    fn is_as_it_must_be(
        &mut self,
        standing: &Standing,
        outcome: &Outcome,
        stays: Stays,
        now: Now,
    ) -> bool {
        let is_by_name = match now {
            Now::Pair(pair) | Now::StandsIn(pair) => outcome.pairs[pair as usize].pass.is_by_name(),
            Now::Named => true,
            Now::Free | Now::Set(_) => false,
        };
        match (stays.role, stays.was) {
            // If an id took it before, an id must take it again; else the days after it would be
            // needed.
            (Role::Open, Was::Pair(pair)) => {
                let is_taken = is_by_name && !matches!(now, Now::StandsIn(_));
                !standing.pairs[pair as usize].is_by_name() || is_taken
            }
            (Role::Open, Was::StandsIn(pair)) => {
                !standing.pairs[pair as usize].is_by_name() || is_by_name
            }
            (Role::Open, Was::Named) => is_by_name,
            (Role::Open, Was::Free | Was::Set(_)) => true,
            (Role::Same | Role::Stands { .. }, was) => {
                self.is_same(standing, outcome, was, now)
                    || (stays.role == Role::Stands { is_alone: true }
                        && was == Was::Free
                        && is_by_name)
            }
        }
    }

    fn is_same(&mut self, standing: &Standing, outcome: &Outcome, was: Was, now: Now) -> bool {
        match (was, now) {
            (Was::Free, Now::Free) | (Was::Named, Now::Named | Now::Free) => true,
            (Was::Pair(kept), Now::Pair(pair)) | (Was::StandsIn(kept), Now::StandsIn(pair)) => {
                *self.pair_members.entry(kept).or_default() += 1;
                outcome.pairs[pair as usize].pass == standing.pairs[kept as usize]
                    && *self.pairs.entry(kept).or_insert(pair) == pair
            }
            (Was::Set(kept), Now::Set(set)) => {
                *self.set_members.entry(kept).or_default() += 1;
                outcome.ambiguities[set as usize].pass == standing.sets[kept as usize]
                    && *self.sets.entry(kept).or_insert(set) == set
            }
            _ => false,
        }
    }

    /// Whether no new entry has joined a pair or a set that must stay the same.
    fn are_whole(&self, outcome: &Outcome) -> bool {
        let are_pairs_whole = self.pairs.iter().all(|(kept, &pair)| {
            let pair = &outcome.pairs[pair as usize];
            let members = outcome.items_of(pair).len() + outcome.records_of(pair).len();
            self.pair_members.get(kept) == Some(&members)
        });
        let are_sets_whole = self.sets.iter().all(|(kept, &set)| {
            let set = &outcome.ambiguities[set as usize];
            self.set_members.get(kept) == Some(&(set.items.len() + set.records.len()))
        });
        are_pairs_whole && are_sets_whole
    }
}
