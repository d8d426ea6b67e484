//! Bank transfers that are known and have not settled take part from pass 2 on, as items on the day
//! on which they ran, the second of the days of an item: a record may be nearer to one of them than
//! to any item. Their partners wait.

use chrono::{Days, NaiveDate};

use super::input::{Item, ItemKind, KnownTransfer, Terms, TransferStatus};
use super::progress::{Place, Progress};
use super::status::as_of;
use tieout_model::TransferKind;

/// Calendar days after the start in which everything is matched again on every night.
const START_DAYS: u64 = 21;

/// The item that `transfer` may become, if it can still settle as of `date`.
pub(super) fn item_of(transfer: &KnownTransfer, terms: &Terms, date: NaiveDate) -> Option<Item> {
    let run = transfer.run_date?;
    let is_over = match as_of(&transfer.facts, date) {
        TransferStatus::Declined | TransferStatus::Returned | TransferStatus::Reversal => true,
        TransferStatus::Ready
        | TransferStatus::Pending
        | TransferStatus::Complete
        | TransferStatus::Admin
        | TransferStatus::Unknown => false,
    };
    // Nobody hears of it again after the look-back.
    let is_watched = date <= run + Days::new(terms.lookback_days.into());
    // What is stuck since the start would keep every later night from going on from kept books.
    let is_of_the_start = run <= terms.start
        || terms.banking_days.distance(run, terms.start) <= 2 * terms.window_days;
    let is_stuck = is_of_the_start && date > terms.start + Days::new(START_DAYS);
    // A re-presentment stands for its original.
    let is_again = transfer.facts.representment_of.is_some();
    let takes_part = transfer.is_listed && !is_over && !is_again && is_watched && !is_stuck;
    takes_part.then(|| as_item(transfer, run))
}

/// The item that a bank transfer which ran on `run` may become.
pub(super) fn as_item(transfer: &KnownTransfer, run: NaiveDate) -> Item {
    Item {
        kind: match transfer.kind {
            TransferKind::Payment => ItemKind::Payment,
            TransferKind::Refund => ItemKind::Refund,
        },
        item_id: transfer.transfer_id.clone(),
        authorization_id: None,
        day: run,
        second_day: Some(run),
        amount: transfer.amount,
        currency: transfer.currency,
        order_id: transfer.order_id.clone(),
        last4: transfer.last4,
        facts: None,
    }
}

/// Lets the transfers join the items. Called between passes 1 and 2; one that a record has named is
/// taken.
pub(super) fn join(progress: &mut Progress<'_>) {
    for (at, transfer) in (0..).zip(progress.input.transfers) {
        let terms = progress.input.terms;
        if let Some(item) = item_of(transfer, terms, terms.business_date) {
            let is_named = progress.named_transfers.contains(&at);
            progress.add_waiting(item, at, if is_named { Place::NamesOther } else { Place::Free });
        }
    }
}

/// Takes the transfers out again, after the last pass by days. A record that only they fit waits for
/// the first of them.
pub(super) fn leave(progress: &mut Progress<'_>) {
    let taken = progress.take_waiting();
    for &(place, transfer) in &taken {
        match place {
            Place::Pair(pair) => {
                progress.let_wait(place, progress.pairs[pair as usize], transfer);
            }
            Place::Ambiguous(set) => {
                let items = progress.input.items.len();
                let set = &mut progress.sets[set as usize];
                let first = set.items.first().map(|&item| item as usize);
                set.items.retain(|&item| (item as usize) < items);
                if let (Some(first), true) = (first, set.items.is_empty()) {
                    let pass = set.pass;
                    progress.let_wait(place, pass, taken[first - items].1);
                }
            }
            _ => {}
        }
    }
}
