//! Decides which entries of a date are kept.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::super::findings::{LedgerFinding, sum};
use super::super::input::{Item, ReturnFact};
use super::super::keys::{day_key, last4_key};
use super::super::matched::Matched;
use super::super::standing::Role;
use super::super::states::{ItemState, Pair, Pass, RecordState};
use super::super::waiting;
use super::gather::{Roles, gather};
use super::links::{Links, Who, names_of_item, names_of_record, names_of_transfer};
use super::near::{Crowd, days_of, money_of_item, money_of_record};
use super::party::{Of, Party};
use super::{Bounds, Kept, Names};
use tieout_model::LedgerStatus;

/// Calendar days after which the facts of a settled bank transfer seldom change.
const YOUNG_DAYS: u64 = 7;

/// Calendar days, after the last listing that can hold a bank transfer, within which it may appear
/// again: those of the listings that a night re-reads, and a month without any night.
const MET_AGAIN_DAYS: u32 = 45;

/// The entries to keep after the date of `matched`, and the names of the others. `None` if the next
/// date must match everything again.
pub fn keep(matched: &Matched<'_>, found: &[LedgerFinding]) -> Option<(Kept, Names)> {
    let input = matched.input;
    // A return that a later entry undoes changes what its payment and others stand for.
    let date = matched.terms.business_date;
    let mut facts = input.items.iter().filter_map(|one| one.facts.as_deref());
    let is_undone = |one: &ReturnFact| one.undone_on.is_some_and(|day| day > date);
    let is_whole = input.early_failed.is_empty()
        && !facts.any(|facts| facts.returns.iter().any(is_undone))
        && !input.returns_unread
        && !input.records.iter().any(|record| record.day_not_read);
    if !is_whole {
        return None;
    }
    let bounds = Bounds::of(matched.terms)?;
    let mut keeper = Keeper::new(matched, bounds.settled);
    keeper.weaken_groups();
    keeper.mark_findings(found);
    keeper.mark_uncertain();
    if !keeper.mark_near() {
        return None;
    }
    keeper.mark_linked();
    Some(gather(matched, &keeper.roles))
}

/// How a pair was made, as far as later entries can affect it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    ByName,
    /// By amount and last four, on the first day of its item.
    SameDay,
    /// Any other pair: a new entry can displace it while it is near.
    Weak,
}

struct Keeper<'m, 'a> {
    matched: &'m Matched<'a>,
    /// Entries on this day or before it are out of reach.
    settled: NaiveDate,
    classes: Vec<Class>,
    roles: Roles,
}

impl<'m, 'a> Keeper<'m, 'a> {
    fn new(matched: &'m Matched<'a>, settled: NaiveDate) -> Self {
        let outcome = matched.outcome;
        let class = |pair: &Pair| {
            if pair.pass.is_by_name() {
                return Class::ByName;
            }
            let (items, records) = (outcome.items_of(pair), outcome.records_of(pair));
            let is_first_day = pair.pass == Pass::SameDay
                && items.len() == 1
                && records.len() == 1
                && matched.item(items[0]).day == matched.record(records[0]).date;
            if is_first_day { Class::SameDay } else { Class::Weak }
        };
        Self {
            matched,
            settled,
            classes: outcome.pairs.iter().map(class).collect(),
            roles: Roles {
                pairs: vec![None; outcome.pairs.len()],
                sets: vec![None; outcome.ambiguities.len()],
                items: vec![None; outcome.items.len()],
                records: vec![None; outcome.records.len()],
                transfers: vec![false; matched.input.transfers.len()],
            },
        }
    }

    /// The role of a pair that is kept for its own sake.
    fn role_of_pair(&self, pair: u32) -> Role {
        match self.classes[pair as usize] {
            Class::ByName => Role::Open,
            Class::SameDay | Class::Weak => Role::Stands { is_alone: false },
        }
    }

    fn keep_pair(&mut self, pair: u32) {
        let role = self.role_of_pair(pair);
        self.roles.pairs[pair as usize].get_or_insert(role);
    }

