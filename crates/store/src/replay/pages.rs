//! Proves the pages of a reading, and ingests them once more.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::Store;
use crate::columns::required_merchant;
use crate::evidence;
use crate::evidence::unpack;
use crate::ingest::{Evidence, Ingest, PageContent};
use crate::page_number::PageNumber;
use crate::reading::Reading;
use crate::share;
use tieout_model::digest::sha256_hex;
use tieout_model::{Listing, MerchantId, Record};

/// Reads the records of a stored page: listing, page number, JSON.
pub type ReadEvidence<'run> = &'run dyn Fn(&Listing, u32, &[u8]) -> Option<Vec<Record>>;

/// Why the pages of a reading are not as received, or cannot be proved to be.
pub(super) fn prove_pages(store: &Store, reading: i64) -> rusqlite::Result<Option<Unproved>> {
    let altered = |what: String| Ok(Some(Unproved::Altered(what)));
    let Some(head) = Head::of(store.connection(), reading)? else {
        return altered(format!("reading {reading} is not in the store"));
    };
    if head.verdict == "complete" && head.has_error {
        return altered(format!("reading {reading}: it is complete, and has an error"));
    }
    let chain = chain_of(store.connection(), reading)?;
    let digests: Vec<&str> = chain.iter().map(|page| page.digest.as_str()).collect();
    if head.verdict != "reading" && sha256_hex(digests.join("\n").as_bytes()) != head.digest {
        return altered(format!("reading {reading}: its digest does not match its pages"));
    }
    if !head.counted(&chain) {
        return altered(format!("reading {reading}: its pages are not the ones it counted"));
    }
    let pages = evidence::pages_of(store, reading).map_err(|_| rusqlite::Error::InvalidQuery)?;
    if pages.len() != chain.len() {
        return altered(format!("reading {reading}: the content of a page is not in the store"));
    }
    for page in pages {
        let name = page.number;
        let Some(content) = page.content else {
            return Ok(Some(Unproved::Pruned(format!("{name} of reading {reading}"))));
        };
        let is_whole = unpack(&content).is_some_and(|body| sha256_hex(&body) == page.digest);
        if !is_whole {
            return altered(format!(
                "{name} of reading {reading} is not the received page: its digest should be {}",
                page.digest
            ));
        }
    }
    Ok(None)
}

/// The pages of a reading and the cursors between them, in order.
fn chain_of(connection: &Connection, reading: i64) -> rusqlite::Result<Vec<Link>> {
    let mut statement =
        connection.prepare_cached(include_str!("../../sql/evidence/page_chain.sql"))?;
    let link = |row: &Row<'_>| {
        Ok(Link {
            number: PageNumber::from_row(row)?,
            after: row.get("after")?,
            next: row.get("next")?,
            records: row.get("records")?,
            digest: row.get("digest")?,
        })
    };
    statement.query_map([reading], link)?.collect()
}

/// The totals that a reading states for its pages.
struct Head {
    digest: String,
    pages: i64,
    records: i64,
    verdict: String,
    has_error: bool,
    starts: String,
}

impl Head {
    fn of(connection: &Connection, reading: i64) -> rusqlite::Result<Option<Self>> {
        let head = |row: &Row<'_>| {
            Ok(Self {
                digest: row.get("digest")?,
                pages: row.get("pages")?,
                records: row.get("records")?,
                verdict: row.get("verdict")?,
                has_error: row.get("has_error")?,
                starts: row.get("starts")?,
            })
        };
        connection
            .prepare_cached(include_str!("../../sql/evidence/reading_head.sql"))?
            .query_row([reading], head)
            .optional()
    }

    /// Whether these are as many pages and records as it counted, each leading to the next.
    fn counted(&self, chain: &[Link]) -> bool {
        let is_chained = chain.iter().enumerate().all(|(index, page)| {
            match index.checked_sub(1).map(|index| &chain[index]) {
                Some(before) if before.number.part == page.number.part => {
                    before.number.number + 1 == page.number.number && before.next == page.after
                }
                _ => page.begins(&self.starts),
            }
        });
        // In a reading of several stretches only the last one ends without a cursor.
        let is_ended = self.verdict != "complete"
            || chain.iter().any(|page| page.number.part > 0)
            || chain.last().is_none_or(|page| page.next.is_none());
        let records: i64 = chain.iter().map(|page| page.records).sum();
        let is_every_page = i64::try_from(chain.len()) == Ok(self.pages);
        is_chained && is_ended && is_every_page && records == self.records
    }
}

