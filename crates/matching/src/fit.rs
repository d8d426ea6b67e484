//! How far the books of the last days fit the processor, day by day.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// What lies on one day; a pair on the latest day of its items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitDay {
    pub items: u64,
    /// Paid ones.
    pub records: u64,
    pub pairs: u64,
    pub by_reference: u64,
    /// Pairs by reference of which the processor has more than the books, and less.
    pub above: u64,
    pub below: u64,
}

/// The days that are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit(pub BTreeMap<NaiveDate, FitDay>);

impl Fit {
    /// Everything together.
    pub(super) fn total(&self) -> FitDay {
        self.0.values().fold(FitDay::default(), |sum, one| FitDay {
            items: sum.items + one.items,
            records: sum.records + one.records,
            pairs: sum.pairs + one.pairs,
            by_reference: sum.by_reference + one.by_reference,
            above: sum.above + one.above,
            below: sum.below + one.below,
        })
    }

    /// Dates with items, or with records: of which there are fewer.
    pub(super) fn dates(&self) -> usize {
        let with = |has: fn(&FitDay) -> bool| self.0.values().filter(|one| has(one)).count();
        with(|one| one.items > 0).min(with(|one| one.records > 0))
    }
}