    /// Keeps pairs with findings, which are reported again every night.
    fn mark_findings(&mut self, found: &[LedgerFinding]) {
        let outcome = self.matched.outcome;
        for finding in found {
            let items = finding.items.iter().filter_map(|&one| outcome.items[one as usize].pair());
            let records =
                finding.records.iter().filter_map(|&one| outcome.records[one as usize].pair());
            for pair in items.chain(records).collect::<Vec<_>>() {
                self.keep_pair(pair);
            }
        }
    }

    /// Keeps pairs that may get a finding after a further day, dispute or return.
    fn mark_uncertain(&mut self) {
        let (matched, outcome) = (self.matched, self.matched.outcome);
        let date = matched.terms.business_date;
        for (at, pair) in (0..).zip(&outcome.pairs) {
            let comes_back = outcome.items_of(pair).iter().any(|&item| {
                let facts = matched.item(item).facts.as_deref();
                facts.is_some_and(|facts| facts.returns.iter().any(|one| one.date > date))
            });
            let says_other = outcome.records_of(pair).iter().any(|&record| {
                matched.record(record).status != LedgerStatus::Paid
                    && outcome.items_of(pair).iter().any(|&one| matched.item(one).kind.is_card())
            });
            // The status of a bank transfer may still change in the first days.
            let is_young = outcome.items_of(pair).iter().any(|&item| {
                let item = matched.item(item);
                !item.kind.is_card() && item.day + chrono::Days::new(YOUNG_DAYS) > date
            });
            if comes_back || says_other || is_young || self.may_follow(pair) {
                self.keep_pair(at);
            }
        }
    }

    /// Whether the shortfall of a pair may still arrive in parts, because not all of it is due.
    fn may_follow(&self, pair: &Pair) -> bool {
        let (matched, outcome) = (self.matched, self.matched.outcome);
        let records = outcome.records_of(pair).iter().map(|&at| matched.record(at));
        let items = outcome.items_of(pair).iter().map(|&at| matched.item(at));
        let of_items = outcome.summed_items_of(pair).map(|at| matched.item(at).amount);
        if !pair.pass.is_by_name()
            || sum(of_items) == sum(records.clone().map(|one| Some(one.amount)))
        {
            return false;
        }
        let latest = items.map(|one| one.day).chain(records.map(|one| one.date)).max();
        latest.is_some_and(|day| matched.terms.record_due(day).is_none())
    }

    /// A group of one day, amount and last four with entries left on both sides is decided over all
    /// of its members, so its pairs are weak.
    fn weaken_groups(&mut self) {
        let (matched, outcome) = (self.matched, self.matched.outcome);
        let is_left =
            |pair: Option<u32>| pair.is_none_or(|pair| self.classes[pair as usize] == Class::Weak);
        let mut left: HashMap<u128, (bool, bool)> = HashMap::new();
        for item in self.waiting() {
            if let (Some(money), Some(last4)) = (money_of_item(&item), item.last4) {
                left.entry(money | last4_key(last4) | day_key(item.day)).or_default().0 = true;
            }
        }
        for (item, state) in matched.input.items.iter().zip(&outcome.items) {
            let is_at_hand = matches!(
                state,
                ItemState::Unmatched(_) | ItemState::Ambiguous { .. } | ItemState::Matched { .. }
            );
            if let (true, Some(money), Some(last4)) =
                (is_at_hand && is_left(state.pair()), money_of_item(item), item.last4)
            {
                left.entry(money | last4_key(last4) | day_key(item.day)).or_default().0 = true;
            }
        }
        for (record, state) in matched.input.records.iter().zip(&outcome.records) {
            let is_at_hand = matches!(
                state,
                RecordState::Unmatched(_)
                    | RecordState::Waits { .. }
                    | RecordState::Ambiguous { .. }
                    | RecordState::Matched { .. }
            );
            if let (true, Some(money), Some(last4)) =
                (is_at_hand && is_left(state.pair()), Some(money_of_record(record)), record.last4)
            {
                left.entry(money | last4_key(last4) | day_key(record.date)).or_default().1 = true;
            }
        }
        left.retain(|_, sides| *sides == (true, true));
        if left.is_empty() {
            return;
        }
        let weakened: Vec<usize> = (0..self.classes.len())
            .filter(|&at| self.classes[at] == Class::SameDay)
            .filter(|&at| {
                let item = matched.item(outcome.items_of(&outcome.pairs[at])[0]);
                let key = money_of_item(item).zip(item.last4);
                key.is_some_and(|(money, last4)| {
                    left.contains_key(&(money | last4_key(last4) | day_key(item.day)))
                })
            })
            .collect();
        for at in weakened {
            self.classes[at] = Class::Weak;
        }
    }

