//! Reads what the dates need, many listings side by side, page by page into the store.
//! A listing ends complete or incomplete, never silently.

mod parts;
mod stretches;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, NaiveDate, Utc};
use futures_util::stream::{self, StreamExt};
use tokio::sync::OnceCell;

use crate::config::{Settings, TransactionsMode};
use crate::model::{Listing, Record, Resource, Selector};
use crate::night::JobError;
use crate::read::api::Api;
use crate::read::api::ApiError;
use crate::read::api::Page;
use crate::read::look_back;
use crate::read::needs;
use crate::read::progress;
use crate::store::{
    FetchSession, Freshness, GroupKey, IngestError, PageContent, Reading, RecordSum, ReturnDays,
    Store, StoreError, Tally, Writer, WriterThread, hash, is_card, names_two_contents, page_name,
};

/// Dates that are fetched side by side; the API's limits bound the requests.
const DATES_AT_ONCE: usize = 8;

/// Listings of one date that are read side by side.
const LISTINGS_AT_ONCE: usize = 64;

/// Rounds in which one answer can lead to another question, before planning gives up.
const ROUND_LIMIT: usize = 64;

/// What became of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Why it is incomplete; `None` when it is complete.
    pub error: Option<String>,
    /// Whether the API refused: key, token or permission.
    pub is_refusal: bool,
    /// Whether the API made nothing of the cursor that it was asked to go on from.
    lost_its_place: bool,
}

impl Fetched {
    /// Notes what ended a listing. An earlier fault of it says more than where it ended.
    fn fail(&mut self, error: &ApiError) {
        self.is_refusal = error.is_refusal();
        self.lost_its_place = error.is_about_cursor();
        self.error.get_or_insert(error.to_string());
    }
}

/// Listings by session; a cell is filled once, whoever asks.
type Asked = HashMap<(i64, Listing), Arc<OnceCell<Fetched>>>;

/// Reads listings for the dates of one run; each listing once for each date that asks.
pub struct Fetcher<'run> {
    api: Api,
    pub(crate) settings: &'run Settings,
    writer: Writer,
    thread: WriterThread,
    /// A second connection, for planning.
    planner: Mutex<Store>,
    sessions: BTreeMap<NaiveDate, FetchSession>,
    /// What runs before this one could not read of recent days, and the day of each.
    pub(crate) failed_before: Vec<(Listing, NaiveDate)>,
    /// What was received.
    received: Mutex<Tally>,
    overall: progress::Overall,
    /// Whether the key may ask which deposit holds a transaction.
    links: OnceCell<bool>,
    /// Every listing asked for in this run, by session, read at most once.
    asked: Mutex<Asked>,
    /// Every listing asked for once more, by session, read at most once more.
    asked_again: Mutex<Asked>,
}

impl<'run> Fetcher<'run> {
    /// Begins a session for every date, or resumes what a killed run left.
    pub(crate) fn start(
        api: Api,
        settings: &'run Settings,
        store: &Store,
        dates: &[NaiveDate],
        now: DateTime<Utc>,
    ) -> Result<Self, JobError> {
        let mut planner = Store::open(store.path())?;
        let mut sessions = BTreeMap::new();
        for &date in dates {
            let session = planner.begin_session(date, now)?;
            if session.is_resumed {
                tracing::info!(business_date = %date, stage = "fetch", "{date}: resumed");
            }
            sessions.insert(date, session);
        }
        let mut failed_before = Vec::new();
        if let (Some(first), Some(last)) = (dates.iter().min(), dates.iter().max()) {
            let from = needs::look_back(settings, *first);
            failed_before = planner.failed_listings(from, *last)?;
        }
        let (writer, thread) = Writer::start(store.path())?;
        Ok(Self {
            api,
            settings,
            writer,
            thread,
            planner: Mutex::new(planner),
            sessions,
            failed_before,
            received: Mutex::default(),
            overall: progress::Overall::begin(),
            links: OnceCell::new(),
            asked: Mutex::default(),
            asked_again: Mutex::default(),
        })
    }

