//! Writes authorizations and card transactions, the bulk of a night's records. `SQLite` reports
//! whether each row is new, was overwritten or was already stored, and the counts follow from that,
//! so that memory does not grow with the number of records.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::NaiveDate;
use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, named_params};
use serde_json::json;

use super::bound::{Bound, DateText, integer, text};
use super::held::{Held, is_first};
use super::page::{IngestError, PageContent};
use super::values::{code, day, minor};
use crate::card_days::touch;
use crate::columns::{currency_column, minor_column};
use crate::reading::Reading;
use crate::sums::{Gathered, RowSum, add_row};
use crate::tally::{RecordSum, Tally, amount_of};
use tieout_model::money::{Currency, Minor};
use tieout_model::{Authorization, MerchantId, Record, Resource, Selector};

/// Counts the records of each session that were already stored.
#[derive(Default)]
pub(crate) struct Cards {
    /// By session: repeats of records that it had already received.
    repeated: HashMap<i64, RecordSum>,
    /// By session: records that it had written and that were overwritten.
    replaced: HashMap<i64, RecordSum>,
    /// The session of each reading that stored rows name.
    sessions: HashMap<i64, i64>,
    /// Sessions that an interrupted run had begun.
    resumed: HashSet<i64>,
}

/// A stored row with the identity of a received record.
struct Stored {
    held: Held,
    carried: Option<(Currency, Minor)>,
    is_gone: bool,
    day: String,
}

impl Cards {
    /// The repeats that a session received: every time but one.
    pub fn repeated(&self, session: i64) -> RecordSum {
        self.repeated.get(&session).cloned().unwrap_or_default()
    }

    /// The overwritten rows of a session: every write but the last.
    pub fn replaced(&self, session: i64) -> RecordSum {
        self.replaced.get(&session).cloned().unwrap_or_default()
    }

    /// Notes that the stored records of `session` were counted when it was resumed.
    pub fn resume(&mut self, session: i64) {
        self.resumed.insert(session);
    }

    /// Whether `holder`, a resumed session, no longer counts a row that `reading` now writes.
    /// Either a date of this run reads its own listing afresh, or the dates of the run share the
    /// listing. A shared listing had no complete reading, so `holder` had read it to judge by it,
    /// will read it again and counts the row then.
    fn gives_up(
        &self,
        connection: &Connection,
        holder: i64,
        reading: &Reading,
    ) -> rusqlite::Result<bool> {
        let Selector::Date(date) = reading.listing.selector else { return Ok(false) };
        if holder == reading.session || !self.resumed.contains(&holder) {
            return Ok(false);
        }
        // Sessions of listings that the dates of a run share are numbered downwards.
        if reading.session < 0 {
            return Ok(true);
        }
        connection
            .prepare_cached(
                "select exists (select 1 from fetch_session \
                 where session = ?1 and business_date = ?2)",
            )?
            .query_row((reading.session, date.to_string()), |row| row.get(0))
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

    /// Stores an authorization or a card transaction; returns whether it adds a record to the
    /// reading.
    pub(super) fn store(
        &mut self,
        insert: &mut Insert<'_>,
        tally: &mut Tally,
        reading: &Reading,
        page: &PageContent,
        record: &Record,
        content: i64,
    ) -> Result<bool, IngestError> {
        let (connection, session) = (insert.connection, reading.session);
        let carried = amount_of(record);
        let Some(stored) = insert.unless_stored(reading, record, content)? else {
            tally.card(session, carried);
            return Ok(true);
        };
        let holder = self.session_of(connection, stored.held.reading_id)?;
        let is_held = holder == session;
        if stored.held.reading_id < reading.reading_id {
            // Most records that are read again are unchanged. A record that was gone comes back,
            // and one without a date takes the day of its listing: these are rewritten.
            insert.note_overtaken(&stored.held)?;
            let says_the_same = stored.held.content == content && stored.carried == carried;
            if says_the_same && !stored.is_gone && date_of(record).is_some() {
                insert.same.insert((stored.held.id, stored.held.part));
            } else {
                insert.touch(day(date_of(record), reading), stored.day);
                assert!(overwrite(connection, reading, record, content)?, "the row was there");
            }
            tally.card(session, carried);
            if is_held || self.gives_up(connection, holder, reading)? {
                self.repeat(holder, stored.carried);
                self.replaced.entry(holder).or_default().add(stored.carried);
            }
            return Ok(true);
        }
        let said = stored.held.said_before(connection, reading, content)?;
        if is_held || said.is_some() {
            self.repeat(session, carried);
        } else {
            tally.card(session, carried);
        }
        is_first(reading, page, record, said, content)
    }
}

/// The id of a record, and the key that distinguishes records with the same id.
fn identity(record: &Record) -> Option<(i64, i64)> {
    match record {
        Record::Transaction(transaction) => Some((transaction.transaction_id.0, 0)),
        Record::Authorization(authorization) => {
            Some((authorization.authorization_id.0, authorization.transaction_key()))
        }
        _ => None,
    }
}

fn date_of(record: &Record) -> Option<NaiveDate> {
    match record {
        Record::Transaction(transaction) => transaction.batch_date,
        Record::Authorization(authorization) => authorization.batch_date,
        _ => None,
    }
}

/// The statements that store the records of a page, values that most records share, and work that
/// is done for all of them at the end of the page.
pub(super) struct Insert<'connection> {
    connection: &'connection Connection,
    resource: Resource,
    statement: Bound<'connection>,
    find: CachedStatement<'connection>,
    /// Whether the last record was already stored: most often the next one is too.
    is_read_again: bool,
    /// Rows of earlier readings that are unchanged in this one, until one statement assigns them to
    /// it.
    same: BTreeSet<(i64, i64)>,
    /// The sum over new rows, and a buffer to compute it.
    sum: RowSum,
    bytes: Vec<u8>,
    /// Authorizations with a new row.
    new_ids: Vec<i64>,
    /// Days with a new or changed row.
    touched: BTreeSet<String>,
    /// Whether a reading that holds a row is still under way, by reading.
    under_way: HashMap<i64, bool>,
    day: DateText,
    transaction_date: DateText,
}

