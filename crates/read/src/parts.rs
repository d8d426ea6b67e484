//! Reads the listings of a date merchant by merchant, for the merchants of a shard. Each stays one
//! listing, that of the date, and is complete when every merchant's part is complete.
//!
//! A shard reads the parts of its own merchants. One shard also looks for merchants that are not
//! configured: it reads the short listings whole, keeps the records that belong to no other shard,
//! and reads the parts of the long listings for the merchants found.
//!
//! The stored listings have no part of a merchant that joins later. Nothing may be concluded from
//! that, so the missing parts are read and added first.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt};

use crate::ReadError;
use crate::channel::{Channel, Course, Fetched};
use tieout_config::Settings;
use tieout_model::{Listing, MerchantId, Record};
use tieout_store::{PageNumber, PartState, Reading, StoreError, has_parts, share};

/// Parts of one listing that are read side by side.
const PARTS_AT_ONCE: usize = 16;

/// The merchants that a part covers.
enum Whose {
    /// All merchants except those of other shards and those with a part of their own.
    All(BTreeSet<MerchantId>),
    Own(MerchantId),
}

/// A part of a listing.
struct Part {
    number: u32,
    whose: Whose,
}

/// Checks whether a listing is read in parts.
pub(super) fn are_read_of(settings: &Settings, listing: &Listing) -> bool {
    settings.shard.is_some() && has_parts(listing)
}

/// Reads the parts of a listing, or those missing from an earlier reading of it.
pub(super) async fn read(
    course: &Course<'_, '_>,
    unknown: &[MerchantId],
) -> Result<Fetched, ReadError> {
    let Course { channel, reading, .. } = course;
    let parts = parts(channel, &reading.listing, unknown).await?;
    let begun = match reading.pages {
        0 => BTreeMap::new(),
        _ => channel.plan(|store| share::parts_read(store, reading.reading_id)).await?,
    };
    let mut reads = stream::iter(parts)
        .map(|part| {
            let begun = begun.get(&part.number);
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

/// Reopens a complete listing when it lacks a merchant's part.
pub(super) async fn reopen(
    channel: &Channel<'_>,
    listing: &Listing,
    unknown: &[MerchantId],
) -> Result<Option<Reading>, ReadError> {
    let parts = parts(channel, listing, unknown).await?;
    let held = channel.plan(|store| share::parts_held(store, listing)).await?;
    if parts.iter().all(|part| held.contains(&part.number)) {
        return Ok(None);
    }
    tracing::info!(listing = %listing, "{listing}: merchants have joined the shard since");
    Ok(channel.plan(|store| share::reopen(store, listing)).await?)
}

async fn parts(
    channel: &Channel<'_>,
    listing: &Listing,
    unknown: &[MerchantId],
) -> Result<Vec<Part>, ReadError> {
    let settings = channel.settings;
    let finds_the_unknown = settings.shard.is_some_and(tieout_model::Shard::finds_the_unknown);
    let is_long = listing.is_long();
    let mut named = unknown.to_vec();
    let own = settings.merchants.iter().map(|one| one.id.clone());
    if !finds_the_unknown || is_long {
        named.extend(own);
    } else {
        // The listing was read without the merchants that were then in another shard.
        let joined = channel.plan(|store| share::joined_merchants(store, listing)).await?;
        named.extend(own.filter(|merchant| joined.contains(merchant)));
    }
    let mut parts = Vec::new();
    if finds_the_unknown && !is_long {
        let apart = named.iter().cloned().collect();
        parts.push(Part { number: 0, whose: Whose::All(apart) });
    }
    let of_merchants: Result<Vec<Part>, StoreError> = channel
        .plan(|store| {
            let part = |merchant: MerchantId| {
                Ok(Part { number: share::part_of(store, &merchant)?, whose: Whose::Own(merchant) })
            };
            Ok(named.into_iter().map(part).collect())
        })
        .await?;
    parts.extend(of_merchants?);
    Ok(parts)
}

/// Reads one part, from where an interrupted reading stopped.
async fn read_part(
    course: &Course<'_, '_>,
    part: &Part,
    begun: Option<&PartState>,
) -> Result<Fetched, ReadError> {
    let Course { channel, reading, .. } = course;
    let mut ended = Fetched::default();
    let cursors: &[String] = match begun {
        Some(state) if state.is_ended() => return Ok(ended),
        Some(state) => &state.cursors,
        None => &[],
    };
    let mut pages = match &part.whose {
        Whose::All(_) => channel.api.pages(&reading.listing, cursors),
        Whose::Own(merchant) => channel.api.pages_of(&reading.listing, merchant, cursors),
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
        let number = PageNumber { part: part.number, number: page.number };
        page.records.retain(|record| is_meant(channel.settings, &part.whose, record));
        course.keep(number, page, &mut ended).await?;
    }
}

/// Checks that the record belongs to this part. A record of another shard's merchant does not; a
/// record without a merchant does, so that the checks can report it.
fn is_meant(settings: &Settings, whose: &Whose, record: &Record) -> bool {
    let merchant = record.merchant().and_then(|merchant| merchant.merchant_id.as_ref());
    let Some(found) = merchant else { return true };
    match whose {
        Whose::All(apart) => !settings.elsewhere.contains_key(found) && !apart.contains(found),
        Whose::Own(wanted) => wanted == found,
    }
}
