//! The listings of one run, each read at most once for each date that needs it: its session, its
//! freshness, and its result. Every listing ends complete or incomplete, never silently.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, NaiveDate, Utc};
use futures_util::stream::{self, StreamExt};
use tokio::sync::OnceCell;

use crate::ReadError;
use crate::api::Api;
use crate::asked::Asked;
use crate::channel::{Channel, Course, Fetched};
use crate::progress;
use crate::{needs, parts, stretches};
use tieout_config::Settings;
use tieout_model::{BatchId, Listing, MerchantId, Resource, Selector};
use tieout_store::{
    FetchSession, Freshness, Reading, RecordSum, Store, StoreError, Writer, WriterThread,
    names_two_contents, plan, sessions,
};

/// Listings of one date that are read side by side.
const LISTINGS_AT_ONCE: usize = 64;

/// Rounds of planning, in which an answer can require further listings, before planning stops.
const ROUND_LIMIT: usize = 64;

/// Reads listings for the dates of one run, each listing once for each date that needs it.
pub struct Fetcher<'run> {
    pub(super) channel: Channel<'run>,
    thread: WriterThread,
    pub(super) sessions: BTreeMap<NaiveDate, FetchSession>,
    /// Listings of recent days that earlier runs could not read, with their days.
    pub(super) failed_before: Vec<(Listing, NaiveDate)>,
    overall: progress::Overall,
    /// Whether recent dates are read again to find changes.
    pub(super) looks_back: bool,
    /// Whether the key has `/transactions`, which links transactions to deposits.
    pub(super) links: OnceCell<bool>,
    /// Whether the key has `/disputes`.
    pub(super) disputes: OnceCell<bool>,
    asked: Asked,
}

impl<'run> Fetcher<'run> {
    /// Begins a session for every date, or resumes the session of a killed run.
    pub fn start(
        api: Api,
        settings: &'run Settings,
        store: &Store,
        dates: &[NaiveDate],
        now: DateTime<Utc>,
    ) -> Result<Self, ReadError> {
        let mut planner = Store::open(store.path())?;
        let mut sessions = BTreeMap::new();
        for &date in dates {
            let session = sessions::begin(&mut planner, date, now)?;
            if session.is_resumed {
                tracing::info!(business_date = %date, stage = "fetch", "{date}: resumed");
            }
            sessions.insert(date, session);
        }
        let mut failed_before = Vec::new();
        if let (Some(first), Some(last)) = (dates.iter().min(), dates.iter().max()) {
            let from = needs::look_back(settings, *first);
            failed_before = plan::failed_listings(&planner, from, *last)?;
        }
        let (writer, thread) = Writer::start(store.path())?;
        Ok(Self {
            channel: Channel {
                api,
                settings,
                writer,
                planner: Mutex::new(planner),
                received: Mutex::default(),
            },
            thread,
            sessions,
            failed_before,
            overall: progress::Overall::begin(),
            looks_back: true,
            links: OnceCell::new(),
            disputes: OnceCell::new(),
            asked: Asked::default(),
        })
    }

    /// Sets whether recent dates are read again.
    #[must_use]
    pub fn looking_back(self, looks_back: bool) -> Self {
        Self { looks_back, ..self }
    }

