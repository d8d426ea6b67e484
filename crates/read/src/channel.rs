//! Moves pages from the API into the store: the client, the writer, and a second connection for
//! planning.

use std::sync::{Mutex, PoisonError};

use crate::ReadError;
use crate::api::{Api, ApiError, Page, Pages};
use crate::needs;
use crate::received::{Received, in_words};
use tieout_config::Settings;
use tieout_store::{PageContent, PageNumber, Reading, Store, StoreError, Tally, Writer};

/// The channel that all listings of a run are read through.
pub(super) struct Channel<'run> {
    pub(super) api: Api,
    pub(super) settings: &'run Settings,
    pub(super) writer: Writer,
    pub(super) planner: Mutex<Store>,
    /// Distinct records received, by session.
    pub(super) received: Mutex<Tally>,
}

impl Channel<'_> {
    /// Runs `ask` on the store once everything read so far is committed.
    pub(super) async fn plan<T>(
        &self,
        ask: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.writer.settle().await?;
        ask(&self.planner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The result of reading a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Why the listing is incomplete; `None` when it is complete.
    pub error: Option<String>,
    /// Whether the API refused the key, the token or the permission.
    pub is_refusal: bool,
    /// Whether the API rejected the cursor from which the reading was to resume.
    pub(super) lost_its_place: bool,
    /// Whether the key lacks the operation.
    pub(super) is_without_operation: bool,
}

impl Fetched {
    /// Notes the error that ended a listing. An earlier fault is kept: it says more than the place
    /// of the end.
    pub(super) fn fail(&mut self, error: &ApiError) {
        self.is_refusal = error.is_refusal();
        self.lost_its_place = error.is_about_cursor();
        self.is_without_operation = error.is_without_operation();
        self.error.get_or_insert(error.to_string());
    }
}

/// One reading of one listing.
pub(super) struct Course<'a, 'run> {
    pub(super) channel: &'a Channel<'run>,
    pub(super) reading: &'a Reading,
    pub(super) received: Mutex<Received>,
}

impl<'a, 'run> Course<'a, 'run> {
    pub(super) fn begin(channel: &'a Channel<'run>, reading: &'a Reading) -> Self {
        Self { channel, reading, received: Mutex::new(Received::begin(&reading.listing)) }
    }

    /// Records received so far, counted each time they are listed.
    pub(super) fn count(&self) -> u64 {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).count
    }

    /// Reads the listing page after page, from where an interrupted reading stopped.
    pub(super) async fn read(&self) -> Result<Fetched, ReadError> {
        let reading = self.reading;
        // A killed run may have stored the last page but not the verdict.
        if reading.pages > 0 && reading.cursors.len() < reading.pages as usize {
            return Ok(Fetched::default());
        }
        let pages = self.channel.api.pages(&reading.listing, &reading.cursors);
        self.follow(pages).await
    }

    /// Keeps all pages of `pages`.
    async fn follow(&self, mut pages: Pages) -> Result<Fetched, ReadError> {
        let mut ended = Fetched::default();
        loop {
            let page = match pages.next().await {
                Ok(Some(page)) => page,
                Ok(None) => return Ok(ended),
                Err(error) => {
                    ended.fail(&error);
                    return Ok(ended);
                }
            };
            let number = PageNumber::first_part(page.number);
            self.keep(number, page, &mut ended).await?;
        }
    }

    /// Counts a page and passes it to the writer under `number`. A fault that makes the listing
    /// incomplete is noted in `ended`; the page is kept all the same.
    pub(super) async fn keep(
        &self,
        number: PageNumber,
        page: Page,
        ended: &mut Fetched,
    ) -> Result<(), ReadError> {
        let Self { channel, reading, .. } = self;
        let mut fault = in_words(&reading.listing, number, &page);
        let records = {
            let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
            // Records that are not kept are compared as well: a service that contradicts itself is
            // not trusted.
            let compared = received.compare(&reading.listing, number, &page.records);
            fault = fault.or(compared.err());
            let records =
                needs::keep_by_local_date(channel.settings, &reading.listing, page.records);
            received.count(records.len());
            records
        };
        if let Some(fault) = &fault {
            ended.error.get_or_insert_with(|| fault.clone());
        }
        if reading.listing.is_counted() {
            let mut received = channel.received.lock().unwrap_or_else(PoisonError::into_inner);
            received.page(reading, number, &records);
        }
        let content = PageContent {
            number,
            after: page.after,
            next: page.next,
            records,
            fault,
            received_bytes: page.received_bytes,
        };
        channel.writer.page(reading, content, page.evidence).await?;
        Ok(())
    }
}
