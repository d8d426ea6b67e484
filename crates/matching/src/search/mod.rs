//! What belongs to what: the search behind every tie-out, as pure functions over entries.
//!
//! An entry has a day, a party (a merchant) and what it can come to. The question is always the
//! same: which sets of entries add up to a target? Chance adds up too, so the kinds of sets stand
//! in an order ([`Kind`]), each is taken only where exactly one set of its kind adds up, and an
//! earlier kind is taken without looking at later ones. Each leg says what it offers (which
//! entries are in reach of a target, which parties, which evidence); no leg has a search of its
//! own.
//!
//! Everything is bounded ([`Budget`], [`MAX_FEW`]), and a bound that was reached is an answer of
//! its own ([`Sets::Bounded`]), never an ambiguity. The order of the input changes nothing: a leg
//! gives entries in an order of day and id.

mod nearest;
mod sets;
mod settle;
mod whole;

#[cfg(test)]
mod tests;

use chrono::NaiveDate;

pub use nearest::{Near, nearest};
pub use sets::sets;
pub use settle::{Settled, settle};

/// More entries than this in reach, and sets of few of them are not looked at: chance adds up.
pub const MAX_FEW: usize = 12;

/// Entries of a set of few.
pub const FEW: usize = 3;

/// Sets that are named where several add up; further ones change nothing.
pub const MAX_SETS: usize = 12;

/// Entries that are looked at for one leg of a night: a second at the most.
const MAX_STEPS: u64 = 2_000_000;

/// An entry that may be a part of a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the leg knows it by. Unique among the entries of a target.
    pub id: usize,
    pub day: NaiveDate,
    /// Entries of one party belong together sooner than those of several.
    pub party: usize,
    /// What it can come to: one amount, or alternatives (of a dispute its amount, its fee or both).
    pub amounts: Vec<i64>,
    /// Of a dispute that was decided in part: anything up to this can come back.
    pub at_most: Option<i64>,
}

impl Entry {
    /// An entry of one amount.
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

/// An entry by its id, with what it comes to in a set.
pub type Part = (usize, i64);

/// Entries that add up to a target.
pub type Set = Vec<Part>;

/// The kinds of sets, in the order in which they are looked at.
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
    /// More sets than are looked at.
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

/// What is left of the steps of a leg.
#[derive(Debug)]
pub struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_STEPS)
    }
}

impl Budget {
    /// Whether there are as many steps left.
    #[must_use]
    pub fn has(&self, steps: usize) -> bool {
        u64::try_from(steps).is_ok_and(|steps| steps <= self.0)
    }

    /// Takes steps; false once there are not as many left.
    fn take(&mut self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}