    /// Fetches every date; answers with those of which nothing could be read.
    pub(crate) async fn dates(
        &self,
        dates: &[NaiveDate],
    ) -> Result<BTreeMap<NaiveDate, JobError>, JobError> {
        // Before any date reads what another one holds.
        for date in dates {
            self.count_on(*date).await?;
        }
        self.catch_up(dates).await?;
        let results: Vec<(NaiveDate, Result<(), JobError>)> = stream::iter(dates.to_vec())
            .map(|date| async move { (date, self.date(date).await) })
            .buffer_unordered(DATES_AT_ONCE)
            .collect()
            .await;
        let mut failed = BTreeMap::new();
        for (date, result) in results {
            match result {
                Ok(()) => {}
                Err(error @ JobError::Store(_)) => return Err(error),
                Err(error) => {
                    failed.insert(date, error);
                }
            }
        }
        Ok(failed)
    }

    async fn date(&self, date: NaiveDate) -> Result<(), JobError> {
        self.links.get_or_init(|| self.ask_for_links(date)).await;
        let own = needs::own(self.settings, date);
        let mut listings = own.clone();
        listings.extend(needs::waiting(self.settings, date));
        let listings = self.with_links(listings);
        // What follows from the other listings is asked for while the long ones are still read.
        let (long, short): (Vec<Listing>, Vec<Listing>) =
            listings.into_iter().partition(Listing::is_long);
        let beside = async {
            // What is read again comes first: the rest then finds it stored.
            self.read_past(date).await?;
            self.read_what_failed(date).await?;
            self.read_in_rounds(date, short).await?;
            self.look_up_lost(date).await
        };
        let (long, beside) = futures_util::join!(self.read_all(date, long), beside);
        beside?;
        long?;
        if self.has_links() {
            // The long listings may link to more.
            self.read_in_rounds(date, Vec::new()).await?;
        }
        self.refuse_an_empty_night(date, &own)?;
        tracing::info!(
            business_date = %date,
            stage = "fetch",
            listings = self.asked_for(date).len(),
            incomplete = self.incomplete(date).len(),
            "{date}: fetched"
        );
        Ok(())
    }

    /// Asks once a run whether the key has `/transactions`; what else may be wrong shows when
    /// the listings are read.
    async fn ask_for_links(&self, date: NaiveDate) -> bool {
        if self.settings.api.transactions == TransactionsMode::Off {
            return false;
        }
        let listing = needs::linked(date);
        // A shard asks for nothing but its own.
        let own = self.settings.merchants.first().filter(|_| self.settings.shard.is_some());
        let answer = match own {
            Some(merchant) => self.api.pages_of(&listing, &merchant.id, &[]).next().await,
            None => self.api.pages(&listing, &[]).next().await,
        };
        let has_links = !answer.as_ref().is_err_and(ApiError::is_without_operation);
        if !has_links {
            tracing::debug!("the key has no /transactions: deposits are compared with batches");
        }
        if answer.is_ok() || !has_links {
            let saved = self.plan(|store| store.save_key_operation("transactions", has_links));
            if let Err(error) = saved.await {
                tracing::warn!("{error}");
            }
        }
        has_links
    }

    pub(crate) fn has_links(&self) -> bool {
        self.links.get().is_some_and(|has| *has)
    }

    pub(crate) fn with_links(&self, listings: Vec<Listing>) -> Vec<Listing> {
        if self.has_links() { needs::with_linked(listings) } else { listings }
    }

    /// Reads `listings` and then, round by round, what their answers show to be needed as well.
    async fn read_in_rounds(
        &self,
        date: NaiveDate,
        listings: Vec<Listing>,
    ) -> Result<(), JobError> {
        self.read_all(date, listings).await?;
        self.read_what_follows(date, |store| self.dependencies(store, date)).await
    }