impl<'connection> Insert<'connection> {
    pub(super) fn prepare(
        connection: &'connection Connection,
        resource: Resource,
    ) -> rusqlite::Result<Self> {
        let statement = Bound::prepare(
            connection,
            match resource {
                Resource::Transactions => include_str!("../../sql/ingest/card_transaction.sql"),
                _ => include_str!("../../sql/ingest/authorization.sql"),
            },
        )?;
        let find = connection.prepare_cached(match resource {
            Resource::Transactions => {
                "select reading, content, currency, amount_minor, gone_in, day from card_transaction \
                 where transaction_id = ?1 and ?2 = 0"
            }
            _ => {
                "select reading, content, currency, amount_minor, gone_in, day from authorization \
                 where authorization_id = ?1 and transaction_key = ?2"
            }
        })?;
        Ok(Self {
            connection,
            resource,
            statement,
            find,
            is_read_again: false,
            same: BTreeSet::new(),
            sum: RowSum::default(),
            bytes: Vec::new(),
            new_ids: Vec::new(),
            touched: BTreeSet::new(),
            under_way: HashMap::new(),
            day: DateText::default(),
            transaction_date: DateText::default(),
        })
    }

    /// Stores a record that is new; else returns the stored row.
    fn unless_stored(
        &mut self,
        reading: &Reading,
        record: &Record,
        content: i64,
    ) -> rusqlite::Result<Option<Stored>> {
        if identity(record).is_some_and(|identity| self.same.contains(&identity)) {
            self.tell_the_same(reading)?;
        }
        if self.is_read_again
            && let Some(stored) = self.find(record)?
        {
            return Ok(Some(stored));
        }
        self.is_read_again = !self.write(reading, record, content)?;
        if self.is_read_again {
            return self.find(record)?.ok_or(rusqlite::Error::QueryReturnedNoRows).map(Some);
        }
        Ok(None)
    }

