//! The fetch sessions of business dates.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use rusqlite::{OptionalExtension, named_params};

use super::columns::{currency_column, minor_column};
use super::statement::rows;
use super::tally::{RecordSum, SessionRecord};
use super::{Store, StoreError, While};

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

/// Begins the fetch of `date`, or resumes it when the last one was interrupted.
///
/// # Errors
/// When the store refuses.
pub fn begin(
    store: &mut Store,
    date: NaiveDate,
    now: DateTime<Utc>,
) -> Result<FetchSession, StoreError> {
    let transaction = store.connection.transaction().during("beginning a fetch")?;
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
pub fn end(store: &Store, session: FetchSession) -> Result<(), StoreError> {
    store
        .connection
        .execute(
            "update business_day set fetch_state = 'fetched' where business_date = ?1",
            [session.business_date.to_string()],
        )
        .during("ending a fetch")?;
    Ok(())
}

/// The records that an interrupted session has stored.
///
/// # Errors
/// When the store refuses.
pub fn records(store: &Store, session: i64) -> Result<Vec<SessionRecord>, StoreError> {
    let sql = include_str!("../sql/report/session_records.sql");
    let mut records: Vec<_> = rows(&store.connection, sql, [session], |row| {
        let currency = currency_column(row, "currency")?;
        Ok(SessionRecord::One {
            kind: row.get("kind")?,
            id: row.get("id")?,
            reading_id: row.get("reading")?,
            carried: currency.zip(minor_column(row, "amount_minor")?),
        })
    })
    .during(READING)?;
    records.push(SessionRecord::Cards(cards(store, session)?));
    Ok(records)
}

/// The sum of the authorizations and card transactions that a session has stored.
fn cards(store: &Store, session: i64) -> Result<RecordSum, StoreError> {
    let mut statement = store
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
