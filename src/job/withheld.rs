//! What matching found missing and nobody can be told of, since a part of what it could be paired
//! with is not known. Judges findings; never drops one.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use crate::matching::{
    Item, ItemState, LedgerCode, LedgerFinding, MerchantInput, Outcome, Record, RecordState, Terms,
    could_pair,
};
use crate::model::LedgerKind;
use crate::money::{Currency, Minor};

type ByDay<'a, T> = BTreeMap<(LedgerKind, NaiveDate), Vec<&'a T>>;

/// One merchant's items and records that are not known well enough to be told of, so that each
/// finding looks at these few and not at all.
pub(super) struct Withheld<'a> {
    input: MerchantInput<'a>,
    /// Records out of scope, because not every day was read on which their items could lie.
    not_read: HashMap<(LedgerKind, Currency, Minor), Vec<&'a Record>>,
    /// Items without a partner whose amount or currency is not known.
    unweighed: ByDay<'a, Item>,
    unweighed_orders: HashMap<&'a str, &'a Item>,
    /// Records without a partner; none when no item is unweighed.
    free: ByDay<'a, Record>,
    free_orders: HashMap<&'a str, &'a Record>,
}

impl<'a> Withheld<'a> {
    pub(super) fn of(input: MerchantInput<'a>, outcome: &Outcome) -> Self {
        let mut withheld = Self {
            input,
            not_read: HashMap::new(),
            unweighed: ByDay::new(),
            unweighed_orders: HashMap::new(),
            free: ByDay::new(),
            free_orders: HashMap::new(),
        };
        for (item, state) in input.items.iter().zip(&outcome.items) {
            if is_unweighed(item) && matches!(state, ItemState::Unmatched(_)) {
                let key = (item.kind.ledger_kind(), item.day);
                withheld.unweighed.entry(key).or_default().push(item);
                if let Some(order) = &item.order_id {
                    withheld.unweighed_orders.insert(order, item);
                }
            }
        }
        let is_any_unweighed = !withheld.unweighed.is_empty();
        for (record, state) in input.records.iter().zip(&outcome.records) {
            if record.day_not_read && !matches!(state, RecordState::Matched { .. }) {
                let key = (record.kind, record.currency, record.amount);
                withheld.not_read.entry(key).or_default().push(record);
            }
            if is_any_unweighed && matches!(state, RecordState::Unmatched(_)) {
                withheld.free.entry((record.kind, record.date)).or_default().push(record);
                if let Some(order) = &record.order_id {
                    withheld.free_orders.insert(order, record);
                }
            }
        }
        withheld
    }

    /// Why the finding is not evaluated; `None` when it can be told.
    pub(super) fn why(&self, finding: &LedgerFinding) -> Option<String> {
        match (finding.code, finding.items.as_slice(), finding.records.as_slice()) {
            (LedgerCode::MissingInLedger, &[item], _) => {
                let item = &self.input.items[item as usize];
                self.around_days_not_read(item).or_else(|| self.without_weight(item))
            }
            (LedgerCode::MissingAtProcessor, _, &[record]) => {
                self.beside_unweighed(&self.input.records[record as usize])
            }
            _ => None,
        }
    }

    /// Why an item cannot be said to have no ledger record: one that could be its own is out of
    /// scope.
    fn around_days_not_read(&self, item: &Item) -> Option<String> {
        let key = (item.kind.ledger_kind(), item.currency?, item.amount?);
        let alike = self.not_read.get(&key)?;
        let record = alike.iter().find(|record| could_pair(item, record, self.input.terms))?;
        let (id, date) = (&record.ledger_id, record.date);
        Some(format!(
            "ledger record {id} of {date} could be its own, but the days around it were not read \
             completely"
        ))
    }

    /// Why an item of which the amount or the currency is not known cannot be said to have no
    /// ledger record: one that nothing else was paired with could be its own.
    fn without_weight(&self, item: &Item) -> Option<String> {
        if !is_unweighed(item) {
            return None;
        }
        let terms = self.input.terms;
        let fits = |record: &Record| could_pair(item, record, terms);
        let order = item.order_id.as_deref();
        let same_order = order.and_then(|order| self.free_orders.get(order).copied());
        let record = same_order
            .filter(|record| fits(record))
            .or_else(|| near(&self.free, item.kind.ledger_kind(), item.day, terms, fits))?;
        let (id, date) = (&record.ledger_id, record.date);
        Some(format!("{}, and ledger record {id} of {date} could be its own", in_words(item)))
    }

    /// Why a ledger record cannot be said to have nothing at the processor: an item of which the
    /// amount or the currency is not known could be its own.
    fn beside_unweighed(&self, record: &Record) -> Option<String> {
        let terms = self.input.terms;
        let fits = |item: &Item| could_pair(item, record, terms);
        let order = record.order_id.as_deref();
        let same_order = order.and_then(|order| self.unweighed_orders.get(order).copied());
        let item = same_order
            .filter(|item| fits(item))
            .or_else(|| near(&self.unweighed, record.kind, record.date, terms, fits))?;
        let (id, date) = (&record.ledger_id, record.date);
        Some(format!("{}, and could be ledger record {id} of {date}", in_words(item)))
    }
}

/// The first of that kind that `fits`, within the window around `date`.
fn near<'a, T>(
    by_day: &ByDay<'a, T>,
    kind: LedgerKind,
    date: NaiveDate,
    terms: &Terms,
    fits: impl Fn(&T) -> bool,
) -> Option<&'a T> {
    by_day
        .iter()
        .filter(|((of_kind, day), _)| {
            *of_kind == kind && terms.banking_days.distance(date, *day) <= terms.window_days
        })
        .find_map(|(_, ones)| ones.iter().find(|one| fits(one)).copied())
}

fn is_unweighed(item: &Item) -> bool {
    item.amount.is_none() || item.currency.is_none()
}

fn in_words(item: &Item) -> String {
    let (kind, id, day) = (item.kind.as_str(), &item.item_id, item.day);
    format!("{kind} {id} of {day} has no amount or no currency")
}
