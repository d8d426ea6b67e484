//! Writes what a listing brought: pages as evidence, records as rows. Runs inside the
//! writer's transaction, so that a page's cursor and its rows are committed together.

mod bound;
mod card;
mod dispute;
mod settlement;
mod transfer;

use std::collections::HashSet;

use chrono::NaiveDate;
use rusqlite::{Connection, named_params};

use super::page_number::PageNumber;
use super::reading::Reading;
use super::seal::seal;
use super::tally::{Tally, hash, is_card};
use crate::digest::sha256_hex;
use crate::model::{MerchantSummary, Record, Resource, Selector, TWO_CONTENTS};
use crate::money::{Currency, Minor};
use card::{Cards, Insert};
use dispute::{insert_dispute, insert_status};
use settlement::{insert_batch, insert_deposit, insert_fee, refuse_two_contents};
use transfer::Transfers;

/// zstd level of the evidence: the fastest; pages are stored once and seldom read.
const EVIDENCE_LEVEL: i32 = 1;

/// A page ready to be written.
#[derive(Clone, Debug)]
pub struct PageContent {
    pub number: PageNumber,
    /// The cursor that asked for it.
    pub after: Option<String>,
    /// The cursor of the page after it; `None` on the last.
    pub next: Option<String>,
    pub records: Vec<Record>,
    /// What of the page could not be understood; then its listing is not complete.
    pub fault: Option<String>,
    /// Size of the body as received, in bytes.
    pub received_bytes: u64,
}

/// A page's JSON without private fields, compressed.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    /// SHA-256 of the JSON, hexadecimal.
    pub(super) digest: String,
    /// zstd.
    pub(super) content: Vec<u8>,
}

/// Makes evidence of pages. Its tables are half a megabyte: too much to be made anew for each.
pub(super) struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    /// Ready to pack.
    ///
    /// # Errors
    /// When zstd has no memory left.
    pub(super) fn new() -> std::io::Result<Self> {
        zstd::bulk::Compressor::new(EVIDENCE_LEVEL).map(Self)
    }

    /// Compresses `json`.
    ///
    /// # Errors
    /// When zstd has no memory left.
    pub(super) fn pack(&mut self, json: &[u8]) -> std::io::Result<Evidence> {
        Ok(Evidence { digest: sha256_hex(json), content: self.0.compress(json)? })
    }
}

/// Why a page cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error("{listing}, {page}: {record}: {TWO_CONTENTS}")]
    TwoContents { listing: String, page: PageNumber, record: String },
    #[error("{listing}, some page: received {received} distinct records, stored {stored}")]
    NotConserved { listing: String, received: u64, stored: u64 },
    #[error("the store refused a row")]
    Sql(#[from] rusqlite::Error),
}

/// Whether this is what a reading lacks when a record says two things in it; also of one that an
/// earlier run began.
pub fn names_two_contents(error: &str) -> bool {
    error.contains(TWO_CONTENTS)
}

/// What a page came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Distinct records that it added to the reading.
    pub(super) added: u64,
    /// Records that the reading held already.
    pub(super) repeated: u64,
}

/// The statements of a page, looked up once for all of its records.
struct Statements<'connection> {
    connection: &'connection Connection,
    cards: Option<Insert<'connection>>,
    transfers: Option<Transfers<'connection>>,
}

impl<'connection> Statements<'connection> {
    fn cards(&mut self, resource: Resource) -> rusqlite::Result<&mut Insert<'connection>> {
        match &mut self.cards {
            Some(insert) => Ok(insert),
            none => Ok(none.insert(Insert::prepare(self.connection, resource)?)),
        }
    }

    fn transfers(&mut self) -> rusqlite::Result<&mut Transfers<'connection>> {
        match &mut self.transfers {
            Some(transfers) => Ok(transfers),
            none => Ok(none.insert(Transfers::prepare(self.connection)?)),
        }
    }
}

/// State of the writer that spans pages and readings.
#[derive(Default)]
pub(super) struct Ingest {
    merchants: HashSet<MerchantSummary>,
    /// The one that was named last, as the next record most often does again.
    latest: MerchantSummary,
    /// What was written.
    pub(super) stored: Tally,
    pub(super) cards: Cards,
}

