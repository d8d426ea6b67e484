//! Reads the authorizations, and the card transactions, of a large date from several places at
//! once. It stays one listing, that of the date: reading batch by batch instead would never see a
//! record that names no batch, or one that is not listed.
//!
//! The batches of the date say where about to begin: the id of an authorization is the cursor
//! of what comes after it, and within a large batch its ids tell about where its later ones are.
//! Of a service with other cursors, those are taken that lead on within its batches. Each *stretch*
//! reads on until it meets the first records of a later one, so whatever a cursor came to mean,
//! every record between the two has been seen. Where stretches begin is stored before their pages,
//! and each goes on by itself after a kill.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use chrono::NaiveDate;
use futures_util::future::join_all;

use super::{Fetched, Fetcher, Received};
use crate::model::{BatchId, Listing, Record, Resource, Selector};
use crate::night::JobError;
use crate::read::api::ApiError;
use crate::read::api::Page;
use crate::read::api::Pages;
use crate::read::api::records_of;
use crate::store::{Freshness, Reading, STRETCH_PAGES, StretchState};

/// Stretches of one listing at the most, for each request that may be under way: with one for
/// each, the longest would be read alone in the end.
const STRETCHES_PER_REQUEST: u64 = 2;

/// How many batches are asked for an item to begin at: one may hold bank transfers alone.
const BATCHES_ASKED: usize = 2;

/// A stretch costs a request to find its beginning and about half a page that is read twice:
/// with this many pages for each, a night sends less than a twentieth more.
const PAGES_PER_STRETCH: u64 = 32;

/// For so many stretches one more is tried beyond the last at first: what it costs is little then.
const STARTS_PER_ATTEMPT: usize = 8;

/// A stretch of which the first page is there.
struct Stretch {
    /// Its place among the stretches, as its pages are numbered.
    place: u32,
    pages: Pages,
    /// Ids of its first page.
    first: Vec<i64>,
    /// Ids of the last page that is stored already.
    stored: Vec<i64>,
    /// The page that is to be kept next, when it is there already.
    page: Option<Page>,
    /// Whether its last page is stored already.
    is_done: bool,
}

impl Stretch {
    /// Whether it begins behind all that was read of the one `before`.
    fn comes_after(&self, before: &Self) -> bool {
        before.first.last().zip(self.first.first()).is_some_and(|(last, first)| last < first)
    }
}

/// After what stretches begin that do not begin with the listing.
enum Starts {
    /// Records, ascending: the next ones can be told from them.
    Ids(Vec<i64>),
    /// Cursors of the service, as they are stored, in the order of their batches.
    Cursors(Vec<String>),
    /// What an interrupted reading had chosen.
    Chosen(Vec<String>),
}

impl Starts {
    fn is_empty(&self) -> bool {
        match self {
            Self::Ids(ids) => ids.is_empty(),
            Self::Cursors(cursors) | Self::Chosen(cursors) => cursors.is_empty(),
        }
    }
}

/// A stretch that was asked for; `None` where its listing has no page there.
type Opened = Result<Option<Stretch>, ApiError>;

