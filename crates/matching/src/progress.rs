//! The state while the passes run: which entries are free, paired or set aside. A record or an item
//! is taken at most once; taking it twice is a programmer's error.

use std::collections::HashSet;

use chrono::NaiveDate;

use super::input::{Item, MerchantInput, Record};
use super::order_by_id::{compare_items, compare_records, last4_agree};
use super::spelling::{OrderNumbers, orders_agree};
use super::states::{Ambiguity, Pass};
use tieout_model::LedgerStatus;
use tieout_model::money::Minor;

/// Maximum number of items or records, as positions are 32 bits; a merchant has no more in years.
const MAX_POSITIONS: usize = u32::MAX as usize - 1;

/// The state of an item or a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    Pair(u32),
    /// An item that is matched without being part of the pair's sum.
    StandsIn(u32),
    Ambiguous(u32),
    /// A record that names a bank transfer which is no item.
    Transfer(u32),
    Duplicate(u32),
    /// A refund record that is the return or the dispute of `item` that began on `date`, or one of
    /// two opposite records that name `item`, since `date`.
    Counter {
        item: u32,
        date: NaiveDate,
    },
    /// A record that names a known object with which it could not be paired.
    NamesOther,
    /// A record whose nearest partner is a bank transfer that has not settled.
    Waits {
        transfer: u32,
        pass: Pass,
    },
    /// Unmatched as of an earlier date and out of reach of every new entry by day: only an id can
    /// still pair it.
    Apart,
}

/// The part of matching that an entry takes, by its date and amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Inside,
    /// Not judged, but its references and order ids are believed.
    Named,
    /// Of 0.00: neither posted nor expected.
    Zero,
    /// Takes no part in matching.
    Outside,
    Later,
}

/// Entries dated since the start date, or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Since,
    Before,
}

