//! What is kept of a merchant's books when a date is done, so that the next one need not match the
//! years again: what is open, what new records could still displace, and the totals of the rest.
//!
//! Not kept is a pair that nothing new can touch. A name made it, and nothing that stays shares that
//! name; or day, amount and last four did on an item's first day, where nothing is left over on both
//! sides; or it lies so far back that nothing new is within the window of it, nor of anything that
//! could take a part of it. Names of what is not kept are noted where a later record could carry
//! them too; whoever meets one of them matches everything again.
//!
//! Pure functions, like the passes. That the result is that of matching everything is held by a
//! property over random histories (`tests/kept.rs`).

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
use super::outcome::{Pass, Totals};
use super::standing::Stays;
use tieout_model::ShortText;

pub use keep::keep;
pub use links::{
    name_of_return, names_of_item, names_of_record, names_of_reference, names_of_transfer,
};
pub use near::{money_and_days, money_of_record};
pub use resume::{crowded, resume, stands};

/// What is kept of one merchant when a date is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub up_to: NaiveDate,
    pub items: Vec<(Item, CardIds, Stays)>,
    /// Each with the name that tells it apart.
    pub records: Vec<(Record, String, Stays)>,
    pub pairs: Vec<Pass>,
    pub sets: Vec<Pass>,
    pub transfers: Vec<KnownTransfer>,
    pub others: Vec<ShortText>,
    pub unclear: Vec<Unclear>,
    pub totals: Totals,
    /// How far what is not kept fits.
    pub fit: Fit,
}

/// Names by which something later could belong to what is not kept any more.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Of items and bank transfers: a new record that carries one needs them.
    pub of_items: Vec<ShortText>,
    /// Of records: so does a new item or bank transfer.
    pub of_records: Vec<ShortText>,
}

impl Names {
    /// Names that nothing new may carry.
    fn add_to_both(&mut self, names: &[ShortText]) {
        self.of_items.extend_from_slice(names);
        self.of_records.extend_from_slice(names);
    }
}

/// The days that bound what is kept.
pub struct Bounds {
    /// The earliest second day that a new item may have.
    pub earliest: NaiveDate,
    /// What lies on this day or before it is out of reach of everything new.
    pub settled: NaiveDate,
}

impl Bounds {
    /// For everything that is dated after the business date of `terms`; `None` while the start date
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
