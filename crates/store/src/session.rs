//! Fetch sessions of business dates, and the readings of listings within them.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, NaiveDate, Utc};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::columns::{currency_column, minor_column, required_date};
use super::reading::current_reading;
use super::statement::rows;
use super::tally::{RecordSum, SessionRecord};
use super::{Store, StoreError, While};
use tieout_model::dates::left_out;
use tieout_model::{Listing, ListingRecord};

/// An interrupted session older than this is not resumed: its pages no longer belong to one night.
const RESUMABLE_HOURS: i64 = 24;

const READING: &str = "reading the pages of a session";

/// The fetch of one business date; a run that was killed is resumed under the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchSession {
    pub business_date: NaiveDate,
    pub number: i64,
    pub is_resumed: bool,
}

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

/// The state of a business date in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "five independent flags, each a column")]
pub struct DayState {
    pub business_date: NaiveDate,
    pub is_fetched: bool,
    pub is_reconciled: bool,
    /// An older date was reconciled after it.
    pub is_stale: bool,
    /// Every check could be evaluated.
    pub is_complete: bool,
    /// A person has signed it off.
    pub is_closed: bool,
    pub complete_listings: i64,
    pub incomplete_listings: i64,
    /// The incomplete listings.
    pub incomplete: Vec<IncompleteListing>,
    pub not_evaluated: i64,
    /// New and open discrepancies by severity.
    pub errors: i64,
    pub warnings: i64,
    pub notes: i64,
    pub last_run: Option<String>,
    /// The codes of the errors and warnings that are new on the date.
    pub new_codes: Vec<String>,
    /// Whether money is on its way: to be paid, or to arrive at a bank.
    pub is_moving: bool,
}

impl Store {
    /// Notes whether the key has an operation that not every key has.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn save_key_operation(&self, name: &str, is_there: bool) -> Result<(), StoreError> {
        self.connection()
            .execute(
                include_str!("../sql/ingest/key_operation.sql"),
                rusqlite::named_params! { ":name": name, ":is_there": is_there },
            )
            .map(drop)
            .during("saving the operations of the key")
    }

    /// Whether the key lacks an operation, as far as it was requested.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn lacks_operation(&self, name: &str) -> Result<bool, StoreError> {
        self.connection()
            .prepare_cached(include_str!("../sql/plan/lacks_operation.sql"))
            .and_then(|mut statement| statement.query_row([name], |row| row.get(0)))
            .during("reading the operations of the key")
    }

    /// Whether the key has an operation that not every key has; `None` when it was never requested.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn has_operation(&self, name: &str) -> Result<Option<bool>, StoreError> {
        self.connection()
            .prepare_cached("select is_there from key_operation where name = ?1")
            .and_then(|mut statement| statement.query_row([name], |row| row.get(0)).optional())
            .during("reading the operations of the key")
    }

    /// Begins the fetch of `date`, or resumes it when the last one was interrupted.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn begin_session(
        &mut self,
        date: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<FetchSession, StoreError> {
        let transaction = self.connection.transaction().during("beginning a fetch")?;
        let interrupted: Option<(i64, String)> = transaction
            .query_row(
                "select session, fetch_began from business_day \
                 where business_date = ?1 and fetch_state = 'fetching'",
                [date.to_string()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .during("beginning a fetch")?;
        let resumable = interrupted.filter(|(_, began)| {
            DateTime::parse_from_rfc3339(began)
                .is_ok_and(|began| (now - began.to_utc()).abs() < Duration::hours(RESUMABLE_HOURS))
        });
        let session = if let Some((number, _)) = resumable {
            FetchSession { business_date: date, number, is_resumed: true }
        } else {
            let number = transaction
                .query_row(
                    include_str!("../sql/ingest/begin_session.sql"),
                    named_params! {
                        ":business_date": date.to_string(),
                        ":began": now.to_rfc3339(),
                    },
                    |row| row.get::<_, i64>(0),
                )
                .during("beginning a fetch")?;
            transaction
                .execute(
                    "insert into fetch_session (session, business_date) values (?1, ?2)",
                    (number, date.to_string()),
                )
                .during("beginning a fetch")?;
            FetchSession { business_date: date, number, is_resumed: false }
        };
        transaction.commit().during("beginning a fetch")?;
        Ok(session)
    }

    /// Notes that every listing of the session has its verdict.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn end_session(&self, session: FetchSession) -> Result<(), StoreError> {
        self.connection
            .execute(
                "update business_day set fetch_state = 'fetched' where business_date = ?1",
                [session.business_date.to_string()],
            )
            .during("ending a fetch")?;
        Ok(())
    }

    /// Whether a fetch of `date` was ever begun.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn was_fetched(&self, date: NaiveDate) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached(
                "select exists (select 1 from business_day \
                 where business_date = ?1 and fetch_state <> 'none')",
            )
            .and_then(|mut statement| statement.query_row([date.to_string()], |row| row.get(0)))
            .during("looking a date up")
    }

    /// Whether the newest reading of `listing` is complete.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn is_complete(&self, listing: &Listing) -> Result<bool, StoreError> {
        Ok(current_reading(&self.connection, listing)
            .during("looking a listing up")?
            .is_some_and(|current| current.is_complete()))
    }

    /// The newest state of `listing`, or `None` when it was never read.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn listing_state(&self, listing: &Listing) -> Result<Option<ListingState>, StoreError> {
        listing_state(&self.connection, listing).during("looking a listing up")
    }

    /// Every business date that was fetched or reconciled, oldest first.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn days(&self) -> Result<Vec<DayState>, StoreError> {
        let sql = include_str!("../sql/report/status.sql");
        let mut days: Vec<DayState> =
            rows(&self.connection, sql, [], day_state).during("reading the dates")?;
        for day in days.iter_mut().filter(|day| day.incomplete_listings > 0) {
            day.incomplete = self.incomplete_listings(day.business_date)?;
        }
        Ok(days)
    }

    /// The dates that were reconciled.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn reconciled_dates(&self) -> Result<BTreeSet<NaiveDate>, StoreError> {
        let sql = "select business_date from business_day where reconciled = 1";
        let read = |row: &Row<'_>| required_date(row, "business_date");
        let found: Vec<NaiveDate> =
            rows(&self.connection, sql, [], read).during("reading the dates")?;
        Ok(found.into_iter().collect())
    }

    /// The dates between the first and the newest reconciled date that were never reconciled.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn missed(&self) -> Result<Vec<NaiveDate>, StoreError> {
        Ok(left_out(&self.reconciled_dates()?))
    }

    fn incomplete_listings(&self, date: NaiveDate) -> Result<Vec<IncompleteListing>, StoreError> {
        const DURING: &str = "reading incomplete listings";
        let sql = include_str!("../sql/report/incomplete_listings.sql");
        rows(&self.connection, sql, [date.to_string()], |row| {
            Ok(IncompleteListing {
                resource: row.get("resource")?,
                selector: row.get("selector")?,
                scope: row.get("scope")?,
                date: row.get("business_date")?,
                error: row.get("error")?,
            })
        })
        .during(DURING)
    }
}

