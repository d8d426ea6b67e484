//! What plants look for: merchant-days with their batches and deposits.

use chrono::NaiveDate;

use super::Planter;
use crate::sandbox::world::records::{Batch, Deposit};
use crate::sandbox::world::returned_by_group;

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
}

impl Planter<'_> {
    /// Free groups paid by one deposit that pays for something, with the batch date and the due
    /// date in the range. The position of the deposit comes with each.
    pub(super) fn paid_groups(&self) -> Vec<(Group, usize)> {
        self.free_groups()
            .into_iter()
            .filter_map(|group| match group.deposits[..] {
                [deposit] => Some((group, deposit)),
                _ => None,
            })
            .filter(|(group, deposit)| {
                self.records.deposits[*deposit].transactions > 0
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

    /// Amount of the merchant's returned bank transfers that count to the group.
    pub(super) fn returned(&self, group: &Group) -> i64 {
        let returned = returned_by_group(self.records);
        returned.get(&(group.merchant, group.date)).copied().unwrap_or(0)
    }

    /// Whether bank transfers were settled on the merchant-day.
    pub(super) fn has_transfers(&self, group: &Group) -> bool {
        self.records.transfers.iter().any(|transfer| {
            transfer.merchant == group.merchant
                && transfer.settled == Some(group.date)
                && transfer.is_item()
        })
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

    /// The deposit at that position.
    pub(super) fn deposit(&mut self, at: usize) -> &mut Deposit {
        &mut self.records.deposits[at]
    }
}
