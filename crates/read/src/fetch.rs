//! Fetches the dates of a run side by side: the listings of each date, their order, and the
//! listings that follow from the answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use chrono::NaiveDate;
use futures_util::future::join_all;

use crate::api::ApiError;
use crate::channel::Fetched;
use crate::{Fetcher, ReadError, dependencies, look_back, needs, watched};
use tieout_config::{Settings, TransactionsMode};
use tieout_model::digest::sha256_hex;
use tieout_model::{Listing, MerchantId, Resource, Selector};
use tieout_store::{StoreError, key_operations, sessions, share};

/// Restores the counts of resumed sessions and reads the missing parts of new merchants, before any
/// date reads its listings.
pub async fn begin(fetcher: &Fetcher<'_>, dates: &[NaiveDate]) -> Result<(), ReadError> {
    for date in dates {
        count_on(fetcher, *date).await?;
    }
    catch_up(fetcher, dates).await
}

/// Fetches a few of the run's dates side by side; the API's limits bound the requests. Returns the
/// dates for which nothing could be read.
pub async fn dates(
    fetcher: &Fetcher<'_>,
    dates: &[NaiveDate],
) -> Result<BTreeMap<NaiveDate, ReadError>, ReadError> {
    let each = dates.iter().map(|&date| async move { (date, one_date(fetcher, date).await) });
    let results: Vec<(NaiveDate, Result<(), ReadError>)> = join_all(each).await;
    let mut failed = BTreeMap::new();
    for (date, result) in results {
        match result {
            Ok(()) => {}
            Err(error @ ReadError::Store(_)) => return Err(error),
            Err(error) => {
                failed.insert(date, error);
            }
        }
    }
    Ok(failed)
}

async fn one_date(fetcher: &Fetcher<'_>, date: NaiveDate) -> Result<(), ReadError> {
    let settings = fetcher.settings();
    fetcher.links.get_or_init(|| ask_for_links(fetcher, date)).await;
    let own = needs::own(settings, date);
    let mut listings = own.clone();
    listings.extend(needs::waiting(settings, date));
    let listings = fetcher.with_links(listings);
    // The short listings, and those that follow from them, are read while the long ones are under
    // way.
    let (long, short): (Vec<Listing>, Vec<Listing>) =
        listings.into_iter().partition(Listing::is_long);
    let beside = async {
        // Repeated readings come first: the later steps then find them stored.
        look_back::read_past(fetcher, date).await?;
        look_back::read_what_failed(fetcher, date).await?;
        read_in_rounds(fetcher, date, short).await?;
        look_back::look_up_lost(fetcher, date).await?;
        watched::read_unsettled(fetcher, date).await?;
        if has_disputes(fetcher, date).await {
            watched::read_disputes(fetcher, date).await?;
        }
        Ok::<(), ReadError>(())
    };
    let (long, beside) = futures_util::join!(fetcher.read_all(date, long), beside);
    beside?;
    long?;
    if fetcher.has_links() {
        // The long listings may link to more.
        read_in_rounds(fetcher, date, Vec::new()).await?;
    }
    refuse_an_empty_night(fetcher, date, &own)?;
    tracing::info!(
        business_date = %date,
        stage = "fetch",
        listings = fetcher.asked_for(date).len(),
        incomplete = fetcher.incomplete(date).len(),
        "{date}: fetched"
    );
    Ok(())
}

/// Finds out, once a run, whether the key has `/transactions`. Any other error shows when the
/// listings are read.
async fn ask_for_links(fetcher: &Fetcher<'_>, date: NaiveDate) -> bool {
    if fetcher.settings().api.transactions == TransactionsMode::Off {
        return false;
    }
    let has_links = asks(fetcher, &needs::linked(date)).await;
    if !has_links {
        tracing::debug!("the key has no /transactions: deposits are compared with batches");
    }
    has_links
}

/// Finds out, once a run, whether the key has `/disputes`, unless an earlier run found that it has.
async fn has_disputes(fetcher: &Fetcher<'_>, date: NaiveDate) -> bool {
    let ask = || async {
        let known =
            fetcher.plan(|store| key_operations::has(store, Resource::Disputes.as_str())).await;
        matches!(known, Ok(Some(true))) || asks(fetcher, &needs::disputes(date)).await
    };
    *fetcher.disputes.get_or_init(ask).await
}

