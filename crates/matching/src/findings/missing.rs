//! Entries of one side alone: missing in the ledger or at the processor.

use std::collections::HashSet;
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::super::input::ItemKind;
use super::super::odd_reference::KnownIds;
use super::super::states::{Candidate, ItemState, RecordState};
use super::super::wording::{capitalize, name_item, name_record, reason};
use super::left_out::Hidden;
use super::{Finder, LedgerCode, LedgerFinding, bare};
use tieout_model::money::Minor;

impl<'a> Finder<'a> {
    /// Every due item without a record, and every due paid record without an item.
    pub(super) fn missing(&self) -> Vec<LedgerFinding> {
        let hidden = Hidden::of(self.input, self.outcome);
        let items = self
            .missing_items()
            .map(|(position, due, candidate)| self.missing_item(position, due, candidate, &hidden));
        let records = self
            .missing_records()
            .map(|(position, due, candidate)| self.missing_record(position, due, candidate));
        items.chain(records).collect()
    }

    /// Items without a record that are due: position, due date, nearest candidate.
    pub(super) fn missing_items(
        &self,
    ) -> impl Iterator<Item = (u32, NaiveDate, Option<Candidate>)> {
        let mut payments: Option<HashSet<&str>> = None;
        (0..).zip(&self.outcome.items).filter_map(move |(position, state)| {
            let ItemState::Unmatched(candidate) = *state else { return None };
            let item = self.item(position);
            let due = self.item_due(item)?;
            if self.is_voided(item) {
                return None;
            }
            if let Some(original) = item.representment_of() {
                // It stands for its original, and an original from before the start date is never
                // reported as missing.
                let judged = payments.get_or_insert_with(|| self.judged_payments());
                if !judged.contains(original) {
                    return None;
                }
            }
            Some((position, due, candidate))
        })
    }

    /// Due paid records without an item: position, due date, nearest candidate.
    pub(super) fn missing_records(
        &self,
    ) -> impl Iterator<Item = (u32, NaiveDate, Option<Candidate>)> {
        (0..).zip(&self.outcome.records).filter_map(|(position, state)| {
            let RecordState::Unmatched(candidate) = *state else { return None };
            Some((position, self.record_due(self.record(position))?, candidate))
        })
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
            "{} has no item at the processor, which was due on {due}.",
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

    /// Describes the reference of a record if it names nothing at the processor.
    fn odd_reference(&self, at: u32) -> Option<String> {
        let record = self.record(at);
        let reference = record.named()?;
        let ids = self.known_ids.get_or_init(|| KnownIds::of(self.input));
        (!ids.holds(reference)).then(|| ids.describe(reference))
    }
}