impl Fetcher<'_> {
    /// Reads the listing from its beginning and, where it is long, from further places.
    pub(super) async fn read_stretches(
        &self,
        reading: &Reading,
        received: &Mutex<Received>,
    ) -> Result<Fetched, JobError> {
        let starts = match (reading.pages, reading.starts.as_slice()) {
            (0, []) => self.choose_starts(reading, received).await?,
            (_, chosen) => Starts::Chosen(chosen.to_vec()),
        };
        if starts.is_empty() {
            return self.read_pages(reading, received).await;
        }
        let (starts, opened) = match starts {
            Starts::Ids(ids) => self.open_first(reading, ids).await,
            Starts::Cursors(cursors) => self.try_cursors(reading, cursors).await,
            Starts::Chosen(cursors) => {
                let begun = match reading.pages {
                    0 => BTreeMap::new(),
                    _ => self.plan(|store| store.stretches(reading.reading_id)).await?,
                };
                let opened = self.open_all(reading, &cursors, 0, &begun).await;
                (cursors, opened)
            }
        };
        let stretches = match in_order(opened) {
            Ok(stretches) => stretches,
            Err(error) => {
                let mut failed = Fetched::default();
                failed.fail(&error);
                return Ok(failed);
            }
        };
        if reading.pages == 0 {
            self.writer.starts(reading, &starts).await?;
        }
        let firsts: Vec<Vec<i64>> = stretches.iter().map(|stretch| stretch.first.clone()).collect();
        let reads = stretches
            .into_iter()
            .enumerate()
            .map(|(index, stretch)| self.stretch(reading, index, stretch, &firsts, received));
        let ended: Vec<Fetched> =
            join_all(reads).await.into_iter().collect::<Result<_, JobError>>()?;
        Ok(ended.into_iter().find(|stretch| stretch.error.is_some()).unwrap_or_default())
    }

    /// After what stretches of a date can begin; nothing when the listing is not worth it, or when
    /// its batches are not known.
    async fn choose_starts(
        &self,
        reading: &Reading,
        received: &Mutex<Received>,
    ) -> Result<Starts, JobError> {
        let none = Starts::Ids(Vec::new());
        let listing = &reading.listing;
        let Selector::Date(date) = listing.selector else { return Ok(none) };
        let batches = Listing::new(Resource::Batches, Selector::Date(date));
        let again = {
            let asked = self.asked_again.lock().unwrap_or_else(PoisonError::into_inner);
            asked.get(&(reading.session, batches.clone())).cloned()
        };
        let read = if let Some(cell) = again {
            // They are read once more for the same reason as the listing: once is enough.
            let read = || self.read_listing(&batches, reading.session, Freshness::OnceMore);
            Some(Box::pin(cell.get_or_try_init(read)).await?.clone())
        } else {
            Box::pin(self.read(date, batches.clone())).await?;
            self.fetched(date, &batches)
        };
        if read.is_none_or(|read| read.error.is_some()) {
            return Ok(none);
        }
        let sizes = self.plan(|store| store.batch_sizes(date)).await?;
        let expected = announced(&sizes);
        received.lock().unwrap_or_else(PoisonError::into_inner).shown.expect(expected);
        let api = &self.settings.api;
        let limit = STRETCHES_PER_REQUEST.saturating_mul(api.max_in_flight as u64);
        let sizes = &sizes;
        let chosen = choose(sizes, u64::from(api.page_size), limit);
        let found = join_all(chosen.into_iter().map(|(place, offsets)| async move {
            let mut found = Found::default();
            for (batch, size) in sizes.iter().skip(place).take(BATCHES_ASKED) {
                found = self.some_of(listing.resource, *batch, *size, date).await;
                if !found.ids.is_empty() {
                    break;
                }
            }
            let before = announced(sizes.get(..place).unwrap_or_default());
            Beginning { before, offsets, found }
        }))
        .await;
        Ok(starts_of(&found))
    }

    /// The first authorizations or transactions of `batch`, which has about `size` of them: so few
    /// that more should follow, since then the answer says how cursors are made. Whatever fails
    /// here costs a stretch and nothing else.
    async fn some_of(
        &self,
        resource: Resource,
        batch: BatchId,
        size: u64,
        date: NaiveDate,
    ) -> Found {
        let listing = Listing::new(resource, Selector::Batch(batch));
        let limit = u32::try_from(size / 2).unwrap_or(u32::MAX);
        let page = self.api.first_page(&listing, limit).await;
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

    /// Opens the stretch after `start`, or goes on with what is stored of it.
    async fn open(
        &self,
        reading: &Reading,
        place: u32,
        start: Option<&String>,
        state: Option<&StretchState>,
    ) -> Opened {
        let mut cursors: Vec<String> = start.cloned().into_iter().collect();
        if let Some(state) = state {
            cursors.extend(state.cursors.iter().cloned());
            return Ok(Some(Stretch {
                place,
                pages: self.api.pages(&reading.listing, &cursors),
                first: ids(&records_of(&reading.listing, &state.first)),
                stored: ids(&records_of(&reading.listing, &state.last)),
                page: None,
                is_done: state.cursors.len() < state.pages,
            }));
        }
        let mut pages = self.api.pages(&reading.listing, &cursors);
        let page = pages.next().await?;
        let first = page.as_ref().map(|page| ids(&page.records)).unwrap_or_default();
        Ok(Some(Stretch { place, pages, first, stored: Vec::new(), page, is_done: false }))
    }

    /// Opens a stretch at the beginning and at each of `starts` from the `first` place on.
    async fn open_all(
        &self,
        reading: &Reading,
        starts: &[String],
        first: usize,
        begun: &BTreeMap<usize, StretchState>,
    ) -> Vec<Opened> {
        let places = std::iter::once(None).chain(starts.iter().map(Some));
        let opened = places.enumerate().skip(first).map(|(place, start)| {
            let number = u32::try_from(place).unwrap_or(u32::MAX);
            self.open(reading, number, start, begun.get(&place))
        });
        join_all(opened).await
    }

    /// Opens the stretches of `starts` and, at the same distance, further ones beyond the last for
    /// as long as they find records there: headers of batches count no declined authorizations,
    /// and ids within a batch are estimated. Otherwise the night would wait for the last stretch.
    async fn open_first(
        &self,
        reading: &Reading,
        mut starts: Vec<i64>,
    ) -> (Vec<String>, Vec<Opened>) {
        let chosen = starts.len();
        let mut opened: Vec<Opened> = Vec::new();
        let begun = BTreeMap::new();
        let mut more = chosen / STARTS_PER_ATTEMPT;
        loop {
            let beyond = beyond(&starts, more);
            starts.extend(&beyond);
            let cursors: Vec<String> = starts.iter().map(ToString::to_string).collect();
            opened.extend(self.open_all(reading, &cursors, opened.len(), &begun).await);
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
    /// listing: a service may know a cursor only among the records of the batch that it came with.
    async fn try_cursors(
        &self,
        reading: &Reading,
        mut cursors: Vec<String>,
    ) -> (Vec<String>, Vec<Opened>) {
        let begun = BTreeMap::new();
        let tried = cursors.get(..1).unwrap_or_default();
        let mut opened = self.open_all(reading, tried, 0, &begun).await;
        let leads_on = match opened.as_slice() {
            [Ok(Some(beginning)), Ok(Some(tried))] => tried.comes_after(beginning),
            _ => false,
        };
        if leads_on {
            opened.extend(self.open_all(reading, &cursors, opened.len(), &begun).await);
        } else {
            cursors.clear();
            opened.truncate(1);
        }
        (cursors, opened)
    }

    /// Reads one stretch to where it meets a later one, or to the end of the listing.
    async fn stretch(
        &self,
        reading: &Reading,
        index: usize,
        stretch: Stretch,
        firsts: &[Vec<i64>],
        received: &Mutex<Received>,
    ) -> Result<Fetched, JobError> {
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
            let number = place.saturating_mul(STRETCH_PAGES).saturating_add(next.number);
            self.keep(reading, number, next, received, &mut fetched).await?;
            if has_met {
                return Ok(fetched);
            }
        }
    }
}

/// The stretches that can be met: those that opened, and in which ids rise beyond those of the
/// stretch before. Another one costs nothing, since the stretch before it reads on. Without the
/// first there is no beginning.
fn in_order(opened: Vec<Opened>) -> Result<Vec<Stretch>, ApiError> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for stretch in opened {
        let stretch = match stretch {
            Ok(Some(stretch)) => stretch,
            Err(error) if stretches.is_empty() => return Err(error),
            Ok(None) | Err(_) => continue,
        };
        let is_later = stretches.last().is_none_or(|before| stretch.comes_after(before));
        let begins_well = stretches.first().is_none_or(|beginning| is_rising(&beginning.first));
        let is_begun = !stretch.stored.is_empty();
        if is_begun || (is_later && begins_well && is_rising(&stretch.first)) {
            stretches.push(stretch);
        }
    }
    Ok(stretches)
}