impl Ingest {
    /// Stores `page`: its evidence, its cursor, and its records. A record that says another
    /// thing than it said before in this reading keeps its first content and is named.
    pub(super) fn page(
        &mut self,
        connection: &Connection,
        reading: &Reading,
        page: &PageContent,
        evidence: &Evidence,
    ) -> rusqlite::Result<Written> {
        let mut written = Written::default();
        let mut refused = None;
        let mut statements = Statements { connection, cards: None, transfers: None };
        for (index, record) in page.records.iter().enumerate() {
            match self.record(connection, &mut statements, reading, page, index, record) {
                Ok(is_added) => {
                    written.added += u64::from(is_added);
                    written.repeated += u64::from(!is_added);
                }
                Err(IngestError::Sql(error)) if is_about_the_record(&error) => {
                    refused.get_or_insert_with(|| {
                        let (listing, place) = (&reading.listing, index + 1);
                        let page = page.number;
                        let name = record
                            .key()
                            .map_or_else(|| format!("record {place}"), |key| key.to_string());
                        format!("{listing}, {page}: {name} cannot be stored: {error}")
                    });
                }
                Err(IngestError::Sql(error)) => return Err(error),
                Err(conflict) => {
                    refused.get_or_insert(conflict.to_string());
                }
            }
        }
        if let Some(error) = page.fault.as_ref().or(refused.as_ref()) {
            // With the page, so that a run that is killed now does not take it along.
            connection
                .prepare_cached(
                    "update reading set error = coalesce(error, ?2) where reading_id = ?1",
                )?
                .execute((reading.reading_id, error))?;
        }
        let added = written.added;
        connection
            .prepare_cached("insert or ignore into page_body (digest, content) values (?1, ?2)")?
            .execute((&evidence.digest, &evidence.content))?;
        connection.prepare_cached(include_str!("../../sql/ingest/page.sql"))?.execute(
            named_params! {
                ":reading_id": reading.reading_id,
                ":part": page.number.part,
                ":page_number": page.number.number,
                ":after": page.after,
                ":next": page.next,
                ":records": i64::try_from(added).unwrap_or(i64::MAX),
                ":digest": evidence.digest,
            },
        )?;
        connection.prepare_cached(include_str!("../../sql/ingest/reading_progress.sql"))?.execute(
            named_params! {
                ":reading_id": reading.reading_id,
                ":records": i64::try_from(added).unwrap_or(i64::MAX),
                ":bytes": i64::try_from(page.received_bytes).unwrap_or(i64::MAX),
            },
        )?;
        Ok(written)
    }

    fn record(
        &mut self,
        connection: &Connection,
        statements: &mut Statements<'_>,
        reading: &Reading,
        page: &PageContent,
        index: usize,
        record: &Record,
    ) -> Result<bool, IngestError> {
        let content = content_of(record);
        if !is_card(record) && reading.listing.is_counted() {
            self.stored.record(reading, page.number, index, record);
        }
        let changed = match record {
            Record::Deposit(deposit) => {
                self.merchant(connection, &deposit.merchant)?;
                insert_deposit(connection, reading, deposit, content)?
            }
            Record::Fee(fee) => {
                self.merchant(connection, &fee.merchant)?;
                return insert_fee(connection, reading, page.number, index, fee)
                    .map_err(Into::into);
            }
            Record::Batch(batch) => {
                self.merchant(connection, &batch.merchant)?;
                insert_batch(connection, reading, batch, content)?
            }
            Record::Authorization(authorization) => {
                self.merchant(connection, &authorization.merchant)?;
                let insert = statements.cards(reading.listing.resource)?;
                return self.card(connection, insert, reading, page, record, content);
            }
            Record::Transaction(transaction) => {
                self.merchant(connection, &transaction.merchant)?;
                let insert = statements.cards(reading.listing.resource)?;
                return self.card(connection, insert, reading, page, record, content);
            }
            Record::Dispute(dispute) => {
                self.merchant(connection, &dispute.merchant)?;
                insert_dispute(connection, reading, dispute, content)?
            }
            Record::DisputeStatus(status) => {
                return insert_status(connection, reading, page, index, status).map_err(Into::into);
            }
            Record::BankTransfer(transfer) => {
                let kept = statements.transfers()?.keep(reading, transfer, content)?;
                if kept.is_contradicted {
                    return Err(two_contents(reading, page, record));
                }
                return Ok(kept.is_listed);
            }
        };
        Ok(changed || refuse_two_contents(connection, reading, page, record, content)?)
    }

