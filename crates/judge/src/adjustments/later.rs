//! Bank transfers that came back and were deducted from a deposit later than their own date's.

use std::collections::{BTreeMap, BTreeSet};

use tieout_matching::search::{Budget, Entry, Kind, Sets, sets, settle};
use tieout_model::MerchantId;
use tieout_store::judging::{self, Group, LateReturn};
use tieout_store::{StatementError, Store};

/// The returned bank transfers of a merchant in a currency.
pub(super) struct Late {
    returns: Vec<LateReturn>,
    /// Positions of those that another deposit than their own date's has deducted.
    moved: BTreeSet<usize>,
}

impl Late {
    /// None where no adjustment is above the returns of its own date.
    pub(super) fn read(
        store: &Store,
        (merchant_id, currency): (&MerchantId, &str),
        groups: &[Group],
    ) -> Result<Self, StatementError> {
        let returns = if groups.iter().any(|group| group.left > 0) {
            judging::late_returns(store, merchant_id, currency)?
        } else {
            Vec::new()
        };
        Ok(Self { returns, moved: BTreeSet::new() })
    }

    /// One of them in words.
    pub(super) fn said(&self, number: usize) -> String {
        let LateReturn { id, date, .. } = &self.returns[number];
        format!("return {id} of {date}")
    }

    pub(super) fn len(&self) -> usize {
        self.returns.len()
    }

    fn source(&self, groups: &[Group], number: usize) -> Option<usize> {
        groups.iter().position(|group| group.batch_date == self.returns[number].group_date)
    }

    /// The returns that a group can have deducted: of groups whose deposits deduct less than came
    /// back, or that have none yet.
    fn free(&self, groups: &[Group], at: usize) -> Vec<usize> {
        let in_reach = |one: &LateReturn| {
            let days = one.date..=one.until;
            groups[at].deposits.iter().any(|deposit| days.contains(&deposit.sent))
        };
        let is_left = |source: usize| source != at && groups[source].left < 0;
        let is_free = |number: &usize| {
            let one = &self.returns[*number];
            !self.moved.contains(number)
                && in_reach(one)
                && self.source(groups, *number).map_or(one.is_unpaid, is_left)
        };
        (0..self.returns.len()).filter(is_free).collect()
    }

    fn entry(&self, number: usize, party: usize) -> Entry {
        let LateReturn { date, amount, .. } = self.returns[number];
        Entry::new(number, date, party, amount)
    }

    /// Those that a group can have deducted along with other things: their own groups can give all
    /// of them.
    pub(super) fn beside(&self, groups: &[Group], at: usize, party: usize) -> Vec<Entry> {
        let free = self.free(groups, at);
        let mut given: BTreeMap<usize, i64> = BTreeMap::new();
        for number in &free {
            if let Some(source) = self.source(groups, *number) {
                *given.entry(source).or_default() += self.returns[*number].amount;
            }
        }
        let fits = |number: &usize| {
            let source = self.source(groups, *number);
            source.is_none_or(|source| groups[source].left + given[&source] <= 0)
        };
        free.into_iter().filter(fits).map(|number| self.entry(number, party)).collect()
    }

    /// Moves returns to the deposits that deduct them, if exactly one choice adds up: to groups
    /// whose deposits deduct more than came back.
    pub(super) fn deduct(
        &mut self,
        store: &Store,
        groups: &mut [Group],
    ) -> Result<(), StatementError> {
        let behind = self.returns.len();
        let mut budget = Budget::default();
        let mut wishes: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
        for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.left > 0) {
            let free = self.free(groups, at).into_iter();
            let entries: Vec<Entry> = free.map(|number| self.entry(number, 0)).collect();
            let nodes = |set: &Vec<(usize, i64)>| set.iter().map(|part| part.0).collect();
            let found = Kind::IN_ORDER
                .iter()
                .map(|kind| sets(*kind, group.left, &entries, 1, &mut budget))
                .find(|found| *found != Sets::None);
            let all: Vec<BTreeSet<usize>> =
                found.iter().flat_map(tieout_matching::search::Sets::all).map(nodes).collect();
            if !all.is_empty() {
                wishes.insert(behind + at, all);
            }
        }
        for target in settle(&wishes, |_, _| false).taken {
            self.take(store, groups, target - behind, &wishes[&target][0])?;
        }
        Ok(())
    }

    /// Moves returns to the group that deducted them, unless another group gave away more than its
    /// own shortfall.
    pub(super) fn take(
        &mut self,
        store: &Store,
        groups: &mut [Group],
        target: usize,
        numbers: &BTreeSet<usize>,
    ) -> Result<(), StatementError> {
        let mut moved: BTreeMap<usize, i64> = BTreeMap::new();
        for number in numbers {
            if let Some(source) = self.source(groups, *number) {
                *moved.entry(source).or_default() += self.returns[*number].amount;
            }
        }
        if moved.iter().any(|(source, sum)| groups[*source].left + sum > 0) {
            return Ok(());
        }
        let Group { merchant_id, currency, batch_date, .. } = &groups[target];
        let mut sum = 0;
        for number in numbers {
            let LateReturn { group_date, amount, .. } = &self.returns[*number];
            judging::add_returned(store, merchant_id, group_date, currency, -amount)?;
            sum += amount;
        }
        judging::add_returned(store, merchant_id, batch_date, currency, sum)?;
        groups[target].left -= sum;
        for (source, sum) in moved {
            groups[source].left += sum;
        }
        self.moved.extend(numbers);
        Ok(())
    }
}