/// Up to `count` places beyond the last of `starts`, as far apart as it is from the one before.
fn beyond(starts: &[i64], count: usize) -> Vec<i64> {
    let [.., before, last] = starts else { return Vec::new() };
    let distance = last.checked_sub(*before).filter(|distance| *distance > 0);
    let next = |start: &i64| start.checked_add(distance?);
    std::iter::successors(next(last), next).take(count).collect()
}

/// Whether a stretch that was to begin after `start` has records there.
fn finds_more(opened: &Opened, start: i64) -> bool {
    match opened {
        Ok(Some(stretch)) => stretch.first.first().is_some_and(|first| *first > start),
        Ok(None) | Err(_) => false,
    }
}

/// Records that the headers announce together.
fn announced(sizes: &[(BatchId, u64)]) -> u64 {
    sizes.iter().fold(0, |sum, (_, size)| sum.saturating_add(*size))
}

/// Where stretches begin: as far from each other as the headers of the batches tell, in the order
/// in which they were submitted. By place of a batch, how many of its records come before; a
/// beginning of a batch that is not far from there is better, since its id is known and not
/// estimated.
fn choose(sizes: &[(BatchId, u64)], page_size: u64, limit: u64) -> BTreeMap<usize, Vec<u64>> {
    let total = announced(sizes);
    let stretches = (total / (PAGES_PER_STRETCH * page_size.max(1))).min(limit);
    let mut chosen: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    if stretches < 2 {
        return chosen;
    }
    let length = total / stretches;
    let near = length / 4;
    let mut wanted = length;
    let mut before = 0_u64;
    for (place, (_, size)) in sizes.iter().enumerate().filter(|(_, (_, size))| *size > 0) {
        let end = before.saturating_add(*size);
        // The last one would be a rest of the division.
        while wanted <= total - length && wanted.saturating_add(near) < end {
            let offset = wanted.saturating_sub(before);
            let offset = if offset <= near { 0 } else { offset };
            chosen.entry(place).or_default().push(offset);
            wanted += length;
        }
        before = end;
    }
    chosen
}

