//! The manifest of a partition: what it holds, so that a reader sees that it is whole.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use tieout_model::Shard;
use tieout_store::DayState;

/// Raised by every change of the dataset other than a new table, or a new column at the end.
pub const DATASET_VERSION: u32 = 1;

/// What one store has of one business date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub dataset_version: u32,
    pub business_date: NaiveDate,
    /// `1-of-1` for a store of every merchant.
    pub shard: String,
    /// How many shards the whole date has.
    pub shards: u32,
    /// Whether it has results; facts alone are no verdict.
    pub is_reconciled: bool,
    /// Whether an older date was reconciled since.
    pub is_stale: bool,
    /// Whether every check could be evaluated.
    pub is_complete: bool,
    pub tables: Vec<TableRecord>,
}

/// One file of a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecord {
    pub name: String,
    pub rows: u64,
    pub bytes: u64,
    pub sha256: String,
    pub sums: Vec<ColumnSum>,
}

/// What one column adds up to in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSum {
    /// Empty when the rows state none.
    pub currency: String,
    pub column: String,
    pub total_minor: i64,
}

impl Manifest {
    /// That of a partition without files yet.
    pub(super) fn begin(date: NaiveDate, shard: Option<Shard>, day: Option<&DayState>) -> Self {
        let is =
            |what: fn(&DayState) -> bool| day.is_some_and(|day| day.is_reconciled && what(day));
        Self {
            dataset_version: DATASET_VERSION,
            business_date: date,
            shard: shard_name(shard),
            shards: shard.map_or(1, Shard::count),
            is_reconciled: is(|_| true),
            is_stale: is(|day| day.is_stale),
            is_complete: is(|day| day.is_complete),
            tables: Vec::new(),
        }
    }
}

/// How folders name a shard.
pub(super) fn shard_name(shard: Option<Shard>) -> String {
    shard.map_or_else(|| "1-of-1".to_owned(), |shard| shard.to_string().replace('/', "-of-"))
}
