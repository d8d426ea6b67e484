//! Writes authorizations, which are the mass of a night, and counts them by what `SQLite` says:
//! whether a row is new, was written over, or was there already. Nothing here grows with them.

use std::collections::HashMap;

use chrono::NaiveDate;
use rusqlite::{CachedStatement, Connection, Row, named_params, params};

use super::{Ingest, IngestError, PageContent, Reading, code, day, minor, text};
use crate::model::{Authorization, MerchantId, Selector};
use crate::money::{Currency, Minor};
use crate::store::outcome::{currency_column, minor_column};
use crate::store::tally::{RecordSum, carried_by};

/// How often the sessions of this process met an authorization that was there already.
#[derive(Default)]
pub(in crate::store) struct Authorizations {
    /// By session: what it received and held already, as it was counted before.
    repeated: HashMap<i64, RecordSum>,
    /// By session: what it had written and wrote over.
    replaced: HashMap<i64, RecordSum>,
    /// The session of a reading that rows name.
    sessions: HashMap<i64, i64>,
}

/// A row that is there already.
struct Stored {
    reading_id: i64,
    content: i64,
    carried: Option<(Currency, Minor)>,
}

impl Authorizations {
    /// What a session received more than once, every time but one.
    pub(in crate::store) fn repeated(&self, session: i64) -> RecordSum {
        self.repeated.get(&session).cloned().unwrap_or_default()
    }

    /// What a session wrote more than once, every time but the last.
    pub(in crate::store) fn replaced(&self, session: i64) -> RecordSum {
        self.replaced.get(&session).cloned().unwrap_or_default()
    }

    fn repeat(&mut self, session: i64, carried: Option<(Currency, Minor)>) {
        self.repeated.entry(session).or_default().add(carried);
    }

    fn session_of(&mut self, connection: &Connection, reading_id: i64) -> rusqlite::Result<i64> {
        if let Some(session) = self.sessions.get(&reading_id) {
            return Ok(*session);
        }
        let session = connection
            .prepare_cached("select session from reading where reading_id = ?1")?
            .query_row([reading_id], |row| row.get(0))?;
        self.sessions.insert(reading_id, session);
        Ok(session)
    }
}

impl Ingest {
    /// Stores an authorization; answers whether it adds one to the reading.
    pub(super) fn authorization(
        &mut self,
        connection: &Connection,
        insert: &mut Insert<'_>,
        reading: &Reading,
        page: &PageContent,
        authorization: &Authorization,
        content: i64,
    ) -> Result<bool, IngestError> {
        let session = reading.session;
        let carried = carried_by(authorization);
        if insert.write(reading, authorization, content)? {
            self.stored.authorization(session, carried);
            return Ok(true);
        }
        let stored = find(connection, authorization)?;
        let is_held = self.authorizations.session_of(connection, stored.reading_id)? == session;
        if stored.reading_id < reading.reading_id {
            assert!(overwrite(connection, reading, authorization, content)?, "the row was there");
            self.stored.authorization(session, carried);
            if is_held {
                self.authorizations.repeat(session, stored.carried);
                self.authorizations.replaced.entry(session).or_default().add(stored.carried);
            }
            return Ok(true);
        }
        if stored.reading_id == reading.reading_id && stored.content != content {
            self.authorizations.repeat(session, carried);
            return Err(IngestError::TwoContents {
                listing: reading.listing.to_string(),
                page: page.number,
                record: format!("authorization {}", authorization.authorization_id),
            });
        }
        // A newer reading holds it: then it is stored, though not by this one.
        if is_held {
            self.authorizations.repeat(session, carried);
        } else {
            self.stored.authorization(session, carried);
        }
        Ok(stored.reading_id > reading.reading_id)
    }
}

fn find(connection: &Connection, authorization: &Authorization) -> rusqlite::Result<Stored> {
    connection
        .prepare_cached(
            "select reading, content, currency, amount_minor from authorization \
             where authorization_id = ?1",
        )?
        .query_row([authorization.authorization_id.0], |row: &Row<'_>| {
            let currency = currency_column(row, "currency")?;
            Ok(Stored {
                reading_id: row.get("reading")?,
                content: row.get("content")?,
                carried: currency.zip(minor_column(row, "amount_minor")?),
            })
        })
}

/// The statement that stores a new authorization, and what is the same in most of a page.
pub(super) struct Insert<'connection> {
    statement: CachedStatement<'connection>,
    /// Dates as they were written last: those of a page are few.
    day: DateText,
    transaction_date: DateText,
}

#[derive(Default)]
struct DateText {
    date: Option<NaiveDate>,
    text: String,
}

impl DateText {
    fn of(&mut self, date: NaiveDate) -> &str {
        if self.date != Some(date) {
            self.date = Some(date);
            self.text = date.to_string();
        }
        &self.text
    }
}

impl<'connection> Insert<'connection> {
    pub(super) fn prepare(connection: &'connection Connection) -> rusqlite::Result<Self> {
        let statement =
            connection.prepare_cached(include_str!("../../../sql/ingest/authorization.sql"))?;
        Ok(Self { statement, day: DateText::default(), transaction_date: DateText::default() })
    }

    /// Answers whether there was no such row.
    fn write(
        &mut self,
        reading: &Reading,
        authorization: &Authorization,
        content: i64,
    ) -> rusqlite::Result<bool> {
        let transaction = authorization.transaction.as_ref();
        let listed = match reading.listing.selector {
            Selector::Date(date) => Some(date),
            _ => None,
        };
        let day = authorization.batch_date.or(listed).map_or("", |date| self.day.of(date));
        let date = transaction.and_then(|card| card.date);
        // In the order in which the statement names them: looking each name up again would cost
        // as much as storing the value.
        let changed = self.statement.execute(params![
            authorization.authorization_id.0,
            day,
            authorization.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            authorization.batch_id.map(|id| id.0),
            code(authorization.currency),
            authorization.authorization_response,
            minor(authorization.preauthorization_request_amount),
            authorization.card_last4,
            transaction.is_some(),
            transaction.and_then(|card| card.transaction_id).map(|id| id.0),
            transaction.and_then(|card| card.transaction_type.as_deref()),
            date.map(|date| self.transaction_date.of(date)),
            transaction.and_then(|card| minor(card.amount)),
            reading.reading_id,
            content,
        ])?;
        Ok(changed > 0)
    }
}

/// Writes over the row of an earlier reading; answers whether there was one.
fn overwrite(
    connection: &Connection,
    reading: &Reading,
    authorization: &Authorization,
    content: i64,
) -> rusqlite::Result<bool> {
    let transaction = authorization.transaction.as_ref();
    let changed = connection
        .prepare_cached(include_str!("../../../sql/ingest/authorization_again.sql"))?
        .execute(named_params! {
            ":authorization_id": authorization.authorization_id.0,
            ":day": day(authorization.batch_date, reading),
            ":merchant_id": authorization.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            ":batch_id": authorization.batch_id.map(|id| id.0),
            ":currency": code(authorization.currency),
            ":authorization_response": authorization.authorization_response,
            ":preauthorization_minor": minor(authorization.preauthorization_request_amount),
            ":card_last4": authorization.card_last4,
            ":has_transaction": transaction.is_some(),
            ":transaction_id": transaction.and_then(|card| card.transaction_id).map(|id| id.0),
            ":transaction_type": transaction.and_then(|card| card.transaction_type.as_deref()),
            ":transaction_date": transaction.and_then(|card| text(card.date)),
            ":amount_minor": transaction.and_then(|card| minor(card.amount)),
            ":reading": reading.reading_id,
            ":content": content,
        })?;
    Ok(changed > 0)
}