    fn merchant(
        &mut self,
        connection: &Connection,
        merchant: &MerchantSummary,
    ) -> rusqlite::Result<()> {
        let Some(merchant_id) = &merchant.merchant_id else { return Ok(()) };
        if self.latest == *merchant {
            return Ok(());
        }
        if self.merchants.contains(merchant) {
            self.latest.clone_from(merchant);
            return Ok(());
        }
        let changed = connection
            .prepare_cached(include_str!("../../sql/ingest/merchant.sql"))?
            .execute(named_params! {
                ":merchant_id": merchant_id.as_str(),
                ":doing_business_as": merchant.doing_business_as.as_deref(),
                ":processing_account_id": merchant.processing_account_id,
            })?;
        if changed > 0 {
            seal(connection, "merchant", &[&merchant_id.as_str()])?;
        }
        self.merchants.insert(merchant.clone());
        Ok(())
    }
}

/// Whether the store refuses a record for what it holds, which concerns its listing alone; any
/// other refusal concerns the whole run.
fn is_about_the_record(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TooBig | TypeMismatch))
}

/// A row of a record that this reading or a newer one holds.
struct Held {
    id: i64,
    reading_id: i64,
    /// A hash of what that reading said.
    content: i64,
}

impl Held {
    /// What `reading` said of the record when it listed it before; notes what it says now when it
    /// did not.
    fn said_before(
        &self,
        connection: &Connection,
        reading: &Reading,
        content: i64,
    ) -> rusqlite::Result<Option<i64>> {
        if self.reading_id == reading.reading_id {
            return Ok(Some(self.content));
        }
        // A newer reading holds it: then it is stored, though not by this one.
        let is_new = connection
            .prepare_cached(
                "insert or ignore into overtaken (reading_id, record_id, content) \
                 values (?1, ?2, ?3)",
            )?
            .execute((reading.reading_id, self.id, content))?
            > 0;
        if is_new {
            return Ok(None);
        }
        connection
            .prepare_cached(
                "select content from overtaken where reading_id = ?1 and record_id = ?2",
            )?
            .query_row((reading.reading_id, self.id), |row| row.get(0))
            .map(Some)
    }
}

/// Answers whether a record is listed for the first time; one that was listed before must say the
/// same again.
fn is_first(
    reading: &Reading,
    page: &PageContent,
    record: &Record,
    said: Option<i64>,
    content: i64,
) -> Result<bool, IngestError> {
    match said {
        Some(said) if said != content => Err(two_contents(reading, page, record)),
        said => Ok(said.is_none()),
    }
}

fn two_contents(reading: &Reading, page: &PageContent, record: &Record) -> IngestError {
    IngestError::TwoContents {
        listing: reading.listing.to_string(),
        page: page.number,
        record: record.key().map(|key| key.to_string()).unwrap_or_default(),
    }
}

/// A hash of everything that a record says.
#[expect(
    clippy::cast_possible_wrap,
    reason = "SQLite has no unsigned integers; only equality counts"
)]
fn content_of(record: &Record) -> i64 {
    hash(record) as i64
}

fn text(date: Option<NaiveDate>) -> Option<String> {
    date.map(|date| date.to_string())
}

fn minor(amount: Option<Minor>) -> Option<i64> {
    amount.map(|amount| amount.0)
}

fn code(currency: Option<Currency>) -> Option<&'static str> {
    currency.map(Currency::code)
}

/// The record's own date, else the date of the listing, else nothing: an empty day
/// keeps the one that is stored.
fn day(own: Option<NaiveDate>, reading: &Reading) -> String {
    let listed = match reading.listing.selector {
        Selector::Date(date) => Some(date),
        _ => None,
    };
    text(own.or(listed)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