/// The beginning of a batch.
struct Beginning {
    /// Records that the headers announce before it.
    before: u64,
    /// How many of its own come before a stretch is to begin, for each that is.
    offsets: Vec<u64>,
    found: Found,
}

/// What was read of the beginning of a batch.
#[derive(Default)]
struct Found {
    /// Ids of its first records.
    ids: Vec<i64>,
    /// What leads on from there; `None` when that is all.
    next: Option<Next>,
}

/// How a service leads on.
enum Next {
    /// By the id of the last record.
    Id,
    /// By something else, as it is stored.
    Cursor(String),
}

/// A number of ids that a number of records takes up.
#[derive(Clone, Copy)]
struct Density {
    ids: i128,
    records: i128,
}

impl Density {
    /// `None` unless ids rise with the records.
    fn new(first: i64, last: i64, records: u64) -> Option<Self> {
        let ids = i128::from(last) - i128::from(first);
        (ids > 0 && records > 0).then_some(Self { ids, records: i128::from(records) })
    }

    fn id_after(self, first: i64, records: u64) -> Option<i64> {
        let distance = i128::from(records).checked_mul(self.ids)? / self.records;
        i64::try_from(i128::from(first).checked_add(distance)?).ok()
    }
}

/// After what stretches begin. Where cursors are no ids, after the first records of the batches:
/// what leads on from there leads to the same place in the whole listing, or to none that counts.
fn starts_of(found: &[Beginning]) -> Starts {
    let leads_by_id = found.iter().any(|one| matches!(one.found.next, Some(Next::Id)));
    if !leads_by_id {
        let mut seen = HashSet::new();
        let cursors: Vec<String> = found
            .iter()
            .filter_map(|one| match &one.found.next {
                // They are stored with commas between them.
                Some(Next::Cursor(cursor)) if !cursor.contains(',') => Some(cursor.clone()),
                _ => None,
            })
            .filter(|cursor| seen.insert(cursor.clone()))
            .collect();
        if !cursors.is_empty() {
            return Starts::Cursors(cursors);
        }
    }
    let mut ids = ids_of(found);
    ids.sort_unstable();
    ids.dedup();
    Starts::Ids(ids)
}

