//! One merchant's records with the result of matching, from which rows are made.

use std::cell::OnceCell;

use chrono::NaiveDate;

use super::input::{Item, MerchantInput, Record, Terms};
use super::ledger_input::LedgerInput;
use super::odd_reference::KnownIds;
use super::record_names::RecordNames;
use super::states::{Outcome, RecordState};
use super::unknowns::Unknowns;
use tieout_model::MerchantId;

/// One merchant's records with the result of matching them.
pub struct Matched<'a> {
    pub merchant_id: &'a MerchantId,
    pub input: &'a LedgerInput,
    pub terms: &'a Terms,
    pub outcome: &'a Outcome,
    names: OnceCell<RecordNames>,
    known_ids: OnceCell<KnownIds<'a>>,
    unknowns: OnceCell<Unknowns<'a>>,
}

impl<'a> Matched<'a> {
    pub fn of(
        merchant_id: &'a MerchantId,
        input: &'a LedgerInput,
        terms: &'a Terms,
        outcome: &'a Outcome,
    ) -> Self {
        let (names, known_ids, unknowns) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { merchant_id, input, terms, outcome, names, known_ids, unknowns }
    }

    pub fn merchant_input(&self) -> MerchantInput<'a> {
        self.input.merchant_input(self.terms)
    }

    /// Made on first use: most nights need no names, and a night that needs one needs all.
    pub(super) fn names(&self) -> &RecordNames {
        self.names.get_or_init(|| RecordNames::of(self.input))
    }

    /// Made on first use, if a pair of the date has a reference that did not make the pair.
    pub(super) fn known_ids(&self) -> &KnownIds<'a> {
        self.known_ids.get_or_init(|| KnownIds::of(&self.merchant_input()))
    }

    pub fn unknowns(&self) -> &Unknowns<'a> {
        self.unknowns
            .get_or_init(|| Unknowns::of(self.merchant_input(), &self.input.unclear, self.outcome))
    }

    pub(super) fn item(&self, position: u32) -> &'a Item {
        &self.input.items[position as usize]
    }

    /// The latest incompletely read day before the start on which the item of an unmatched record
    /// could lie. An entry that the record names may be older than the window.
    pub fn failed_before(&self, position: u32) -> Option<NaiveDate> {
        let (record, terms) = (self.record(position), self.terms);
        let is_free = matches!(self.outcome.records[position as usize], RecordState::Unmatched(_));
        let names_any = record.reference.is_some() || record.order_id.is_some();
        let mut days = self.input.early_failed.iter().rev().copied().filter(|_| is_free);
        days.find(|day| {
            names_any || terms.banking_days.distance(*day, record.date) <= terms.window_days
        })
    }

    pub(super) fn record(&self, position: u32) -> &'a Record {
        &self.input.records[position as usize]
    }
}
