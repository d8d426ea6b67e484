//! Counts entries within the window of each other, by kind, currency and amount.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use super::super::input::{Item, Record, Terms};
use super::super::keys::money_key;

/// The number of entries on each day, by kind, currency and amount.
#[derive(Default)]
pub(super) struct Crowd {
    days: HashMap<u128, BTreeMap<NaiveDate, u32>>,
}

impl Crowd {
    pub(super) fn add(&mut self, money: Option<u128>, days: &[NaiveDate]) {
        let Some(money) = money else { return };
        let counts = self.days.entry(money).or_default();
        for &day in days {
            *counts.entry(day).or_default() += 1;
        }
    }

    /// Whether an entry lies before `date`, or at most `distance` banking days after it.
    pub(super) fn is_any_near(&self, date: NaiveDate, distance: u32, terms: &Terms) -> bool {
        let mut days = self.days.values().flat_map(BTreeMap::keys);
        days.any(|day| *day <= date || terms.banking_days.distance(*day, date) <= distance)
    }

    /// Whether more than `own` entries lie within the window of one of `days`.
    pub(super) fn is_near(
        &self,
        money: Option<u128>,
        days: &[NaiveDate],
        own: u32,
        terms: &Terms,
    ) -> bool {
        let Some(counts) = money.and_then(|money| self.days.get(&money)) else { return false };
        let is_near = |there: &NaiveDate| {
            days.iter().any(|day| terms.banking_days.distance(*day, *there) <= terms.window_days)
        };
        let near = counts.iter().filter(|(day, _)| is_near(day)).map(|one| one.1);
        near.sum::<u32>() > own
    }
}

/// The days of an item, each once.
pub(super) fn days_of(item: &Item) -> Vec<NaiveDate> {
    let [first, second] = item.days();
    if first == second { vec![first] } else { vec![first, second] }
}

pub(super) fn money_of_item(item: &Item) -> Option<u128> {
    Some(money_key(item.kind.ledger_kind(), item.currency?, item.amount?))
}

pub fn money_of_record(record: &Record) -> u128 {
    money_key(record.kind, record.currency, record.amount)
}

/// Kind, currency and amount of an item in one number, and its days.
pub fn money_and_days(item: &Item) -> Option<(u128, [NaiveDate; 2])> {
    Some((money_of_item(item)?, item.days()))
}
