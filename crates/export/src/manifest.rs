//! The manifest of a partition: its contents, by which a reader sees that it is complete.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use tieout_model::Shard;
use tieout_store::DayState;

/// Raised by every change of the dataset except a new table, or a new column at the end.
pub const DATASET_VERSION: u32 = 1;

/// The manifest of one store's partition of one business date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub dataset_version: u32,
    pub business_date: NaiveDate,
    /// `1-of-1` for a store of every merchant.
    pub shard: String,
    /// Number of shards of the whole date.
    pub shards: u32,
    /// Whether it has results; facts alone have no verdict.
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

/// The sum of one column in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSum {
    /// Empty if the rows state no currency.
    pub currency: String,
    pub column: String,
    pub total_minor: i64,
}

impl Manifest {
    /// The manifest of a partition without files yet.
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

/// The name of a shard in folders.
pub(super) fn shard_name(shard: Option<Shard>) -> String {
    shard.map_or_else(|| "1-of-1".to_owned(), |shard| shard.to_string().replace('/', "-of-"))
}
