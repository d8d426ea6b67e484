//! What stands on one side alone: missing in the ledger or at the processor, or books that fit
//! nothing at all.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::super::input::ItemKind;
use super::super::odd_reference::KnownIds;
use super::super::outcome::{Candidate, ItemState, RecordState};
use super::super::wording::{capitalize, name_item, name_record, reason};
use super::left_out::Hidden;
use super::{Finder, LedgerCode, LedgerFinding, bare};
use tieout_model::LedgerStatus;
use tieout_model::money::Minor;

/// Dates with items, and with paid records, from which on books without one pair do not fit.
const FITTING_DATES: usize = 3;

impl<'a> Finder<'a> {
    /// Every item without a record and every paid record without an item that is due.
    pub(super) fn missing(&self) -> Vec<LedgerFinding> {
        let hidden = Hidden::of(self.input, self.outcome);
        let mut payments: Option<HashSet<&str>> = None;
        let mut found = Vec::new();
        for (position, state) in (0..).zip(&self.outcome.items) {
            let ItemState::Unmatched(candidate) = *state else { continue };
            let item = self.item(position);
            let Some(due) = self.item_due(item) else { continue };
            if let Some(original) = item.representment_of() {
                // It stands for its original, and one from before the start date is never
                // reported as missing.
                let judged = payments.get_or_insert_with(|| self.judged_payments());
                if !judged.contains(original) {
                    continue;
                }
            }
            found.push(self.missing_item(position, due, candidate, &hidden));
        }
        for (position, state) in (0..).zip(&self.outcome.records) {
            let RecordState::Unmatched(candidate) = *state else { continue };
            if let Some(due) = self.record_due(self.record(position)) {
                found.push(self.missing_record(position, due, candidate));
            }
        }
        found
    }

    fn judged_payments(&self) -> HashSet<&'a str> {
        let terms = self.input.terms;
        let items = self.input.items.iter();
        items
            .filter(|item| item.kind == ItemKind::Payment)
            .filter(|item| (terms.start..=terms.business_date).contains(&item.day))
            .map(|item| item.item_id.as_str())
            .collect()
    }

    fn missing_item(
        &self,
        at: u32,
        due: NaiveDate,
        near: Option<Candidate>,
        hidden: &Hidden,
    ) -> LedgerFinding {
        let item = self.item(at);
        let mut explanation = format!(
            "{} has no ledger record, which was due on {due}.",
            capitalize(&name_item(item)),
        );
        if let Some(near) = near {
            let record = self.record(near.position);
            let (named, why) = (name_record(record), reason(near.refusal));
            let _ = write!(explanation, " Nearest is {named}: {why}.");
            if let Some(odd) = self.odd_reference(near.position) {
                let _ = write!(explanation, " {odd}");
            }
        }
        if let Some(remark) = hidden.remark(at) {
            let _ = write!(explanation, " {remark}");
        }
        LedgerFinding {
            items: vec![at],
            day: Some(item.day),
            due: Some(due),
            currency: item.currency,
            expected: item.amount.map(|_| Minor(0)),
            actual: item.amount,
            difference: item.amount,
            explanation,
            problem: hidden.problem(at),
            ..bare(LedgerCode::MissingInLedger, vec![item.item_id.to_string()])
        }
    }

    fn missing_record(&self, at: u32, due: NaiveDate, near: Option<Candidate>) -> LedgerFinding {
        let record = self.record(at);
        let mut explanation = format!(
            "{} has nothing at the processor, which was due on {due}.",
            capitalize(&name_record(record)),
        );
        if let Some(near) = near {
            let (item, why) = (name_item(self.item(near.position)), reason(near.refusal));
            let _ = write!(explanation, " Nearest is {item}: {why}.");
        }
        if let Some(odd) = self.odd_reference(at) {
            let _ = write!(explanation, " {odd}");
        }
        LedgerFinding {
            records: vec![at],
            day: Some(record.date),
            due: Some(due),
            currency: Some(record.currency),
            expected: Some(record.amount),
            actual: Some(Minor(0)),
            difference: Minor(0).checked_sub(record.amount),
            explanation,
            ..bare(LedgerCode::MissingAtProcessor, vec![record.ledger_id.to_string()])
        }
    }

    /// What is odd about the reference of a record that it did not pair.
    fn odd_reference(&self, at: u32) -> Option<String> {
        let record = self.record(at);
        let reference = record.named()?;
        let ids = self.known_ids.get_or_init(|| KnownIds::of(self.input));
        (!ids.holds(reference)).then(|| ids.describe(reference))
    }

    /// One finding in place of one for each, when items and paid records of several dates are
    /// there and nothing has paired any two of them.
    pub(super) fn not_fitting(&self) -> Option<LedgerFinding> {
        let had_pairs = self.input.standing.is_some_and(|standing| standing.has_pairs);
        if had_pairs || !self.outcome.pairs.is_empty() {
            return None;
        }
        let items = self.input.items.iter().zip(&self.outcome.items);
        let items = items.filter(|(_, state)| {
            matches!(state, ItemState::Unmatched(_) | ItemState::Ambiguous { .. })
        });
        let item_days: Vec<NaiveDate> = items.map(|(item, _)| item.day).collect();
        let records = self.input.records.iter().zip(&self.outcome.records);
        let records = records.filter(|(record, state)| {
            record.status == LedgerStatus::Paid
                && !matches!(
                    state,
                    RecordState::OutOfScope | RecordState::Later | RecordState::Excluded
                )
        });
        let record_days: Vec<NaiveDate> = records.map(|(record, _)| record.date).collect();
        let dates = |days: &[NaiveDate]| days.iter().collect::<BTreeSet<_>>().len();
        if dates(&item_days) < FITTING_DATES || dates(&record_days) < FITTING_DATES {
            return None;
        }
        let first = item_days.iter().chain(&record_days).min()?;
        Some(LedgerFinding {
            day: Some(*first),
            explanation: format!(
                "None of {} items and {} paid ledger records since {first} fit each other: the \
                 file, its merchant column, the currency or the time zone is not the merchant's.",
                item_days.len(),
                record_days.len(),
            ),
            ..bare(LedgerCode::LedgerNotFitting, Vec::new())
        })
    }
}
