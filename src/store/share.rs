//! Which share of the merchants a store holds, whose parts its listings are made of, and what it
//! knows of merchants of other shards that share a bank account with its own.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension, named_params};

use super::ingest::Reading;
use super::session::reopen_reading;
use super::{STRETCH_PAGES, Store, StoreError, While};
use crate::model::{Listing, MerchantId, Record, Resource, Selector, Shard};
use crate::money::Currency;

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

const DURING: &str = "looking up what the store holds a share of";

/// What a store says that holds every merchant.
const WHOLE: &str = "whole";

impl Store {
    /// Which share of the merchants the store holds, in words; `None` for a new one.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn share(&self) -> Result<Option<String>, StoreError> {
        self.connection()
            .query_row(include_str!("../../sql/plan/shard.sql"), [], |row| row.get(0))
            .during(DURING)
    }

    /// The shard that the store is; `None` when it is new or holds every merchant.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn shard(&self) -> Result<Option<Shard>, StoreError> {
        Ok(self.share()?.and_then(|name| name.parse().ok()))
    }

    /// Makes sure that the store is for `shard`, or for all merchants; a new one is from now on.
    ///
    /// # Errors
    /// When it is for another share.
    pub fn claim_share(&self, shard: Option<Shard>) -> Result<(), StoreError> {
        let wanted = shard.map_or_else(|| WHOLE.to_owned(), |shard| shard.to_string());
        match self.share()? {
            Some(found) if found == wanted => Ok(()),
            Some(found) => {
                let (found, wanted) = (in_words(&found), in_words(&wanted));
                Err(StoreError::OtherShare { path: self.path().to_owned(), found, wanted })
            }
            None => self
                .connection()
                .execute(
                    include_str!("../../sql/ingest/shard.sql"),
                    named_params! { ":name": wanted },
                )
                .map(drop)
                .during("writing which shard the store is"),
        }
    }

    /// The place of a merchant's part among those of a listing; a new merchant gets the next.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn place_of(&self, merchant: &MerchantId) -> Result<u32, StoreError> {
        let connection = self.connection();
        let known = |connection: &Connection| {
            connection
                .prepare_cached("select place from shard_merchant where merchant_id = ?1")?
                .query_row([merchant.as_str()], |row| row.get(0))
                .optional()
        };
        if let Some(place) = known(connection).during(DURING)? {
            return Ok(place);
        }
        connection
            .execute(
                "insert or ignore into shard_merchant (merchant_id) values (?1)",
                [merchant.as_str()],
            )
            .during(DURING)?;
        known(connection).during(DURING)?.ok_or(StoreError::Content {
            what: "shard_merchant",
            found: String::new(),
            expected: "a place",
        })
    }

    /// The places whose parts the newest reading of a listing by date holds; none when it is
    /// not complete.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn places_read(&self, listing: &Listing) -> Result<BTreeSet<u32>, StoreError> {
        let Selector::Date(date) = listing.selector else { return Ok(BTreeSet::new()) };
        let sql = include_str!("../../sql/plan/places_read.sql");
        let mut statement = self.connection().prepare_cached(sql).during(DURING)?;
        let key = (listing.resource.as_str(), date.to_string(), STRETCH_PAGES);
        let rows = statement.query_map(key, |row| row.get(0));
        rows.and_then(Iterator::collect).during(DURING)
    }

    /// How far each part of a reading has come, by its place. A part that has ended has one
    /// cursor less than pages.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn parts_read(&self, reading_id: i64) -> Result<BTreeMap<u32, PartState>, StoreError> {
        let sql = include_str!("../../sql/plan/part_pages.sql");
        let mut statement = self.connection().prepare_cached(sql).during(DURING)?;
        let mut rows = statement.query((reading_id, STRETCH_PAGES)).during(DURING)?;
        let mut parts: BTreeMap<u32, PartState> = BTreeMap::new();
        while let Some(row) = rows.next().during(DURING)? {
            let part = parts.entry(row.get(0).during(DURING)?).or_default();
            part.pages += 1;
            part.cursors.extend(row.get::<_, Option<String>>(1).during(DURING)?);
        }
        Ok(parts)
    }

    /// Opens the complete reading of a listing again, for parts that it does not hold.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn reopen(&self, listing: &Listing) -> Result<Option<Reading>, StoreError> {
        reopen_reading(self.connection(), listing).during("reopening a listing")
    }

    /// The listings by date that are stored and complete, up to `days` before the first date that
    /// was run.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn listings_by_date(&self, days: u64) -> Result<Vec<Listing>, StoreError> {
        let sql = include_str!("../../sql/plan/listings_by_date.sql");
        let mut statement = self.connection().prepare(sql).during(DURING)?;
        let days = i64::try_from(days).unwrap_or(i64::MAX);
        let rows = statement.query_map([days], |row| {
            let (resource, date): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(Listing::from_key(&resource, "date", "", date.parse::<NaiveDate>().ok()))
        });
        let listings: Vec<Option<Listing>> = rows.and_then(Iterator::collect).during(DURING)?;
        Ok(listings.into_iter().flatten().collect())
    }

    /// The digest of the merchants whose parts every stored listing holds; empty when they were
    /// never compared.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn merchants_digest(&self) -> Result<String, StoreError> {
        let digest = self
            .connection()
            .query_row("select merchants_digest from shard", [], |row| row.get(0))
            .optional();
        Ok(digest.during(DURING)?.unwrap_or_default())
    }

    /// Notes that every stored listing holds the parts of the merchants of `digest`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn note_merchants(&self, digest: &str) -> Result<(), StoreError> {
        self.connection()
            .execute("update shard set merchants_digest = ?1", [digest])
            .map(drop)
            .during(DURING)
    }
}