    /// Reads, round by round, what `ask` says of the answers so far, until they say nothing more.
    pub(crate) async fn read_what_follows<L: IntoIterator<Item = Listing>>(
        &self,
        date: NaiveDate,
        ask: impl Fn(&Store) -> Result<L, StoreError>,
    ) -> Result<(), JobError> {
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

    /// What a killed run had received and stored counts as it did then.
    async fn count_on(&self, date: NaiveDate) -> Result<(), StoreError> {
        let Some(session) = self.sessions.get(&date).filter(|session| session.is_resumed) else {
            return Ok(());
        };
        let records = self.plan(|store| store.session_records(session.number)).await?;
        self.received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .resume(session.number, &records);
        self.writer.resume(session.number, records).await
    }

    /// A date of which not one settlement listing is complete has nothing to be judged by.
    fn refuse_an_empty_night(&self, date: NaiveDate, own: &[Listing]) -> Result<(), JobError> {
        let mut first = None;
        for listing in own.iter().filter(|listing| matches!(listing.selector, Selector::Date(_))) {
            match self.fetched(date, listing) {
                Some(Fetched { error: Some(error), is_refusal, .. }) => {
                    first.get_or_insert((error, is_refusal));
                }
                _ => return Ok(()),
            }
        }
        let (first, is_refusal) = first.unwrap_or_default();
        Err(JobError::NothingRead { business_date: date, first, is_refusal })
    }

    /// What the answers so far show to be needed as well.
    fn dependencies(
        &self,
        store: &Store,
        date: NaiveDate,
    ) -> Result<BTreeSet<Listing>, StoreError> {
        let mut listings = BTreeSet::new();
        let mut groups = BTreeSet::new();
        let late = self.late_days(store, date)?;
        for &day in late.iter().chain([&date]) {
            for deposit in store.deposits_of_date(day)? {
                let fees = Selector::Deposit(deposit.ach_deposit_id);
                listings.insert(Listing::new(Resource::Fees, fees));
                groups.extend(deposit.group);
            }
            for id in store.deposits_to_look_up(day)? {
                listings.insert(Listing::new(Resource::Deposits, Selector::DepositById(id)));
            }
            for id in store.payments_to_look_up(day)? {
                listings.insert(Listing::new(Resource::Payments, Selector::TransferById(id)));
            }
        }
        listings.extend(self.missed_groups(store, date)?);
        for group in &groups {
            let merchant = self.settings.merchant(&group.merchant_id);
            listings.extend(self.with_links(needs::group(merchant, group.batch_date, date)));
            listings.extend(self.earlier_fees(store, group, date)?);
        }
        listings.extend(self.linked_groups(store, date, &late)?);
        listings.extend(self.overdue_groups(store, date, &late, &mut groups)?);
        listings.extend(self.early_links(store, date, &mut groups)?);
        listings.extend(self.days_before_all(store, &groups)?);
        Ok(listings)
    }

    /// Reads, round by round, what tells to which of `groups` bank transfers that came back count.
    pub(crate) async fn place_returns(
        &self,
        date: NaiveDate,
        groups: &BTreeSet<GroupKey>,
    ) -> Result<(), JobError> {
        self.read_what_follows(date, |store| self.days_before_all(store, groups)).await
    }

    fn days_before_all(
        &self,
        store: &Store,
        groups: &BTreeSet<GroupKey>,
    ) -> Result<Vec<Listing>, StoreError> {
        let returns = self.returns(store, groups)?;
        let mut listings = Vec::new();
        for group in groups {
            listings.extend(self.days_before(store, &returns, group)?);
        }
        Ok(listings)
    }

    /// What the groups before the start need that deposits of earlier dates pay for, where nobody
    /// has read it: those deposits were not read in the night of their own date.
    fn missed_groups(&self, store: &Store, date: NaiveDate) -> Result<Vec<Listing>, StoreError> {
        let start = store.start_date(date)?;
        let from = needs::look_back(self.settings, date);
        let mut needed = BTreeSet::new();
        for (group, paid_on) in store.groups_before_start(start.max(from), date, start)? {
            // Dates of this very run read their own.
            if !self.is_own_date(paid_on) {
                let merchant = self.settings.merchant(&group.merchant_id);
                needed.extend(self.with_links(needs::group(merchant, group.batch_date, paid_on)));
            }
        }
        let mut listings = Vec::new();
        for listing in needed {
            if !store.is_complete(&listing)? {
                listings.push(listing);
            }
        }
        Ok(listings)
    }

    /// What the groups need that the links of a merchant-day lead to: a deposit can hold the
    /// transactions of several days.
    fn linked_groups(
        &self,
        store: &Store,
        date: NaiveDate,
        late: &[NaiveDate],
    ) -> Result<Vec<Listing>, StoreError> {
        if !self.has_links() {
            return Ok(Vec::new());
        }
        let first = needs::first_waiting(self.settings, late.first().copied().unwrap_or(date));
        let mut listings = Vec::new();
        for group in store.linked_groups(first, date)? {
            let merchant = self.settings.merchant(&group.merchant_id);
            listings.extend(needs::with_linked(needs::group(merchant, group.batch_date, date)));
        }
        Ok(listings)
    }

    /// What the links of `groups` lead to before the start, where no date reads its own: a deposit
    /// can hold the transactions of several days, of those that are due no earlier than its group
    /// begins. Few dates have such groups, those next to the start.
    fn early_links(
        &self,
        store: &Store,
        date: NaiveDate,
        groups: &mut BTreeSet<GroupKey>,
    ) -> Result<Vec<Listing>, StoreError> {
        let (start, sight) = (store.start_date(date)?, needs::look_back(self.settings, date));
        let days: BTreeSet<NaiveDate> = groups.iter().map(|group| group.batch_date).collect();
        let reach = |day: NaiveDate| needs::first_waiting(self.settings, day).max(sight);
        if !self.has_links() || !days.iter().any(|day| reach(*day) < start) {
            return Ok(Vec::new());
        }
        let held = look_back::held_with(store, groups.iter(), sight)?;
        let mut listings = Vec::new();
        for group in held.iter().filter(|group| group.batch_date < start) {
            let merchant = self.settings.merchant(&group.merchant_id);
            listings.extend(needs::with_linked(needs::group(merchant, group.batch_date, date)));
        }
        for day in days.into_iter().chain(held.iter().map(|group| group.batch_date)) {
            let early = reach(day).iter_days().take_while(|one| *one <= day && *one < start);
            listings.extend(early.map(needs::linked));
        }
        groups.extend(held);
        Ok(listings)
    }

    /// The fees of deposits that paid a part of the group before: the last deposit is explained
    /// over the whole group.
    fn earlier_fees(
        &self,
        store: &Store,
        group: &GroupKey,
        date: NaiveDate,
    ) -> Result<Vec<Listing>, StoreError> {
        let mut listings = Vec::new();
        for (id, paid_on) in store.deposits_of_group(group, date)? {
            let listing = Listing::new(Resource::Fees, Selector::Deposit(id));
            // A date of this very run reads the fees of its own deposits.
            if !self.is_own_date(paid_on) {
                listings.push(listing);
            }
        }
        Ok(listings)
    }

    /// Groups that fell due since the latest earlier date, or on a day of which something was read
    /// late or after it: their deposits up to `date`.
    fn overdue_groups(
        &self,
        store: &Store,
        date: NaiveDate,
        late: &[NaiveDate],
        groups: &mut BTreeSet<GroupKey>,
    ) -> Result<Vec<Listing>, StoreError> {
        let due_after = store.previous_reconciled(date)?.unwrap_or(needs::before(date, 1));
        // By another configuration than this one they may have waited longer.
        let mut overdue = store.groups_in_transit(due_after)?;
        let late = late.iter().map(|day| (needs::before(*day, 1), *day));
        for (due_after, last) in late.chain([(due_after, date)]) {
            let first = needs::first_waiting(self.settings, due_after.min(needs::before(last, 1)));
            for group in store.batch_groups(first, last)? {
                let calendar = self
                    .settings
                    .merchant(&group.merchant_id)
                    .map_or(self.settings.settlement.calendar, |merchant| merchant.calendar);
                let due = self
                    .settings
                    .calendar(calendar)
                    .due(group.batch_date, self.settings.settlement.payout_days);
                if due > due_after {
                    overdue.push(group);
                }
            }
        }
        let days = overdue.iter().map(|group| group.batch_date);
        let earliest = days.min().unwrap_or(date).min(date);
        groups.extend(overdue);
        Ok(earliest
            .iter_days()
            .take_while(|day| *day <= date)
            .map(|day| Listing::new(Resource::Deposits, Selector::Date(day)))
            .collect())
    }

    /// The days of which something could be read only now, when the nights before have missed it.
    /// The first date of a run tells what they hold.
    fn late_days(&self, store: &Store, date: NaiveDate) -> Result<Vec<NaiveDate>, StoreError> {
        if self.own_dates().next() != Some(date) {
            return Ok(Vec::new());
        }
        store.late_days(date, needs::look_back(self.settings, date).max(store.start_date(date)?))
    }

    /// The days on which bank transfers came back that can count to one of `groups`: one
    /// question for all of them, since a large night has a group for each of its merchants.
    fn returns(
        &self,
        store: &Store,
        groups: &BTreeSet<GroupKey>,
    ) -> Result<ReturnDays, StoreError> {
        let dates = || groups.iter().map(|group| group.batch_date);
        let (Some(first), Some(last)) = (dates().min(), dates().max()) else {
            return Ok(ReturnDays::default());
        };
        store.return_days(needs::look_back(self.settings, first), last)
    }

    /// A return dated on a day without a batch counts to the next batch date: the days from
    /// such a return to the batch date must be known to hold no batch.
    fn days_before(
        &self,
        store: &Store,
        returns: &ReturnDays,
        group: &GroupKey,
    ) -> Result<Vec<Listing>, StoreError> {
        let Some(merchant) = self.settings.merchant(&group.merchant_id) else {
            return Ok(Vec::new());
        };
        let first = needs::look_back(self.settings, group.batch_date);
        let Some(earliest) = returns.earliest(&merchant.terminals, first, group.batch_date) else {
            return Ok(Vec::new());
        };
        let mut day = needs::before(group.batch_date, 1);
        let mut listings = Vec::new();
        while day >= earliest {
            let listing = Listing::new(Resource::Batches, Selector::Date(day));
            let is_known = store.is_complete(&listing)?;
            listings.push(listing);
            let earlier = GroupKey { merchant_id: group.merchant_id.clone(), batch_date: day };
            // One day at a time: most merchants have a batch on the day before.
            if !is_known || store.has_batch(&earlier)? {
                break;
            }
            day = needs::before(day, 1);
        }
        Ok(listings)
    }

    /// Reads `listings` for `date`, side by side.
    pub(crate) async fn read_all(
        &self,
        date: NaiveDate,
        listings: impl IntoIterator<Item = Listing>,
    ) -> Result<(), JobError> {
        let distinct: BTreeSet<Listing> = listings.into_iter().collect();
        self.side_by_side(distinct.into_iter().map(|listing| self.read(date, listing))).await
    }

    /// Does what `reads` say, and waits until what they have read is committed.
    async fn side_by_side(
        &self,
        reads: impl Iterator<Item = impl Future<Output = Result<(), JobError>>>,
    ) -> Result<(), JobError> {
        let mut results = stream::iter(reads).buffer_unordered(LISTINGS_AT_ONCE);
        while let Some(result) = results.next().await {
            result?;
        }
        Ok(self.writer.settle().await?)
    }

    async fn read(&self, date: NaiveDate, listing: Listing) -> Result<(), JobError> {
        let (session, freshness) = self.session_for(date, &listing);
        let cell = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(asked.entry((session, listing.clone())).or_default())
        };
        let read = async || {
            let is_stale = freshness == Freshness::AnySession && self.is_stale(&listing).await?;
            let freshness = if is_stale { Freshness::ThisSession } else { freshness };
            self.read_listing(&listing, session, freshness).await
        };
        cell.get_or_try_init(read).await?;
        Ok(())
    }

