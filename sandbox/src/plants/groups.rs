//! What plants look for: merchant-days with their batches and deposits.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::{Expected, Planter};
use crate::world::records::{Batch, Deposit};
use crate::world::returned_by_group;

/// A merchant-day: positions of its batches and deposits in the records.
#[derive(Clone, Debug)]
pub struct Group {
    pub merchant: usize,
    pub date: NaiveDate,
    pub batches: Vec<usize>,
    pub deposits: Vec<usize>,
}

impl Group {
    /// A group that nothing is known of yet.
    pub fn new(merchant: usize, date: NaiveDate) -> Self {
        Self { merchant, date, batches: Vec::new(), deposits: Vec::new() }
    }

    /// Merchant and batch date.
    pub fn key(&self) -> (usize, NaiveDate) {
        (self.merchant, self.date)
    }
}

impl Planter<'_> {
    /// Free groups whose batch date and due date lie in the range, with the position of the
    /// deposit that completes their payment.
    pub(super) fn paid_groups(&self) -> Vec<(Group, usize)> {
        self.free_groups()
            .into_iter()
            .filter_map(|group| group.deposits.last().copied().map(|last| (group, last)))
            .filter(|(group, last)| {
                self.records.deposits[*last].transactions > 0
                    && group.date >= self.from
                    && self.due(group.merchant, group.date, 2) <= self.to
            })
            .collect()
    }

    /// The same for checks of one deposit, which is judged on its payment date whatever it pays
    /// for: without one in `paid_groups`, those paid in the range for an earlier batch date.
    pub(super) fn deposits_paid(&self) -> Vec<(Group, usize)> {
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

    /// Picks one, and keeps the others away from it.
    pub(super) fn take(&mut self, candidates: &[(Group, usize)]) -> Option<(Group, usize)> {
        let (group, deposit) = self.pick(candidates)?;
        self.use_group(group.merchant, group.date);
        Some((group, deposit))
    }

    /// Amounts of the returned bank transfers, by the merchant-day that they count to.
    pub(super) fn returned(&self) -> BTreeMap<(usize, NaiveDate), i64> {
        returned_by_group(self.records)
    }

    /// The merchant-days on which bank transfers were settled.
    pub(super) fn days_with_transfers(&self) -> BTreeSet<(usize, NaiveDate)> {
        let transfers = self.records.transfers.iter().filter(|transfer| transfer.is_item());
        transfers
            .filter_map(|transfer| transfer.settled.map(|date| (transfer.merchant, date)))
            .collect()
    }

    /// A figure of the group's batch headers, added up.
    pub(super) fn header(&self, group: &Group, figure: fn(&Batch) -> i64) -> i64 {
        group.batches.iter().map(|at| figure(&self.records.batches[*at])).sum()
    }

    /// The ids of the group's batches, as the reports write them.
    pub(super) fn batch_ids(&self, group: &Group) -> String {
        let ids = group.batches.iter().map(|at| self.records.batches[*at].id.to_string());
        ids.collect::<Vec<_>>().join(";")
    }

    /// The ids of the group's deposits, as the reports write them.
    pub(super) fn deposit_ids(&self, group: &Group) -> String {
        let ids = group.deposits.iter().map(|at| self.records.deposits[*at].id.to_string());
        ids.collect::<Vec<_>>().join(";")
    }

    /// Takes sales, returns and transactions out of the one deposit of a group, which falls short by
    /// them once the group is due.
    pub(super) fn pay_less(
        &mut self,
        (group, at): &(Group, usize),
        [sales, returns, count]: [i64; 3],
    ) {
        let deposit = self.deposit(*at);
        deposit.sales -= sales;
        deposit.returns -= returns;
        deposit.transactions -= count;
        deposit.net_amount -= sales - returns;
        let deposit = deposit.clone();
        let due = self.due(group.merchant, group.date, 2);
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
    pub(super) fn deposit(&mut self, at: usize) -> &mut Deposit {
        &mut self.records.deposits[at]
    }
}