fn in_words(name: &str) -> String {
    if name == WHOLE { "all merchants".to_owned() } else { format!("shard {name}") }
}

/// Writes what a page says of merchants of other shards.
pub(super) fn write_neighbours(
    connection: &Connection,
    reading: &Reading,
    records: &[Record],
) -> rusqlite::Result<()> {
    let Selector::Date(day) = reading.listing.selector else { return Ok(()) };
    let day = day.to_string();
    let text = |date: Option<NaiveDate>| date.map(|date| date.to_string());
    for record in records {
        match record {
            Record::Deposit(deposit) => {
                let Some(merchant) = &deposit.merchant.merchant_id else { continue };
                connection
                    .prepare_cached(include_str!("../../sql/ingest/neighbour_deposit.sql"))?
                    .execute(named_params! {
                        ":ach_deposit_id": deposit.ach_deposit_id.0,
                        ":listing_id": reading.listing_id,
                        ":reading": reading.reading_id,
                        ":merchant_id": merchant.as_str(),
                        ":day": day,
                        ":association_date": text(deposit.association_date),
                        ":ach_date": text(deposit.ach_date),
                        ":payment_date": text(deposit.payment_date),
                        ":net_amount_minor": deposit.net_amount.map(|amount| amount.0),
                    })?;
            }
            Record::Batch(batch) => {
                let Some(merchant) = &batch.merchant.merchant_id else { continue };
                connection
                    .prepare_cached(include_str!("../../sql/ingest/neighbour_batch.sql"))?
                    .execute(named_params! {
                        ":batch_id": batch.batch_id.0,
                        ":listing_id": reading.listing_id,
                        ":reading": reading.reading_id,
                        ":merchant_id": merchant.as_str(),
                        ":day": day,
                        ":currency": batch.currency.map(Currency::code),
                    })?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the listing is one whose parts a shard reads merchant by merchant.
pub fn has_parts(listing: &Listing) -> bool {
    matches!(listing.selector, Selector::Date(_))
        && !matches!(listing.resource, Resource::Payments | Resource::Refunds)
}
