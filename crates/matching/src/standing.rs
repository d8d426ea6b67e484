//! The results kept from an earlier date instead of all earlier entries: the passes see the few
//! entries that are still open and the new ones, and take the rest as it was.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::fit::Fit;
use super::states::{Pass, Totals};
use tieout_model::ShortText;

/// The kept results, by position in the input.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Every entry up to this date is in the input or in `totals`.
    pub up_to: NaiveDate,
    /// Parallel to the first items and records of the input, which are the kept ones.
    pub items: Vec<Stays>,
    pub records: Vec<Stays>,
    pub pairs: Vec<Pass>,
    pub sets: Vec<Pass>,
    /// The totals of the entries that are no longer loaded.
    pub totals: Totals,
    /// The fit of the entries that are no longer loaded.
    pub fit: Fit,
    /// The unique names of the kept records.
    pub names: Vec<String>,
    /// The number of older records with a ledger id that a new record carries too.
    pub same_id: HashMap<ShortText, u32>,
    /// Kind, currency, amount and day of unloaded entries that lie near new ones, as far as they
    /// were requested.
    pub crowd: Vec<(u128, NaiveDate)>,
    /// Ids of items that are not loaded, as far as a record names them.
    pub settled_ids: HashSet<ShortText>,
}

/// The state of an entry after the earlier date, and its role in the next matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stays {
    pub was: Was,
    pub role: Role,
}

/// The state of an entry after the earlier date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Was {
    Free,
    Pair(u32),
    StandsIn(u32),
    Set(u32),
    /// A record that names an object without being paired with it.
    Named,
}

/// The role of a kept entry in the next matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Role {
    /// It is matched again, together with the new entries.
    Open,
    /// It is matched again and must give the same result, because its surroundings are not loaded.
    Same,
    /// It keeps its state unless a new entry names it. `is_alone`: no other kept entry depends on
    /// it.
    Stands { is_alone: bool },
}