pub(super) struct Progress<'a> {
    pub input: MerchantInput<'a>,
    pub items: Vec<Place>,
    pub records: Vec<Place>,
    pub item_scopes: Vec<Scope>,
    pub record_scopes: Vec<Scope>,
    /// The pass of each pair.
    pub pairs: Vec<Pass>,
    pub sets: Vec<Ambiguity>,
    /// Behind the items from pass 2 on: bank transfers that have not settled, with their positions.
    waiting: Vec<(Item, u32)>,
    /// A number for each spelling of an order id; see [`Progress::number_orders`].
    pub item_orders: Vec<u32>,
    pub record_orders: Vec<u32>,
    /// The returns and disputes that have a counter-entry: the item and the date.
    pub countered: HashSet<(u32, NaiveDate)>,
    /// The bank transfers that records name.
    pub named_transfers: HashSet<u32>,
    /// The paid refund records whose reference names a payment.
    pub naming_payments: HashSet<u32>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(input: MerchantInput<'a>) -> Self {
        for (name, count) in [("items", input.items.len()), ("records", input.records.len())] {
            assert!(count <= MAX_POSITIONS, "{name}: expected fewer than 2^32, found {count}");
        }
        Self {
            input,
            items: vec![Place::Free; input.items.len()],
            records: vec![Place::Free; input.records.len()],
            item_scopes: input.items.iter().map(|item| item_scope(item, &input)).collect(),
            record_scopes: input.records.iter().map(|one| record_scope(one, &input)).collect(),
            pairs: Vec::with_capacity(input.items.len().min(input.records.len())),
            sets: Vec::new(),
            waiting: Vec::new(),
            item_orders: Vec::new(),
            record_orders: Vec::new(),
            countered: HashSet::new(),
            named_transfers: HashSet::new(),
            naming_payments: HashSet::new(),
        }
    }

    pub(super) fn item(&self, position: u32) -> &Item {
        let items = self.input.items;
        let at = position as usize;
        items.get(at).unwrap_or_else(|| &self.waiting[at - items.len()].0)
    }

    /// The items, and behind them the bank transfers that have not settled.
    pub(super) fn all_items(&self) -> impl Iterator<Item = &Item> {
        self.input.items.iter().chain(self.waiting.iter().map(|one| &one.0))
    }

    /// Adds the item that the bank transfer at `transfer` may become.
    pub(super) fn add_waiting(&mut self, item: Item, transfer: u32, place: Place) {
        self.item_scopes.push(item_scope(&item, &self.input));
        self.items.push(place);
        self.waiting.push((item, transfer));
    }

    /// Removes the items that were added; returns the place and the bank transfer of each.
    pub(super) fn take_waiting(&mut self) -> Vec<(Place, u32)> {
        let count = self.input.items.len();
        self.item_scopes.truncate(count);
        let places = self.items.split_off(count);
        places.into_iter().zip(self.waiting.drain(..).map(|one| one.1)).collect()
    }

    /// Lets the records of a pair or set, whose items are all gone, wait for `transfer`.
    pub(super) fn let_wait(&mut self, of: Place, pass: Pass, transfer: u32) {
        for place in self.records.iter_mut().filter(|place| **place == of) {
            *place = Place::Waits { transfer, pass };
        }
    }

    pub(super) fn record(&self, position: u32) -> &'a Record {
        &self.input.records[position as usize]
    }

    /// Whether passes 1 and 2 may pair it.
    pub(super) fn is_item_open(&self, position: u32) -> bool {
        let at = position as usize;
        self.items[at] == Place::Free
            && matches!(self.item_scopes[at], Scope::Inside | Scope::Named)
    }

    /// Whether it is in the input as of the business date, paired or not.
    pub(super) fn is_item_known(&self, position: u32) -> bool {
        matches!(self.item_scopes[position as usize], Scope::Inside | Scope::Named)
    }

    /// The same for a record.
    pub(super) fn is_record_open(&self, position: u32) -> bool {
        let at = position as usize;
        self.records[at] == Place::Free
            && matches!(self.record_scopes[at], Scope::Inside | Scope::Named)
    }

    pub(super) fn open_items(&self, positions: &[u32]) -> Vec<u32> {
        positions.iter().copied().filter(|&position| self.is_item_open(position)).collect()
    }

    pub(super) fn open_records(&self, positions: &[u32]) -> Vec<u32> {
        positions.iter().copied().filter(|&position| self.is_record_open(position)).collect()
    }

    /// Positions of the items of a side that no pass has taken.
    pub(super) fn items_left(&self, side: Side) -> impl Iterator<Item = u32> + '_ {
        let scope = match side {
            Side::Since => Scope::Inside,
            Side::Before => Scope::Named,
        };
        (0..).zip(&self.items).zip(&self.item_scopes).filter_map(move |((position, place), of)| {
            (*place == Place::Free && *of == scope).then_some(position)
        })
    }

    /// Positions of the paid records of a side that no pass has taken; other records are not
    /// expected.
    pub(super) fn records_left(&self, side: Side) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.records).filter_map(move |(position, place)| {
            let is_left = *place == Place::Free
                && self.is_record_of(position, side)
                && self.record(position).status == LedgerStatus::Paid;
            is_left.then_some(position)
        })
    }

    /// A record whose days were not read belongs to neither side.
    pub(super) fn is_record_of(&self, position: u32, side: Side) -> bool {
        let scope = self.record_scopes[position as usize];
        match side {
            Side::Since => scope == Scope::Inside,
            Side::Before => {
                scope == Scope::Named && self.record(position).date < self.input.terms.start
            }
        }
    }

    /// Numbers the order ids of the entries left, so that passes 3 to 7 compare numbers. Called
    /// after pass 2.
    pub(super) fn number_orders(&mut self) {
        let mut numbers = OrderNumbers::default();
        self.item_orders = self
            .all_items()
            .zip(&self.items)
            .map(|(item, place)| numbers.of(item.order_id.as_deref(), *place == Place::Free))
            .collect();
        let start = self.input.terms.start;
        let records = self.input.records.iter().zip(&self.records);
        self.record_orders = records
            .map(|(record, place)| {
                // Pass 7 compares records from before the start even if they are taken.
                let is_compared = *place == Place::Free || record.date < start;
                numbers.of(record.order_id.as_deref(), is_compared)
            })
            .collect();
    }

    /// Whether no field that both sides carry differs. References need no comparison: a record that
    /// names a known object takes no part in these passes.
    pub(super) fn agree(&self, item: u32, record: u32) -> bool {
        last4_agree(self.item(item).last4, self.record(record).last4)
            && orders_agree(self.item_orders[item as usize], self.record_orders[record as usize])
    }

    /// Makes one pair of all given items and records.
    pub(super) fn pair(&mut self, pass: Pass, items: &[u32], records: &[u32]) {
        assert!(!items.is_empty() && !records.is_empty(), "a pair has two sides");
        let pair = self.next_pair();
        self.pairs.push(pass);
        for &item in items {
            take(&mut self.items[item as usize], Place::Pair(pair));
        }
        for &record in records {
            take(&mut self.records[record as usize], Place::Pair(pair));
        }
    }

    fn next_pair(&self) -> u32 {
        match u32::try_from(self.pairs.len()) {
            Ok(next) => next,
            Err(_) => unreachable!("there are no more pairs than records"),
        }
    }

    /// Sets the given entries aside as ambiguous: several pairings are possible.
    pub(super) fn mark_ambiguous(
        &mut self,
        pass: Pass,
        mut items: Vec<u32>,
        mut records: Vec<u32>,
    ) {
        assert!(!items.is_empty() && !records.is_empty(), "an ambiguity has two sides");
        let Ok(set) = u32::try_from(self.sets.len()) else {
            unreachable!("there are no more ambiguities than records")
        };
        self.sort_items(&mut items);
        self.sort_records(&mut records);
        for &item in &items {
            take(&mut self.items[item as usize], Place::Ambiguous(set));
        }
        for &record in &records {
            take(&mut self.records[record as usize], Place::Ambiguous(set));
        }
        self.sets.push(Ambiguity { pass, items, records });
    }

    /// Adds `item` to the candidates of a set, in order.
    pub(super) fn add_candidate(&mut self, set: u32, item: u32) {
        let mut items = std::mem::take(&mut self.sets[set as usize].items);
        items.push(item);
        self.sort_items(&mut items);
        self.sets[set as usize].items = items;
    }

    /// Whether a record is dated such that it can post what came back on `date`: at most the window
    /// before it.
    pub(super) fn is_countering(&self, record: u32, date: NaiveDate) -> bool {
        let (posted, terms) = (self.record(record).date, self.input.terms);
        posted >= date || terms.banking_days.distance(posted, date) <= terms.window_days
    }

    /// Makes a record the counter-entry of what came back of `item` on `date`.
    pub(super) fn counter(&mut self, record: u32, item: u32, date: NaiveDate) {
        self.countered.insert((item, date));
        self.place_record(record, Place::Counter { item, date });
    }

    /// Whether the item is a bank transfer that has not settled.
    pub(super) fn is_waiting(&self, item: u32) -> bool {
        item as usize >= self.input.items.len()
    }

    /// Gives a record to the bank transfer that has not settled at `item`.
    pub(super) fn name_waiting(&mut self, item: u32, record: u32) {
        let transfer = self.waiting[item as usize - self.input.items.len()].1;
        self.place_record(record, Place::Transfer(transfer));
    }

    pub(super) fn place_record(&mut self, record: u32, place: Place) {
        if let Place::Transfer(transfer) = place {
            self.named_transfers.insert(transfer);
            // It may be named by several records.
            if let Ok(at) = self.waiting.binary_search_by_key(&transfer, |one| one.1) {
                self.items[self.input.items.len() + at] = Place::NamesOther;
            }
        }
        take(&mut self.records[record as usize], place);
    }

    pub(super) fn place_item(&mut self, item: u32, place: Place) {
        take(&mut self.items[item as usize], place);
    }

    pub(super) fn sort_items(&self, items: &mut [u32]) {
        if items.len() > 1 {
            items.sort_unstable_by(|&one, &other| {
                compare_items(self.item(one), self.item(other)).then(one.cmp(&other))
            });
        }
    }

    pub(super) fn sort_records(&self, records: &mut [u32]) {
        if records.len() > 1 {
            records.sort_unstable_by(|&one, &other| {
                compare_records(self.record(one), self.record(other)).then(one.cmp(&other))
            });
        }
    }
}

