//! Pass 2 for records without an item: they may name, by order id, a bank transfer that has not
//! settled.

use std::collections::{HashMap, HashSet};

use super::input::{KnownTransfer, Last4, TransferStatus};
use super::order_by_id::compare_ids;
use super::progress::{Place, Progress};
use tieout_model::money::Minor;

/// Assigns the records left to the order's unsettled bank transfers, equal amounts first: one each
/// while there are any, then several to the same one. Last fours that both carry must agree. Under
/// a masked order id only equal amounts are assigned.
pub(super) fn name_unsettled(
    progress: &mut Progress<'_>,
    transfers: &[u32],
    records: &[u32],
    is_masked: bool,
) {
    let mut left = progress.open_records(records);
    progress.sort_records(&mut left);
    let mut unnamed = Unnamed::of(progress.input.transfers, transfers);
    for is_same_last4 in [true, false] {
        left.retain(|&at| {
            let record = progress.record(at);
            let named = unnamed.take(Some(record.amount), record.last4, is_same_last4);
            named
                .inspect(|&transfer| progress.place_record(at, Place::Transfer(transfer)))
                .is_none()
        });
    }
    if is_masked {
        return;
    }
    let mut last = None;
    let mut last_with: HashMap<Option<Last4>, u32> = HashMap::new();
    for at in left {
        let last4 = progress.record(at).last4;
        let next = unnamed.take(None, last4, true).or_else(|| unnamed.take(None, last4, false));
        let shared = || match last4 {
            None => last,
            Some(_) => last_with.get(&last4).or_else(|| last_with.get(&None)).copied(),
        };
        let Some(transfer) = next.or_else(shared) else { continue };
        last = Some(transfer);
        last_with.insert(progress.input.transfers[transfer as usize].last4, transfer);
        progress.place_record(at, Place::Transfer(transfer));
    }
}

/// The transfers of an order that no record has named, by the values that a record can ask for.
struct Unnamed {
    waiting: HashMap<(Option<Minor>, Asked), Vec<u32>>,
    named: HashSet<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Asked {
    Any,
    Last4(Option<Last4>),
}

impl Unnamed {
    fn of(known: &[KnownTransfer], transfers: &[u32]) -> Self {
        // A record in the books more likely stands for the attempt that was not refused.
        let is_refused = |transfer: u32| {
            let status = known[transfer as usize].facts.status;
            matches!(status, TransferStatus::Declined | TransferStatus::Reversal)
        };
        let mut sorted = transfers.to_vec();
        sorted.sort_unstable_by(|&one, &other| {
            let id = |transfer: u32| known[transfer as usize].transfer_id.as_str();
            is_refused(one)
                .cmp(&is_refused(other))
                .then_with(|| compare_ids(id(one), id(other)))
                .then(one.cmp(&other))
        });
        let mut waiting: HashMap<(Option<Minor>, Asked), Vec<u32>> = HashMap::new();
        for transfer in sorted.into_iter().rev() {
            let KnownTransfer { amount, last4, .. } = known[transfer as usize];
            for asked in [Asked::Any, Asked::Last4(last4)] {
                waiting.entry((None, asked)).or_default().push(transfer);
                if amount.is_some() {
                    waiting.entry((amount, asked)).or_default().push(transfer);
                }
            }
        }
        Self { waiting, named: HashSet::new() }
    }

    /// The first transfer that fits a record of this last four, and of this amount if given; with
    /// `is_same_last4` one with the same last four, else one where either has none.
    fn take(
        &mut self,
        amount: Option<Minor>,
        last4: Option<Last4>,
        is_same_last4: bool,
    ) -> Option<u32> {
        let asked = match last4 {
            Some(_) if is_same_last4 => Asked::Last4(last4),
            Some(_) => Asked::Last4(None),
            None if is_same_last4 => return None,
            None => Asked::Any,
        };
        let waiting = self.waiting.get_mut(&(amount, asked))?;
        let named = &mut self.named;
        std::iter::from_fn(|| waiting.pop()).find(|&transfer| named.insert(transfer))
    }
}
