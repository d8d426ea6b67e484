//! Resolves a ledger's references: every id that the processor knows, and its owner.

use std::collections::{HashMap, HashSet};

use super::input::{Item, ItemKind, Record};
use super::names::{NameMap, name_map};
use super::order_by_id::compare_items;
use super::progress::Progress;
use tieout_model::{AuthorizationId, LedgerKind, ShortText};

const NONE: u32 = u32::MAX;

/// The object that a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Nothing,
    Item(u32),
    /// The first item of an authorization.
    Authorization(u32),
    /// A payment that re-presents the named one, which is not loaded.
    StandIn(u32),
    Transfer(u32),
    /// A known object that can never be paired.
    Known,
}

/// Every id that the processor knows, with its owner.
pub(super) struct Names<'a> {
    /// The first item with an id; `next_item` leads to the others.
    items: NameMap<&'a str>,
    next_item: Vec<u32>,
    /// The first item of an authorization and kind; `next_capture` leads to the others.
    authorizations: NameMap<(AuthorizationId, bool)>,
    next_capture: Vec<u32>,
    /// Payments that are not loaded, with the payment that re-presents each.
    stand_ins: HashMap<&'a str, u32>,
    transfers: HashMap<(&'a str, LedgerKind), u32>,
    others: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(progress: &Progress<'a>) -> Self {
        let input = progress.input;
        let mut names = Self {
            items: name_map(input.items.len()),
            next_item: vec![NONE; input.items.len()],
            authorizations: name_map(0),
            next_capture: Vec::new(),
            stand_ins: HashMap::new(),
            transfers: HashMap::with_capacity(input.transfers.len()),
            others: input.other_references.iter().map(ShortText::as_str).collect(),
        };
        for (position, item) in (0..).zip(input.items) {
            if !progress.is_item_open(position) {
                continue;
            }
            if let Some(next) = names.items.insert(&item.item_id, position) {
                names.next_item[position as usize] = next;
            }
        }
        for (position, transfer) in (0..).zip(input.transfers) {
            names.transfers.insert((&transfer.transfer_id, transfer.ledger_kind()), position);
        }
        names.find_stand_ins(progress);
        names
    }

    /// Builds the index of authorizations. Called only after a reference is found that is no item's
    /// own id: most ledgers have none, and a million authorizations take time.
    pub(super) fn find_authorizations(&mut self, progress: &Progress<'a>) {
        self.authorizations = name_map(progress.input.items.len());
        self.next_capture = vec![NONE; progress.input.items.len()];
        for (position, item) in (0..).zip(progress.input.items) {
            let Some(authorization) = item.authorization_id else { continue };
            if !progress.is_item_open(position) {
                continue;
            }
            let is_refund = item.kind.ledger_kind() == LedgerKind::Refund;
            if let Some(next) = self.authorizations.insert((authorization, is_refund), position) {
                self.next_capture[position as usize] = next;
            }
        }
    }

    fn find_stand_ins(&mut self, progress: &Progress<'a>) {
        for (position, item) in (0..).zip(progress.input.items) {
            let Some(original) = item.representment_of() else { continue };
            let is_known = chain(&self.items, &self.next_item, original)
                .any(|known| progress.item(known).kind == ItemKind::Payment);
            if is_known || !progress.is_item_open(position) {
                continue;
            }
            let lowest = self.stand_ins.entry(original).or_insert(position);
            if compare_items(item, progress.item(*lowest)).is_lt() {
                *lowest = position;
            }
        }
    }

    /// The item with this id and the record's money; the common case.
    pub(super) fn resolve_item(&self, progress: &Progress<'_>, position: u32) -> Target {
        let record = progress.record(position);
        let reference = record.named().unwrap_or_default();
        match self.item_of(progress, record, reference) {
            Some(item) if has_same_money(progress.item(item), record) => Target::Item(item),
            _ => Target::Nothing,
        }
    }

    /// All other targets.
    pub(super) fn resolve(&self, progress: &Progress<'_>, position: u32) -> Target {
        let record = progress.record(position);
        let reference = record.named().unwrap_or_default();
        let by_id = self.item_of(progress, record, reference);
        match (by_id, self.authorization_of(record, reference)) {
            // A transactionId and the authorizationId of another item can be the same number.
            (Some(_), Some(first)) if self.has_same_sum(progress, first, record) => {
                Target::Authorization(first)
            }
            (Some(item), _) => Target::Item(item),
            // The only item of its authorization, which other records may name by its own id.
            (None, Some(first)) if self.captures(first).nth(1).is_none() => Target::Item(first),
            (None, Some(first)) => Target::Authorization(first),
            (None, None) => self.resolve_beyond_items(progress, record, reference),
        }
    }

    fn resolve_beyond_items(
        &self,
        progress: &Progress<'_>,
        record: &Record,
        reference: &str,
    ) -> Target {
        let transfer = self.transfers.get(&(reference, record.kind)).copied();
        // A transfer that no listing holds is looked up when the record is due. Before that it
        // counts as unknown, also when the date is run again.
        let is_known = |transfer: &u32| {
            progress.input.transfers[*transfer as usize].is_listed
                || progress.input.terms.record_due(record.date).is_some()
        };
        if let Some(transfer) = transfer.filter(is_known) {
            return Target::Transfer(transfer);
        }
        match self.stand_ins.get(reference) {
            Some(&item) if record.kind == LedgerKind::Payment => Target::StandIn(item),
            _ if self.others.contains(reference) => Target::Known,
            _ => Target::Nothing,
        }
    }

    /// The item with that id. Card items and bank transfers are numbered separately; of several
    /// items the one with the record's money, then the lowest.
    fn item_of(&self, progress: &Progress<'_>, record: &Record, reference: &str) -> Option<u32> {
        chain(&self.items, &self.next_item, reference)
            .filter(|&item| progress.item(item).kind.ledger_kind() == record.kind)
            .min_by(|&one, &other| {
                let (one_item, other_item) = (progress.item(one), progress.item(other));
                has_same_money(other_item, record)
                    .cmp(&has_same_money(one_item, record))
                    .then_with(|| compare_items(one_item, other_item))
                    .then(one.cmp(&other))
            })
    }

    fn authorization_of(&self, record: &Record, reference: &str) -> Option<u32> {
        let number = AuthorizationId(reference.parse().ok()?);
        // The API gives no id with a leading zero or plus.
        let is_plain = !reference.starts_with(['0', '+']) || reference == "0";
        let first = self.authorizations.get(&(number, record.kind == LedgerKind::Refund));
        if is_plain { first.copied() } else { None }
    }

    pub(super) fn captures(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        walk(&self.next_capture, first)
    }

    pub(super) fn free_captures(&self, progress: &Progress<'_>, first: u32) -> Vec<u32> {
        self.captures(first).filter(|&item| progress.is_item_open(item)).collect()
    }

    fn has_same_sum(&self, progress: &Progress<'_>, first: u32, record: &Record) -> bool {
        let mut sum = 0_i64;
        for item in self.captures(first).map(|item| progress.item(item)) {
            let known = item.amount.filter(|_| item.currency == Some(record.currency));
            match known.and_then(|amount| sum.checked_add(amount.0)) {
                Some(next) => sum = next,
                None => return false,
            }
        }
        sum == record.amount.0
    }
}

fn has_same_money(item: &Item, record: &Record) -> bool {
    item.amount == Some(record.amount) && item.currency == Some(record.currency)
}

fn chain<'a>(first: &NameMap<&str>, next: &'a [u32], name: &str) -> impl Iterator<Item = u32> + 'a {
    walk(next, first.get(name).copied().unwrap_or(NONE))
}

fn walk(next: &[u32], first: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::successors((first != NONE).then_some(first), |&at| {
        let following = next[at as usize];
        (following != NONE).then_some(following)
    })
}
