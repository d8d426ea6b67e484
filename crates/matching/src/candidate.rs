//! For each unmatched item or record: the nearest candidate on the other side, and why it was
//! refused. It helps the reader of a finding and decides nothing.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::input::Last4;
use super::keys::{day_key, last4_key, money_key};
use super::order_by_id::last4_agree;
use super::progress::{Place, Progress, Scope, Side};
use super::spelling::orders_agree;
use super::states::{Candidate, Refusal};
use tieout_model::money::{Currency, Minor};
use tieout_model::{LedgerKind, LedgerStatus};

const DAY_BITS: u32 = 32;

/// All unmatched items and records, sorted so that a binary search finds the nearest.
pub(super) struct Candidates<'a, 'b> {
    progress: &'b Progress<'a>,
    items: Index,
    records: Index,
}

/// One side, indexed by the fields that the other side may share; an item is listed on both its
/// days.
#[derive(Default)]
struct Index {
    amounts: Vec<(u128, u32)>,
    last_fours: Vec<(u128, u32)>,
    /// The lowest position of each kind and order id, in any currency.
    orders: HashMap<(LedgerKind, u32), u32>,
}

/// The fields that an item and a record share in an index.
struct Entry {
    position: u32,
    kind: LedgerKind,
    currency: Option<Currency>,
    amount: Option<Minor>,
    last4: Option<Last4>,
    order: u32,
}

impl Index {
    fn add(&mut self, entry: &Entry, days: &[NaiveDate]) {
        let &Entry { position, kind, currency, amount, last4, order } = entry;
        if order != 0 {
            self.orders.entry((kind, order)).or_insert(position);
        }
        let Some(currency) = currency else { return };
        for &day in days {
            let day = day_key(day);
            if let Some(amount) = amount {
                self.amounts.push((money_key(kind, currency, amount) | day, position));
            }
            if let Some(last4) = last4 {
                let key = money_key(kind, currency, Minor(0)) | last4_key(last4) | day;
                self.last_fours.push((key, position));
            }
        }
    }

    /// A stable sort, so that among equal keys the lowest id comes first.
    fn sort(&mut self) {
        self.amounts.sort_by_key(|one| one.0);
        self.last_fours.sort_by_key(|one| one.0);
    }

    /// The entry with the same order id; else the nearest of the same amount; else the nearest with
    /// the same last four.
    fn best(&self, wanted: &Entry, day: NaiveDate) -> Option<u32> {
        let &Entry { kind, currency, amount, last4, order, .. } = wanted;
        if let Some(&found) = self.orders.get(&(kind, order)) {
            return Some(found);
        }
        let currency = currency?;
        let same_amount = amount
            .and_then(|amount| nearest(&self.amounts, money_key(kind, currency, amount), day));
        same_amount.or_else(|| {
            let key = money_key(kind, currency, Minor(0)) | last4_key(last4?);
            nearest(&self.last_fours, key, day)
        })
    }
}

impl<'a, 'b> Candidates<'a, 'b> {
    pub(super) fn of(progress: &'b Progress<'a>) -> Self {
        let mut candidates = Self { progress, items: Index::default(), records: Index::default() };
        let mut items: Vec<u32> = progress.items_left(Side::Since).collect();
        progress.sort_items(&mut items);
        for position in items {
            let days = progress.item(position).days();
            let days = if days[0] == days[1] { &days[..1] } else { &days[..] };
            candidates.items.add(&candidates.item_entry(position), days);
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
        for position in records {
            let date = progress.record(position).date;
            candidates.records.add(&candidates.record_entry(position), &[date]);
        }
        candidates.items.sort();
        candidates.records.sort();
        candidates
    }

    fn item_entry(&self, position: u32) -> Entry {
        let item = self.progress.item(position);
        Entry {
            position,
            kind: item.kind.ledger_kind(),
            currency: item.currency,
            amount: item.amount,
            last4: item.last4,
            order: self.progress.item_orders[position as usize],
        }
    }

    fn record_entry(&self, position: u32) -> Entry {
        let record = self.progress.record(position);
        Entry {
            position,
            kind: record.kind,
            currency: Some(record.currency),
            amount: Some(record.amount),
            last4: record.last4,
            order: self.progress.record_orders[position as usize],
        }
    }

    /// The best record for an unmatched item.
    pub(super) fn for_item(&self, position: u32) -> Option<Candidate> {
        let item = self.progress.item(position);
        let found = self.records.best(&self.item_entry(position), item.day)?;
        Some(Candidate { position: found, refusal: self.refusal(position, found) })
    }

    /// The best item for an unmatched record.
    pub(super) fn for_record(&self, position: u32) -> Option<Candidate> {
        let date = self.progress.record(position).date;
        let found = self.items.best(&self.record_entry(position), date)?;
        Some(Candidate { position: found, refusal: self.refusal(found, position) })
    }

    fn refusal(&self, item_position: u32, record_position: u32) -> Refusal {
        let progress = self.progress;
        let (item, record) = (progress.item(item_position), progress.record(record_position));
        let terms = progress.input.terms;
        let distance_days = terms.away(item, record.date);
        let orders = (
            progress.item_orders[item_position as usize],
            progress.record_orders[record_position as usize],
        );
        if progress.records[record_position as usize] == Place::NamesOther {
            Refusal::NamesAnother
        } else if item.currency.is_some_and(|currency| currency != record.currency) {
            Refusal::CurrencyDiffers
        } else if item.amount != Some(record.amount) {
            Refusal::AmountDiffers
        } else if !last4_agree(item.last4, record.last4) {
            Refusal::LastFourDiffers
        } else if !orders_agree(orders.0, orders.1) {
            Refusal::OrderDiffers
        } else if distance_days > terms.window_days {
            Refusal::TooFar { distance_days }
        } else {
            Refusal::NotUnique
        }
    }
}

/// The member of `group` with the day nearest to `day`, the earlier of two days; among equal ones
/// the first.
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