    /// Whether what is stored of a listing may have changed by itself: a card transaction that no
    /// deposit held when it was read is linked when one is paid. What the look-back reads of it in
    /// this run is as fresh.
    async fn is_stale(&self, listing: &Listing) -> Result<bool, JobError> {
        let (Resource::Transactions, Selector::Date(day)) = (listing.resource, &listing.selector)
        else {
            return Ok(false);
        };
        let again = {
            let asked = self.asked_again.lock().unwrap_or_else(PoisonError::into_inner);
            let mut cells = asked.iter().filter(|((_, asked), _)| asked == listing);
            cells.next().map(|((session, _), cell)| (*session, Arc::clone(cell)))
        };
        let Some((session, cell)) = again else {
            return Ok(self.plan(|store| store.has_unlinked(*day)).await?);
        };
        let freshness = Freshness::ThisSessionElseBefore;
        let read = || self.read_listing(listing, session, freshness);
        Ok(cell.get_or_try_init(read).await?.error.is_some())
    }

    /// A listing of one of the run's own dates is read in the session of that date, and
    /// afresh; what another date holds will do as it is stored.
    fn session_for(&self, date: NaiveDate, listing: &Listing) -> (i64, Freshness) {
        let owner = listing.key().2;
        match owner.and_then(|owner| self.sessions.get(&owner)) {
            Some(session) => (session.number, Freshness::ThisSession),
            // Dates beside the run's own are shared by all that depend on them.
            None if owner.is_some() => (self.shared_session(), Freshness::AnySession),
            None => (self.session_number(date), Freshness::ThisSession),
        }
    }

