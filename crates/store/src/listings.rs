//! The listings that were read, and their states at each reading.

use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::reading::current_reading;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::{Listing, ListingRecord};

/// The state of a listing in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingState {
    pub resource: String,
    pub selector: String,
    pub scope: String,
    pub business_date: String,
    pub verdict: String,
    pub pages: i64,
    pub records: i64,
    pub bytes: i64,
    pub digest: String,
    pub error: Option<String>,
}

impl ListingState {
    /// The listing as the run record states it.
    pub fn into_record(self) -> ListingRecord {
        let natural = |number: i64| u64::try_from(number).unwrap_or_default();
        let (verdict, error) = match self.verdict.as_str() {
            "complete" => ("complete", None),
            "reading" => {
                let interrupted = format!("its reading was interrupted after page {}", self.pages);
                ("incomplete", self.error.or(Some(interrupted)))
            }
            verdict => (verdict, self.error),
        };
        ListingRecord {
            resource: self.resource,
            selector: self.selector,
            scope: self.scope,
            date: self.business_date.parse().ok(),
            verdict: verdict.to_owned(),
            pages: natural(self.pages),
            records: natural(self.records),
            bytes: natural(self.bytes),
            digest: self.digest,
            error,
        }
    }
}

/// A listing that could not be read completely.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct IncompleteListing {
    pub resource: String,
    pub selector: String,
    /// The terminal, batch, deposit or record that it is about; empty for a whole date.
    pub scope: String,
    /// The date that it is about; empty where the scope alone selects.
    pub date: String,
    /// Why, with the page.
    pub error: String,
}

/// Whether the newest reading of `listing` is complete.
///
/// # Errors
/// When the store refuses.
pub fn is_complete(store: &Store, listing: &Listing) -> Result<bool, StoreError> {
    Ok(current_reading(&store.connection, listing)
        .during("looking a listing up")?
        .is_some_and(|current| current.is_complete()))
}

/// The newest state of `listing`, or `None` when it was never read.
///
/// # Errors
/// When the store refuses.
pub fn state(store: &Store, listing: &Listing) -> Result<Option<ListingState>, StoreError> {
    newest_state(&store.connection, listing).during("looking a listing up")
}

pub(super) fn incomplete(
    store: &Store,
    date: NaiveDate,
) -> Result<Vec<IncompleteListing>, StoreError> {
    const DURING: &str = "reading incomplete listings";
    let sql = include_str!("../sql/report/incomplete_listings.sql");
    rows(&store.connection, sql, [date.to_string()], |row| {
        let (error, pages): (Option<String>, i64) = (row.get("error")?, row.get("pages")?);
        let interrupted = || format!("its reading was interrupted after page {pages}");
        Ok(IncompleteListing {
            resource: row.get("resource")?,
            selector: row.get("selector")?,
            scope: row.get("scope")?,
            date: row.get("business_date")?,
            error: error.unwrap_or_else(interrupted),
        })
    })
    .during(DURING)
}

/// Every reading of a listing, newest first, with the state of the listing at that time. The
/// key is resource, selector, business date or empty, scope or empty.
///
/// # Errors
/// When the store refuses.
pub fn readings(
    store: &Store,
    key: (&str, &str, &str, &str),
) -> Result<Vec<(i64, ListingState)>, StoreError> {
    const DURING: &str = "reading a listing's past";
    let sql = include_str!("../sql/evidence/readings_of_listing.sql");
    rows(&store.connection, sql, key, |row| Ok((row.get("reading_id")?, state_of(row)?)))
        .during(DURING)
}

pub(super) fn newest_state(
    connection: &Connection,
    listing: &Listing,
) -> rusqlite::Result<Option<ListingState>> {
    let (selector, scope, date) = listing.key();
    connection
        .prepare_cached(include_str!("../sql/report/listing.sql"))?
        .query_row(
            named_params! {
                ":resource": listing.resource.as_str(),
                ":selector": selector,
                ":scope": scope,
                ":business_date": date.map(|date| date.to_string()).unwrap_or_default(),
            },
            state_of,
        )
        .optional()
}

/// A row with the columns of `sql/report/listing.sql`.
pub(super) fn state_of(row: &Row<'_>) -> rusqlite::Result<ListingState> {
    Ok(ListingState {
        resource: row.get("resource")?,
        selector: row.get("selector")?,
        scope: row.get("scope")?,
        business_date: row.get("business_date")?,
        verdict: row.get("verdict")?,
        pages: row.get("pages")?,
        records: row.get("records")?,
        bytes: row.get("bytes")?,
        digest: row.get("digest")?,
        error: row.get("error")?,
    })
}
