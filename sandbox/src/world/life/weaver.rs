//! The world to work in, and the search for free places in it: merchant-days with their batches,
//! deposits and captures.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::random::Random;
use crate::world::Kind;
use crate::world::records::{CardKind, Records, Role, Standing, Transfer};

/// The places that plants must avoid.
#[derive(Clone, Debug, Default)]
pub struct Woven {
    /// Merchant-days.
    pub groups: BTreeSet<(usize, NaiveDate)>,
    /// Positions of bank transfers.
    pub transfers: BTreeSet<usize>,
    /// The occurrences of each kind worked into the records; kinds of books and statements are
    /// counted with the books and statements.
    pub counts: BTreeMap<Kind, usize>,
}

/// A merchant-day: positions of its batches and deposits.
#[derive(Clone, Debug)]
pub struct Day {
    pub merchant: usize,
    pub date: NaiveDate,
    pub batches: Vec<usize>,
    pub deposits: Vec<usize>,
}

/// Every merchant-day.
pub type Days = BTreeMap<(usize, NaiveDate), Day>;

pub struct Weaver<'w> {
    pub records: &'w mut Records,
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub random: Random,
    pub woven: &'w mut Woven,
}

impl Weaver<'_> {
    pub fn claim(&mut self, merchant: usize, date: NaiveDate) {
        self.woven.groups.insert((merchant, date));
    }

    pub fn is_free(&self, merchant: usize, date: NaiveDate) -> bool {
        !self.woven.groups.contains(&(merchant, date))
    }

    /// Every merchant-day with a batch of a configured merchant.
    pub fn days(&self) -> Days {
        let mut days = Days::new();
        for (at, batch) in self.records.batches.iter().enumerate() {
            if self.records.merchants[batch.merchant].is_configured {
                let (merchant, date) = (batch.merchant, batch.date);
                let empty = Day { merchant, date, batches: Vec::new(), deposits: Vec::new() };
                days.entry((merchant, date)).or_insert(empty).batches.push(at);
            }
        }
        for (at, deposit) in self.records.deposits.iter().enumerate() {
            if let Some(day) = days.get_mut(&(deposit.merchant, deposit.association_date)) {
                day.deposits.push(at);
            }
        }
        days
    }

    /// The paid merchant-days of the range with no kind worked in.
    pub fn free_days(&self) -> Vec<Day> {
        let days = self.days().into_values();
        days.filter(|day| {
            (self.from..=self.to).contains(&day.date)
                && self.is_free(day.merchant, day.date)
                && !day.deposits.is_empty()
                && day.batches.iter().any(|at| self.records.batches[*at].count > 0)
        })
        .collect()
    }

    /// The free days that are due in the range; all free days when none is.
    pub fn due_days(&self) -> Vec<Day> {
        let free = self.free_days();
        let is_due = |day: &&Day| self.records.due(day.merchant, day.date, 2) <= self.to;
        let due: Vec<Day> = free.iter().filter(is_due).cloned().collect();
        if due.is_empty() { free } else { due }
    }

    /// Positions of a day's plain captures that are large enough to be divided.
    pub fn captures(&self, day: &Day) -> Vec<usize> {
        let ids: Vec<i64> = day.batches.iter().map(|at| self.records.batches[*at].id).collect();
        let (Some(low), Some(high)) = (ids.first(), ids.last()) else { return Vec::new() };
        let items = &self.records.authorizations;
        let start = items.partition_point(|item| item.batch_id < *low);
        let end = items.partition_point(|item| item.batch_id <= *high);
        let is_plain = |at: &usize| {
            let item = &items[*at];
            item.kind == CardKind::Capture
                && item.role == Role::Ordinary
                && item.standing == Standing::Ordinary
                && item.part_of == 0
                && item.deposit_id != 0
                && item.amount > 200
        };
        (start..end).filter(is_plain).collect()
    }

    /// Positions of payments that settled on a free day, without any later event.
    pub fn plain_payments(&self) -> Vec<usize> {
        let is_plain = |(at, payment): (usize, &Transfer)| {
            let settled = payment.settled?;
            let is_plain = payment.is_plain_payment()
                && payment.run_date >= self.from
                && self.records.merchants[payment.merchant].is_configured
                && self.is_free(payment.merchant, settled)
                && !self.woven.transfers.contains(&at);
            is_plain.then_some(at)
        };
        self.records.transfers.iter().enumerate().filter_map(is_plain).collect()
    }
}
