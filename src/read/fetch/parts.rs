//! Reads the listings of a date merchant by merchant: the share of a shard. Each stays one
//! listing, that of the date, and is complete when the part of every merchant is.
//!
//! A shard reads the parts of its own merchants. Beside them it reads, in deposits and batches,
//! the parts of *neighbours*: merchants of other shards that share a bank account with one of
//! its own, without which the lines of that account explain nothing. And one shard of all looks
//! for merchants that nobody has configured: it reads the short listings whole, keeps what is no
//! other shard's, and asks for the long ones of whom it finds.
//!
//! A merchant that joins later has no part in what is stored already. Nothing may be concluded
//! from that, so the missing parts are read and added before anything else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use chrono::NaiveDate;
use futures_util::stream::{self, StreamExt};

use super::{Fetched, Fetcher, Received, in_words};
use crate::digest::sha256_hex;
use crate::model::{Listing, MerchantId, Record, Resource, Selector};
use crate::night::JobError;
use crate::read::api::Page;
use crate::read::needs;
use crate::store::{
    Freshness, PageContent, PartState, Reading, STRETCH_PAGES, Store, StoreError, has_parts,
};

/// Parts of one listing that are read side by side.
const PARTS_AT_ONCE: usize = 16;

/// Places that the numbers of pages leave room for.
const MAX_PLACE: u32 = u32::MAX / STRETCH_PAGES - 1;

/// Whose part it is.
enum Whose {
    /// Everybody's but that of other shards.
    All,
    Own(MerchantId),
    Neighbour(MerchantId),
}

/// A part of a listing and the place of its pages.
struct Part {
    place: u32,
    whose: Whose,
}

