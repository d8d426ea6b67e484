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

use std::collections::BTreeMap;

use futures_util::stream::{self, StreamExt};

use crate::config::Settings;
use crate::model::{Listing, MerchantId, Record, Resource};
use crate::read::ReadError;
use crate::read::api::Page;
use crate::read::channel::{Channel, Course, Fetched};
use crate::read::received::in_words;
use crate::store::{PageContent, PartState, Reading, STRETCH_PAGES, StoreError, has_parts};

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

/// Whether a listing is read in parts.
pub(super) fn are_read_of(settings: &Settings, listing: &Listing) -> bool {
    settings.shard.is_some() && has_parts(listing)
}

/// Reads the parts of a listing, or those that an earlier reading of it left out.
pub(super) async fn read(
    course: &Course<'_, '_>,
    unknown: &[MerchantId],
) -> Result<Fetched, ReadError> {
    let Course { channel, reading, .. } = course;
    let parts = parts(channel, &reading.listing, unknown).await?;
    let begun = match reading.pages {
        0 => BTreeMap::new(),
        _ => channel.plan(|store| store.parts_read(reading.reading_id)).await?,
    };
    let mut reads = stream::iter(parts)
        .map(|part| {
            let begun = begun.get(&part.place);
            async move { read_part(course, &part, begun).await }
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
pub(super) async fn reopen(
    channel: &Channel<'_>,
    listing: &Listing,
    unknown: &[MerchantId],
) -> Result<Option<Reading>, ReadError> {
    let parts = parts(channel, listing, unknown).await?;
    let read = channel.plan(|store| store.places_read(listing)).await?;
    if parts.iter().all(|part| read.contains(&part.place)) {
        return Ok(None);
    }
    tracing::info!(listing = %listing, "{listing}: merchants have joined the shard since");
    Ok(channel.plan(|store| store.reopen(listing)).await?)
}

async fn parts(
    channel: &Channel<'_>,
    listing: &Listing,
    unknown: &[MerchantId],
) -> Result<Vec<Part>, ReadError> {
    let settings = channel.settings;
    let finds_the_unknown = settings.shard.is_some_and(crate::model::Shard::finds_the_unknown);
    let is_long = listing.is_long();
    let mut named = Vec::new();
    if !finds_the_unknown || is_long {
        named.extend(settings.merchants.iter().map(|one| Whose::Own(one.id.clone())));
    }
    named.extend(unknown.iter().cloned().map(Whose::Own));
    if matches!(listing.resource, Resource::Deposits | Resource::Batches) {
        let neighbours = settings.neighbours();
        named.extend(neighbours.iter().map(|one| Whose::Neighbour(one.id.clone())));
    }
    let mut parts = Vec::new();
    if finds_the_unknown && !is_long {
        parts.push(Part { place: 0, whose: Whose::All });
    }
    let placed: Result<Vec<Part>, StoreError> = channel
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

/// Reads one part, from where an interrupted reading of it had come to.
async fn read_part(
    course: &Course<'_, '_>,
    part: &Part,
    begun: Option<&PartState>,
) -> Result<Fetched, ReadError> {
    let Course { channel, reading, .. } = course;
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
        Whose::All => channel.api.pages(&reading.listing, cursors),
        Whose::Own(merchant) | Whose::Neighbour(merchant) => {
            channel.api.pages_of(&reading.listing, merchant, cursors)
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
        page.records.retain(|record| is_meant(channel.settings, &part.whose, record));
        if let Whose::Neighbour(_) = part.whose {
            keep_beside(course, number, page, &mut ended).await?;
        } else {
            course.keep(number, page, &mut ended).await?;
        }
    }
}

/// What concerns merchants of other shards is theirs to keep. A record that names nobody
/// stays: that is for the checks to say.
fn is_meant(settings: &Settings, whose: &Whose, record: &Record) -> bool {
    let merchant = record.merchant().and_then(|merchant| merchant.merchant_id.as_ref());
    let Some(found) = merchant else { return true };
    match whose {
        Whose::All => !settings.elsewhere.contains_key(found),
        Whose::Own(wanted) | Whose::Neighbour(wanted) => wanted == found,
    }
}

/// Keeps a page of a neighbour: it counts nowhere, and its records stand apart.
async fn keep_beside(
    course: &Course<'_, '_>,
    number: u32,
    page: Page,
    ended: &mut Fetched,
) -> Result<(), ReadError> {
    let Course { channel, reading, .. } = course;
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
    channel.writer.page(reading, content, page.evidence).await?;
    Ok(())
}
