//! Pass 1: the ledger names the paymentId, refundId, transactionId or authorizationId.
//!
//! A name is believed whatever else differs: amount, currency, last four digits. Within one
//! kind, so that a refund that names the payment it refunds names nothing.

use std::collections::{HashMap, HashSet};

use super::board::{Board, Place, compare_items, compare_records};
use super::input::{Item, ItemKind, Record};
use super::names::{NameMap, name_map};
use super::outcome::Pass;
use crate::model::{LedgerKind, ShortText};

const NONE: u32 = u32::MAX;

/// What a reference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Nothing,
    Item(u32),
    /// The first item of an authorization.
    Authorization(u32),
    /// The original is not at hand; a payment that presents it again stands for it.
    StandIn(u32),
    Transfer(u32),
    /// Something that can never be paired.
    Known,
}

/// Runs the pass, sets duplicates apart and bars what names something it cannot have.
pub(super) fn run(board: &mut Board<'_>) {
    let with_reference: Vec<u32> = (0..)
        .zip(board.input.records)
        .filter(|(position, record)| record.reference.is_some() && board.is_record_open(*position))
        .map(|(position, _)| position)
        .collect();
    if with_reference.is_empty() {
        return;
    }
    let mut names = Names::of(board);
    let mut targets: Vec<(u32, Target)> = with_reference
        .into_iter()
        .map(|position| (position, names.resolve_item(board, position)))
        .collect();
    if targets.iter().any(|one| one.1 == Target::Nothing) {
        names.find_authorizations(board);
        for (position, target) in targets.iter_mut().filter(|one| one.1 == Target::Nothing) {
            *target = names.resolve(board, *position);
        }
    }
    let standing = set_duplicates_apart(board, targets);
    // An item named by its own id is gone before an authorization's items are added up.
    for &(record, target) in &standing {
        match target {
            Target::Item(item) => board.pair(Pass::Reference, &[item], &[record]),
            Target::Transfer(transfer) => board.place_record(record, Place::Transfer(transfer)),
            Target::Known => board.place_record(record, Place::Barred),
            Target::Nothing if may_name_a_return(board, record) => {
                board.place_record(record, Place::Barred);
            }
            Target::Nothing | Target::Authorization(_) | Target::StandIn(_) => {}
        }
    }
    for &(record, target) in &standing {
        let items = match target {
            Target::Authorization(first) => names.free_captures(board, first),
            Target::StandIn(item) if board.is_item_open(item) => vec![item],
            Target::StandIn(_) => Vec::new(),
            _ => continue,
        };
        if items.is_empty() {
            board.place_record(record, Place::Barred);
        } else {
            board.pair(Pass::Reference, &items, &[record]);
        }
    }
}

/// Whether what the record names, and nobody knows, may be a payment that came back.
fn may_name_a_return(board: &Board<'_>, record: u32) -> bool {
    board.input.returns_unread && board.record(record).kind == LedgerKind::Payment
}

/// Keeps, of the records with one reference and kind, the one with the lowest ledger id.
fn set_duplicates_apart(board: &mut Board<'_>, targets: Vec<(u32, Target)>) -> Vec<(u32, Target)> {
    // One slot per item and transfer is cheaper than a map; only the others need one.
    let mut of_item = vec![NONE; board.input.items.len()];
    let mut of_authorization = vec![NONE; board.input.items.len()];
    let mut of_transfer = vec![NONE; board.input.transfers.len()];
    let mut of_text: HashMap<(&str, LedgerKind), u32> = HashMap::new();
    let all = board.input.records;
    // The lowest so far, and whether another was there before.
    let mut holder = |position: u32, target: Target| -> (u32, bool) {
        let record = &all[position as usize];
        let slot = match target {
            Target::Item(item) => &mut of_item[item as usize],
            Target::Authorization(item) => &mut of_authorization[item as usize],
            Target::Transfer(transfer) => &mut of_transfer[transfer as usize],
            Target::Nothing | Target::StandIn(_) | Target::Known => {
                let text = record.reference.as_deref().unwrap_or("");
                of_text.entry((text, record.kind)).or_insert(NONE)
            }
        };
        let is_lower = |held: u32| {
            compare_records(record, &all[held as usize]).then(position.cmp(&held)).is_lt()
        };
        let is_shared = *slot != NONE;
        if !is_shared || is_lower(*slot) {
            *slot = position;
        }
        (*slot, is_shared)
    };
    let mut is_shared = false;
    for &(position, target) in &targets {
        is_shared |= holder(position, target).1;
    }
    if !is_shared {
        return targets;
    }
    let mut standing = Vec::with_capacity(targets.len());
    for (position, target) in targets {
        match holder(position, target).0 {
            lowest if lowest == position => standing.push((position, target)),
            lowest => board.place_record(position, Place::Duplicate(lowest)),
        }
    }
    standing
}

