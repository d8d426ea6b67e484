//! Fetch sessions of business dates, and the readings of listings within them.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::ingest::Reading;
use super::{Store, StoreError, While};
use crate::model::{Listing, Resource, Selector};

/// An interrupted session older than this is not resumed: its pages are no longer of one night.
const RESUMABLE_HOURS: i64 = 24;

/// The fetch of one business date; a run that was killed is resumed under the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchSession {
    pub business_date: NaiveDate,
    pub number: i64,
    pub is_resumed: bool,
}

/// What the store knows of a listing.
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

/// What the store knows of a business date.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "five independent facts, each a column")]
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
    /// Those that are not complete, by name.
    pub incomplete: Vec<IncompleteListing>,
    pub not_evaluated: i64,
    /// New and open discrepancies by severity.
    pub errors: i64,
    pub warnings: i64,
    pub notes: i64,
    pub last_run: Option<String>,
}

/// Whether a listing has to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Read in this session, whatever an earlier one stored.
    ThisSession,
    /// A complete reading of any session will do.
    AnySession,
    /// Read once more, also when this session has read it before.
    OnceMore,
    /// Read in this session to see whether anything has changed; when that fails, the complete
    /// reading of an earlier session goes on to count.
    ThisSessionElseBefore,
}

impl Store {
    /// Notes whether the key has an operation that not every key has.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn save_key_operation(&self, name: &str, is_there: bool) -> Result<(), StoreError> {
        self.connection()
            .execute(
                include_str!("../../sql/ingest/key_operation.sql"),
                rusqlite::named_params! { ":name": name, ":is_there": is_there },
            )
            .map(drop)
            .during("writing what the key may ask for")
    }

    /// Whether the key has not an operation, as far as it has asked.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn lacks_operation(&self, name: &str) -> Result<bool, StoreError> {
        self.connection()
            .prepare_cached(include_str!("../../sql/plan/lacks_operation.sql"))
            .and_then(|mut statement| statement.query_row([name], |row| row.get(0)))
            .during("reading what the key may ask for")
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
                    include_str!("../../sql/ingest/begin_session.sql"),
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
        let mut statement = self
            .connection
            .prepare(include_str!("../../sql/report/status.sql"))
            .during("reading the dates")?;
        let rows = statement.query_map([], day_state).during("reading the dates")?;
        let mut days: Vec<DayState> =
            rows.collect::<rusqlite::Result<_>>().during("reading the dates")?;
        for day in days.iter_mut().filter(|day| day.incomplete_listings > 0) {
            day.incomplete = self.incomplete_listings(day.business_date)?;
        }
        Ok(days)
    }

    fn incomplete_listings(&self, date: NaiveDate) -> Result<Vec<IncompleteListing>, StoreError> {
        const DURING: &str = "reading what is not complete";
        let mut statement = self
            .connection
            .prepare_cached(include_str!("../../sql/report/incomplete_listings.sql"))
            .during(DURING)?;
        let rows = statement.query_map([date.to_string()], |row| {
            Ok(IncompleteListing {
                resource: row.get("resource")?,
                selector: row.get("selector")?,
                scope: row.get("scope")?,
                date: row.get("business_date")?,
                error: row.get("error")?,
            })
        });
        rows.and_then(Iterator::collect).during(DURING)
    }
}

impl Store {
    /// What is known of one business date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn day(&self, date: NaiveDate) -> Result<Option<DayState>, StoreError> {
        Ok(self.days()?.into_iter().find(|day| day.business_date == date))
    }

    /// Every reading of a listing, newest first, as what the listing was then. The key is
    /// resource, selector, business date or nothing, scope or nothing.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn readings_of(
        &self,
        key: (&str, &str, &str, &str),
    ) -> Result<Vec<(i64, ListingState)>, StoreError> {
        const DURING: &str = "reading a listing's past";
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/evidence/readings_of_listing.sql"))
            .during(DURING)?;
        let rows = statement.query_map(key, |row| Ok((row.get("reading_id")?, state(row)?)));
        rows.and_then(Iterator::collect).during(DURING)
    }

    /// Marks `date` and every later one as no longer up to date.
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
        business_date: super::outcome::parse_date("business_date", &text)?,
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
    })
}