    /// Reads listings once more in the session of `date`, also those that another date holds:
    /// the records behind an open discrepancy, and those behind a difference before it is
    /// reported. Once for each run, however many discrepancies they stand behind.
    pub(crate) async fn read_again(
        &self,
        date: NaiveDate,
        listings: BTreeSet<Listing>,
    ) -> Result<(), JobError> {
        let listings = self.with_links(listings.into_iter().collect()).into_iter().collect();
        self.read_with(date, listings, Freshness::OnceMore).await
    }

    /// The same as fresh as is said, and without the card transactions that batches may need.
    pub(crate) async fn read_with(
        &self,
        date: NaiveDate,
        listings: BTreeSet<Listing>,
        freshness: Freshness,
    ) -> Result<(), JobError> {
        let session = self.session_number(date);
        let reads = listings.into_iter().map(|listing| async move {
            let cell = {
                let mut again = self.asked_again.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(again.entry((session, listing.clone())).or_default())
            };
            cell.get_or_try_init(|| self.read_listing(&listing, session, freshness)).await.map(drop)
        });
        self.side_by_side(reads).await
    }

    async fn read_listing(
        &self,
        listing: &Listing,
        session: i64,
        freshness: Freshness,
    ) -> Result<Fetched, JobError> {
        let mut fetched = self.read_once(listing, session, freshness).await?;
        if fetched.lost_its_place {
            tracing::info!(listing = %listing, "the API does not go on from where an earlier run has stopped; reading {listing} from its first page");
            fetched = self.read_once(listing, session, freshness).await?;
        }
        // A long listing takes a while to read, and some of it is read twice, where stretches
        // meet: a record that is changed meanwhile says two things in it, and one the next time.
        let says_two_things = fetched.error.as_deref().is_some_and(names_two_contents);
        if says_two_things && listing.is_long() && !self.reads_parts_of(listing) {
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
    ) -> Result<Fetched, JobError> {
        let Some(reading) = self.begin_reading(listing, session, freshness).await? else {
            return Ok(Fetched::default());
        };
        let received = Mutex::new(Received::begin(listing));
        self.overall.asked();
        let ended = if self.reads_parts_of(listing) {
            self.read_parts(&reading, &received).await?
        } else if listing.is_long() {
            self.read_stretches(&reading, &received).await?
        } else {
            self.read_pages(&reading, &received).await?
        };
        let count = received.into_inner().unwrap_or_else(PoisonError::into_inner).count;
        self.overall.done();
        let error = self.writer.end(&reading, count, ended.error.clone()).await?;
        // Of a reading from its first page a cursor is as good as its page.
        let lost_its_place = ended.lost_its_place && reading.pages > 0;
        Ok(Fetched { error, is_refusal: ended.is_refusal, lost_its_place })
    }

    async fn read_pages(
        &self,
        reading: &Reading,
        received: &Mutex<Received>,
    ) -> Result<Fetched, JobError> {
        let mut ended = Fetched::default();
        // A killed run may have stored the last page but not the verdict.
        if reading.pages > 0 && reading.cursors.len() < reading.pages as usize {
            return Ok(ended);
        }
        let mut pages = self.api.pages(&reading.listing, &reading.cursors);
        loop {
            let page = match pages.next().await {
                Ok(Some(page)) => page,
                Ok(None) => return Ok(ended),
                Err(error) => {
                    ended.fail(&error);
                    return Ok(ended);
                }
            };
            let number = page.number;
            self.keep(reading, number, page, received, &mut ended).await?;
        }
    }

    /// Counts a page and hands it to the writer under `number`. What makes the listing
    /// incomplete is noted in `ended`; the page is kept all the same.
    async fn keep(
        &self,
        reading: &Reading,
        number: u32,
        page: Page,
        received: &Mutex<Received>,
        ended: &mut Fetched,
    ) -> Result<(), JobError> {
        let mut fault = in_words(&reading.listing, number, &page);
        let records = {
            let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
            // Also what is not kept: a service that contradicts itself is not believed.
            let compared = received.compare(&reading.listing, number, &page.records);
            fault = fault.or(compared.err());
            let records = needs::keep_by_local_date(self.settings, &reading.listing, page.records);
            received.count(records.len());
            records
        };
        if let Some(fault) = &fault {
            ended.error.get_or_insert_with(|| fault.clone());
        }
        if reading.listing.is_counted() {
            let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
            received.page(reading, number, &records);
        }
        let content = PageContent {
            number,
            after: page.after,
            next: page.next,
            records,
            neighbours: Vec::new(),
            fault,
            received_bytes: page.received_bytes,
        };
        self.writer.page(reading, content, page.evidence).await?;
        Ok(())
    }

    /// Notes that the date needs nothing more.
    pub(crate) fn end_date(&self, store: &Store, date: NaiveDate) -> Result<(), StoreError> {
        match self.sessions.get(&date) {
            Some(session) => store.end_session(*session),
            None => Ok(()),
        }
    }

    /// Waits until everything is written; answers with the number of requests sent.
    pub(crate) fn finish(self) -> Result<u64, StoreError> {
        let requests = self.api.requests();
        drop(self.writer);
        self.thread.join()?;
        Ok(requests)
    }

    /// Distinct records that this run received, and those that it stored, in the session of
    /// `date`.
    pub(crate) async fn conserved(
        &self,
        date: NaiveDate,
    ) -> Result<(RecordSum, RecordSum), StoreError> {
        let session = self.session_number(date);
        self.writer.settle().await?;
        let (stored, repeated) = self.writer.stored(session).await?;
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner).sum(session);
        Ok((received.without(&repeated), stored))
    }