/// Every id that the processor knows, and what it belongs to.
struct Names<'a> {
    /// The first item of an id; `next_item` leads to the others.
    items: NameMap<&'a str>,
    next_item: Vec<u32>,
    /// The first item of an authorization and kind; `next_capture` leads to the others.
    authorizations: NameMap<(i64, bool)>,
    next_capture: Vec<u32>,
    /// Payments that are not at hand themselves, and who presents them again.
    stand_ins: HashMap<&'a str, u32>,
    transfers: HashMap<(&'a str, LedgerKind), u32>,
    others: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(board: &Board<'a>) -> Self {
        let input = board.input;
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
            if !board.is_item_open(position) {
                continue;
            }
            if let Some(next) = names.items.insert(&item.item_id, position) {
                names.next_item[position as usize] = next;
            }
        }
        for (position, transfer) in (0..).zip(input.transfers) {
            names.transfers.insert((&transfer.transfer_id, transfer.ledger_kind()), position);
        }
        names.find_stand_ins(board);
        names
    }

    /// Called once it is known that a record names something that is no item's own id: most
    /// ledgers never do, and a million authorizations are not for nothing.
    fn find_authorizations(&mut self, board: &Board<'a>) {
        self.authorizations = name_map(board.input.items.len());
        self.next_capture = vec![NONE; board.input.items.len()];
        for (position, item) in (0..).zip(board.input.items) {
            let Some(authorization) = item.authorization_id else { continue };
            if !board.is_item_open(position) {
                continue;
            }
            let is_refund = item.kind.ledger_kind() == LedgerKind::Refund;
            if let Some(next) = self.authorizations.insert((authorization, is_refund), position) {
                self.next_capture[position as usize] = next;
            }
        }
    }

    fn find_stand_ins(&mut self, board: &Board<'a>) {
        for (position, item) in (0..).zip(board.input.items) {
            let Some(original) = item.representment_of() else { continue };
            let is_known = chain(&self.items, &self.next_item, original)
                .any(|known| board.item(known).kind == ItemKind::Payment);
            if is_known || !board.is_item_open(position) {
                continue;
            }
            let lowest = self.stand_ins.entry(original).or_insert(position);
            if compare_items(item, board.item(*lowest)).is_lt() {
                *lowest = position;
            }
        }
    }

    /// The item whose own id and money it is; the common case.
    fn resolve_item(&self, board: &Board<'_>, position: u32) -> Target {
        let record = board.record(position);
        let reference = record.reference.as_deref().unwrap_or("");
        match self.item_of(board, record, reference) {
            Some(item) if has_same_money(board.item(item), record) => Target::Item(item),
            _ => Target::Nothing,
        }
    }

    /// Everything else.
    fn resolve(&self, board: &Board<'_>, position: u32) -> Target {
        let record = board.record(position);
        let reference = record.reference.as_deref().unwrap_or("");
        let by_id = self.item_of(board, record, reference);
        match (by_id, self.authorization_of(record, reference)) {
            // One number can be a transactionId and another's authorizationId.
            (Some(_), Some(first)) if self.has_same_sum(board, first, record) => {
                Target::Authorization(first)
            }
            (Some(item), _) => Target::Item(item),
            (None, Some(first)) => Target::Authorization(first),
            (None, None) => self.resolve_beyond_items(board, record, reference),
        }
    }

    fn resolve_beyond_items(&self, board: &Board<'_>, record: &Record, reference: &str) -> Target {
        let transfer = self.transfers.get(&(reference, record.kind)).copied();
        // What no listing holds is looked up when the record is due. Before that it is not known,
        // also when the date is run again.
        let is_known = |transfer: &u32| {
            board.input.transfers[*transfer as usize].is_listed
                || board.input.terms.record_due(record.date).is_some()
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

    /// The item with that id; of several (a card's and a bank transfer's ids are numbered
    /// apart) the one with the record's money, then the lowest.
    fn item_of(&self, board: &Board<'_>, record: &Record, reference: &str) -> Option<u32> {
        chain(&self.items, &self.next_item, reference)
            .filter(|&item| board.item(item).kind.ledger_kind() == record.kind)
            .min_by(|&one, &other| {
                let (one_item, other_item) = (board.item(one), board.item(other));
                has_same_money(other_item, record)
                    .cmp(&has_same_money(one_item, record))
                    .then_with(|| compare_items(one_item, other_item))
                    .then(one.cmp(&other))
            })
    }

    fn authorization_of(&self, record: &Record, reference: &str) -> Option<u32> {
        let number: i64 = reference.parse().ok()?;
        // A leading zero or plus is no spelling of an id that the API would give.
        let is_plain = !reference.starts_with(['0', '+']) || reference == "0";
        let first = self.authorizations.get(&(number, record.kind == LedgerKind::Refund));
        if is_plain { first.copied() } else { None }
    }

    fn captures(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        walk(&self.next_capture, first)
    }

    fn free_captures(&self, board: &Board<'_>, first: u32) -> Vec<u32> {
        self.captures(first).filter(|&item| board.is_item_open(item)).collect()
    }

    fn has_same_sum(&self, board: &Board<'_>, first: u32, record: &Record) -> bool {
        let mut sum = 0_i64;
        for item in self.captures(first).map(|item| board.item(item)) {
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
