//! What stands from an earlier date, in place of the years behind it: the passes see the few that
//! are still open and what is new, and take the rest as it was.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::fit::Fit;
use super::outcome::{Pass, Totals};
use tieout_model::ShortText;

/// What stands, by the positions that it has in the input.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Everything up to this date is here or in `totals`.
    pub up_to: NaiveDate,
    /// The items and records that come first in the input are those that were kept.
    pub items: Vec<Stays>,
    pub records: Vec<Stays>,
    pub pairs: Vec<Pass>,
    pub sets: Vec<Pass>,
    /// What is not at hand any more came to this.
    pub totals: Totals,
    /// How far what is not at hand any more fits.
    pub fit: Fit,
    /// Of the kept records: the names that tell them apart.
    pub names: Vec<String>,
    /// How many records that are not new carry a ledger id, where a new one does too.
    pub same_id: HashMap<ShortText, u32>,
    /// Kind, currency, amount and day of what is not at hand and lies beside what is new; as far
    /// as it was asked for.
    pub crowd: Vec<(u128, NaiveDate)>,
    /// Ids of items that are not at hand, as far as somebody names them.
    pub settled_ids: HashSet<ShortText>,
}

/// What an item or a record was when the earlier date was done, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stays {
    pub was: Was,
    pub role: Role,
}

/// What it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Was {
    Free,
    Pair(u32),
    StandsIn(u32),
    Set(u32),
    /// A record that names something without being paired with it.
    Named,
}

/// How it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Role {
    /// It is matched again, with what is new.
    Open,
    /// It is matched again and must come to the same: what surrounds it is not at hand.
    Same,
    /// It is what it was, unless something new names it. When it is alone, nobody else minds.
    Stands { is_alone: bool },
}