    /// Asks the store what to read, when everything that was read is committed.
    pub(crate) async fn plan<T>(
        &self,
        ask: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.writer.settle().await?;
        ask(&self.planner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The dates of this run, oldest first.
    pub(crate) fn own_dates(&self) -> impl Iterator<Item = NaiveDate> + '_ {
        self.sessions.keys().copied()
    }

    pub(crate) fn is_own_date(&self, day: NaiveDate) -> bool {
        self.sessions.contains_key(&day)
    }

    /// The session of listings that belong to no date of the run: whichever date asks first
    /// reads them, so they count for none. It is resumed with the first date's.
    fn shared_session(&self) -> i64 {
        self.sessions.values().next().map_or(0, |first| -first.number)
    }

    pub(crate) fn session_number(&self, date: NaiveDate) -> i64 {
        self.sessions.get(&date).map_or(0, |session| session.number)
    }

    fn was_asked(&self, date: NaiveDate, listing: &Listing) -> bool {
        self.fetched(date, listing).is_some()
    }

    /// What became of a listing that this run asked for on behalf of `date`.
    pub(crate) fn fetched(&self, date: NaiveDate, listing: &Listing) -> Option<Fetched> {
        let (session, _) = self.session_for(date, listing);
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.get(&(session, listing.clone())).and_then(|cell| cell.get()).cloned()
    }

    fn asked_for(&self, date: NaiveDate) -> Vec<(Listing, Fetched)> {
        let session = self.session_number(date);
        let mut listings = BTreeMap::new();
        // What was read once more counts as it was read last.
        for asked in [&self.asked, &self.asked_again] {
            let asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            let of_session = asked.iter().filter(|((of, _), _)| *of == session);
            listings.extend(
                of_session.filter_map(|((_, listing), cell)| {
                    Some((listing.clone(), cell.get()?.clone()))
                }),
            );
        }
        listings.into_iter().collect()
    }

    /// The listings asked for in the session of `date` that ended incomplete.
    pub(crate) fn failed_listings(&self, date: NaiveDate) -> Vec<(Listing, String)> {
        self.asked_for(date)
            .into_iter()
            .filter_map(|(listing, fetched)| Some((listing, fetched.error?)))
            .collect()
    }

    /// The same, in words.
    pub fn incomplete(&self, date: NaiveDate) -> Vec<String> {
        self.failed_listings(date)
            .into_iter()
            .map(|(listing, error)| format!("{listing}: {error}"))
            .collect()
    }
}

/// The first record of a page that could not be understood, and how many more there are.
fn in_words(listing: &Listing, number: u32, page: &Page) -> Option<String> {
    let fault = page.faults.first()?;
    let field = if fault.field.is_empty() { "" } else { ", field " };
    let more = match page.faults.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!(
        "{listing}, {}: {}{field}{}: {}{more}",
        page_name(number),
        fault.record,
        fault.field,
        fault.problem
    ))
}

/// Records of a listing, each time that they are listed: the writer tells which of them came
/// again, also across a kill. What each said, to tell a record that is merely listed twice from
/// one with two contents; of authorizations, which are too many to be kept in memory, the writer
/// tells that too.
struct Received {
    count: u64,
    contents: HashMap<u64, u64>,
    shown: progress::Reading,
}

impl Received {
    fn begin(listing: &Listing) -> Self {
        Self { count: 0, contents: HashMap::new(), shown: progress::Reading::begin(listing) }
    }

    fn count(&mut self, records: usize) {
        self.shown.page(records);
        self.count += records as u64;
    }

    fn compare(&mut self, listing: &Listing, page: u32, records: &[Record]) -> Result<(), String> {
        let mut twice = Ok(());
        for record in records.iter().filter(|record| !is_card(record)) {
            // Two equal fee lines are two fees.
            let Some(key) = record.key() else { continue };
            let content = hash(record);
            let before = self.contents.insert(hash(&key), content);
            if before.is_some_and(|before| before != content) {
                let (listing, record) = (listing.to_string(), key.to_string());
                twice = Err(IngestError::TwoContents { listing, page, record }.to_string());
            }
        }
        twice
    }
}
