//! The part of a merchant's books that is kept after a date, so that the next date need not match
//! all years again: open entries, entries that new records could still displace, and the totals of
//! the rest.
//!
//! A pair that no new entry can affect is not kept. Either an id made it, and no kept entry shares
//! that id; or day, amount and last four made it on an item's first day, with nothing left over on
//! both sides; or no new entry can lie within the window of it, nor of an entry that could take a
//! part of it. Names of entries that are not kept are stored where a later record could carry them
//! too; a merchant with such a record matches everything again.
//!
//! Pure functions, like the passes. A property over random histories checks that the result equals
//! that of matching everything (`tests/kept.rs`).

mod gather;
mod keep;
mod links;
mod near;
mod party;
mod resume;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::fit::Fit;
use super::input::{Item, KnownTransfer, Record, Terms};
use super::ledger_input::{CardIds, Unclear};
use super::standing::Stays;
use super::states::{Pass, Totals};
use tieout_model::ShortText;

pub use keep::keep;
pub use links::{
    name_of_return, names_of_item, names_of_record, names_of_reference, names_of_transfer,
};
pub use near::{money_and_days, money_of_record};
pub use resume::{crowded, is_any_revived, resume, stands};

/// The kept part of one merchant's books after a date.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub up_to: NaiveDate,
    pub items: Vec<(Item, CardIds, Stays)>,
    /// Each with its unique name.
    pub records: Vec<(Record, String, Stays)>,
    pub pairs: Vec<Pass>,
    pub sets: Vec<Pass>,
    pub transfers: Vec<KnownTransfer>,
    pub others: Vec<ShortText>,
    pub unclear: Vec<Unclear>,
    pub totals: Totals,
    /// The fit of the entries that are not kept.
    pub fit: Fit,
}

/// Names by which a later entry could be linked to an entry that is not kept.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Names of items and bank transfers: a new record that carries one needs them.
    pub of_items: Vec<ShortText>,
    /// Names of records: a new item or bank transfer that carries one needs them.
    pub of_records: Vec<ShortText>,
}

impl Names {
    /// Adds names that no new entry may carry.
    fn add_to_both(&mut self, names: &[ShortText]) {
        self.of_items.extend_from_slice(names);
        self.of_records.extend_from_slice(names);
    }
}

/// The days that bound the kept entries.
pub struct Bounds {
    /// The earliest second day that a new item may have.
    pub earliest: NaiveDate,
    /// Entries on this day or before it are out of reach of every new entry.
    pub settled: NaiveDate,
}

impl Bounds {
    /// The bounds for entries dated after the business date of `terms`; `None` while the start date
    /// is near.
    pub fn of(terms: &Terms) -> Option<Self> {
        let days = &terms.banking_days;
        let before = |date: NaiveDate| std::iter::successors(date.pred_opt(), NaiveDate::pred_opt);
        let date = terms.business_date;
        let is_within = |day: &NaiveDate| days.distance(*day, date) <= terms.window_days;
        let earliest = before(date).take_while(is_within).last().unwrap_or(date);
        let settled = before(earliest)
            .take_while(|day| *day > terms.start)
            .find(|day| days.distance(*day, earliest) > terms.window_days)?;
        (days.distance(terms.start, settled) > terms.window_days)
            .then_some(Self { earliest, settled })
    }
}
