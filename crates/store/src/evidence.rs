//! The evidence of a discrepancy: the records behind it, their earlier versions, and the pages that
//! brought them, down to the API's own JSON without private data.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value;
use serde_json::value::RawValue;
use zstd::bulk::Decompressor;

use super::page_number::PageNumber;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::{Discrepancy, TerminalId};

/// Bytes that a page may hold once it is unpacked; the API answers no page with more.
pub(super) const MAX_PAGE_BYTES: usize = 256 * 1024 * 1024;

/// A record that a discrepancy is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordName {
    /// `deposit`, `batch`, `authorization`, `payment` or `refund`.
    pub kind: &'static str,
    /// The id of an authorization is followed by a slash and that of its transaction; 0 stands for
    /// none.
    pub id: String,
}

impl RecordName {
    /// Its own id, and that of its transaction.
    fn ids(&self) -> (&str, Option<&str>) {
        let ids = self.id.split_once('/').filter(|_| self.kind == "authorization");
        ids.map_or((&self.id, None), |(id, transaction)| (id, Some(transaction)))
    }
}

/// A record as the store holds it, with its origin.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RecordBehind {
    pub kind: String,
    pub id: String,
    /// Whether its listing, or a request by its id, no longer returns it.
    pub is_gone: bool,
    /// The listing that brought its newest content.
    pub listing: String,
    /// The business date whose run read it.
    pub read_for: Option<String>,
    #[serde(flatten)]
    pub page: Option<PageNumber>,
    /// SHA-256 of the page.
    pub digest: Option<String>,
    /// Why there is no JSON, when there is none.
    pub missing: Option<String>,
    /// Its earlier versions, oldest first.
    pub versions: Vec<RecordVersion>,
    /// The API's own JSON without private data, as it was written.
    pub json: Option<Box<RawValue>>,
}

/// An earlier version of a record.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RecordVersion {
    /// The business date whose run found it changed.
    pub changed_in: Option<String>,
    pub was_gone: bool,
    pub content: Value,
}

/// A page of a reading.
#[derive(Clone, Debug)]
pub struct StoredPage {
    pub number: PageNumber,
    pub digest: String,
    /// zstd; `None` once retention has removed it.
    pub content: Option<Vec<u8>>,
}

/// The records of its group that make up a discrepancy's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartsOfGroup {
    Items,
    Batches,
}

const DURING: &str = "reading evidence";

/// The records that a discrepancy names, and at most `limit` of those that make up its totals.
/// Also returns how many more there are.
///
/// # Errors
/// When the store refuses.
pub fn records_behind(
    store: &Store,
    stored: &Discrepancy,
    parts: Option<PartsOfGroup>,
    terminals: &[TerminalId],
    limit: usize,
) -> Result<(Vec<RecordBehind>, usize), StoreError> {
    let mut names = each_capture(store, named(stored), &stored.ids.transaction_id)?;
    let mut parts = parts_of(store, stored, parts, terminals)?;
    parts.retain(|part| !names.contains(part));
    let more = parts.len().saturating_sub(limit);
    names.extend(parts.into_iter().take(limit));
    let mut records = Vec::new();
    for name in &names {
        records.extend(record_behind(store, name)?);
    }
    Ok((records, more))
}

/// Puts the records of an authorization in place of its name: those with one of the
/// `transactions`, or all where none of them has.
fn each_capture(
    store: &Store,
    names: Vec<RecordName>,
    transactions: &str,
) -> Result<Vec<RecordName>, StoreError> {
    let (cards, mut names): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| name.kind == "authorization");
    for card in cards {
        let keys: Vec<String> = store
            .connection()
            .prepare_cached(
                "select cast(transaction_key as text) from authorization \
                 where authorization_id = cast(?1 as integer) order by transaction_key",
            )
            .and_then(|mut statement| statement.query_map([&card.id], |row| row.get(0))?.collect())
            .during(DURING)?;
        let is_named = |key: &String| transactions.split(';').any(|id| id == key);
        let any = keys.iter().any(is_named);
        let keys = keys.iter().filter(|key| !any || is_named(key));
        names.extend(
            keys.map(|key| RecordName { kind: card.kind, id: format!("{}/{key}", card.id) }),
        );
    }
    Ok(names)
}

