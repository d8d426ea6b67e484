//! Links entries by name: an id, an authorization or an order id that two of them carry.

use std::collections::HashMap;

use compact_str::format_compact;

use super::super::input::{Item, ItemKind, KnownTransfer, Record};
use super::super::odd_reference::is_scientific;
use super::super::spelling::spelling;
use tieout_model::{LedgerKind, ShortText};

const ORDER: &str = "order/";

/// The names under which an item can be named, or names another entry.
pub fn names_of_item(item: &Item) -> Vec<ShortText> {
    let kind = item.kind.ledger_kind();
    let mut names = vec![by_id(kind, &item.item_id)];
    names.extend(item.authorization_id.map(|id| format_compact!("authorization/{id}")));
    names.extend(item.representment_of().map(|original| by_id(kind, original)));
    if !item.kind.is_card() {
        names
            .extend(item.order_id.as_deref().map(|order| by_order(item.kind.ledger_kind(), order)));
    }
    names.extend(name_of_return(item).filter(|_| item.has_returns()));
    names
}

/// Those of its names by which a later entry may need the item although it is not kept. Its own ids
/// are not among them, because they can be looked up.
pub(super) fn later_names(item: &Item) -> Vec<ShortText> {
    let mut names = Vec::new();
    names.extend(item.representment_of().map(|one| by_id(item.kind.ledger_kind(), one)));
    if !item.kind.is_card() {
        names
            .extend(item.order_id.as_deref().map(|order| by_order(item.kind.ledger_kind(), order)));
    }
    names.extend(name_of_return(item).filter(|_| item.has_returns()));
    names
}

/// The name that links a returned payment to the others of its order id, and to its counter-entry.
pub fn name_of_return(item: &Item) -> Option<ShortText> {
    let order = item.order_id.as_deref().filter(|_| item.kind == ItemKind::Payment)?;
    Some(by_return(order))
}

/// The names of the objects that a record's reference may mean.
pub fn names_of_reference(record: &Record) -> Vec<ShortText> {
    let mut names = Vec::new();
    // A reference that has lost digits names nothing.
    if let Some(named) = record.named().filter(|named| !is_scientific(named)) {
        names.push(by_id(record.kind, named));
        names.extend(named.parse::<i64>().ok().map(|id| format_compact!("authorization/{id}")));
        // As a counter-entry, it names the payment that came back.
        if record.kind == LedgerKind::Refund {
            names.push(by_id(LedgerKind::Payment, named));
        }
    }
    names
}

pub fn names_of_record(record: &Record) -> Vec<ShortText> {
    let mut names = names_of_reference(record);
    names.extend(record.order_id.as_deref().map(|order| by_order(record.kind, order)));
    let countering = record.order_id.as_deref().filter(|_| record.kind == LedgerKind::Refund);
    names.extend(countering.map(by_return));
    names
}

pub fn names_of_transfer(transfer: &KnownTransfer) -> Vec<ShortText> {
    let kind = transfer.ledger_kind();
    let mut names = vec![by_id(kind, &transfer.transfer_id)];
    names.extend(transfer.facts.representment_of.as_deref().map(|one| by_id(kind, one)));
    names.extend(transfer.order_id.as_deref().map(|order| by_order(kind, order)));
    names
}

fn by_id(kind: LedgerKind, id: &str) -> ShortText {
    format_compact!("{}/{id}", kind.as_str())
}

fn by_order(kind: LedgerKind, order: &str) -> ShortText {
    format_compact!("{ORDER}{}/{}", kind.as_str(), spelling(order))
}

fn by_return(order: &str) -> ShortText {
    format_compact!("{ORDER}back/{}", spelling(order))
}

/// The carrier of a name: an item, a record, or a bank transfer that is no item, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Who {
    Item(u32),
    Record(u32),
    Transfer(u32),
}

/// All entries by name. An order id that only records carry links nothing.
pub(super) struct Links {
    by_name: HashMap<ShortText, Vec<Who>>,
}

impl Links {
    pub(super) fn of(items: &[Item], records: &[Record], transfers: &[KnownTransfer]) -> Self {
        let mut by_name: HashMap<ShortText, Vec<Who>> = HashMap::new();
        for (at, item) in (0..).zip(items) {
            for name in names_of_item(item) {
                by_name.entry(name).or_default().push(Who::Item(at));
            }
        }
        for (at, transfer) in (0..).zip(transfers) {
            for name in names_of_transfer(transfer) {
                by_name.entry(name).or_default().push(Who::Transfer(at));
            }
        }
        for (at, record) in (0..).zip(records) {
            for name in names_of_record(record) {
                if !name.starts_with(ORDER) {
                    by_name.entry(name).or_default().push(Who::Record(at));
                } else if let Some(carriers) = by_name.get_mut(&name) {
                    carriers.push(Who::Record(at));
                }
            }
        }
        Self { by_name }
    }

    /// The carriers of any of `names`.
    pub(super) fn of_names(&self, names: &[ShortText]) -> impl Iterator<Item = Who> {
        let carriers = names.iter().filter_map(|name| self.by_name.get(name));
        carriers.flatten().copied()
    }
}
