//! Reads one listing page after page, and guards against everything that would make an incomplete
//! listing look complete.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Api;
use super::cursor::Cursor;
use super::error::{ApiError, Failure};
use super::evidence;
use super::fault::RecordFault;
use super::limiter::Turn;
use super::wire::{self, Content, Follow};
use tieout_model::{Listing, MerchantId, Record};

/// Consecutive pages without new records. A filter of the service may leave a few pages empty; a
/// service that keeps sending new cursors without records would never end.
const IDLE_LIMIT: u32 = 100;

/// One page of a listing, converted, with its evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Counts from 1 over the whole listing, also in a resumed reading.
    pub number: u32,
    /// The cursor that this page was read with.
    pub after: Option<String>,
    /// The cursor of the following page; `None` on the last.
    pub next: Option<String>,
    pub records: Vec<Record>,
    /// Records that could not be understood; the other records of the page are kept.
    pub faults: Vec<RecordFault>,
    /// Records in the page's data, faulty ones included.
    pub record_count: u64,
    /// The page's JSON without its private fields; empty when `absent`.
    pub evidence: Vec<u8>,
    /// Bytes of the body, decompressed.
    pub received_bytes: u64,
    /// A reading by id was answered with 404.
    pub absent: bool,
}

/// The reading of one listing.
#[derive(Debug)]
pub struct Pages {
    api: Api,
    listing: Listing,
    /// The merchant that the listing is restricted to.
    merchant: Option<MerchantId>,
    /// Records requested per page.
    page_size: u32,
    /// See [`Self::leave`].
    left: u64,
    /// Cursors followed so far, in their stored form.
    seen: HashSet<String>,
    after: Option<String>,
    number: u32,
    is_done: bool,
    /// A digest of the records of the preceding page.
    before: u64,
    /// Consecutive pages without new records.
    idle: u32,
}

impl Pages {
    pub(super) fn new(
        api: Api,
        listing: Listing,
        merchant: Option<MerchantId>,
        resume: &[String],
    ) -> Self {
        let followed = u32::try_from(resume.len()).unwrap_or(u32::MAX);
        Self {
            page_size: api.inner.page_size,
            left: u64::MAX,
            api,
            listing,
            merchant,
            seen: resume.iter().cloned().collect(),
            after: resume.last().cloned(),
            number: followed.saturating_add(1),
            is_done: false,
            before: 0,
            idle: 0,
        }
    }

    /// As `self`, in pages of at most `limit` records where that is less than the configured size.
    pub(super) fn limited_to(self, limit: u32) -> Self {
        Self { page_size: self.page_size.min(limit.max(1)), ..self }
    }

    /// Sets the approximate amount left after the pages so far, in any unit that the readers of one
    /// listing share. Of the places of a long listing, the one with the most left is read first. An
    /// unknown amount counts as the most.
    pub fn leave(&mut self, left: u64) {
        self.left = left;
    }

    /// The next page, or `None` after the last. After an error the same page can be requested
    /// again.
    ///
    /// # Errors
    /// When the page cannot be read, or when it would leave the listing incomplete.
    pub async fn next(&mut self) -> Result<Option<Page>, ApiError> {
        if self.is_done {
            return Ok(None);
        }
        let of = self.merchant.iter().map(|merchant| format!(" of merchant {merchant}"));
        let subject = format!("{}{}, page {}", self.listing, of.collect::<String>(), self.number);
        let limit = self.api.inner.exchange.limits.page_limit;
        if self.number > limit {
            return Err(guard(subject, Failure::TooManyPages { limit }));
        }
        let cursor = self.after.as_deref().map(Cursor::from_stored);
        let url = self.api.page_url(
            &self.listing,
            self.merchant.as_ref(),
            self.page_size,
            cursor.as_ref(),
        );
        let patient = Turn::Patient { left: self.left };
        let turn = if self.listing.is_long() { patient } else { Turn::Next };
        let answer = self
            .api
            .get(url, turn, &subject, self.listing.is_single(), |body| self.accept(body))
            .await?;
        let page = match answer {
            Some(page) => page,
            None => Page { absent: true, number: self.number, ..Page::default() },
        };
        if let Some(next) = &page.next {
            let held = held_by(&page);
            self.idle =
                if page.record_count == 0 || held == self.before { self.idle + 1 } else { 0 };
            self.before = held;
            if self.idle >= IDLE_LIMIT {
                return Err(guard(subject, Failure::NothingNew { pages: IDLE_LIMIT }));
            }
            if !self.seen.insert(next.clone()) {
                let cursor = next.chars().take(100).collect();
                return Err(guard(subject, Failure::CursorRepeated { cursor }));
            }
            self.after = Some(next.clone());
            self.number += 1;
        } else {
            self.is_done = true;
        }
        Ok(Some(page))
    }

    fn accept(&self, body: &[u8]) -> Result<Page, Failure> {
        let (content, evidence) = read_and_keep(&self.listing, self.number, body)?;
        let Content { records, faults, record_count, follow } = content;
        let next = match follow {
            Follow::End => None,
            Follow::Next(cursor) => Some(cursor.to_stored()),
            Follow::Missing => return Err(Failure::NextMissing),
        };
        Ok(Page {
            number: self.number,
            after: self.after.clone(),
            next,
            records,
            faults,
            record_count,
            evidence,
            received_bytes: body.len() as u64,
            absent: false,
        })
    }
}

/// The records of a page kept as evidence; empty when the JSON is not a page of `listing`.
pub fn records_of(listing: &Listing, evidence: &[u8]) -> Vec<Record> {
    wire::read(listing, 1, evidence).map(|content| content.records).unwrap_or_default()
}

/// Reads a page and the evidence kept of it.
pub(super) fn read_and_keep(
    listing: &Listing,
    number: u32,
    body: &[u8],
) -> Result<(Content, Vec<u8>), Failure> {
    let content = wire::read(listing, number, body)?;
    let evidence = evidence::scrub(listing, body)
        .ok_or_else(|| Failure::NotJson { found: "text that cannot be scanned".to_owned() })?;
    Ok((content, evidence))
}

/// A digest of a page's records: the first and the last one, or all when they have no ids.
fn held_by(page: &Page) -> u64 {
    let mut hasher = DefaultHasher::new();
    page.record_count.hash(&mut hasher);
    let keys = page.records.first().zip(page.records.last());
    match keys.and_then(|(first, last)| first.key().zip(last.key())) {
        Some(keys) => keys.hash(&mut hasher),
        None => page.records.hash(&mut hasher),
    }
    hasher.finish()
}

fn guard(subject: String, failure: Failure) -> ApiError {
    ApiError::Request { subject, attempts: 1, failure }
}
