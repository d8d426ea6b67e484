//! Reads the authorizations, or the card transactions, of a large date from several places at once.
//! They stay one listing, that of the date: reading batch by batch instead would miss a record that
//! names no batch or an unlisted one.
//!
//! The batches of the date give the approximate beginnings: the id of an authorization is the
//! cursor after it, and the first ids of a large batch give an estimate of its later ones. For a
//! service with other cursors, the cursors within its batches are used. Each *stretch* reads on
//! until it meets the first records of a later one, so that every record between the two is read
//! whatever a cursor means. The beginnings of the stretches are stored before their pages, and each
//! stretch resumes by itself after a kill.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use chrono::NaiveDate;
use futures_util::future::join_all;

use crate::ReadError;
use crate::api::records_of;
use crate::channel::{Course, Fetched};
use crate::starts::{Beginning, Found, Next, Starts, announced, choose, starts_of};
use crate::stretch::{Opened, Stretch, beyond, finds_more, ids, in_order, left, meets};
use tieout_model::{BatchId, Listing, Record, Selector};
use tieout_store::{PageNumber, StretchState, plan};

/// Stretches of one listing for each request that may be under way, at most: with only one, the
/// longest stretch would be read alone in the end.
const STRETCHES_PER_REQUEST: u64 = 2;

/// Batches that are tried to find an item to begin at: one may contain only bank transfers.
const BATCHES_ASKED: usize = 2;

/// For each this many stretches, one more is first tried beyond the last, which costs little then.
const STARTS_PER_ATTEMPT: usize = 8;

/// Reads the listing from its beginning and, where it is long, from further places.
///
/// `sizes`: the batches of the date with their record counts, where known.
pub(super) async fn read(
    course: &Course<'_, '_>,
    sizes: &[(BatchId, u64)],
) -> Result<Fetched, ReadError> {
    let Course { channel, reading, .. } = course;
    let starts = match (reading.pages, reading.starts.as_slice()) {
        (0, []) => choose_starts(course, sizes).await,
        (_, chosen) => Starts::Chosen(chosen.to_vec()),
    };
    if starts.is_empty() {
        return course.read().await;
    }
    let (starts, opened) = open_starts(course, starts).await?;
    let stretches = match in_order(opened) {
        Ok(stretches) => stretches,
        Err(error) => {
            let mut failed = Fetched::default();
            failed.fail(&error);
            return Ok(failed);
        }
    };
    if reading.pages == 0 {
        channel.writer.starts(reading, &starts).await?;
    }
    let firsts: Vec<Vec<i64>> = stretches.iter().map(|stretch| stretch.first.clone()).collect();
    let reads = stretches
        .into_iter()
        .enumerate()
        .map(|(index, stretch)| read_stretch(course, index, stretch, &firsts));
    let ended: Vec<Fetched> =
        join_all(reads).await.into_iter().collect::<Result<_, ReadError>>()?;
    Ok(ended.into_iter().find(|stretch| stretch.error.is_some()).unwrap_or_default())
}

/// Opens a stretch at each usable start.
async fn open_starts(
    course: &Course<'_, '_>,
    starts: Starts,
) -> Result<(Vec<String>, Vec<Opened>), ReadError> {
    Ok(match starts {
        Starts::Ids(ids) => open_first(course, ids).await,
        Starts::Cursors(cursors) => try_cursors(course, cursors).await,
        Starts::Chosen(cursors) => {
            let begun = if course.reading.pages == 0 {
                BTreeMap::new()
            } else {
                let reading_id = course.reading.reading_id;
                course.channel.plan(|store| plan::stretches(store, reading_id)).await?
            };
            let opened = open_all(course, &cursors, 0, &begun).await;
            (cursors, opened)
        }
    })
}

/// The positions after which the stretches of a date can begin; empty when the listing is too
/// short, or when its batches are not known.
async fn choose_starts(course: &Course<'_, '_>, sizes: &[(BatchId, u64)]) -> Starts {
    let listing = &course.reading.listing;
    let Selector::Date(date) = listing.selector else { return Starts::Ids(Vec::new()) };
    if sizes.is_empty() {
        return Starts::Ids(Vec::new());
    }
    let expected = announced(sizes);
    course.received.lock().unwrap_or_else(PoisonError::into_inner).expect(expected);
    let api = &course.channel.settings.api;
    let limit = STRETCHES_PER_REQUEST.saturating_mul(api.max_in_flight as u64);
    let chosen = choose(sizes, u64::from(api.page_size), limit);
    let found = join_all(chosen.into_iter().map(|(place, offsets)| async move {
        let mut found = Found::default();
        for (batch, size) in sizes.iter().skip(place).take(BATCHES_ASKED) {
            found = some_of(course, *batch, *size, date).await;
            if !found.ids.is_empty() {
                break;
            }
        }
        let before = announced(sizes.get(..place).unwrap_or_default());
        Beginning { before, offsets, found }
    }))
    .await;
    starts_of(&found)
}

