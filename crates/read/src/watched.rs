//! Reads unsettled records again: undecided disputes, card transactions on hold, and returns that
//! are not handled, however old. Each is read once in a run, for the first date that needs it.

use chrono::{Days, NaiveDate};

use crate::{Fetcher, ReadError, needs};
use tieout_model::{Listing, Resource, Selector};
use tieout_store::{Store, StoreError, days, key_operations, listings, watched};

/// Days before the start date whose disputes are read: a dispute lives that long, and its money may
/// move until the end.
const DISPUTES_BEFORE_START_DAYS: u64 = 120;

/// Listings of each kind that a run reads again, at most; the oldest wait for the next run.
const WATCHED_LIMIT: usize = 2_000;

/// Reads the disputes of `date`, those of the days before the start, and the statuses of each
/// undecided dispute.
pub(super) async fn read_disputes(fetcher: &Fetcher<'_>, date: NaiveDate) -> Result<(), ReadError> {
    let own = needs::disputes(date);
    fetcher.read_all(date, [own.clone()]).await?;
    if let Some(failed) = fetcher.fetched(date, &own).filter(|own| own.error.is_some()) {
        if failed.is_without_operation {
            let name = Resource::Disputes.as_str();
            fetcher.plan(|store| key_operations::save(store, name, false)).await?;
        }
        return Ok(());
    }
    let is_own = |day| fetcher.is_own_date(day);
    let earlier = fetcher.plan(|store| disputes_not_read(store, date, is_own)).await?;
    fetcher.read_once_a_run(earlier).await?;
    let undecided = fetcher.plan(|store| watched::undecided_disputes(store, date)).await?;
    let statuses = undecided
        .into_iter()
        .rev()
        .take(WATCHED_LIMIT)
        .map(|id| Listing::new(Resource::DisputeStatuses, Selector::Dispute(id)));
    fetcher.read_once_a_run(statuses.collect()).await
}

/// The listings of disputes not stored yet, for the days before the start and for days that no run
/// has read, both as far back. Each date of this run reads its own.
fn disputes_not_read(
    store: &Store,
    date: NaiveDate,
    is_own: impl Fn(NaiveDate) -> bool,
) -> Result<Vec<Listing>, StoreError> {
    let start = days::start(store, date)?;
    let before =
        |day: NaiveDate| day.checked_sub_days(Days::new(DISPUTES_BEFORE_START_DAYS)).unwrap_or(day);
    let mut listings = Vec::new();
    for day in before(start).min(before(date)).iter_days().take_while(|day| *day < date) {
        let is_near = day < start || day >= before(date);
        let listing = needs::disputes(day);
        if is_near && !is_own(day) && !listings::is_complete(store, &listing)? {
            listings.push(listing);
        }
    }
    Ok(listings)
}

/// Reads again the card transactions on hold of days that are no longer read as a whole, and the
/// payments with an unhandled return that the look-back no longer lists.
pub(super) async fn read_unsettled(
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
) -> Result<(), ReadError> {
    let settings = fetcher.settings();
    let from = needs::look_back(settings, date);
    let has_links = fetcher.has_links();
    let ask = |store: &Store| {
        let returns = watched::returns_to_watch(store, from)?.into_iter().rev().take(WATCHED_LIMIT);
        let mut listings: Vec<Listing> = returns
            .map(|id| Listing::new(Resource::Payments, Selector::TransferById(id)))
            .collect();
        if has_links {
            let first = needs::before(date, needs::GROUP_AGE_LIMIT_DAYS);
            let waiting = needs::first_waiting(settings, date);
            let batches = watched::batches_on_hold(store, first, waiting)?.into_iter().rev();
            listings.extend(
                batches
                    .take(WATCHED_LIMIT)
                    .map(|id| Listing::new(Resource::Transactions, Selector::Batch(id))),
            );
        }
        Ok(listings)
    };
    let listings = fetcher.plan(ask).await?;
    fetcher.read_once_a_run(listings).await
}
