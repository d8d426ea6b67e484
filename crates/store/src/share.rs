//! The share of the merchants that a store holds, and the merchants' parts of its listings.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{OptionalExtension, named_params};

use super::columns::required_merchant;
use super::page_number::PageNumber;
use super::reading::Reading;
use super::reading::reopen_reading;
use super::statement::rows;
use super::tally::ordinal;
use super::{Store, StoreError, While};
use tieout_model::{Listing, MerchantId, Resource, Selector, Shard};

/// How far a part of an interrupted reading had come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartState {
    /// Cursors that its pages named for the pages after them, oldest first.
    pub cursors: Vec<String>,
    pub pages: usize,
}

impl PartState {
    /// Whether its last page is stored.
    pub fn is_ended(&self) -> bool {
        self.cursors.len() < self.pages
    }
}

const DURING: &str = "reading the share of the store";

/// The name of the share of a store that holds every merchant.
const WHOLE: &str = "whole";

/// The name of the share of the merchants that the store holds; `None` for a new one.
pub fn share(store: &Store) -> Result<Option<String>, StoreError> {
    store
        .connection()
        .query_row(include_str!("../sql/plan/shard.sql"), [], |row| row.get(0))
        .during(DURING)
}

/// The shard of the store; `None` when it is new or holds every merchant.
pub fn shard(store: &Store) -> Result<Option<Shard>, StoreError> {
    Ok(share(store)?.and_then(|name| name.parse().ok()))
}

/// Claims the store for `shard`, or for all merchants: a new store has this share from now on.
///
/// # Errors
/// When it is for another share.
pub fn claim_share(store: &Store, shard: Option<Shard>) -> Result<(), StoreError> {
    let wanted = shard.map_or_else(|| WHOLE.to_owned(), |shard| shard.to_string());
    match share(store)? {
        Some(found) if found == wanted => Ok(()),
        Some(found) => {
            let (found, wanted) = (in_words(&found), in_words(&wanted));
            Err(StoreError::OtherShare { path: store.path().to_owned(), found, wanted })
        }
        None => store
            .connection()
            .execute(include_str!("../sql/ingest/shard.sql"), named_params! { ":name": wanted })
            .map(drop)
            .during("writing which shard the store is"),
    }
}

/// The number of a merchant's part of every listing; a new merchant gets the next.
pub fn part_of(store: &Store, merchant: &MerchantId) -> Result<u32, StoreError> {
    let connection = store.connection();
    let known = || {
        connection
            .prepare_cached(include_str!("../sql/plan/merchant_part.sql"))?
            .query_row([merchant.as_str()], |row| row.get(0))
            .optional()
    };
    if let Some(part) = known().during(DURING)? {
        return Ok(part);
    }
    let sql = include_str!("../sql/ingest/merchant_part.sql");
    connection.execute(sql, (merchant.as_str(), false)).during(DURING)?;
    known().during(DURING)?.ok_or(StoreError::Content {
        what: "merchant_part",
        found: String::new(),
        expected: "a number",
    })
}

/// Notes the merchants that the shard has from now on, and those that have `left` it. In a store
/// that has read something, new merchants have come from another shard.
pub fn note_joined<'a>(
    store: &Store,
    own: impl Iterator<Item = &'a MerchantId>,
    has_left: impl Fn(&MerchantId) -> bool,
) -> Result<(), StoreError> {
    let is_new = merchants_digest(store)?.is_empty();
    let connection = store.connection();
    let known: Vec<MerchantId> =
        rows(connection, include_str!("../sql/plan/merchant_parts.sql"), [], |row| {
            required_merchant(row, 0)
        })
        .during(DURING)?;
    for merchant in own {
        let sql = include_str!("../sql/ingest/merchant_part.sql");
        connection.execute(sql, (merchant.as_str(), !is_new)).during(DURING)?;
    }
    for merchant in known.iter().filter(|id| has_left(id)) {
        let sql = include_str!("../sql/ingest/merchant_left.sql");
        connection.execute(sql, [merchant.as_str()]).during(DURING)?;
    }
    Ok(())
}

