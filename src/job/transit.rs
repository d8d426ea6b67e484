//! Whether everything is known that a sum of what is in transit adds up. A sum with a part
//! missing is no sum: it is left empty.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::needs;
use crate::calendar::CalendarName;
use crate::config::{Merchant, Settings, TransactionsMode};
use crate::model::{Listing, Resource, Selector};
use crate::store::{Store, StoreError};

/// Of whom everything is known that is in transit on a date.
pub(super) struct Transit<'run> {
    settings: &'run Settings,
    /// Configured merchants of whom it is not.
    unknown: BTreeSet<String>,
    /// Whether it is of merchants that the configuration does not name.
    are_others_known: bool,
}

impl<'run> Transit<'run> {
    /// Looks the listings up that hold what can be in transit on `date`.
    pub(super) fn of(
        settings: &'run Settings,
        store: &Store,
        date: NaiveDate,
    ) -> Result<Self, StoreError> {
        // What waits on the date is listed from here on, in every calendar in use.
        let since = needs::first_waiting(settings, date);
        let has_links = are_links_known(settings, store, since, date)?;
        let mut unknown = BTreeSet::new();
        // Merchants are many, calendars few.
        let mut by_calendar: BTreeMap<CalendarName, Waiting> = BTreeMap::new();
        for merchant in &settings.merchants {
            let waiting = match by_calendar.entry(merchant.calendar) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(Waiting::of(settings, store, merchant.calendar, since, date)?)
                }
            };
            let has_batches = waiting.has_batches && has_links;
            if !has_batches || !are_transfers_known(store, merchant, date, &waiting.runs)? {
                unknown.insert(merchant.id.to_string());
            }
        }
        let are_others_known = are_batches_known(store, since, date, |_| true)? && has_links;
        Ok(Self { settings, unknown, are_others_known })
    }

    /// Whether the sum of the merchant is one.
    pub(super) fn is_known(&self, merchant: &str) -> bool {
        let mut named = self.settings.merchants.iter();
        if named.any(|named| named.id.as_str() == merchant) {
            !self.unknown.contains(merchant)
        } else {
            self.are_others_known
        }
    }
}

/// What waits on a date by one calendar.
struct Waiting {
    /// Whether the batches that wait are known.
    has_batches: bool,
    /// Days that were fetched for themselves and whose bank transfers wait.
    runs: Vec<NaiveDate>,
}

impl Waiting {
    fn of(
        settings: &Settings,
        store: &Store,
        calendar: CalendarName,
        since: NaiveDate,
        date: NaiveDate,
    ) -> Result<Self, StoreError> {
        let calendar = settings.calendar(calendar);
        let settlement = &settings.settlement;
        let is_waiting = |day: &NaiveDate, days| calendar.due(*day, days) > date;
        let has_batches =
            are_batches_known(store, since, date, |day| is_waiting(day, settlement.payout_days))?;
        let first = needs::before(date, needs::GROUP_AGE_LIMIT_DAYS);
        let mut runs = Vec::new();
        for day in days(first, date).filter(|day| is_waiting(day, settlement.settle_days)) {
            if day == date || store.was_fetched(day)? {
                runs.push(day);
            }
        }
        Ok(Self { has_batches, runs })
    }
}

/// The batches of the days that wait, and the deposits since the first of them.
fn are_batches_known(
    store: &Store,
    since: NaiveDate,
    date: NaiveDate,
    is_waiting: impl Fn(&NaiveDate) -> bool,
) -> Result<bool, StoreError> {
    let Some(first) = days(since, date).find(|day| is_waiting(day)) else { return Ok(true) };
    for day in days(first, date) {
        for resource in [Resource::Batches, Resource::Deposits] {
            if !store.is_complete(&Listing::new(resource, Selector::Date(day)))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Where links are asked for: those of all days that a deposit of what waits can hold as well. Of
/// a key without the operation, what a service that stutters said before is no evidence.
fn are_links_known(
    settings: &Settings,
    store: &Store,
    since: NaiveDate,
    date: NaiveDate,
) -> Result<bool, StoreError> {
    let is_off = settings.api.transactions == TransactionsMode::Off;
    if is_off || store.lacks_operation("transactions")? {
        return Ok(true);
    }
    for day in days(needs::first_waiting(settings, since), date) {
        let state = store.listing_state(&needs::linked(day))?;
        if state.is_some_and(|state| state.verdict != "complete") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is unsettled on the date, what ran on the days that wait, and what has settled since:
/// of earlier days as far as they were fetched for themselves.
fn are_transfers_known(
    store: &Store,
    merchant: &Merchant,
    date: NaiveDate,
    runs: &[NaiveDate],
) -> Result<bool, StoreError> {
    let mut listings = needs::returned(merchant, date);
    for &day in runs {
        listings.extend(needs::settled(merchant, day));
        for terminal in &merchant.terminals {
            for resource in [Resource::Payments, Resource::Refunds] {
                let terminal = terminal.clone();
                listings.push(Listing::new(resource, Selector::Run { terminal, date: day }));
            }
        }
    }
    for terminal in &merchant.terminals {
        for resource in [Resource::Payments, Resource::Refunds] {
            let (terminal, from) = (terminal.clone(), date);
            // The key of a listing leaves out how far back it reaches.
            listings.push(Listing::new(resource, Selector::Unsettled { terminal, date, from }));
        }
    }
    for listing in listings {
        if !store.is_complete(&listing)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}
