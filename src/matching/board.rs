//! The state of play while the passes run: who is free, paired or set aside.
//! A record or an item is taken at most once; taking it twice is a programmer's error.

use std::cmp::Ordering;

use chrono::NaiveDate;

use super::input::{Item, Last4, MerchantInput, Record, Terms};
use super::outcome::{Ambiguity, Pass};
use crate::model::{LedgerKind, LedgerStatus};
use crate::money::{Currency, Minor};

/// More items or records than a position can name are refused; a merchant has no more in years.
const MAX_POSITIONS: usize = u32::MAX as usize - 1;

/// Where an item or a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    Pair(u32),
    /// An item that is matched without being part of the pair's sum.
    Joined(u32),
    Set(u32),
    /// A record that names a bank transfer which is no item.
    Transfer(u32),
    Duplicate(u32),
    /// A record that names something known which it could not be paired with.
    Barred,
}

/// How the date of an item or a record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Inside,
    /// Not judged, but what it names is believed.
    Named,
    /// Takes part in nothing.
    Outside,
    Later,
}

pub(super) struct Board<'a> {
    pub input: MerchantInput<'a>,
    pub items: Vec<Place>,
    pub records: Vec<Place>,
    pub item_scopes: Vec<Scope>,
    pub record_scopes: Vec<Scope>,
    /// The pass of each pair.
    pub pairs: Vec<Pass>,
    pub sets: Vec<Ambiguity>,
}

impl<'a> Board<'a> {
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
        }
    }

    pub(super) fn item(&self, position: u32) -> &'a Item {
        &self.input.items[position as usize]
    }

    pub(super) fn record(&self, position: u32) -> &'a Record {
        &self.input.records[position as usize]
    }

    /// Whether what it names may be paired: passes 1 and 2.
    pub(super) fn is_item_open(&self, position: u32) -> bool {
        let at = position as usize;
        self.items[at] == Place::Free
            && matches!(self.item_scopes[at], Scope::Inside | Scope::Named)
    }

    /// Whether it is at hand as of the business date, taken or not.
    pub(super) fn is_item_known(&self, position: u32) -> bool {
        matches!(self.item_scopes[position as usize], Scope::Inside | Scope::Named)
    }

    /// The same for a record.
    pub(super) fn is_record_open(&self, position: u32) -> bool {
        let at = position as usize;
        self.records[at] == Place::Free
            && matches!(self.record_scopes[at], Scope::Inside | Scope::Named)
    }

    /// Positions of the items that passes 3 to 5 look at.
    pub(super) fn items_left(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.items).zip(&self.item_scopes).filter_map(|((position, place), scope)| {
            (*place == Place::Free && *scope == Scope::Inside).then_some(position)
        })
    }

    /// Positions of the known items of days before the start date that nothing has named.
    pub(super) fn earlier_items_left(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.items).zip(&self.item_scopes).filter_map(|((position, place), scope)| {
            (*place == Place::Free && *scope == Scope::Named).then_some(position)
        })
    }

    /// Positions of the records that passes 3 to 5 look at: only paid ones are expected.
    pub(super) fn records_left(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.records).zip(&self.record_scopes).filter_map(
            |((position, place), scope)| {
                let is_left = *place == Place::Free
                    && *scope == Scope::Inside
                    && self.record(position).status == LedgerStatus::Paid;
                is_left.then_some(position)
            },
        )
    }

    /// Makes a pair of everything given.
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

    /// Sets everything given aside: more pairings than one are possible.
    pub(super) fn set_aside(&mut self, pass: Pass, mut items: Vec<u32>, mut records: Vec<u32>) {
        assert!(!items.is_empty() && !records.is_empty(), "an ambiguity has two sides");
        let Ok(set) = u32::try_from(self.sets.len()) else {
            unreachable!("there are no more ambiguities than records")
        };
        self.sort_items(&mut items);
        self.sort_records(&mut records);
        for &item in &items {
            take(&mut self.items[item as usize], Place::Set(set));
        }
        for &record in &records {
            take(&mut self.records[record as usize], Place::Set(set));
        }
        self.sets.push(Ambiguity { pass, items, records });
    }

    /// Lists `item` among the candidates of a set, in its place.
    pub(super) fn add_candidate(&mut self, set: u32, item: u32) {
        let mut items = std::mem::take(&mut self.sets[set as usize].items);
        items.push(item);
        self.sort_items(&mut items);
        self.sets[set as usize].items = items;
    }

    pub(super) fn place_record(&mut self, record: u32, place: Place) {
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
    if item.day > input.terms.business_date {
        Scope::Later
    } else if item.day < input.terms.start {
        // A record in scope may name it: then that record is not missing at the processor.
        Scope::Named
    } else {
        Scope::Inside
    }
}