impl Fetcher<'_> {
    /// Whether a listing is read in parts.
    pub(crate) fn reads_parts_of(&self, listing: &Listing) -> bool {
        self.settings.shard.is_some() && has_parts(listing)
    }

    /// Reads the parts of a listing, or those that an earlier reading of it left out.
    pub(super) async fn read_parts(
        &self,
        reading: &Reading,
        received: &Mutex<Received>,
    ) -> Result<Fetched, JobError> {
        let parts = self.parts(&reading.listing).await?;
        let begun = match reading.pages {
            0 => BTreeMap::new(),
            _ => self.plan(|store| store.parts_read(reading.reading_id)).await?,
        };
        let mut reads = stream::iter(parts)
            .map(|part| {
                let begun = begun.get(&part.place);
                async move { self.read_part(reading, &part, begun, received).await }
            })
            .buffered(PARTS_AT_ONCE);
        let mut ended = Fetched::default();
        while let Some(read) = reads.next().await {
            let read = read?;
            if ended.error.is_none() {
                ended = read;
            }
        }
        Ok(ended)
    }

    /// Opens a complete listing again when a merchant has no part in it.
    pub(crate) async fn with_parts_left_out(
        &self,
        listing: &Listing,
    ) -> Result<Option<Reading>, JobError> {
        if !self.reads_parts_of(listing) {
            return Ok(None);
        }
        let parts = self.parts(listing).await?;
        let read = self.plan(|store| store.places_read(listing)).await?;
        if parts.iter().all(|part| read.contains(&part.place)) {
            return Ok(None);
        }
        tracing::info!(listing = %listing, "{listing}: merchants have joined the shard since");
        Ok(self.plan(|store| store.reopen(listing)).await?)
    }

    /// Reads what stored listings lack of merchants that have joined the shard since.
    pub(crate) async fn catch_up(&self, dates: &[NaiveDate]) -> Result<(), JobError> {
        let Some(&date) = dates.first().filter(|_| self.settings.shard.is_some()) else {
            return Ok(());
        };
        let digest = self.merchants_digest();
        if self.plan(Store::merchants_digest).await? == digest {
            return Ok(());
        }
        let is_own = |listing: &Listing| match listing.selector {
            Selector::Date(day) => dates.contains(&day),
            _ => false,
        };
        let stored = self.plan(|store| store.listings_by_date(needs::GROUP_AGE_LIMIT_DAYS)).await?;
        let listings: BTreeSet<Listing> =
            stored.into_iter().filter(|listing| !is_own(listing)).collect();
        self.read_all(date, listings.iter().cloned()).await?;
        let are_read = listings
            .iter()
            .all(|listing| self.fetched(date, listing).is_some_and(|one| one.error.is_none()));
        if are_read {
            self.plan(|store| store.note_merchants(&digest)).await?;
        }
        Ok(())
    }

    /// Of the merchants whose parts this shard reads.
    fn merchants_digest(&self) -> String {
        let own = self.settings.merchants.iter().map(|merchant| ("own", &merchant.id));
        let neighbours = self.settings.neighbours();
        let beside = neighbours.iter().map(|merchant| ("beside", &merchant.id));
        let names: BTreeSet<_> = own.chain(beside).collect();
        sha256_hex(format!("{names:?}").as_bytes())
    }

    async fn parts(&self, listing: &Listing) -> Result<Vec<Part>, JobError> {
        let finds_the_unknown =
            self.settings.shard.is_some_and(crate::model::Shard::finds_the_unknown);
        let is_long = listing.is_long();
        let mut named = Vec::new();
        if !finds_the_unknown || is_long {
            named.extend(self.settings.merchants.iter().map(|one| Whose::Own(one.id.clone())));
        }
        if finds_the_unknown && let (true, Selector::Date(date)) = (is_long, &listing.selector) {
            named.extend(self.unknown_merchants(*date).await?.into_iter().map(Whose::Own));
        }
        if matches!(listing.resource, Resource::Deposits | Resource::Batches) {
            let neighbours = self.settings.neighbours();
            named.extend(neighbours.iter().map(|one| Whose::Neighbour(one.id.clone())));
        }
        let mut parts = Vec::new();
        if finds_the_unknown && !is_long {
            parts.push(Part { place: 0, whose: Whose::All });
        }
        let placed: Result<Vec<Part>, StoreError> = self
            .plan(|store| {
                let place = |whose: Whose| match &whose {
                    Whose::All => Ok(Part { place: 0, whose }),
                    Whose::Own(merchant) | Whose::Neighbour(merchant) => {
                        Ok(Part { place: store.place_of(merchant)?, whose })
                    }
                };
                Ok(named.into_iter().map(place).collect())
            })
            .await?;
        parts.extend(placed?);
        Ok(parts)
    }

    /// Merchants of the deposits and batches of `date` that the configuration does not name.
    async fn unknown_merchants(&self, date: NaiveDate) -> Result<Vec<MerchantId>, JobError> {
        for resource in [Resource::Deposits, Resource::Batches] {
            Box::pin(self.read(date, Listing::new(resource, Selector::Date(date)))).await?;
        }
        let found = self.plan(|store| store.merchants_of(date)).await?;
        let is_unknown = |merchant: &MerchantId| {
            !self.settings.elsewhere.contains_key(merchant)
                && self.settings.merchant(merchant).is_none()
        };
        Ok(found.into_iter().filter(is_unknown).collect())
    }

    /// Reads one part, from where an interrupted reading of it had come to.
    async fn read_part(
        &self,
        reading: &Reading,
        part: &Part,
        begun: Option<&PartState>,
        received: &Mutex<Received>,
    ) -> Result<Fetched, JobError> {
        let mut ended = Fetched::default();
        if part.place > MAX_PLACE {
            ended.error = Some(format!(
                "{}: the store knows more than {MAX_PLACE} merchants; make more shards",
                reading.listing
            ));
            return Ok(ended);
        }
        let cursors: &[String] = match begun {
            Some(state) if state.is_ended() => return Ok(ended),
            Some(state) => &state.cursors,
            None => &[],
        };
        let mut pages = match &part.whose {
            Whose::All => self.api.pages(&reading.listing, cursors),
            Whose::Own(merchant) | Whose::Neighbour(merchant) => {
                self.api.pages_of(&reading.listing, merchant, cursors)
            }
        };
        loop {
            let mut page = match pages.next().await {
                Ok(Some(page)) => page,
                Ok(None) => return Ok(ended),
                Err(error) => {
                    ended.fail(&error);
                    return Ok(ended);
                }
            };
            let number = part.place * STRETCH_PAGES + page.number;
            page.records.retain(|record| self.is_meant(&part.whose, record));
            if let Whose::Neighbour(_) = part.whose {
                self.keep_beside(reading, number, page, &mut ended).await?;
            } else {
                self.keep(reading, number, page, received, &mut ended).await?;
            }
        }
    }

    /// What concerns merchants of other shards is theirs to keep. A record that names nobody
    /// stays: that is for the checks to say.
    fn is_meant(&self, whose: &Whose, record: &Record) -> bool {
        let merchant = record.merchant().and_then(|merchant| merchant.merchant_id.as_ref());
        let Some(found) = merchant else { return true };
        match whose {
            Whose::All => !self.settings.elsewhere.contains_key(found),
            Whose::Own(wanted) | Whose::Neighbour(wanted) => wanted == found,
        }
    }

    /// Keeps a page of a neighbour: it counts nowhere, and its records stand apart.
    async fn keep_beside(
        &self,
        reading: &Reading,
        number: u32,
        page: Page,
        ended: &mut Fetched,
    ) -> Result<(), JobError> {
        let fault = in_words(&reading.listing, number, &page);
        if let Some(fault) = &fault {
            ended.error.get_or_insert_with(|| fault.clone());
        }
        let content = PageContent {
            number,
            after: page.after,
            next: page.next,
            records: Vec::new(),
            neighbours: page.records,
            fault,
            received_bytes: page.received_bytes,
        };
        self.writer.page(reading, content, page.evidence).await?;
        Ok(())
    }

    /// Begins a reading, or opens a complete one again that lacks the part of a merchant.
    pub(crate) async fn begin_reading(
        &self,
        listing: &Listing,
        session: i64,
        freshness: Freshness,
    ) -> Result<Option<Reading>, JobError> {
        match self.writer.begin(listing, session, freshness).await? {
            Some(reading) => Ok(Some(reading)),
            None => self.with_parts_left_out(listing).await,
        }
    }
}