    pub(super) fn settings(&self) -> &'run Settings {
        self.channel.settings
    }

    /// Runs `ask` on the store once everything read so far is committed.
    pub(super) async fn plan<T>(
        &self,
        ask: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.channel.plan(ask).await
    }

    pub fn has_links(&self) -> bool {
        self.links.get().is_some_and(|has| *has)
    }

    pub(super) fn with_links(&self, listings: Vec<Listing>) -> Vec<Listing> {
        if self.has_links() { needs::with_linked(listings) } else { listings }
    }

    /// Reads, round by round, the listings that `ask` derives from the answers so far, until it
    /// returns none that is new.
    pub(super) async fn read_what_follows<L: IntoIterator<Item = Listing>>(
        &self,
        date: NaiveDate,
        ask: impl Fn(&Store) -> Result<L, StoreError>,
    ) -> Result<(), ReadError> {
        for round in 0..ROUND_LIMIT {
            let more = self.plan(&ask).await?;
            let unread: Vec<Listing> =
                more.into_iter().filter(|listing| !self.was_asked(date, listing)).collect();
            if unread.is_empty() {
                break;
            }
            tracing::debug!(business_date = %date, round, listings = unread.len(), "dependencies");
            self.read_all(date, unread).await?;
        }
        Ok(())
    }

    /// Reads `listings` for `date`, side by side.
    pub(super) async fn read_all(
        &self,
        date: NaiveDate,
        listings: impl IntoIterator<Item = Listing>,
    ) -> Result<(), ReadError> {
        let distinct: BTreeSet<Listing> = listings.into_iter().collect();
        self.side_by_side(distinct.into_iter().map(|listing| self.read(date, listing))).await
    }

    /// Runs `reads` and waits until all that they have read is committed.
    async fn side_by_side(
        &self,
        reads: impl Iterator<Item = impl Future<Output = Result<(), ReadError>>>,
    ) -> Result<(), ReadError> {
        let mut results = stream::iter(reads).buffer_unordered(LISTINGS_AT_ONCE);
        while let Some(result) = results.next().await {
            result?;
        }
        Ok(self.channel.writer.settle().await?)
    }

    async fn read(&self, date: NaiveDate, listing: Listing) -> Result<(), ReadError> {
        let (session, freshness) = self.session_for(date, &listing);
        let Some(cell) = self.asked.first(session, &listing) else { return Ok(()) };
        let read = async || {
            let is_stale = freshness == Freshness::AnySession && self.is_stale(&listing).await?;
            let freshness = if is_stale { Freshness::ThisSession } else { freshness };
            self.read_listing(&listing, session, freshness).await
        };
        cell.get_or_try_init(read).await?;
        Ok(())
    }

    /// Checks whether the stored state of a listing may be out of date: a card transaction that no
    /// deposit contained when it was read is linked when one is paid. A look-back reading in this
    /// run counts as fresh.
    async fn is_stale(&self, listing: &Listing) -> Result<bool, ReadError> {
        let (Resource::Transactions, Selector::Date(day)) = (listing.resource, &listing.selector)
        else {
            return Ok(false);
        };
        let Some((session, cell)) = self.asked.again_in_any(listing) else {
            return Ok(self.plan(|store| plan::has_unlinked(store, *day)).await?);
        };
        let freshness = Freshness::ThisSessionElseBefore;
        let read = || self.read_listing(listing, session, freshness);
        Ok(cell.get_or_try_init(read).await?.error.is_some())
    }

    /// A listing of one of the run's own dates is read afresh in the session of that date; the
    /// stored listing of another date is used as it is.
    fn session_for(&self, date: NaiveDate, listing: &Listing) -> (i64, Freshness) {
        let owner = listing.key().2;
        match owner.and_then(|owner| self.sessions.get(&owner)) {
            Some(session) => (session.number, Freshness::ThisSession),
            // Listings of other dates are shared by all dates that depend on them.
            None if owner.is_some() => (self.shared_session(), Freshness::AnySession),
            None => (self.session_number(date), Freshness::ThisSession),
        }
    }

    /// Reads listings once more in the session of `date`, including listings of other dates: the
    /// records behind an open discrepancy, and those behind a difference before it is reported.
    /// Each is read once for each date, however many discrepancies depend on it, and bank transfers
    /// once a run.
    pub async fn read_again(
        &self,
        date: NaiveDate,
        listings: BTreeSet<Listing>,
    ) -> Result<(), ReadError> {
        let listings = self.asked.unconfirmed(self.with_links(listings.into_iter().collect()));
        self.read_with(date, listings.clone(), Freshness::OnceMore).await?;
        self.asked.confirm(self.session_number(date), &listings);
        Ok(())
    }

    /// As `read_again`, with the given freshness and without the card transactions of batches.
    pub(crate) async fn read_with(
        &self,
        date: NaiveDate,
        listings: BTreeSet<Listing>,
        freshness: Freshness,
    ) -> Result<(), ReadError> {
        self.read_in(self.session_number(date), listings, freshness).await
    }

    async fn read_in(
        &self,
        session: i64,
        listings: impl IntoIterator<Item = Listing>,
        freshness: Freshness,
    ) -> Result<(), ReadError> {
        let reads = listings.into_iter().map(|listing| async move {
            let cell = self.asked.again(session, &listing);
            cell.get_or_try_init(|| self.read_listing(&listing, session, freshness)).await.map(drop)
        });
        self.side_by_side(reads).await
    }

    /// Reads listings that belong to no date of the run, each once, for the first date that needs
    /// it. When one fails, its stored state is kept.
    pub(super) async fn read_once_a_run(&self, listings: Vec<Listing>) -> Result<(), ReadError> {
        let session = self.shared_session();
        self.read_in(session, listings, Freshness::ThisSessionElseBefore).await
    }

    async fn read_listing(
        &self,
        listing: &Listing,
        session: i64,
        freshness: Freshness,
    ) -> Result<Fetched, ReadError> {
        let mut fetched = self.read_once(listing, session, freshness).await?;
        if fetched.lost_its_place {
            tracing::info!(listing = %listing, "the API does not go on from where an earlier run has stopped; reading {listing} from its first page");
            fetched = self.read_once(listing, session, freshness).await?;
        }
        // A long listing takes a while to read, and where stretches meet some records are read
        // twice. A record that changes meanwhile has two contents in one reading, but not in the
        // next.
        let says_two_things = fetched.error.as_deref().is_some_and(names_two_contents);
        if says_two_things && listing.is_long() && !parts::are_read_of(self.settings(), listing) {
            tracing::info!(listing = %listing, "a record was changed meanwhile; reading {listing} once more");
            fetched = self.read_once(listing, session, Freshness::OnceMore).await?;
        }
        if let Some(error) = &fetched.error {
            tracing::warn!(listing = %listing, "{listing} is incomplete: {error}");
        }
        Ok(fetched)
    }

    async fn read_once(
        &self,
        listing: &Listing,
        session: i64,
        freshness: Freshness,
    ) -> Result<Fetched, ReadError> {
        let is_in_parts = parts::are_read_of(self.settings(), listing);
        let unknown = if is_in_parts { self.unknown_merchants(listing).await? } else { Vec::new() };
        let channel = &self.channel;
        let begun = channel.writer.begin(listing, session, freshness).await?;
        let begun = match begun {
            None if is_in_parts => parts::reopen(channel, listing, &unknown).await?,
            begun => begun,
        };
        let Some(reading) = begun else { return Ok(Fetched::default()) };
        let course = Course::begin(channel, &reading);
        self.overall.asked();
        let ended = if is_in_parts {
            parts::read(&course, &unknown).await?
        } else if listing.is_long() {
            let sizes = self.batch_sizes(&reading).await?;
            stretches::read(&course, &sizes).await?
        } else {
            course.read().await?
        };
        self.overall.done();
        let error = channel.writer.end(&reading, course.count(), ended.error.clone()).await?;
        // Only a resumed reading begins again: in a reading from the first page the service has
        // just issued the cursor that it rejects.
        let lost_its_place = ended.lost_its_place && reading.pages > 0;
        Ok(Fetched { error, lost_its_place, ..ended })
    }

    /// The batches of the date of a long listing that is read from its beginning, with their record
    /// counts; empty when the batches of that date could not be read.
    async fn batch_sizes(&self, reading: &Reading) -> Result<Vec<(BatchId, u64)>, ReadError> {
        let Selector::Date(date) = reading.listing.selector else { return Ok(Vec::new()) };
        if reading.pages > 0 || !reading.starts.is_empty() {
            return Ok(Vec::new());
        }
        let batches = Listing::new(Resource::Batches, Selector::Date(date));
        let again = self.asked.known_again(reading.session, &batches);
        let read = if let Some(cell) = again {
            // They are read once more for the same reason as the listing; once is enough.
            let read = || self.read_listing(&batches, reading.session, Freshness::OnceMore);
            Some(Box::pin(cell.get_or_try_init(read)).await?.clone())
        } else {
            Box::pin(self.read(date, batches.clone())).await?;
            self.fetched(date, &batches)
        };
        if read.is_none_or(|read| read.error.is_some()) {
            return Ok(Vec::new());
        }
        Ok(self.plan(|store| plan::batch_sizes(store, date)).await?)
    }

    /// For the shard that looks for unknown merchants: the merchants of the date's deposits and
    /// batches that are not configured.
    async fn unknown_merchants(&self, listing: &Listing) -> Result<Vec<MerchantId>, ReadError> {
        let settings = self.settings();
        let looks = settings.shard.is_some_and(tieout_model::Shard::finds_the_unknown);
        let (true, true, Selector::Date(date)) = (looks, listing.is_long(), &listing.selector)
        else {
            return Ok(Vec::new());
        };
        for resource in [Resource::Deposits, Resource::Batches] {
            Box::pin(self.read(*date, Listing::new(resource, Selector::Date(*date)))).await?;
        }
        let found = self.plan(|store| plan::merchants_of(store, *date)).await?;
        let is_unknown = |merchant: &MerchantId| {
            !settings.elsewhere.contains_key(merchant) && settings.merchant(merchant).is_none()
        };
        Ok(found.into_iter().filter(is_unknown).collect())
    }

    /// Notes that the date needs no further listings.
    pub fn end_date(&self, store: &Store, date: NaiveDate) -> Result<(), StoreError> {
        match self.sessions.get(&date) {
            Some(session) => sessions::end(store, *session),
            None => Ok(()),
        }
    }

    /// Forgets a date that is done, except which listings it has read; failed ones may be read
    /// again.
    pub async fn forget(&self, date: NaiveDate) -> Result<(), StoreError> {
        let Some(session) = self.sessions.get(&date).map(|session| session.number) else {
            return Ok(());
        };
        self.asked.forget(session);
        let channel = &self.channel;
        channel.received.lock().unwrap_or_else(PoisonError::into_inner).forget(session);
        channel.writer.forget(session).await
    }

    /// Waits until everything is written; returns the number of requests sent.
    pub fn finish(self) -> Result<u64, StoreError> {
        let requests = self.channel.api.requests();
        drop(self.channel);
        self.thread.join()?;
        Ok(requests)
    }

    /// The reason why the writer stopped, where `error` states only that it stopped.
    pub fn reason(self, error: StoreError) -> StoreError {
        match (error, self.finish()) {
            (StoreError::WriterStopped, Err(reason)) => reason,
            (error, _) => error,
        }
    }

    /// The distinct records received by this run, and the records stored, in the session of `date`.
    pub async fn conserved(&self, date: NaiveDate) -> Result<(RecordSum, RecordSum), StoreError> {
        let session = self.session_number(date);
        self.channel.writer.settle().await?;
        let (stored, repeated) = self.channel.writer.stored(session).await?;
        let received =
            self.channel.received.lock().unwrap_or_else(PoisonError::into_inner).sum(session);
        Ok((received.without(&repeated), stored))
    }

    /// The dates of this run, oldest first.
    pub fn own_dates(&self) -> impl Iterator<Item = NaiveDate> + '_ {
        self.sessions.keys().copied()
    }

    pub(crate) fn is_own_date(&self, day: NaiveDate) -> bool {
        self.sessions.contains_key(&day)
    }

    /// The session of listings that belong to no date of the run. The first date that needs one
    /// reads it, so it counts for no date. The session is resumed with that of the first date.
    fn shared_session(&self) -> i64 {
        self.sessions.values().next().map_or(0, |first| -first.number)
    }

    pub(crate) fn session_number(&self, date: NaiveDate) -> i64 {
        self.sessions.get(&date).map_or(0, |session| session.number)
    }

    fn was_asked(&self, date: NaiveDate, listing: &Listing) -> bool {
        self.fetched(date, listing).is_some()
    }

    /// The result of a listing that this run read for `date`.
    pub fn fetched(&self, date: NaiveDate, listing: &Listing) -> Option<Fetched> {
        let (session, _) = self.session_for(date, listing);
        self.asked.fetched(session, listing)
    }

    pub(super) fn asked_for(&self, date: NaiveDate) -> Vec<(Listing, Fetched)> {
        self.asked.of_session(self.session_number(date))
    }

    /// The listings read in the session of `date` that ended incomplete.
    pub fn failed_listings(&self, date: NaiveDate) -> Vec<(Listing, String)> {
        self.asked_for(date)
            .into_iter()
            // Not every key has disputes, and a night is complete without them.
            .filter(|(listing, _)| listing.resource != Resource::Disputes)
            .filter_map(|(listing, fetched)| Some((listing, fetched.error?)))
            .collect()
    }

    /// As `failed_listings`, as text.
    pub fn incomplete(&self, date: NaiveDate) -> Vec<String> {
        self.failed_listings(date)
            .into_iter()
            .map(|(listing, error)| format!("{listing}: {error}"))
            .collect()
    }
}