fn record_scope(record: &Record, input: &MerchantInput<'_>) -> Scope {
    let terms = input.terms;
    if record.date > terms.business_date {
        Scope::Later
    } else if record.date >= terms.start {
        if record.day_not_read { Scope::Named } else { Scope::Inside }
    } else if !terms.banking_days.is_before(record.date)
        && terms.banking_days.distance(record.date, terms.start) <= terms.window_days
    {
        Scope::Named
    } else {
        Scope::Outside
    }
}

/// Digits count as a number and stand before all other ids, so that the order is total.
pub(super) fn compare_ids(one: &str, other: &str) -> Ordering {
    let number = |id: &str| -> Option<usize> {
        let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| id.len() - id.trim_start_matches('0').len())
    };
    match (number(one), number(other)) {
        (Some(zeros), Some(other_zeros)) => {
            let (digits, other_digits) = (&one[zeros..], &other[other_zeros..]);
            digits
                .len()
                .cmp(&other_digits.len())
                .then_with(|| digits.cmp(other_digits))
                .then_with(|| one.cmp(other))
        }
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.cmp(other),
    }
}

/// By id, then by everything else: only equal items compare as equal.
pub(super) fn compare_items(one: &Item, other: &Item) -> Ordering {
    compare_ids(&one.item_id, &other.item_id)
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| one.day.cmp(&other.day))
        .then_with(|| one.amount.cmp(&other.amount))
        .then_with(|| code(one.currency).cmp(&code(other.currency)))
        .then_with(|| one.authorization_id.cmp(&other.authorization_id))
        .then_with(|| one.order_id.cmp(&other.order_id))
        .then_with(|| one.last4.cmp(&other.last4))
        .then_with(|| one.facts.cmp(&other.facts))
}

/// By ledger id, then by what they say, and by line at last: where a row stands in a file, and in
/// which one, says nothing of it.
pub fn compare_records(one: &Record, other: &Record) -> Ordering {
    compare_ids(&one.ledger_id, &other.ledger_id)
        .then_with(|| one.date.cmp(&other.date))
        .then_with(|| one.amount.cmp(&other.amount))
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| one.currency.code().cmp(other.currency.code()))
        .then_with(|| one.status.cmp(&other.status))
        .then_with(|| one.order_id.cmp(&other.order_id))
        .then_with(|| one.reference.cmp(&other.reference))
        .then_with(|| one.last4.cmp(&other.last4))
        .then_with(|| one.day_not_read.cmp(&other.day_not_read))
        .then_with(|| one.line.cmp(&other.line))
}

fn code(currency: Option<Currency>) -> Option<&'static str> {
    currency.map(Currency::code)
}

/// Whether two last fours let a pair be: only two that differ do not.
pub fn last4_agree(one: Option<Last4>, other: Option<Last4>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Whether an item and a record could be one and the same money movement: nothing that both say
/// rules it out. What is not known rules nothing out.
pub fn could_pair(item: &Item, record: &Record, terms: &Terms) -> bool {
    let has_same_order = match (&item.order_id, &record.order_id) {
        (Some(one), Some(other)) if one != other => return false,
        (one, other) => one.is_some() && other.is_some(),
    };
    item.kind.ledger_kind() == record.kind
        && item.amount.is_none_or(|amount| amount == record.amount)
        && item.currency.is_none_or(|currency| currency == record.currency)
        && last4_agree(item.last4, record.last4)
        && (has_same_order
            || terms.banking_days.distance(record.date, item.day) <= terms.window_days)
}

/// Kind, currency and amount in one number, with 46 bits below for what else a pass compares.
///
/// Sorting numbers is what keeps a million records well under a second.
pub(super) fn money_key(kind: LedgerKind, currency: Currency, amount: Minor) -> u128 {
    let letters = currency.code().bytes();
    let currency = letters.fold(0_u128, |sum, letter| sum * 26 + u128::from(letter - b'A'));
    let kind = u128::from(kind == LedgerKind::Refund);
    // Flipping the sign bit makes unsigned order the order of the amounts.
    let amount = u128::from(amount.0.cast_unsigned() ^ (1 << 63));
    (((kind << 15) | currency) << 64 | amount) << 46
}

/// The lowest 32 bits of a key.
pub(super) fn day_key(day: NaiveDate) -> u128 {
    use chrono::Datelike as _;
    u128::from(day.num_days_from_ce().cast_unsigned())
}

/// The day that [`day_key`] put there.
pub(super) fn day_of_key(key: u128) -> Option<NaiveDate> {
    let days = i32::try_from(key & u128::from(u32::MAX)).ok()?;
    NaiveDate::from_num_days_from_ce_opt(days)
}

/// The 14 bits above the day.
pub(super) fn last4_key(last4: Last4) -> u128 {
    u128::from(last4.number()) << 32
}
