//! Books of which nothing fits the processor: one finding for each currency in place of one for each
//! item and record, with the sums of those.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::super::outcome::{ItemState, RecordState};
use super::super::wording::money;
use super::{Finder, LedgerCode, LedgerFinding, bare, minor, sum};
use tieout_model::LedgerStatus;
use tieout_model::money::{Currency, Minor};

/// Dates with items, and with paid records, from which on books without one pair do not fit.
const FITTING_DATES: usize = 3;

/// What is missing in one currency.
#[derive(Default)]
struct Missing {
    first: Option<NaiveDate>,
    items: Vec<Option<Minor>>,
    records: Vec<Option<Minor>>,
}

impl Missing {
    fn note(&mut self, day: NaiveDate) {
        self.first = Some(self.first.map_or(day, |first| first.min(day)));
    }
}

impl Finder<'_> {
    /// One finding in place of one for each, when items and paid records of several dates are
    /// there and nothing has paired any two of them.
    pub(super) fn not_fitting(&self) -> Vec<LedgerFinding> {
        let had_pairs = self.input.standing.is_some_and(|standing| standing.has_pairs);
        if had_pairs || !self.outcome.pairs.is_empty() {
            return Vec::new();
        }
        let (item_days, record_days) = (self.unpaired_items(), self.unpaired_records());
        let dates = |days: &[NaiveDate]| days.iter().collect::<BTreeSet<_>>().len();
        let has_dates = |days: &[NaiveDate]| dates(days) >= FITTING_DATES;
        let (true, true) = (has_dates(&item_days), has_dates(&record_days)) else {
            return Vec::new();
        };
        let Some(first) = item_days.iter().chain(&record_days).min() else { return Vec::new() };
        let explanation = format!(
            "None of {} items and {} paid ledger records since {first} fit each other: the \
             file, its merchant column, the currency or the time zone is not the merchant's.",
            item_days.len(),
            record_days.len(),
        );
        let finding = LedgerFinding {
            day: Some(*first),
            explanation,
            ..bare(LedgerCode::LedgerNotFitting, Vec::new())
        };
        self.in_currencies(&finding)
    }

    /// The finding in each currency of what it stands for. The first of them is known by the
    /// merchant alone, whichever join it later.
    fn in_currencies(&self, finding: &LedgerFinding) -> Vec<LedgerFinding> {
        let missing = self.missing_by_currency();
        if missing.is_empty() {
            return vec![finding.clone()];
        }
        let mut currencies: Vec<(Option<NaiveDate>, &str)> =
            missing.iter().map(|(code, one)| (one.first, *code)).collect();
        currencies.sort_unstable();
        let in_one = |(at, (_, code)): (usize, &(Option<NaiveDate>, &str))| {
            let (one, currency) = (&missing[code], Currency::from_code(code));
            let records = sum(one.records.iter().copied()).and_then(minor);
            let items = sum(one.items.iter().copied()).and_then(minor);
            LedgerFinding {
                currency,
                expected: records,
                actual: items,
                difference: items
                    .zip(records)
                    .and_then(|(items, records)| items.checked_sub(records)),
                explanation: format!(
                    "{} Due of them: {} of {} and {} of {}.",
                    finding.explanation,
                    counted(one.items.len(), "item"),
                    money(items, currency),
                    counted(one.records.len(), "ledger record"),
                    money(records, currency),
                ),
                subject: if at == 0 { Vec::new() } else { vec![(*code).to_owned()] },
                ..finding.clone()
            }
        };
        currencies.iter().enumerate().map(in_one).collect()
    }

    /// What would be missing by itself, by the code of its currency. An item whose currency is not
    /// known has no amount.
    fn missing_by_currency(&self) -> BTreeMap<&'static str, Missing> {
        let mut missing: BTreeMap<&'static str, Missing> = BTreeMap::new();
        for (at, ..) in self.missing_items() {
            let item = self.item(at);
            if let Some(currency) = item.currency {
                let one = missing.entry(currency.code()).or_default();
                one.note(item.day);
                one.items.push(item.amount);
            }
        }
        for (at, ..) in self.missing_records() {
            let record = self.record(at);
            let one = missing.entry(record.currency.code()).or_default();
            one.note(record.date);
            one.records.push(Some(record.amount));
        }
        missing
    }

    /// The days of items that nothing fits.
    fn unpaired_items(&self) -> Vec<NaiveDate> {
        let items = self.input.items.iter().zip(&self.outcome.items);
        let items = items.filter(|(_, state)| {
            matches!(state, ItemState::Unmatched(_) | ItemState::Ambiguous { .. })
        });
        items.map(|(item, _)| item.day).collect()
    }

    /// The dates of paid records that are judged.
    fn unpaired_records(&self) -> Vec<NaiveDate> {
        let records = self.input.records.iter().zip(&self.outcome.records);
        let records = records.filter(|(record, state)| {
            record.status == LedgerStatus::Paid
                && !matches!(
                    state,
                    RecordState::OutOfScope | RecordState::Later | RecordState::Excluded
                )
        });
        records.map(|(record, _)| record.date).collect()
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
