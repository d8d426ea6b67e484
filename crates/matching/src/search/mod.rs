//! The search behind every tie-out: finds the entries of one side that belong to those of the
//! other, as pure functions.
//!
//! An entry has a day, a party (a merchant) and possible amounts. Every leg asks the same question:
//! which sets of entries add up to a target? Sets also add up by chance. So the kinds of sets have
//! an order ([`Kind`]), a set is taken only if it is the only one of its kind that adds up, and an
//! earlier kind is taken without looking at later ones. Each leg only supplies the entries in reach
//! of a target, their parties and their evidence; no leg has a search of its own.
//!
//! Everything is bounded ([`Budget`], [`MAX_FEW`]). A bound that was reached has a result of its
//! own ([`Sets::Bounded`]) and is never an ambiguity. The order of the input changes nothing: a leg
//! gives entries in order of day and id.

mod nearest;
mod sets;
mod settle;
mod whole;

#[cfg(test)]
mod tests;

use chrono::NaiveDate;

pub use nearest::{Near, nearest};
pub use sets::{sets, sets_with};
pub use settle::{Settled, settle, share};

/// Maximum number of entries in reach for sets of few entries: among more, some add up by chance.
pub const MAX_FEW: usize = 12;

/// Maximum number of entries in a set of few entries.
pub const FEW: usize = 3;

/// Maximum number of sets that are named if several add up; further ones change nothing.
pub const MAX_SETS: usize = 12;

/// Maximum number of entries examined for one leg of a night: about a second of work.
const MAX_STEPS: u64 = 2_000_000;

/// An entry that may be a part of a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The leg's identifier. Unique among the entries of a target.
    pub id: usize,
    pub day: NaiveDate,
    /// Its merchant, as a number: sets of one are tried before sets of several.
    pub party: usize,
    /// Its possible amounts: one, or alternatives (for a dispute its amount, its fee or both).
    pub amounts: Vec<i64>,
    /// For a dispute decided in part: any amount up to this can come back.
    pub at_most: Option<i64>,
}

impl Entry {
    /// An entry with one amount.
    #[must_use]
    pub fn new(id: usize, day: NaiveDate, party: usize, amount: i64) -> Self {
        Self { id, day, party, amounts: vec![amount], at_most: None }
    }

    fn is_equal(&self, other: &Self) -> bool {
        (self.day, self.party, &self.amounts) == (other.day, other.party, &other.amounts)
            && self.at_most.is_none()
            && other.at_most.is_none()
    }
}

/// An entry's id with its amount in a set.
pub type Part = (usize, i64);

/// Entries that add up to a target.
pub type Set = Vec<Part>;

/// The kinds of sets, in the order in which they are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// All entries left of one day and party.
    DayOfOne,
    /// All entries left of one day.
    Day,
    /// All entries left of consecutive days, of one party or of all.
    Days,
    /// At most [`FEW`] entries, where at most [`MAX_FEW`] are in reach.
    Few,
}

impl Kind {
    pub const IN_ORDER: [Self; 4] = [Self::DayOfOne, Self::Day, Self::Days, Self::Few];
}

/// The sets of one kind that add up to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sets {
    None,
    One(Set),
    Several(Vec<Set>),
    /// More sets than the search examines.
    Bounded,
}

impl Sets {
    fn of(mut found: Vec<Set>, is_bounded: bool) -> Self {
        match (found.len(), is_bounded) {
            (0, false) => Self::None,
            (0 | 1, true) => Self::Bounded,
            (1, false) => found.pop().map_or(Self::None, Self::One),
            _ => {
                found.truncate(MAX_SETS);
                Self::Several(found)
            }
        }
    }

    /// Every set that adds up.
    #[must_use]
    pub fn all(&self) -> &[Set] {
        match self {
            Self::None | Self::Bounded => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// The remaining steps of a leg.
#[derive(Debug)]
pub struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_STEPS)
    }
}

impl Budget {
    /// Whether at least `steps` are left.
    #[must_use]
    pub fn has(&self, steps: usize) -> bool {
        u64::try_from(steps).is_ok_and(|steps| steps <= self.0)
    }

    /// Takes steps; false if fewer are left.
    fn take(&mut self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}