    fn waiting(&self) -> impl Iterator<Item = Item> {
        let transfers = self.matched.input.transfers.iter();
        let terms = self.matched.terms;
        transfers.filter_map(|one| waiting::item_of(one, terms, terms.business_date))
    }

    /// All parties of the passes by days: single entries, pairs and sets.
    fn parties(&self) -> Vec<Party> {
        let outcome = self.matched.outcome;
        let mut pairs: HashMap<u32, Party> = HashMap::new();
        let mut sets: HashMap<u32, Party> = HashMap::new();
        let mut parties = Vec::new();
        // A stand-in was open to these passes as well, so its pair can be displaced.
        let stand_in = |state: &ItemState| match *state {
            ItemState::Matched { pair, stands_in: true } => Some(pair),
            _ => None,
        };
        let with_stand_ins: HashSet<u32> = outcome.items.iter().filter_map(stand_in).collect();
        let is_weak = |pair: u32| {
            self.classes[pair as usize] == Class::Weak || with_stand_ins.contains(&pair)
        };
        for (at, state) in (0..).zip(&outcome.items) {
            let item = self.matched.item(at);
            let member = (money_of_item(item), days_of(item));
            match *state {
                ItemState::Matched { pair, .. } if is_weak(pair) => {
                    pairs.entry(pair).or_insert_with(|| Party::new(Of::Pair(pair))).add(member);
                }
                ItemState::Ambiguous { set } => {
                    sets.entry(set).or_insert_with(|| Party::new(Of::Set(set))).add(member);
                }
                ItemState::Unmatched(_) => parties.push(Party::alone(Of::Item(at), member)),
                _ => {}
            }
        }
        for (at, state) in (0..).zip(&outcome.records) {
            let record = self.matched.record(at);
            let member = (Some(money_of_record(record)), vec![record.date]);
            match *state {
                RecordState::Matched { pair } if is_weak(pair) => {
                    pairs.entry(pair).or_insert_with(|| Party::new(Of::Pair(pair))).add(member);
                }
                RecordState::Ambiguous { set } => {
                    sets.entry(set).or_insert_with(|| Party::new(Of::Set(set))).add(member);
                }
                RecordState::Unmatched(_) | RecordState::Waits { .. } => {
                    parties.push(Party::alone(Of::Record(at), member));
                }
                // For a record that names something without being its partner, only names decide.
                _ => {}
            }
        }
        parties.extend(
            self.waiting()
                .map(|item| Party::alone(Of::Transfer, (money_of_item(&item), days_of(&item)))),
        );
        parties.extend(pairs.into_values());
        parties.extend(sets.into_values());
        parties
    }