    fn find(&mut self, record: &Record) -> rusqlite::Result<Option<Stored>> {
        let Some((id, part)) = identity(record) else { return Ok(None) };
        self.find
            .query_row((id, part), |row: &Row<'_>| {
                let currency = currency_column(row, "currency")?;
                let (reading_id, content) = (row.get(0)?, row.get(1)?);
                Ok(Stored {
                    held: Held { id, part, reading_id, content },
                    carried: currency.zip(minor_column(row, "amount_minor")?),
                    is_gone: row.get_ref(4)? != ValueRef::Null,
                    day: row.get(5)?,
                })
            })
            .optional()
    }

    /// Keeps the content that an interrupted or parallel reading stored for a record, before a
    /// newer reading takes the record over.
    fn note_overtaken(&mut self, held: &Held) -> rusqlite::Result<()> {
        let is_under_way = match self.under_way.entry(held.reading_id) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => *unknown.insert(
                self.connection
                    .prepare_cached(
                        "select verdict = 'reading' from reading where reading_id = ?1",
                    )?
                    .query_row([held.reading_id], |row| row.get(0))
                    .optional()?
                    .unwrap_or(false),
            ),
        };
        if is_under_way { held.note_overtaken(self.connection).map(drop) } else { Ok(()) }
    }

    /// Notes both days of a changed row, which may have moved from one to the other.
    fn touch(&mut self, now: String, before: String) {
        self.touched.extend([now, before]);
    }

    /// Does the work that the rows of a page share.
    pub(super) fn end_page(
        &mut self,
        reading: &Reading,
        gathered: &Gathered,
    ) -> rusqlite::Result<()> {
        self.tell_the_same(reading)?;
        let table = match self.resource {
            Resource::Transactions => "card_transaction",
            _ => "authorization",
        };
        gathered.add(table, &std::mem::take(&mut self.sum));
        if self.resource == Resource::Transactions {
            return Ok(());
        }
        touch(self.connection, std::mem::take(&mut self.touched))?;
        let new_ids = std::mem::take(&mut self.new_ids);
        if !new_ids.is_empty() && !self.are_alone(&new_ids)? {
            let ids = json!(new_ids).to_string();
            let sql = include_str!("../../sql/ingest/split_authorizations.sql");
            self.connection.prepare_cached(sql)?.execute([ids])?;
        }
        Ok(())
    }

    /// Whether the rows of `ids` are the only ones between the least and the greatest of them, as
    /// in most pages: then none of them has a second record.
    fn are_alone(&self, ids: &[i64]) -> rusqlite::Result<bool> {
        let (least, greatest) = (ids.iter().min(), ids.iter().max());
        let sql = "select count(*) = ?3 from (select 1 from authorization \
                   where authorization_id between ?1 and ?2 limit ?3 + 1)";
        let mut are_alone = self.connection.prepare_cached(sql)?;
        let distinct = ids.iter().collect::<BTreeSet<_>>().len();
        let distinct = i64::try_from(distinct).unwrap_or(i64::MAX);
        are_alone.query_row((least, greatest, distinct), |row| row.get(0))
    }

    /// Assigns the unchanged rows to `reading`, one page at a time, since every statement keeps an
    /// undo log of its changes.
    fn tell_the_same(&mut self, reading: &Reading) -> rusqlite::Result<()> {
        if self.same.is_empty() {
            return Ok(());
        }
        let changed = self
            .connection
            .prepare_cached(match self.resource {
                Resource::Transactions => include_str!("../../sql/ingest/same_transactions.sql"),
                _ => include_str!("../../sql/ingest/same_authorizations.sql"),
            })?
            .execute((reading.reading_id, json!(self.same).to_string()))?;
        assert_eq!(changed, self.same.len(), "the rows were there");
        self.same.clear();
        Ok(())
    }

    /// Inserts a record; returns whether it was new. Values are in column order: looking up each
    /// name again would cost as much as storing the value.
    fn write(
        &mut self,
        reading: &Reading,
        record: &Record,
        content: i64,
    ) -> rusqlite::Result<bool> {
        let listed = match reading.listing.selector {
            Selector::Date(date) => Some(date),
            _ => None,
        };
        match record {
            Record::Authorization(authorization) => {
                self.authorization(reading, authorization, listed, content)
            }
            Record::Transaction(transaction) => {
                let day = transaction.batch_date.or(listed).map_or("", |date| self.day.of(date));
                let row = [
                    integer(Some(transaction.transaction_id.0)),
                    text(Some(day)),
                    text(transaction.merchant.merchant_id.as_ref().map(MerchantId::as_str)),
                    integer(transaction.batch_id.map(|id| id.0)),
                    text(code(transaction.currency)),
                    text(transaction.transaction_type.as_deref()),
                    integer(minor(transaction.amount)),
                    integer(transaction.ach_deposit_id.map(|id| id.0)),
                    integer(Some(reading.reading_id)),
                    integer(Some(content)),
                    ValueRef::Null,
                    text(transaction.status.as_deref()),
                    text(transaction.settled_by.as_deref()),
                ];
                let is_new = self.statement.execute(&row)? > 0;
                if is_new {
                    add_row(&mut self.sum, &mut self.bytes, &row);
                }
                Ok(is_new)
            }
            _ => Ok(false),
        }
    }

    fn authorization(
        &mut self,
        reading: &Reading,
        authorization: &Authorization,
        listed: Option<NaiveDate>,
        content: i64,
    ) -> rusqlite::Result<bool> {
        let transaction = authorization.transaction.as_ref();
        let day = authorization.batch_date.or(listed).map_or("", |date| self.day.of(date));
        let date = transaction.and_then(|card| card.date);
        let row = [
            integer(Some(authorization.authorization_id.0)),
            integer(Some(authorization.transaction_key())),
            text(Some(day)),
            text(authorization.merchant.merchant_id.as_ref().map(MerchantId::as_str)),
            integer(authorization.batch_id.map(|id| id.0)),
            text(code(authorization.currency)),
            text(authorization.authorization_response.as_deref()),
            integer(minor(authorization.preauthorization_request_amount)),
            text(authorization.card_last4.as_deref()),
            text(authorization.card_type.as_deref()),
            integer(Some(i64::from(transaction.is_some()))),
            integer(transaction.and_then(|card| card.transaction_id).map(|id| id.0)),
            text(transaction.and_then(|card| card.transaction_type.as_deref())),
            text(date.map(|date| self.transaction_date.of(date))),
            integer(transaction.and_then(|card| minor(card.amount))),
            integer(Some(reading.reading_id)),
            integer(Some(reading.reading_id)),
            integer(Some(content)),
            ValueRef::Null,
        ];
        let is_new = self.statement.execute(&row)? > 0;
        if is_new {
            add_row(&mut self.sum, &mut self.bytes, &row);
            self.new_ids.push(authorization.authorization_id.0);
            if !self.touched.contains(day) {
                self.touched.insert(day.to_owned());
            }
        }
        Ok(is_new)
    }
}

