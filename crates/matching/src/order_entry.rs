//! The processor's entries of one order: bank transfers, and the returns that the books may post as
//! refunds of their own.

use std::cmp::Ordering;

use chrono::NaiveDate;

use super::order_by_id::compare_items;
use super::progress::Progress;
use super::states::Pass;

/// One entry of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    Item(u32),
    /// The return of `date` of the payment `item`; its record is a counter-entry.
    Back {
        item: u32,
        date: NaiveDate,
    },
}

impl Entry {
    /// The position of the bank transfer that it is, or that came back.
    pub(super) fn item(self) -> u32 {
        match self {
            Self::Item(item) | Self::Back { item, .. } => item,
        }
    }

    pub(super) fn is_open(self, progress: &Progress<'_>) -> bool {
        match self {
            Self::Item(item) => progress.is_item_open(item),
            Self::Back { item, date } => !progress.countered.contains(&(item, date)),
        }
    }

    pub(super) fn days(self, progress: &Progress<'_>) -> [NaiveDate; 2] {
        match self {
            Self::Item(item) => progress.item(item).days(),
            Self::Back { date, .. } => [date; 2],
        }
    }

    /// Whether a record may be its own: a counter-entry names no payment, and is dated at most the
    /// window before the return.
    pub(super) fn allows(self, progress: &Progress<'_>, record: u32) -> bool {
        match self {
            Self::Item(_) => true,
            Self::Back { date, .. } => {
                !progress.naming_payments.contains(&record) && progress.is_countering(record, date)
            }
        }
    }

    /// Pairs it with a record, or makes the record its counter-entry.
    pub(super) fn pair(self, progress: &mut Progress<'_>, pass: Pass, record: u32) {
        match self {
            Self::Item(item) if progress.is_waiting(item) => progress.name_waiting(item, record),
            Self::Item(item) => progress.pair(pass, &[item], &[record]),
            Self::Back { item, date } => progress.counter(record, item, date),
        }
    }

    pub(super) fn compare(self, other: Self, progress: &Progress<'_>) -> Ordering {
        compare_items(progress.item(self.item()), progress.item(other.item()))
            .then(self.cmp(&other))
    }
}
