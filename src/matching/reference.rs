//! Pass 1: the ledger names the paymentId, refundId, transactionId or authorizationId.
//!
//! A name is believed whatever else differs: amount, currency, last four digits. Within one
//! kind, so that a refund that names the payment it refunds names nothing.

use std::collections::HashMap;

use super::order_by_id::compare_records;
use super::outcome::Pass;
use super::progress::{Place, Progress};
use super::reference_names::{NONE, Names, Target};
use crate::model::LedgerKind;

/// Runs the pass, sets duplicates apart and bars what names something it cannot have.
pub(super) fn run(progress: &mut Progress<'_>) {
    let with_reference: Vec<u32> = (0..)
        .zip(progress.input.records)
        .filter(|(position, record)| {
            record.reference.is_some() && progress.is_record_open(*position)
        })
        .map(|(position, _)| position)
        .collect();
    if with_reference.is_empty() {
        return;
    }
    let mut names = Names::of(progress);
    let mut targets: Vec<(u32, Target)> = with_reference
        .into_iter()
        .map(|position| (position, names.resolve_item(progress, position)))
        .collect();
    if targets.iter().any(|one| one.1 == Target::Nothing) {
        names.find_authorizations(progress);
        for (position, target) in targets.iter_mut().filter(|one| one.1 == Target::Nothing) {
            *target = names.resolve(progress, *position);
        }
    }
    let standing = set_duplicates_apart(progress, targets);
    // An item named by its own id is gone before an authorization's items are added up.
    for &(record, target) in &standing {
        match target {
            Target::Item(item) => progress.pair(Pass::Reference, &[item], &[record]),
            Target::Transfer(transfer) => progress.place_record(record, Place::Transfer(transfer)),
            Target::Known => progress.place_record(record, Place::NamesOther),
            Target::Nothing if may_name_a_return(progress, record) => {
                progress.place_record(record, Place::NamesOther);
            }
            Target::Nothing | Target::Authorization(_) | Target::StandIn(_) => {}
        }
    }
    for &(record, target) in &standing {
        let items = match target {
            Target::Authorization(first) => names.free_captures(progress, first),
            Target::StandIn(item) if progress.is_item_open(item) => vec![item],
            Target::StandIn(_) => Vec::new(),
            _ => continue,
        };
        if items.is_empty() {
            progress.place_record(record, Place::NamesOther);
        } else {
            progress.pair(Pass::Reference, &items, &[record]);
        }
    }
}

/// Whether what the record names, and nobody knows, may be a payment that came back.
fn may_name_a_return(progress: &Progress<'_>, record: u32) -> bool {
    progress.input.returns_unread && progress.record(record).kind == LedgerKind::Payment
}

/// Keeps, of the records with one reference and kind, the one with the lowest ledger id.
fn set_duplicates_apart(
    progress: &mut Progress<'_>,
    targets: Vec<(u32, Target)>,
) -> Vec<(u32, Target)> {
    // One slot per item and transfer is cheaper than a map; only the others need one.
    let mut of_item = vec![NONE; progress.input.items.len()];
    let mut of_authorization = vec![NONE; progress.input.items.len()];
    let mut of_transfer = vec![NONE; progress.input.transfers.len()];
    let mut of_text: HashMap<(&str, LedgerKind), u32> = HashMap::new();
    let all = progress.input.records;
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
            lowest => progress.place_record(position, Place::Duplicate(lowest)),
        }
    }
    standing
}
