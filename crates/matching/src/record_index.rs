//! An index of ledger records by the fields that an item must share with them when no id makes the
//! pair. A merchant with one product at one price has a hundred thousand records that differ in
//! nothing else.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use super::input::{Item, Last4, Record, Terms};
use super::order_by_id::{could_pair, last4_agree};
use tieout_model::LedgerKind;
use tieout_model::money::{Currency, Minor};

type Money = (LedgerKind, Currency, Minor);

/// Records, each with a value of the caller.
pub(crate) struct RecordIndex<'a, T> {
    by_money: HashMap<Money, BTreeMap<Option<Last4>, ByDay<'a, T>>>,
    by_order: HashMap<&'a str, Vec<(&'a Record, T)>>,
}

type ByDay<'a, T> = BTreeMap<NaiveDate, Vec<(&'a Record, T)>>;

impl<'a, T: Copy> RecordIndex<'a, T> {
    pub fn none() -> Self {
        Self { by_money: HashMap::new(), by_order: HashMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.by_money.is_empty()
    }

    pub fn add(&mut self, record: &'a Record, beside: T) {
        let by_last4 =
            self.by_money.entry((record.kind, record.currency, record.amount)).or_default();
        let by_day = by_last4.entry(record.last4).or_default();
        by_day.entry(record.date).or_default().push((record, beside));
        if let Some(order) = record.order_id.as_deref() {
            self.by_order.entry(order).or_default().push((record, beside));
        }
    }

    /// All of them, in no order.
    pub fn all(&self) -> impl Iterator<Item = &'a Record> {
        let by_day = self.by_money.values().flat_map(BTreeMap::values);
        by_day.flat_map(BTreeMap::values).flatten().map(|(record, _)| *record)
    }

    /// The records that `item` could be paired with; none if its amount or currency is unknown.
    pub fn of(&self, item: &Item, terms: &Terms) -> impl Iterator<Item = (&'a Record, T)> {
        let money = item.currency.zip(item.amount);
        let money = money.map(|(currency, amount)| (item.kind.ledger_kind(), currency, amount));
        let by_last4 = money.and_then(|money| self.by_money.get(&money)).into_iter().flatten();
        let could_be_its = by_last4.filter(|(last4, _)| last4_agree(item.last4, **last4));
        let by_day = could_be_its.flat_map(|(_, by_day)| by_day);
        let near = by_day
            .filter(|(day, _)| terms.banking_days.distance(**day, item.day) <= terms.window_days);
        let same_order = item.order_id.as_deref().and_then(|order| self.by_order.get(order));
        let all = near.map(|(_, records)| records).chain(same_order).flatten();
        all.copied().filter(move |(record, _)| money.is_some() && could_pair(item, record, terms))
    }
}