/// The first authorizations or transactions of `batch`, which has about `size` of them. The page is
/// small enough that more should follow, since the answer then shows the form of the cursors. A
/// failure here costs a stretch and nothing else.
async fn some_of(course: &Course<'_, '_>, batch: BatchId, size: u64, date: NaiveDate) -> Found {
    let resource = course.reading.listing.resource;
    let listing = Listing::new(resource, Selector::Batch(batch));
    let limit = u32::try_from(size / 2).unwrap_or(u32::MAX);
    let page = course.channel.api.first_page(&listing, limit).await;
    let Ok(Some(mut page)) = page else { return Found::default() };
    let last = ids(&page.records).last().map(ToString::to_string);
    let next = page.next.map(|next| match last {
        Some(last) if last == next => Next::Id,
        _ => Next::Cursor(next),
    });
    page.records.retain(|record| match record {
        Record::Authorization(item) => item.batch_date == Some(date),
        Record::Transaction(item) => item.batch_date == Some(date),
        _ => false,
    });
    Found { ids: ids(&page.records), next }
}

/// Opens the stretch after `start`, or resumes it from its stored state.
async fn open(
    course: &Course<'_, '_>,
    place: u32,
    start: Option<&String>,
    state: Option<&StretchState>,
) -> Opened {
    let listing = &course.reading.listing;
    let mut cursors: Vec<String> = start.cloned().into_iter().collect();
    if let Some(state) = state {
        cursors.extend(state.cursors.iter().cloned());
        return Ok(Some(Stretch {
            place,
            pages: course.channel.api.pages(listing, &cursors),
            first: ids(&records_of(listing, &state.first)),
            stored: ids(&records_of(listing, &state.last)),
            page: None,
            is_done: state.cursors.len() < state.pages,
        }));
    }
    let mut pages = course.channel.api.pages(listing, &cursors);
    let page = pages.next().await?;
    let first = page.as_ref().map(|page| ids(&page.records)).unwrap_or_default();
    Ok(Some(Stretch { place, pages, first, stored: Vec::new(), page, is_done: false }))
}

/// Opens a stretch at the beginning and at each of `starts` from index `first` on.
async fn open_all(
    course: &Course<'_, '_>,
    starts: &[String],
    first: usize,
    begun: &BTreeMap<usize, StretchState>,
) -> Vec<Opened> {
    let places = std::iter::once(None).chain(starts.iter().map(Some));
    let opened = places.enumerate().skip(first).map(|(place, start)| {
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        open(course, number, start, begun.get(&place))
    });
    join_all(opened).await
}

/// Opens the stretches of `starts`, and further ones beyond the last, at the same distance, as long
/// as they find records. The headers of batches do not count declined authorizations, and ids
/// within a batch are estimated; without the further stretches the night would wait for the last
/// one.
async fn open_first(course: &Course<'_, '_>, mut starts: Vec<i64>) -> (Vec<String>, Vec<Opened>) {
    let chosen = starts.len();
    let mut opened: Vec<Opened> = Vec::new();
    let begun = BTreeMap::new();
    let mut more = chosen / STARTS_PER_ATTEMPT;
    loop {
        let beyond = beyond(&starts, more);
        starts.extend(&beyond);
        let cursors: Vec<String> = starts.iter().map(ToString::to_string).collect();
        opened.extend(open_all(course, &cursors, opened.len(), &begun).await);
        let asked = starts.len();
        while starts.len() > chosen
            && let (Some(last), Some(start)) = (opened.last(), starts.last())
            && !finds_more(last, *start)
        {
            opened.pop();
            starts.pop();
        }
        if starts.len() < asked || beyond.is_empty() || starts.len() > 2 * chosen {
            return (starts.iter().map(ToString::to_string).collect(), opened);
        }
        more *= 2;
    }
}

/// Opens the stretches after `cursors` when the first of them leads to a later place of the
/// listing: a service may accept a cursor only for the batch that it came with.
async fn try_cursors(
    course: &Course<'_, '_>,
    mut cursors: Vec<String>,
) -> (Vec<String>, Vec<Opened>) {
    let begun = BTreeMap::new();
    let tried = cursors.get(..1).unwrap_or_default();
    let mut opened = open_all(course, tried, 0, &begun).await;
    let leads_on = match opened.as_slice() {
        [Ok(Some(beginning)), Ok(Some(tried))] => tried.comes_after(beginning),
        _ => false,
    };
    if leads_on {
        opened.extend(open_all(course, &cursors, opened.len(), &begun).await);
    } else {
        cursors.clear();
        opened.truncate(1);
    }
    (cursors, opened)
}

/// Reads one stretch until it meets a later one, or to the end of the listing.
async fn read_stretch(
    course: &Course<'_, '_>,
    index: usize,
    stretch: Stretch,
    firsts: &[Vec<i64>],
) -> Result<Fetched, ReadError> {
    let Stretch { place, mut pages, stored, mut page, is_done, .. } = stretch;
    let mut fetched = Fetched::default();
    if is_done || meets(&stored, firsts, index) {
        return Ok(fetched);
    }
    pages.leave(left(&stored, firsts, index));
    loop {
        let next = match page.take() {
            Some(first) => Ok(Some(first)),
            None => pages.next().await,
        };
        let next = match next {
            Ok(Some(next)) => next,
            Ok(None) => return Ok(fetched),
            Err(error) => {
                fetched.fail(&error);
                return Ok(fetched);
            }
        };
        let read = ids(&next.records);
        let has_met = meets(&read, firsts, index);
        pages.leave(left(&read, firsts, index));
        let number = PageNumber { part: place, number: next.number };
        course.keep(number, next, &mut fetched).await?;
        if has_met {
            return Ok(fetched);
        }
    }
}