/// The merchants that have come from another shard and are not in the shared part of a listing by
/// date.
pub fn joined_merchants(
    store: &Store,
    listing: &Listing,
) -> Result<BTreeSet<MerchantId>, StoreError> {
    let Selector::Date(date) = listing.selector else { return Ok(BTreeSet::new()) };
    let sql = include_str!("../sql/plan/merchants_joined.sql");
    let after = ordinal(PageNumber { part: 1, number: 0 }, 0);
    rows(&store.connection, sql, (listing.resource.as_str(), date.to_string(), after), |row| {
        required_merchant(row, 0)
    })
    .during(DURING)
}

/// The parts that the newest reading of a listing by date holds; none when it is not complete.
pub fn parts_held(store: &Store, listing: &Listing) -> Result<BTreeSet<u32>, StoreError> {
    let Selector::Date(date) = listing.selector else { return Ok(BTreeSet::new()) };
    let sql = include_str!("../sql/plan/parts_held.sql");
    let key = (listing.resource.as_str(), date.to_string());
    rows(&store.connection, sql, key, |row| row.get(0)).during(DURING)
}

/// How far each part of a reading has come. A part that has ended has one cursor less than
/// pages.
pub fn parts_read(store: &Store, reading_id: i64) -> Result<BTreeMap<u32, PartState>, StoreError> {
    let sql = include_str!("../sql/plan/part_pages.sql");
    let mut statement = store.connection().prepare_cached(sql).during(DURING)?;
    let mut rows = statement.query([reading_id]).during(DURING)?;
    let mut parts: BTreeMap<u32, PartState> = BTreeMap::new();
    while let Some(row) = rows.next().during(DURING)? {
        let part = parts.entry(row.get(0).during(DURING)?).or_default();
        part.pages += 1;
        part.cursors.extend(row.get::<_, Option<String>>(1).during(DURING)?);
    }
    Ok(parts)
}

/// Opens the complete reading of a listing again, for parts that it does not hold.
pub fn reopen(store: &Store, listing: &Listing) -> Result<Option<Reading>, StoreError> {
    reopen_reading(store.connection(), listing).during("reopening a listing")
}

/// The listings by date that are stored and complete, up to `days` before the first date that
/// was run.
pub fn listings_by_date(store: &Store, days: u64) -> Result<Vec<Listing>, StoreError> {
    let sql = include_str!("../sql/plan/listings_by_date.sql");
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    let listings: Vec<Option<Listing>> = rows(&store.connection, sql, [days], |row| {
        let (resource, date): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(Listing::from_key(&resource, "date", "", date.parse::<NaiveDate>().ok()))
    })
    .during(DURING)?;
    Ok(listings.into_iter().flatten().collect())
}

/// The digest of the merchants whose parts every stored listing holds; empty when they were
/// never compared.
pub fn merchants_digest(store: &Store) -> Result<String, StoreError> {
    let digest = store
        .connection()
        .query_row("select merchants_digest from shard", [], |row| row.get(0))
        .optional();
    Ok(digest.during(DURING)?.unwrap_or_default())
}

/// Notes that every stored listing holds the parts of the merchants of `digest`.
pub fn note_merchants(store: &Store, digest: &str) -> Result<(), StoreError> {
    store
        .connection()
        .execute("update shard set merchants_digest = ?1", [digest])
        .map(drop)
        .during(DURING)
}

fn in_words(name: &str) -> String {
    if name == WHOLE { "all merchants".to_owned() } else { format!("shard {name}") }
}

/// Whether the listing is one whose parts a shard reads merchant by merchant.
pub fn has_parts(listing: &Listing) -> bool {
    matches!(listing.selector, Selector::Date(_))
        && !matches!(listing.resource, Resource::Payments | Resource::Refunds)
}
