//! The control totals of the batch headers: card items and settled bank transfers together.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::records::{Batch, CardKind, Records};
use crate::random::mix;

/// Sets the totals of every header to the sums of its batch.
///
/// Bank transfers name no batch; with two batches on a merchant-day each goes into one of them.
pub fn set(records: &mut Records) {
    let mut groups: BTreeMap<(usize, NaiveDate), Vec<usize>> = BTreeMap::new();
    for (position, batch) in records.batches.iter().enumerate() {
        groups.entry((batch.merchant, batch.date)).or_default().push(position);
    }
    let mut position = 0;
    for item in &records.authorizations {
        while records.batches[position].id < item.batch_id {
            position += 1;
        }
        match item.kind {
            CardKind::None => {}
            CardKind::Capture => add(&mut records.batches[position], item.amount, 0),
            CardKind::Return => add(&mut records.batches[position], 0, item.amount),
        }
    }
    for (ordinal, transfer) in records.transfers.iter().enumerate() {
        let Some(date) = transfer.settled.filter(|_| transfer.is_item()) else { continue };
        let Some(group) = groups.get(&(transfer.merchant, date)) else { continue };
        let batch = &mut records.batches[group[place(ordinal, group.len())]];
        if transfer.transfer_type.is_refund() {
            add(batch, 0, transfer.amount);
        } else {
            add(batch, transfer.amount, 0);
        }
    }
}

/// The index of the batch of its day that contains a bank transfer.
pub fn place(ordinal: usize, batches: usize) -> usize {
    usize::from(mix(ordinal as u64) % 2 == 1) % batches.max(1)
}

fn add(batch: &mut Batch, sale: i64, returned: i64) {
    batch.sales += sale;
    batch.returns += returned;
    batch.count += 1;
}
