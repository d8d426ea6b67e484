//! Counts how well the recent books fit the processor's items.

use std::cmp::Ordering;

use chrono::{Days, NaiveDate};

use super::fit::{Fit, FitDay};
use super::input::{MerchantInput, Terms};
use super::states::{ItemState, Outcome, Pair, Pass, RecordState};
use tieout_model::LedgerStatus;

/// Calendar days in the measured period, including the business date: books that fitted a year ago
/// may be the wrong ones since.
const DAYS: u64 = 30;

impl Fit {
    /// Counts all loaded entries and adds the settled ones.
    pub(super) fn of(input: &MerchantInput<'_>, outcome: &Outcome) -> Self {
        let mut fit = input.standing.map_or_else(Self::default, |standing| standing.fit.clone());
        fit.add(input, outcome, |_| true);
        fit
    }

    /// Adds the entries of the pairs for which `counts` holds, and of no pair if it holds for
    /// `None`; drops older days.
    pub(super) fn add(
        &mut self,
        input: &MerchantInput<'_>,
        outcome: &Outcome,
        counts: impl Fn(Option<u32>) -> bool,
    ) {
        let first = first_day(input.terms);
        self.0.retain(|day, _| *day >= first);
        for (item, state) in input.items.iter().zip(&outcome.items) {
            let is_there = match state {
                ItemState::Matched { stands_in, .. } => !stands_in,
                ItemState::Unmatched(_) | ItemState::Ambiguous { .. } => true,
                ItemState::Excluded | ItemState::OutOfScope | ItemState::Later => false,
            };
            if is_there && item.day >= first && counts(state.pair()) {
                self.0.entry(item.day).or_default().items += 1;
            }
        }
        for (record, state) in input.records.iter().zip(&outcome.records) {
            let is_there = record.status == LedgerStatus::Paid
                && !matches!(
                    state,
                    RecordState::OutOfScope | RecordState::Later | RecordState::Excluded
                );
            if is_there && record.date >= first && counts(state.pair()) {
                self.0.entry(record.date).or_default().records += 1;
            }
        }
        for pair in (0..).zip(&outcome.pairs).filter(|one| counts(Some(one.0))).map(|one| one.1) {
            let days = outcome.items_of(pair).iter().map(|&one| input.items[one as usize].day);
            if let Some(day) = days.max().filter(|day| *day >= first) {
                self.0.entry(day).or_default().add(pair, input, outcome);
            }
        }
    }
}

impl FitDay {
    fn add(&mut self, pair: &Pair, input: &MerchantInput<'_>, outcome: &Outcome) {
        self.pairs += 1;
        if pair.pass != Pass::Reference {
            return;
        }
        self.by_reference += 1;
        let records = outcome.records_of(pair).iter().map(|&one| &input.records[one as usize]);
        let items = outcome.summed_items_of(pair).map(|one| &input.items[one as usize]);
        let Some(currency) = records.clone().next().map(|one| one.currency) else { return };
        let is_comparable = records.clone().all(|one| one.currency == currency);
        let expected: i128 = records.map(|one| i128::from(one.amount.0)).sum();
        let actual: Option<i128> = items
            .map(|one| one.amount.filter(|_| one.currency == Some(currency)))
            .map(|amount| amount.map(|amount| i128::from(amount.0)))
            .sum();
        match actual.filter(|_| is_comparable).map(|actual| actual.cmp(&expected)) {
            Some(Ordering::Greater) => self.above += 1,
            Some(Ordering::Less) => self.below += 1,
            Some(Ordering::Equal) | None => {}
        }
    }
}

fn first_day(terms: &Terms) -> NaiveDate {
    let first = terms.business_date.checked_sub_days(Days::new(DAYS - 1));
    first.map_or(terms.start, |first| first.max(terms.start))
}