    /// Decides the roles of all parties of the passes by days. Returns false if an entry that can
    /// still move lies near the start date, where pass 7 applies.
    fn mark_near(&mut self) -> bool {
        let terms = self.matched.terms;
        let parties = self.parties();
        let (mut everybody, mut moving) = (Crowd::default(), Crowd::default());
        for party in &parties {
            party.join(&mut everybody);
            if party.is_moving(self.settled) {
                party.join(&mut moving);
            }
        }
        let is_joined = |party: &Party| {
            !party.is_moving(self.settled) && !party.is_pair() && party.is_near(&moving, 0, terms)
        };
        let joined: Vec<bool> = parties.iter().map(is_joined).collect();
        for (party, _) in parties.iter().zip(&joined).filter(|one| *one.1) {
            party.join(&mut moving);
        }
        if moving.is_any_near(terms.start, 2 * terms.window_days, terms) {
            return false;
        }
        for (party, is_joined) in parties.iter().zip(joined) {
            let own = u32::try_from(party.members.iter().map(|one| one.1.len()).sum::<usize>());
            let is_alone = || !party.is_near(&everybody, own.unwrap_or(u32::MAX), terms);
            let role = if is_joined || party.is_moving(self.settled) {
                Role::Open
            } else if party.is_near(&moving, 0, terms) {
                // Not all entries near it are kept.
                Role::Same
            } else {
                Role::Stands { is_alone: is_alone() }
            };
            match party.of {
                Of::Transfer => {}
                Of::Item(at) => self.roles.items[at as usize] = Some(role),
                Of::Record(at) => self.roles.records[at as usize] = Some(role),
                Of::Set(at) => self.roles.sets[at as usize] = Some(role),
                Of::Pair(_) if matches!(role, Role::Stands { .. }) => {}
                Of::Pair(at) => self.roles.pairs[at as usize] = Some(role),
            }
        }
        for (at, state) in self.matched.outcome.records.iter().enumerate() {
            if state.names_without_pair() {
                self.roles.records[at] = Some(Role::Open);
            }
        }
        true
    }

    /// Keeps every entry that shares a name with a kept one.
    fn mark_linked(&mut self) {
        let (input, outcome) = (self.matched.input, self.matched.outcome);
        let terms = self.matched.terms;
        let days = terms.lookback_days.saturating_add(MET_AGAIN_DAYS);
        let since = terms.business_date - chrono::Days::new(days.into());
        for (at, transfer) in input.transfers.iter().enumerate() {
            self.roles.transfers[at] = transfer.run_date.is_none_or(|date| date > since);
        }
        let links = Links::of(&input.items, &input.records, &input.transfers);
        let items = (0..).zip(&input.items).map(|one| Who::Item(one.0));
        let records = (0..).zip(&input.records).map(|one| Who::Record(one.0));
        let transfers = (0..).zip(&input.transfers).map(|one| Who::Transfer(one.0));
        let everybody = items.chain(records).chain(transfers);
        let mut waiting: Vec<Who> =
            everybody.filter(|who| self.roles.is_kept(outcome, *who)).collect();
        let mut seen: HashSet<Who> = waiting.iter().copied().collect();
        while let Some(next) = waiting.pop() {
            let names = match next {
                Who::Item(at) => names_of_item(&input.items[at as usize]),
                Who::Record(at) => names_of_record(&input.records[at as usize]),
                Who::Transfer(at) => names_of_transfer(&input.transfers[at as usize]),
            };
            for other in links.of_names(&names) {
                for one in self.keep_with_its_pair(other) {
                    if seen.insert(one) {
                        waiting.push(one);
                    }
                }
            }
        }
    }

    /// Keeps an entry together with its pair; returns those that are kept by it.
    fn keep_with_its_pair(&mut self, who: Who) -> Vec<Who> {
        let outcome = self.matched.outcome;
        if self.roles.is_kept(outcome, who) {
            return vec![who];
        }
        let pair = match who {
            Who::Item(at) => outcome.items[at as usize].pair(),
            Who::Record(at) => outcome.records[at as usize].pair(),
            Who::Transfer(_) => None,
        };
        if let Some(pair) = pair {
            self.keep_pair(pair);
            let pair = &outcome.pairs[pair as usize];
            let items = outcome.items_of(pair).iter().map(|&one| Who::Item(one));
            let records = outcome.records_of(pair).iter().map(|&one| Who::Record(one));
            return items.chain(records).collect();
        }
        // An entry of 0.00, an unpaid record, or an entry from before the start: on the last others
        // depend.
        match who {
            Who::Item(at) => {
                let is_alone = outcome.items[at as usize] != ItemState::OutOfScope;
                self.roles.items[at as usize] = Some(Role::Stands { is_alone });
            }
            Who::Record(at) => {
                let is_alone = outcome.records[at as usize] != RecordState::OutOfScope;
                self.roles.records[at as usize] = Some(Role::Stands { is_alone });
            }
            Who::Transfer(at) => self.roles.transfers[at as usize] = true,
        }
        vec![who]
    }
}