/// The records that make up a total: the items of a batch, the batches that a deposit pays for.
fn parts_of(
    store: &Store,
    stored: &Discrepancy,
    parts: Option<PartsOfGroup>,
    terminals: &[TerminalId],
) -> Result<Vec<RecordName>, StoreError> {
    let day = stored.batch_date.map(|date| date.to_string()).unwrap_or_default();
    let sql = match parts {
        Some(PartsOfGroup::Items) => include_str!("../sql/evidence/items_of_group.sql"),
        Some(PartsOfGroup::Batches) => include_str!("../sql/evidence/batches_of_group.sql"),
        None => return Ok(Vec::new()),
    };
    let mut statement = store.connection().prepare_cached(sql).during(DURING)?;
    let batches = format!(";{};", stored.ids.batch_id);
    let terminals: Vec<&str> = terminals.iter().map(TerminalId::as_str).collect();
    let terminals = format!(";{};", terminals.join(";"));
    let rows = statement
        .query_map((stored.merchant_id.as_str(), &day, &batches, &terminals), |row| {
            Ok((row.get::<_, String>("kind")?, row.get::<_, String>("id")?))
        })
        .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
        .during(DURING)?;
    let parts = rows
        .into_iter()
        .filter_map(|(kind, id)| Some(RecordName { kind: kind_named(&kind)?, id }))
        .collect();
    Ok(parts)
}

/// A record with its versions and its page; `None` when the store does not hold it.
///
/// # Errors
/// When the store refuses.
pub fn record_behind(store: &Store, name: &RecordName) -> Result<Option<RecordBehind>, StoreError> {
    let found: Option<(i64, Option<i64>)> = store
        .connection()
        .prepare_cached(include_str!("../sql/evidence/record.sql"))
        .and_then(|mut statement| {
            statement
                .query_row((name.kind, &name.id), |row| {
                    Ok((row.get("reading")?, row.get("gone_in")?))
                })
                .optional()
        })
        .during(DURING)?;
    let Some((reading, gone_in)) = found else { return Ok(None) };
    let (listing, read_for) = listing_of(store.connection(), reading).during(DURING)?;
    let mut record = RecordBehind {
        kind: name.kind.to_owned(),
        id: name.ids().0.to_owned(),
        is_gone: gone_in.is_some(),
        listing,
        read_for,
        page: None,
        digest: None,
        missing: None,
        versions: versions_of(store, name)?,
        json: None,
    };
    find_page(store, name, reading, &mut record)?;
    Ok(Some(record))
}

fn find_page(
    store: &Store,
    name: &RecordName,
    reading: i64,
    record: &mut RecordBehind,
) -> Result<(), StoreError> {
    for page in pages_of(store, reading)? {
        let Some(content) = &page.content else {
            record.missing = Some("its page was removed by retention".to_owned());
            continue;
        };
        let Some(body) = unpack(content) else {
            record.missing = Some(format!("{} cannot be read", page.number));
            continue;
        };
        if let Some(json) = find_in(name, &body) {
            record.page = Some(page.number);
            record.digest = Some(page.digest);
            record.missing = None;
            record.json = Some(json);
            return Ok(());
        }
    }
    record.missing.get_or_insert_with(|| "no page of its listing holds it".to_owned());
    Ok(())
}

fn versions_of(store: &Store, name: &RecordName) -> Result<Vec<RecordVersion>, StoreError> {
    let sql = include_str!("../sql/evidence/versions.sql");
    rows(&store.connection, sql, (name.kind, &name.id), |row| {
        let content: String = row.get("content")?;
        Ok(RecordVersion {
            changed_in: row.get("changed_in")?,
            was_gone: row.get("was_gone")?,
            content: serde_json::from_str(&content).unwrap_or(Value::String(content)),
        })
    })
    .during(DURING)
}