/// The merchants whose records a shard keeps; `None` for a store of all merchants. Pages can also
/// hold records of other shards.
fn merchants_kept(store: &Store) -> rusqlite::Result<Option<BTreeSet<MerchantId>>> {
    let share = share::shard(store).map_err(|_| rusqlite::Error::InvalidQuery)?;
    if share.is_none() {
        return Ok(None);
    }
    let mut statement = store.connection().prepare_cached("select merchant_id from merchant")?;
    statement
        .query_map([], |row| required_merchant(row, 0))?
        .collect::<rusqlite::Result<_>>()
        .map(Some)
}

/// Ingests the pages of a reading into another store.
pub(super) fn ingest(
    store: &Store,
    read: ReadEvidence<'_>,
    into: &Store,
    reading: i64,
) -> rusqlite::Result<()> {
    let key: (i64, String, String, String, String) = store
        .connection()
        .prepare_cached(include_str!("../../sql/evidence/listing_of_reading.sql"))?
        .query_row([reading], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })?;
    let listing = Listing::from_key(&key.1, &key.2, &key.3, key.4.parse().ok());
    let Some(listing) = listing else { return Ok(()) };
    let connection = into.connection();
    connection
        .prepare_cached(
            "insert or ignore into listing \
             (listing_id, resource, selector, scope, business_date, reading_id) \
             values (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((key.0, &key.1, &key.2, &key.3, &key.4, reading))?;
    connection
        .prepare_cached(
            "insert or ignore into reading (reading_id, listing_id, session, verdict) \
             values (?1, ?2, 0, 'reading')",
        )?
        .execute((reading, key.0))?;
    let target = Reading {
        listing: listing.clone(),
        listing_id: key.0,
        reading_id: reading,
        session: 0,
        cursors: Vec::new(),
        pages: 0,
        starts: Vec::new(),
    };
    let mut ingest = Ingest::default();
    let own = merchants_kept(store)?;
    let mut pages =
        evidence::pages_of(store, reading).map_err(|_| rusqlite::Error::InvalidQuery)?;
    // In order of arrival: the first pages of all stretches come before any further page. Of a
    // record with two contents, the first one is stored.
    pages.sort_by_key(|page| {
        let PageNumber { part, number } = page.number;
        let is_first = matches!((part, number), (0, 1) | (1.., 2));
        (!is_first, page.number)
    });
    for page in pages {
        let body = page.content.as_deref().and_then(unpack).unwrap_or_default();
        let number = page.number;
        let Some(mut records) = read(&listing, number.number, &body) else { continue };
        records.retain(|record| own.as_ref().is_none_or(|own| is_kept(own, record)));
        let content = PageContent {
            number,
            after: None,
            next: None,
            records,
            fault: None,
            received_bytes: 0,
        };
        let evidence = Evidence::of(page.digest, Vec::new(), &content.records);
        ingest.page(connection, &target, &content, &evidence)?;
    }
    ingest.finish(connection)
}

/// Whether a shard keeps a record; every shard keeps a record without a merchant.
fn is_kept(own: &BTreeSet<MerchantId>, record: &Record) -> bool {
    let id = record.merchant().and_then(|merchant| merchant.merchant_id.as_ref());
    id.is_none_or(|id| own.contains(id))
}

/// A page and the cursors between it and its neighbours.
struct Link {
    number: PageNumber,
    after: Option<String>,
    next: Option<String>,
    records: i64,
    digest: String,
}

impl Link {
    /// Whether it is the first page of the listing, of a part, or of a stretch that begins after
    /// one of `starts`, which counts as the cursor of a page before it.
    fn begins(&self, starts: &str) -> bool {
        match ((self.number.part, self.number.number), &self.after) {
            ((_, 1), None) => true,
            ((1.., 2), Some(after)) => starts.split(',').any(|start| start == after),
            _ => false,
        }
    }
}

pub(super) enum Unproved {
    Altered(String),
    Pruned(String),
}