fn take(place: &mut Place, to: Place) {
    assert!(*place == Place::Free, "taken twice: {place:?} and {to:?}");
    *place = to;
}

fn item_scope(item: &Item, input: &MerchantInput<'_>) -> Scope {
    let (is_zero, is_early) = (item.amount == Some(Minor(0)), item.day < input.terms.start);
    match (is_early, is_zero) {
        _ if item.day > input.terms.business_date => Scope::Later,
        (true, true) => Scope::Outside,
        // A record in scope may name it; that record is then not missing at the processor.
        (true, false) => Scope::Named,
        (false, true) => Scope::Zero,
        (false, false) => Scope::Inside,
    }
}

fn record_scope(record: &Record, input: &MerchantInput<'_>) -> Scope {
    let terms = input.terms;
    // Books may void a record by setting its amount to 0.00: it is compared by its status.
    let is_zero = record.amount == Minor(0) && record.status == LedgerStatus::Paid;
    if record.date > terms.business_date {
        Scope::Later
    } else if record.date >= terms.start {
        match (is_zero, record.day_not_read) {
            (true, false) => Scope::Zero,
            (true, true) => Scope::Outside,
            (false, true) => Scope::Named,
            (false, false) => Scope::Inside,
        }
    } else if !is_zero
        && !terms.banking_days.is_before(record.date)
        && terms.banking_days.distance(record.date, terms.start) <= terms.window_days
    {
        Scope::Named
    } else {
        Scope::Outside
    }
}