/// Requests the first page of a listing to find out whether the key has its operation, and notes
/// the answer. Any other error shows when the listing is read.
async fn asks(fetcher: &Fetcher<'_>, listing: &Listing) -> bool {
    let (settings, api) = (fetcher.settings(), &fetcher.channel.api);
    // A shard requests only its own merchants.
    let own = settings.merchants.first().filter(|_| settings.shard.is_some());
    let answer = match own {
        Some(merchant) => api.pages_of(listing, &merchant.id, &[]).next().await,
        None => api.pages(listing, &[]).next().await,
    };
    let is_there = !answer.as_ref().is_err_and(ApiError::is_without_operation);
    if answer.is_ok() || !is_there {
        let name = listing.resource.as_str();
        let saved = fetcher.plan(|store| key_operations::save(store, name, is_there));
        if let Err(error) = saved.await {
            tracing::warn!("{error}");
        }
    }
    is_there
}

/// Reads `listings` and then, round by round, the listings that their answers require.
async fn read_in_rounds(
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
    listings: Vec<Listing>,
) -> Result<(), ReadError> {
    fetcher.read_all(date, listings).await?;
    fetcher.read_what_follows(date, |store| dependencies::of(fetcher, store, date)).await
}

/// Restores the record counts of a killed run's session.
async fn count_on(fetcher: &Fetcher<'_>, date: NaiveDate) -> Result<(), StoreError> {
    let Some(session) = fetcher.sessions.get(&date).filter(|session| session.is_resumed) else {
        return Ok(());
    };
    let records = fetcher.plan(|store| sessions::records(store, session.number)).await?;
    fetcher
        .channel
        .received
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .resume(session.number, &records);
    fetcher.channel.writer.resume(session.number, records).await
}

/// Refuses a date without any complete settlement listing: there is nothing to judge.
fn refuse_an_empty_night(
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
    own: &[Listing],
) -> Result<(), ReadError> {
    let mut first = None;
    for listing in own.iter().filter(|listing| matches!(listing.selector, Selector::Date(_))) {
        match fetcher.fetched(date, listing) {
            Some(Fetched { error: Some(error), is_refusal, .. }) => {
                first.get_or_insert((error, is_refusal));
            }
            _ => return Ok(()),
        }
    }
    let (first, is_refusal) = first.unwrap_or_default();
    Err(ReadError::NothingRead { business_date: date, first, is_refusal })
}

/// Reads the missing parts of stored listings for merchants that have joined the shard since.
async fn catch_up(fetcher: &Fetcher<'_>, dates: &[NaiveDate]) -> Result<(), ReadError> {
    let settings = fetcher.settings();
    let Some(&date) = dates.first().filter(|_| settings.shard.is_some()) else {
        return Ok(());
    };
    let digest = merchants_digest(settings);
    if fetcher.plan(share::merchants_digest).await? == digest {
        return Ok(());
    }
    fetcher
        .plan(|store| {
            let own = settings.merchants.iter().map(|merchant| &merchant.id);
            share::note_joined(store, own, |merchant| settings.elsewhere.contains_key(merchant))
        })
        .await?;
    let is_own = |listing: &Listing| match listing.selector {
        Selector::Date(day) => dates.contains(&day),
        _ => false,
    };
    let stored =
        fetcher.plan(|store| share::listings_by_date(store, needs::GROUP_AGE_LIMIT_DAYS)).await?;
    let listings: BTreeSet<Listing> =
        stored.into_iter().filter(|listing| !is_own(listing)).collect();
    fetcher.read_all(date, listings.iter().cloned()).await?;
    let are_read = listings
        .iter()
        .all(|listing| fetcher.fetched(date, listing).is_some_and(|one| one.error.is_none()));
    if are_read {
        fetcher.plan(|store| share::note_merchants(store, &digest)).await?;
    }
    Ok(())
}

/// A digest of the merchants whose parts this shard reads.
fn merchants_digest(settings: &Settings) -> String {
    let names: BTreeSet<&MerchantId> =
        settings.merchants.iter().map(|merchant| &merchant.id).collect();
    sha256_hex(format!("{names:?}").as_bytes())
}