pub(super) fn listing_state(
    connection: &Connection,
    listing: &Listing,
) -> rusqlite::Result<Option<ListingState>> {
    let (selector, scope, date) = listing.key();
    connection
        .prepare_cached(include_str!("../../sql/report/listing.sql"))?
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

/// The newest reading of a listing.
struct Current {
    listing_id: i64,
    reading_id: i64,
    session: i64,
    verdict: String,
}

impl Current {
    fn is_complete(&self) -> bool {
        self.verdict == "complete"
    }
}

fn current_reading(
    connection: &Connection,
    listing: &Listing,
) -> rusqlite::Result<Option<Current>> {
    let (selector, scope, date) = listing.key();
    let date = date.map(|date| date.to_string()).unwrap_or_default();
    connection
        .prepare_cached(include_str!("../../sql/ingest/current_reading.sql"))?
        .query_row((listing.resource.as_str(), selector, date, scope), |row| {
            Ok(Current {
                listing_id: row.get(0)?,
                reading_id: row.get(1)?,
                session: row.get(2)?,
                verdict: row.get(3)?,
            })
        })
        .optional()
}

/// The reading of `listing` to go on with, or `None` when what is stored will do.
pub(super) fn begin_reading(
    connection: &Connection,
    listing: &Listing,
    session: i64,
    freshness: Freshness,
) -> rusqlite::Result<Option<Reading>> {
    let current = current_reading(connection, listing)?;
    if let Some(current) = &current {
        let is_ours = current.session == session;
        let will_do = match freshness {
            Freshness::ThisSession | Freshness::ThisSessionElseBefore => is_ours,
            Freshness::AnySession => true,
            Freshness::OnceMore => false,
        };
        if current.is_complete() && will_do {
            return Ok(None);
        }
        // What is read once more is so as a whole: another date of the run may have read the
        // first pages of an interrupted one afresh.
        if current.verdict == "reading" && is_ours && freshness != Freshness::OnceMore {
            return resume_reading(connection, listing, current).map(Some);
        }
    }
    let fallback = current
        .as_ref()
        .filter(|current| current.is_complete())
        .filter(|_| freshness == Freshness::ThisSessionElseBefore)
        .map(|current| current.reading_id);
    let reading_id: i64 = connection
        .prepare_cached("select coalesce(max(reading_id), 0) + 1 from reading")?
        .query_row([], |row| row.get(0))?;
    let listing_id =
        if let Some(Current { listing_id, .. }) = current {
            connection
                .prepare_cached("update listing set reading_id = ?2 where listing_id = ?1")?
                .execute((listing_id, reading_id))?;
            listing_id
        } else {
            let (selector, scope, date) = listing.key();
            let date = date.map(|date| date.to_string()).unwrap_or_default();
            connection
                .prepare_cached(include_str!("../../sql/ingest/begin_listing.sql"))?
                .insert((listing.resource.as_str(), selector, date, scope, reading_id))?
        };
    connection
        .prepare_cached(
            "insert into reading (reading_id, listing_id, session, verdict, fallback_reading) \
             values (?1, ?2, ?3, 'reading', ?4)",
        )?
        .execute((reading_id, listing_id, session, fallback))?;
    Ok(Some(Reading {
        listing: listing.clone(),
        listing_id,
        reading_id,
        session,
        cursors: Vec::new(),
        pages: 0,
        starts: Vec::new(),
    }))
}

/// The newest reading of a listing, when it is complete, to be read on: it is complete again when
/// it has ended once more.
pub(super) fn reopen_reading(
    connection: &Connection,
    listing: &Listing,
) -> rusqlite::Result<Option<Reading>> {
    let current = current_reading(connection, listing)?.filter(Current::is_complete);
    let Some(current) = current else { return Ok(None) };
    connection
        .prepare_cached("update reading set verdict = 'reading' where reading_id = ?1")?
        .execute([current.reading_id])?;
    resume_reading(connection, listing, &current).map(Some)
}

fn resume_reading(
    connection: &Connection,
    listing: &Listing,
    current: &Current,
) -> rusqlite::Result<Reading> {
    let &Current { listing_id, reading_id, session, .. } = current;
    let mut statement = connection
        .prepare_cached("select next from page where reading_id = ?1 order by part, page_number")?;
    let cursors: Vec<Option<String>> =
        statement.query_map([reading_id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let starts: String = connection
        .prepare_cached("select starts from reading where reading_id = ?1")?
        .query_row([reading_id], |row| row.get(0))?;
    Ok(Reading {
        listing: listing.clone(),
        listing_id,
        reading_id,
        session,
        pages: u32::try_from(cursors.len()).unwrap_or(u32::MAX),
        cursors: cursors.into_iter().flatten().collect(),
        starts: starts.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect(),
    })
}

/// What was noted against a reading when its pages were written.
pub(super) fn noted_error(
    connection: &Connection,
    reading: &Reading,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("select error from reading where reading_id = ?1")?
        .query_row([reading.reading_id], |row| row.get(0))
}

/// Gives a reading its verdict. A complete one tells which records are no longer listed.
pub(super) fn end_reading(
    connection: &Connection,
    reading: &Reading,
    error: Option<&str>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "select digest from page where reading_id = ?1 order by part, page_number",
    )?;
    let digests: Vec<String> = statement
        .query_map([reading.reading_id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let digest = crate::digest::sha256_hex(digests.join("\n").as_bytes());
    connection
        .prepare_cached(
            "update reading set verdict = ?2, digest = ?3, error = ?4 where reading_id = ?1",
        )?
        .execute((
            reading.reading_id,
            if error.is_some() { "incomplete" } else { "complete" },
            digest,
            error,
        ))?;
    connection
        .prepare_cached("delete from overtaken where reading_id = ?1")?
        .execute([reading.reading_id])?;
    if error.is_none() {
        mark_gone(connection, reading)?;
        add_up_transactions(connection, reading)?;
    } else {
        fall_back(connection, reading)?;
    }
    if reading.listing.resource == Resource::Fees {
        // Fees have no id: a listing that is read again replaces what it gave before. Its
        // pages keep what that was.
        connection
            .prepare_cached("delete from fee where listing_id = ?1 and reading < ?2")?
            .execute([reading.listing_id, reading.reading_id])?;
    }
    if reading.listing.resource == Resource::DisputeStatuses && error.is_none() {
        // A list that is read again replaces what it said before.
        connection
            .prepare_cached("delete from dispute_status where listing_id = ?1 and reading < ?2")?
            .execute([reading.listing_id, reading.reading_id])?;
    }
    Ok(())
}

/// A look at the past that failed takes nothing away: the listing is again what it was before.
fn fall_back(connection: &Connection, reading: &Reading) -> rusqlite::Result<()> {
    let fallback: Option<i64> = connection
        .prepare_cached("select fallback_reading from reading where reading_id = ?1")?
        .query_row([reading.reading_id], |row| row.get(0))?;
    let Some(before) = fallback else { return Ok(()) };
    connection
        .prepare_cached("update listing set reading_id = ?2 where listing_id = ?1")?
        .execute((reading.listing_id, before))?;
    connection
        .prepare_cached(
            "update transfer_listed set reading = ?3 \
             where listing_id = ?1 and reading = ?2 and first_reading < ?2",
        )?
        .execute((reading.listing_id, reading.reading_id, before))?;
    Ok(())
}

/// The totals by deposit that a complete listing of card transactions comes to.
fn add_up_transactions(connection: &Connection, reading: &Reading) -> rusqlite::Result<()> {
    if reading.listing.resource != Resource::Transactions {
        return Ok(());
    }
    // Of a batch as well: its transactions may have been linked or let go since.
    let date: Option<String> = match &reading.listing.selector {
        Selector::Date(date) => Some(date.to_string()),
        Selector::Batch(batch) => connection
            .prepare_cached(include_str!("../../sql/ingest/day_to_add_up.sql"))?
            .query_row([batch.0], |row| row.get(0))
            .optional()?,
        _ => None,
    };
    let Some(date) = date else { return Ok(()) };
    connection.prepare_cached("delete from transaction_total where day = ?1")?.execute([&date])?;
    connection
        .prepare_cached(include_str!("../../sql/ingest/transaction_totals.sql"))?
        .execute([&date])?;
    Ok(())
}

fn mark_gone(connection: &Connection, reading: &Reading) -> rusqlite::Result<()> {
    let sql = match (reading.listing.resource, &reading.listing.selector) {
        (Resource::Deposits, Selector::Date(_)) => {
            "update deposit set gone_in = ?1 where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Batches, Selector::Date(_)) => {
            "update batch set gone_in = ?1 where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Authorizations, Selector::Date(_)) => {
            "update authorization set gone_in = ?1 \
             where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Disputes, Selector::Date(_)) => {
            "update dispute set gone_in = ?1 where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Transactions, Selector::Batch(_)) => {
            "update card_transaction set gone_in = ?1 \
             where day = (select day from batch where batch_id = cast(?2 as integer)) \
             and batch_id = cast(?2 as integer) and reading < ?1 and gone_in is null"
        }
        (Resource::Transactions, Selector::Date(_)) => {
            "update card_transaction set gone_in = ?1 \
             where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Authorizations, Selector::Batch(_)) => {
            "update authorization set gone_in = ?1 \
             where day = (select day from batch where batch_id = cast(?2 as integer)) \
             and batch_id = cast(?2 as integer) and reading < ?1 and gone_in is null"
        }
        (Resource::Deposits, Selector::DepositById(_)) => {
            "update deposit set gone_in = ?1 \
             where ach_deposit_id = cast(?2 as integer) and reading < ?1 and gone_in is null"
        }
        (Resource::Authorizations, Selector::AuthorizationById(_)) => {
            "update authorization set gone_in = ?1 \
             where authorization_id = cast(?2 as integer) and reading < ?1 and gone_in is null"
        }
        // A batch by its id is an optional operation: a 404 says nothing of the batch.
        // Bank transfers are listed in many places; their membership is kept by listing.
        _ => return Ok(()),
    };
    let (_, scope, date) = reading.listing.key();
    let selected = date.map_or(scope, |date| date.to_string());
    connection.prepare_cached(sql)?.execute((reading.reading_id, selected))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the versions of a record are: replaced in, said last by, was gone.
    fn versions(connection: &Connection) -> Vec<(i64, i64, bool)> {
        connection
            .prepare("select replaced_in, reading, was_gone from record_version order by 1")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    /// A record of the 20th that readings of a later night look for: 4 reads the 18th and finds
    /// it there, 5 reads the 20th and misses it. `steps` are these two in either order.
    fn moved(kind: &str, steps: &str) -> Vec<(i64, i64, bool)> {
        let store = Store::in_memory().unwrap();
        let connection = store.connection();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        let (key, more, values) = match kind {
            "deposit" => ("ach_deposit_id", "", ""),
            "batch" => ("batch_id", "", ""),
            _ => ("authorization_id", ", has_transaction", ", 0"),
        };
        let insert = format!(
            "insert into {kind} ({key}, day, reading, first_reading, content{more}) \
             values (1, '2026-06-20', 1, 1, 0{values})"
        );
        connection.execute(&insert, []).unwrap();
        for step in steps.split_whitespace() {
            let sql = if step == "missed" {
                "set gone_in = 5 where day = '2026-06-20' and reading < 5 and gone_in is null"
            } else {
                "set day = '2026-06-18', reading = 4, gone_in = null where reading < 4"
            };
            connection.execute(&format!("update {kind} {sql}"), []).unwrap();
        }
        versions(connection)
    }

    #[test]
    fn a_record_that_moved_was_never_gone_whichever_listing_is_read_first() {
        for kind in ["deposit", "batch", "authorization"] {
            for steps in ["found missed", "missed found"] {
                assert_eq!(moved(kind, steps), [(4, 1, false)], "{kind}: {steps}");
            }
            assert_eq!(moved(kind, "missed"), [(5, 1, false)], "{kind}");
        }
    }
}
