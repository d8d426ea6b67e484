//! Measures, day by day, how well the recent books fit the processor's items.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// The counts of one day. A pair counts on the latest day of its items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitDay {
    pub items: u64,
    /// Paid records.
    pub records: u64,
    pub pairs: u64,
    pub by_reference: u64,
    /// Pairs by reference in which the processor's amount is above the books', and below.
    pub above: u64,
    pub below: u64,
}

/// The days within the measured period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit(pub BTreeMap<NaiveDate, FitDay>);

impl Fit {
    /// The sum of all days.
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

    /// The number of dates with items or of dates with records, whichever is smaller.
    pub(super) fn dates(&self) -> usize {
        let with = |has: fn(&FitDay) -> bool| self.0.values().filter(|one| has(one)).count();
        with(|one| one.items > 0).min(with(|one| one.records > 0))
    }
}