/// Overwrites the row of an earlier reading; returns whether there was one.
fn overwrite(
    connection: &Connection,
    reading: &Reading,
    record: &Record,
    content: i64,
) -> rusqlite::Result<bool> {
    match record {
        Record::Authorization(authorization) => {
            overwrite_authorization(connection, reading, authorization, content)
        }
        Record::Transaction(transaction) => {
            let changed = connection
                .prepare_cached(include_str!("../../sql/ingest/card_transaction_again.sql"))?
                .execute(named_params! {
                    ":transaction_id": transaction.transaction_id.0,
                    ":day": day(transaction.batch_date, reading),
                    ":merchant_id":
                        transaction.merchant.merchant_id.as_ref().map(MerchantId::as_str),
                    ":batch_id": transaction.batch_id.map(|id| id.0),
                    ":currency": code(transaction.currency),
                    ":transaction_type": transaction.transaction_type.as_deref(),
                    ":amount_minor": minor(transaction.amount),
                    ":ach_deposit_id": transaction.ach_deposit_id.map(|id| id.0),
                    ":status": transaction.status.as_deref(),
                    ":settled_by": transaction.settled_by.as_deref(),
                    ":reading": reading.reading_id,
                    ":content": content,
                })?;
            Ok(changed > 0)
        }
        _ => Ok(false),
    }
}

fn overwrite_authorization(
    connection: &Connection,
    reading: &Reading,
    authorization: &Authorization,
    content: i64,
) -> rusqlite::Result<bool> {
    let transaction = authorization.transaction.as_ref();
    let changed = connection
        .prepare_cached(include_str!("../../sql/ingest/authorization_again.sql"))?
        .execute(named_params! {
            ":authorization_id": authorization.authorization_id.0,
            ":transaction_key": authorization.transaction_key(),
            ":day": day(authorization.batch_date, reading),
            ":merchant_id": authorization.merchant.merchant_id.as_ref().map(MerchantId::as_str),
            ":batch_id": authorization.batch_id.map(|id| id.0),
            ":currency": code(authorization.currency),
            ":authorization_response": authorization.authorization_response.as_deref(),
            ":preauthorization_minor": minor(authorization.preauthorization_request_amount),
            ":card_last4": authorization.card_last4.as_deref(),
            ":card_type": authorization.card_type.as_deref(),
            ":has_transaction": transaction.is_some(),
            ":transaction_id": transaction.and_then(|card| card.transaction_id).map(|id| id.0),
            ":transaction_type": transaction.and_then(|card| card.transaction_type.as_deref()),
            ":transaction_date": transaction.and_then(|card| super::values::text(card.date)),
            ":amount_minor": transaction.and_then(|card| minor(card.amount)),
            ":reading": reading.reading_id,
            ":content": content,
        })?;
    Ok(changed > 0)
}
