//! The world to alter, and the search for places in it: merchant-days with their batches and
//! deposits.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::key::Expected;
use crate::random::Random;
use crate::world::records::{Batch, Deposit, Records};
use crate::world::{WorldOptions, Woven, returned_by_group};

/// The number of earlier plants of the same code: later ones vary where the code allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nth(pub usize);

/// A merchant-day: positions of its batches and deposits in the records.
#[derive(Clone, Debug)]
pub struct Group {
    pub merchant: usize,
    pub date: NaiveDate,
    pub batches: Vec<usize>,
    pub deposits: Vec<usize>,
}

impl Group {
    /// An empty group.
    pub fn new(merchant: usize, date: NaiveDate) -> Self {
        Self { merchant, date, batches: Vec::new(), deposits: Vec::new() }
    }

    /// Merchant and batch date.
    pub fn key(&self) -> (usize, NaiveDate) {
        (self.merchant, self.date)
    }
}

/// The world to alter, and the changes so far.
pub struct Planter<'w> {
    pub records: &'w mut Records,
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub random: Random,
    /// Merchant-days that a plant has changed and that others avoid.
    pub used_groups: BTreeSet<(usize, NaiveDate)>,
    /// Bank transfers that a plant has changed or depends on.
    pub used_transfers: BTreeSet<usize>,
    pub expected: Vec<Expected>,
}

impl<'w> Planter<'w> {
    pub fn new(options: &WorldOptions, records: &'w mut Records, woven: Woven) -> Self {
        Self {
            records,
            from: options.from,
            to: options.to,
            random: Random::new(options.seed, &[5]),
            used_groups: woven.groups,
            used_transfers: woven.transfers,
            expected: Vec::new(),
        }
    }

    /// An amount that a person would notice, in minor units.
    pub fn noticeable(&mut self) -> i64 {
        self.random.amount(101, 9_900)
    }

    pub fn is_in_range(&self, date: NaiveDate) -> bool {
        (self.from..=self.to).contains(&date)
    }

    /// An entry of the key about this merchant, with only its currency set.
    pub fn entry(&self, code: &'static str, merchant: usize, first_seen: NaiveDate) -> Expected {
        Expected::about(code, &self.records.merchants[merchant], first_seen)
    }

    /// Keeps other plants away from a merchant-day.
    pub fn use_group(&mut self, merchant: usize, date: NaiveDate) {
        self.used_groups.insert((merchant, date));
    }

    /// The groups of configured merchants that no plant has used, with their batches and deposits
    /// by position.
    pub fn free_groups(&self) -> Vec<Group> {
        let mut found: BTreeMap<(NaiveDate, usize), Group> = BTreeMap::new();
        for (at, batch) in self.records.batches.iter().enumerate() {
            let is_free = !self.used_groups.contains(&(batch.merchant, batch.date))
                && self.records.merchants[batch.merchant].is_configured;
            if is_free {
                found
                    .entry((batch.date, batch.merchant))
                    .or_insert_with(|| Group::new(batch.merchant, batch.date))
                    .batches
                    .push(at);
            }
        }
        for (at, deposit) in self.records.deposits.iter().enumerate() {
            if let Some(group) = found.get_mut(&(deposit.association_date, deposit.merchant)) {
                group.deposits.push(at);
            }
        }
        found.into_values().collect()
    }

    /// Free groups whose batch date and due date lie in the range, with the position of the deposit
    /// that completes their payment.
    pub fn paid_groups(&self) -> Vec<(Group, usize)> {
        self.free_groups()
            .into_iter()
            .filter_map(|group| group.deposits.last().copied().map(|last| (group, last)))
            .filter(|(group, last)| {
                self.records.deposits[*last].transactions > 0
                    && group.date >= self.from
                    && self.records.due(group.merchant, group.date, 2) <= self.to
            })
            .collect()
    }

    /// As `paid_groups`, for checks of one deposit, which is judged on its payment date whatever it
    /// pays for. Without any, the deposits paid in the range for an earlier batch date.
    pub fn deposits_paid(&self) -> Vec<(Group, usize)> {
        let paid = self.paid_groups();
        if !paid.is_empty() {
            return paid;
        }
        let mut found = Vec::new();
        for group in self.free_groups() {
            if let [at] = group.deposits[..] {
                let deposit = &self.records.deposits[at];
                if deposit.transactions > 0 && self.is_in_range(deposit.payment_date) {
                    found.push((group, at));
                }
            }
        }
        found
    }

    /// Picks one group and keeps other plants away from it.
    pub fn take(&mut self, candidates: &[(Group, usize)]) -> Option<(Group, usize)> {
        let (group, deposit) = self.random.pick(candidates)?;
        self.use_group(group.merchant, group.date);
        Some((group, deposit))
    }

    /// Amounts of the returned bank transfers, by the merchant-day that they count to.
    pub fn returned(&self) -> BTreeMap<(usize, NaiveDate), i64> {
        returned_by_group(self.records)
    }

    /// The merchant-days on which bank transfers were settled.
    pub fn days_with_transfers(&self) -> BTreeSet<(usize, NaiveDate)> {
        let transfers = self.records.transfers.iter().filter(|transfer| transfer.is_item());
        transfers
            .filter_map(|transfer| transfer.settled.map(|date| (transfer.merchant, date)))
            .collect()
    }

    /// The sum of a figure over the group's batch headers.
    pub fn header(&self, group: &Group, figure: fn(&Batch) -> i64) -> i64 {
        group.batches.iter().map(|at| figure(&self.records.batches[*at])).sum()
    }

    /// The ids of the group's batches, as the reports write them.
    pub fn batch_ids(&self, group: &Group) -> String {
        let ids = group.batches.iter().map(|at| self.records.batches[*at].id.to_string());
        ids.collect::<Vec<_>>().join(";")
    }

    /// The ids of the group's deposits, as the reports write them.
    pub fn deposit_ids(&self, group: &Group) -> String {
        let ids = group.deposits.iter().map(|at| self.records.deposits[*at].id.to_string());
        ids.collect::<Vec<_>>().join(";")
    }

    /// Takes sales, returns and transactions out of the single deposit of a group, which is then
    /// short by them once the group is due.
    pub fn pay_less(&mut self, (group, at): &(Group, usize), [sales, returns, count]: [i64; 3]) {
        let deposit = self.deposit(*at);
        deposit.sales -= sales;
        deposit.returns -= returns;
        deposit.transactions -= count;
        deposit.net_amount -= sales - returns;
        let deposit = deposit.clone();
        let due = self.records.due(group.merchant, group.date, 2);
        for (code, missing, paid) in [
            ("DEPOSIT_SALES_MISMATCH", sales, deposit.sales),
            ("DEPOSIT_RETURNS_MISMATCH", returns, deposit.returns),
            ("DEPOSIT_COUNT_MISMATCH", count, deposit.transactions),
        ] {
            if missing == 0 {
                continue;
            }
            let entry = self.entry(code, group.merchant, due);
            self.expected.push(Expected {
                currency: entry.currency.clone().filter(|_| code != "DEPOSIT_COUNT_MISMATCH"),
                batch_id: self.batch_ids(group),
                ach_deposit_id: deposit.id.to_string(),
                ..entry.with_figures(paid + missing, paid)
            });
        }
    }

    /// The deposit at that position.
    pub fn deposit(&mut self, at: usize) -> &mut Deposit {
        &mut self.records.deposits[at]
    }
}