/// The pages of a reading, in order.
///
/// # Errors
/// When the store refuses.
pub fn pages_of(store: &Store, reading: i64) -> Result<Vec<StoredPage>, StoreError> {
    rows(&store.connection, include_str!("../sql/evidence/pages.sql"), [reading], |row| {
        Ok(StoredPage {
            number: PageNumber::from_row(row)?,
            digest: row.get("digest")?,
            content: row.get("content")?,
        })
    })
    .during(DURING)
}

/// A page as the API sent it, less private data; `None` when it was damaged.
pub(super) fn unpack(content: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        /// Creating one costs more than unpacking a page.
        static UNPACKER: Option<RefCell<Decompressor<'static>>> =
            Decompressor::new().ok().map(RefCell::new);
    }
    UNPACKER.with(|unpacker| {
        unpacker.as_ref()?.try_borrow_mut().ok()?.decompress(content, MAX_PAGE_BYTES).ok()
    })
}

fn find_in(name: &RecordName, body: &[u8]) -> Option<Box<RawValue>> {
    let property = match name.kind {
        "deposit" => "achDepositId",
        "batch" => "batchId",
        "authorization" => "authorizationId",
        "payment" => "paymentId",
        _ => "refundId",
    };
    let is_it = |record: &RawValue| {
        let ids: Ids<'_> = serde_json::from_str(record.get()).ok()?;
        let (id, transaction) = name.ids();
        let is_it = ids.0.get(property)?.get().trim_matches('"') == id;
        (is_it && transaction.is_none_or(|key| transaction_in(&ids) == key)).then_some(())
    };
    let text = std::str::from_utf8(body).ok()?;
    let page: &RawValue = serde_json::from_str(text).ok()?;
    if is_it(page).is_some() {
        return Some(page.to_owned());
    }
    let page: Page<'_> = serde_json::from_str(text).ok()?;
    page.data.into_iter().find(|record| is_it(record).is_some()).map(ToOwned::to_owned)
}

/// The id of a record's transaction; 0 without one.
fn transaction_in(ids: &Ids<'_>) -> String {
    let transaction = ids.0.get("transaction").and_then(|found| {
        let ids: Ids<'_> = serde_json::from_str(found.get()).ok()?;
        Some(ids.0.get("transactionId")?.get().trim_matches('"').to_owned())
    });
    transaction.filter(|id| id != "null").unwrap_or_else(|| "0".to_owned())
}

/// The records of a page, as they were written.
#[derive(serde::Deserialize)]
struct Page<'page> {
    #[serde(borrow, default)]
    data: Vec<&'page RawValue>,
}

/// The properties of a record, as they were written.
#[derive(serde::Deserialize)]
struct Ids<'record>(#[serde(borrow)] BTreeMap<String, &'record RawValue>);

fn kind_named(kind: &str) -> Option<&'static str> {
    ["deposit", "batch", "authorization", "payment", "refund"]
        .into_iter()
        .find(|known| *known == kind)
}

fn named(stored: &Discrepancy) -> Vec<RecordName> {
    let row = &stored.ids;
    let mut names = Vec::new();
    for (kind, column) in [
        ("deposit", &row.ach_deposit_id),
        ("batch", &row.batch_id),
        ("authorization", &row.authorization_id),
        ("payment", &row.payment_id),
        ("refund", &row.refund_id),
    ] {
        let ids = column.split(';').filter(|id| !id.is_empty());
        names.extend(ids.map(|id| RecordName { kind, id: id.to_owned() }));
    }
    names
}

fn listing_of(connection: &Connection, reading: i64) -> rusqlite::Result<(String, Option<String>)> {
    let read = |row: &Row<'_>| {
        let resource: String = row.get("resource")?;
        let selector: String = row.get("selector")?;
        let scope: String = row.get("scope")?;
        let date: String = row.get("business_date")?;
        let parts: Vec<String> = [resource, format!("by {selector}"), scope, date]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        Ok((parts.join(" "), row.get("read_for")?))
    };
    connection
        .prepare_cached(include_str!("../sql/evidence/listing_of_reading.sql"))?
        .query_row([reading], read)
}
