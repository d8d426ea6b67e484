//! For what is left: the nearest thing on the other side, and why it was refused.
//! A help for the person who looks at it; it decides nothing.

use chrono::NaiveDate;

use super::keys::{day_key, last4_key, money_key};
use super::order_by_id::last4_agree;
use super::outcome::{Candidate, Refusal};
use super::progress::{Place, Progress, Scope};
use crate::model::{LedgerKind, LedgerStatus};
use crate::money::{Currency, Minor};

const DAY_BITS: u32 = 32;

/// Everything unmatched, sorted so that the nearest is found by halving.
pub(super) struct Candidates<'a, 'b> {
    progress: &'b Progress<'a>,
    items_by_amount: Vec<(u128, u32)>,
    items_by_last4: Vec<(u128, u32)>,
    records_by_amount: Vec<(u128, u32)>,
    records_by_last4: Vec<(u128, u32)>,
}

impl<'a, 'b> Candidates<'a, 'b> {
    pub(super) fn of(progress: &'b Progress<'a>) -> Self {
        let mut candidates = Self {
            progress,
            items_by_amount: Vec::new(),
            items_by_last4: Vec::new(),
            records_by_amount: Vec::new(),
            records_by_last4: Vec::new(),
        };
        let mut items: Vec<u32> = progress.items_left().collect();
        progress.sort_items(&mut items);
        for item in items {
            candidates.add_item(item);
        }
        let is_unmatched = |&position: &u32| {
            let at = position as usize;
            matches!(progress.records[at], Place::Free | Place::NamesOther)
                && progress.record_scopes[at] == Scope::Inside
                && progress.record(position).status == LedgerStatus::Paid
        };
        let mut records: Vec<u32> =
            (0..).zip(&progress.records).map(|one| one.0).filter(is_unmatched).collect();
        progress.sort_records(&mut records);
        for record in records {
            candidates.add_record(record);
        }
        // Stable, so that among equal keys the lowest id comes first.
        candidates.items_by_amount.sort_by_key(|one| one.0);
        candidates.items_by_last4.sort_by_key(|one| one.0);
        candidates.records_by_amount.sort_by_key(|one| one.0);
        candidates.records_by_last4.sort_by_key(|one| one.0);
        candidates
    }

    fn add_item(&mut self, position: u32) {
        let item = self.progress.item(position);
        let kind = item.kind.ledger_kind();
        let Some(currency) = item.currency else { return };
        let day = day_key(item.day);
        if let Some(amount) = item.amount {
            self.items_by_amount.push((by_amount(kind, currency, amount) | day, position));
        }
        if let Some(last4) = item.last4 {
            let key = by_amount(kind, currency, Minor(0)) | last4_key(last4) | day;
            self.items_by_last4.push((key, position));
        }
    }

    fn add_record(&mut self, position: u32) {
        let record = self.progress.record(position);
        let day = day_key(record.date);
        let key = by_amount(record.kind, record.currency, record.amount) | day;
        self.records_by_amount.push((key, position));
        if let Some(last4) = record.last4 {
            let key = by_amount(record.kind, record.currency, Minor(0)) | last4_key(last4) | day;
            self.records_by_last4.push((key, position));
        }
    }

    /// The nearest record for an unmatched item.
    pub(super) fn for_item(&self, position: u32) -> Option<Candidate> {
        let item = self.progress.item(position);
        let (kind, currency, day) = (item.kind.ledger_kind(), item.currency?, item.day);
        let same_amount = item.amount.and_then(|amount| {
            nearest(&self.records_by_amount, by_amount(kind, currency, amount), day)
        });
        let found = same_amount.or_else(|| {
            let key = by_amount(kind, currency, Minor(0)) | last4_key(item.last4?);
            nearest(&self.records_by_last4, key, day)
        })?;
        Some(Candidate { position: found, refusal: self.refusal(position, found) })
    }

    /// The nearest item for an unmatched record.
    pub(super) fn for_record(&self, position: u32) -> Option<Candidate> {
        let record = self.progress.record(position);
        let (kind, currency, day) = (record.kind, record.currency, record.date);
        let key = by_amount(kind, currency, record.amount);
        let found = nearest(&self.items_by_amount, key, day).or_else(|| {
            let key = by_amount(kind, currency, Minor(0)) | last4_key(record.last4?);
            nearest(&self.items_by_last4, key, day)
        })?;
        Some(Candidate { position: found, refusal: self.refusal(found, position) })
    }

    fn refusal(&self, item_position: u32, record_position: u32) -> Refusal {
        let (item, record) =
            (self.progress.item(item_position), self.progress.record(record_position));
        let terms = self.progress.input.terms;
        let distance_days = terms.banking_days.distance(item.day, record.date);
        if self.progress.records[record_position as usize] == Place::NamesOther {
            Refusal::NamesAnother
        } else if item.amount != Some(record.amount) {
            Refusal::AmountDiffers
        } else if !last4_agree(item.last4, record.last4) {
            Refusal::LastFourDiffers
        } else if item.order_id.is_some() && record.order_id.is_some() {
            Refusal::OrderDiffers
        } else if distance_days > terms.window_days {
            Refusal::TooFar { distance_days }
        } else if distance_days == 0 || item.last4.is_some() && record.last4.is_some() {
            Refusal::NotUnique
        } else {
            Refusal::NoLastFour
        }
    }
}

fn by_amount(kind: LedgerKind, currency: Currency, amount: Minor) -> u128 {
    money_key(kind, currency, amount)
}

/// The member of `group` whose day is nearest to `day`, the earlier of two; of equal ones the
/// first.
fn nearest(sorted: &[(u128, u32)], group: u128, day: NaiveDate) -> Option<u32> {
    let wanted = group | day_key(day);
    let at = sorted.partition_point(|one| one.0 < wanted);
    let is_same = |key: u128| key >> DAY_BITS == group >> DAY_BITS;
    let after = sorted.get(at).filter(|one| is_same(one.0));
    let before = at.checked_sub(1).map(|at| sorted[at]).filter(|one| is_same(one.0));
    let first_of = |key: u128| sorted[sorted.partition_point(|one| one.0 < key)].1;
    match (before, after) {
        (Some(before), Some(after)) if wanted - before.0 <= after.0 - wanted => {
            Some(first_of(before.0))
        }
        (_, Some(after)) => Some(after.1),
        (Some(before), None) => Some(first_of(before.0)),
        (None, None) => None,
    }
}