/// The ids after which stretches begin. Within a batch they are estimated: from where the next one
/// begins, else from the batch before, else from its own first records.
fn ids_of(found: &[Beginning]) -> Vec<i64> {
    let found: Vec<&Beginning> = found.iter().filter(|one| is_rising(&one.found.ids)).collect();
    let mut starts = Vec::new();
    let mut density = None;
    for (place, one) in found.iter().enumerate() {
        let ids = &one.found.ids;
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { continue };
        let next = found.get(place + 1);
        let next = next.and_then(|next| Some((next.found.ids.first()?, next.before)));
        density = next
            .and_then(|(id, before)| Density::new(*first, *id, before.saturating_sub(one.before)))
            .or(density)
            .or_else(|| Density::new(*first, *last, ids.len() as u64 - 1));
        starts.extend(one.offsets.iter().filter_map(|offset| match offset {
            0 => Some(*first),
            offset => density?.id_after(*first, *offset),
        }));
    }
    starts
}

/// Whether a later stretch begins within a page: its first records are the rest of it.
fn meets(page: &[i64], firsts: &[Vec<i64>], index: usize) -> bool {
    firsts.iter().skip(index + 1).any(|first| {
        let place = first.first().and_then(|id| page.iter().position(|found| found == id));
        place.is_some_and(|place| page[place..].iter().zip(first).all(|(one, other)| one == other))
    })
}

/// How many ids there are from the end of a page to where the next stretch begins: about as many
/// records, to compare stretches by. Where the last one ends is not known.
fn left(page: &[i64], firsts: &[Vec<i64>], index: usize) -> u64 {
    let next = firsts.get(index + 1).and_then(|first| first.first());
    let (Some(last), Some(next)) = (page.last(), next) else { return u64::MAX };
    u64::try_from(next.saturating_sub(*last)).unwrap_or_default()
}

fn is_rising(ids: &[i64]) -> bool {
    ids.is_sorted_by(|one, other| one < other)
}