impl Store {
    /// The state of one business date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn day(&self, date: NaiveDate) -> Result<Option<DayState>, StoreError> {
        Ok(self.days()?.into_iter().find(|day| day.business_date == date))
    }

    /// Every reading of a listing, newest first, with the state of the listing at that time. The
    /// key is resource, selector, business date or empty, scope or empty.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn readings_of(
        &self,
        key: (&str, &str, &str, &str),
    ) -> Result<Vec<(i64, ListingState)>, StoreError> {
        const DURING: &str = "reading a listing's past";
        let sql = include_str!("../sql/evidence/readings_of_listing.sql");
        rows(&self.connection, sql, key, |row| Ok((row.get("reading_id")?, state(row)?)))
            .during(DURING)
    }

    /// The records that an interrupted session has stored.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn session_records(&self, session: i64) -> Result<Vec<SessionRecord>, StoreError> {
        let sql = include_str!("../sql/report/session_records.sql");
        let mut records: Vec<_> = rows(&self.connection, sql, [session], |row| {
            let currency = currency_column(row, "currency")?;
            Ok(SessionRecord::One {
                kind: row.get("kind")?,
                id: row.get("id")?,
                reading_id: row.get("reading")?,
                carried: currency.zip(minor_column(row, "amount_minor")?),
            })
        })
        .during(READING)?;
        records.push(SessionRecord::Cards(self.session_cards(session)?));
        Ok(records)
    }

    /// The sum of the authorizations and card transactions that a session has stored.
    fn session_cards(&self, session: i64) -> Result<RecordSum, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../sql/report/session_cards.sql"))
            .during(READING)?;
        let mut sum = RecordSum::default();
        let mut rows = statement.query([session]).during(READING)?;
        while let Some(row) = rows.next().during(READING)? {
            let currency = currency_column(row, "currency").during(READING)?;
            let amount = minor_column(row, "amount_minor").during(READING)?;
            sum.add(currency.zip(amount));
        }
        Ok(sum)
    }

    /// Marks `date` and every later one as stale.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn mark_stale_from(&self, date: NaiveDate) -> Result<(), StoreError> {
        self.connection
            .execute(
                "update business_day set stale = 1 where reconciled and business_date >= ?1",
                [date.to_string()],
            )
            .during("marking dates as stale")?;
        Ok(())
    }
}

fn day_state(row: &Row<'_>) -> rusqlite::Result<DayState> {
    let text: String = row.get("business_date")?;
    Ok(DayState {
        business_date: super::columns::parse_date("business_date", &text)?,
        is_fetched: row.get::<_, String>("fetch_state")? == "fetched",
        is_reconciled: row.get("reconciled")?,
        is_stale: row.get("stale")?,
        is_complete: row.get("is_complete")?,
        is_closed: row.get("is_closed")?,
        complete_listings: row.get("complete_listings")?,
        incomplete_listings: row.get("incomplete_listings")?,
        incomplete: Vec::new(),
        not_evaluated: row.get("not_evaluated")?,
        errors: row.get("errors")?,
        warnings: row.get("warnings")?,
        notes: row.get("notes")?,
        last_run: row.get("last_run")?,
        new_codes: row
            .get::<_, String>("new_codes")?
            .split(',')
            .filter(|code| !code.is_empty())
            .map(str::to_owned)
            .collect(),
        is_moving: row.get("is_moving")?,
    })
}

pub(super) fn listing_state(
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
            state,
        )
        .optional()
}

/// A row with the columns of `sql/report/listing.sql`.
pub(super) fn state(row: &Row<'_>) -> rusqlite::Result<ListingState> {
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
