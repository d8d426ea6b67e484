//! The records that a look-back reads again: the listings of recent dates, and the bank transfers
//! that reconciled listings no longer hold.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::columns::{required_date, wrong};
use super::plan::listing_of;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::{Listing, TransferId, TransferKind};

/// A listing of a recent date that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentListing {
    /// Of a date, or of the bank transfers settled or run on it at one terminal.
    pub listing: Listing,
    pub day: NaiveDate,
    /// Distinct records of its newest reading.
    pub records: u64,
}

const PLANNING: &str = "planning the listings to read again";

/// The listings from `from` to the day before `end` that a reconciliation has rested on, or that an
/// earlier date than `end` has read.
pub fn recent_listings(
    store: &Store,
    from: NaiveDate,
    end: NaiveDate,
) -> Result<Vec<RecentListing>, StoreError> {
    let sql = include_str!("../sql/plan/recent_listings.sql");
    rows(&store.connection, sql, (from.to_string(), end.to_string()), |row| {
        Ok(RecentListing {
            listing: listing_of(row)?,
            day: required_date(row, "business_date")?,
            records: row.get::<_, i64>("records")?.try_into().unwrap_or_default(),
        })
    })
    .during(PLANNING)
}

/// The days from `from` to the day before `end` whose batches in `session` differ from those of the
/// readings before it.
pub fn changed_batch_days(
    store: &Store,
    from: NaiveDate,
    end: NaiveDate,
    session: i64,
) -> Result<BTreeSet<NaiveDate>, StoreError> {
    let sql = include_str!("../sql/plan/changed_batch_days.sql");
    rows(&store.connection, sql, (from.to_string(), end.to_string(), session), |row| {
        required_date(row, "business_date")
    })
    .during(PLANNING)
}

/// Bank transfers that a reconciled listing from `from` to `last` has held and holds no
/// longer.
pub fn lost_transfers(
    store: &Store,
    from: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<(TransferKind, TransferId)>, StoreError> {
    let sql = include_str!("../sql/plan/lost_transfers.sql");
    rows(&store.connection, sql, (from.to_string(), last.to_string()), |row| {
        let kind: String = row.get("kind")?;
        let kind = [TransferKind::Payment, TransferKind::Refund]
            .into_iter()
            .find(|known| known.as_str() == kind)
            .ok_or_else(|| wrong("kind", &kind))?;
        Ok((kind, TransferId::from(row.get::<_, String>("transfer_id")?)))
    })
    .during(PLANNING)
}