fn ids(records: &[Record]) -> Vec<i64> {
    records
        .iter()
        .filter_map(|record| match record {
            Record::Authorization(item) => Some(item.authorization_id.0),
            Record::Transaction(item) => Some(item.transaction_id.0),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of batches; by place of a batch the offsets that are chosen.
    type Case = (&'static [u64], &'static [(usize, &'static [u64])]);

    #[test]
    fn begins_at_places_that_are_evenly_apart() {
        let batches = |sizes: &[u64]| -> Vec<(BatchId, u64)> {
            (1..).map(BatchId).zip(sizes.iter().copied()).collect()
        };
        let cases: [Case; 8] = [
            (&[], &[]),
            (&[6_399], &[]),
            (&[6_400], &[(0, &[3_200])]),
            (&[16_000], &[(0, &[3_200, 6_400, 9_600, 12_800])]),
            (&[3_100, 3_100], &[]),
            (&[3_200, 3_200], &[(1, &[0])]),
            (&[3_200, 0, 0, 3_200, 3_200], &[(3, &[0]), (4, &[0])]),
            (&[320, 9_280, 320, 2_880], &[(1, &[2_880, 6_080]), (3, &[0])]),
        ];
        for (sizes, expected) in cases {
            let expected: BTreeMap<usize, Vec<u64>> =
                expected.iter().map(|(place, offsets)| (*place, offsets.to_vec())).collect();
            assert_eq!(choose(&batches(sizes), 100, 16), expected, "{sizes:?}");
        }
        assert_eq!(choose(&batches(&[3_200; 200]), 100, 16).len(), 15);
        assert_eq!(choose(&batches(&[u64::MAX, u64::MAX]), 100, 16).len(), 1);
    }

    #[test]
    fn goes_on_beyond_the_last_place_at_its_distance() {
        let cases: [(&[i64], usize, &[i64]); 7] = [
            (&[], 2, &[]),
            (&[40], 2, &[]),
            (&[40, 70], 0, &[]),
            (&[10, 40, 70], 3, &[100, 130, 160]),
            (&[70, 70], 2, &[]),
            (&[70, 40], 2, &[]),
            (&[0, i64::MAX / 2 + 1], 2, &[]),
        ];
        for (starts, count, expected) in cases {
            assert_eq!(beyond(starts, count), expected, "{starts:?}");
        }
    }

    #[test]
    fn meets_only_a_later_stretch_that_goes_on_alike() {
        let firsts = vec![vec![1, 2, 3], vec![7, 8, 9], vec![12, 13]];
        let cases: [(&[i64], usize, bool); 8] = [
            (&[4, 5, 6], 0, false),
            (&[5, 6, 7], 0, true),
            (&[6, 7, 8], 0, true),
            (&[12, 13, 14], 0, true),
            (&[6, 7, 10], 0, false),
            (&[7, 8, 9], 1, false),
            (&[11, 12, 13], 1, true),
            (&[], 0, false),
        ];
        for (page, index, expected) in cases {
            assert_eq!(meets(page, &firsts, index), expected, "{page:?}");
        }
    }

    #[test]
    fn tells_how_much_is_left_of_a_stretch() {
        let firsts = vec![vec![1, 2], vec![70, 80], vec![90]];
        assert_eq!(left(&[1, 2], &firsts, 0), 68);
        assert_eq!(left(&[88, 89], &firsts, 1), 1);
        assert_eq!(left(&[95], &firsts, 1), 0);
        assert_eq!(left(&[95], &firsts, 2), u64::MAX);
        assert_eq!(left(&[], &firsts, 0), u64::MAX);
        assert_eq!(left(&[i64::MIN], &[vec![0], vec![i64::MAX]], 0), i64::MAX as u64);
    }

    #[test]
    fn begins_after_cursors_only_where_none_is_an_id() {
        let cursor = |text: &str| Some(Next::Cursor(text.to_owned()));
        let starts = |next: Vec<Option<Next>>| {
            let found: Vec<Beginning> = (0..)
                .zip(next)
                .map(|(place, next)| Beginning {
                    before: 0,
                    offsets: vec![0],
                    found: Found { ids: vec![90 - place], next },
                })
                .collect();
            match starts_of(&found) {
                Starts::Ids(ids) => ids.iter().map(ToString::to_string).collect(),
                Starts::Cursors(cursors) | Starts::Chosen(cursors) => cursors,
            }
        };
        assert_eq!(starts(vec![Some(Next::Id), None, Some(Next::Id)]), ["88", "89", "90"]);
        assert_eq!(starts(vec![cursor("b"), None, cursor("a")]), ["b", "a"]);
        // A place that is counted is the same in every batch.
        assert_eq!(starts(vec![cursor("100"), cursor("100")]), ["100"]);
        // The last record may be one that could not be understood.
        assert_eq!(starts(vec![cursor("91"), Some(Next::Id)]), ["89", "90"]);
        assert_eq!(starts(vec![cursor("a,b"), None]), ["89", "90"]);
        assert_eq!(starts(vec![None, None]), ["89", "90"]);
        assert_eq!(starts(Vec::new()), [""; 0]);
    }

    #[test]
    fn estimates_the_ids_that_stand_before_a_place() {
        let beginning = |before: u64, offsets: &[u64], ids: &[i64]| Beginning {
            before,
            offsets: offsets.to_vec(),
            found: Found { ids: ids.to_vec(), next: None },
        };
        let cases: [(&[Beginning], &[i64]); 8] = [
            (&[], &[]),
            (&[beginning(0, &[5], &[])], &[]),
            (&[beginning(0, &[5], &[70])], &[]),
            (&[beginning(0, &[5, 50], &[70, 72, 74])], &[80, 170]),
            (&[beginning(0, &[5], &[74, 72])], &[]),
            // The next one tells better, and what it told is taken for the last.
            (
                &[beginning(0, &[50], &[70, 72]), beginning(100, &[0, 10], &[470, 900])],
                &[270, 470, 510],
            ),
            // Ids that do not rise from batch to batch tell nothing.
            (&[beginning(0, &[5], &[70, 72]), beginning(100, &[0], &[9, 10])], &[80, 9]),
            (&[beginning(0, &[u64::MAX], &[i64::MIN, i64::MAX])], &[]),
        ];
        for (place, (found, expected)) in cases.iter().enumerate() {
            assert_eq!(ids_of(found), *expected, "case {place}");
        }
    }
}
