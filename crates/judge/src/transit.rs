//! Whether everything is known that a sum of what is in transit adds up. A sum with a part
//! missing is no sum: it is left empty.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::Rules;
use super::check::Waiting as Due;
use tieout_config::{Merchant, MerchantTerms, Settings, TransactionsMode};
use tieout_model::calendar::CalendarName;
use tieout_model::{Listing, NotEvaluated, Resource, Selector};
use tieout_read::needs;
use tieout_store::{Store, StoreError};

/// What stands for the place of a discrepancy in what is not evaluated.
const SCOPE: &str = "in transit";

/// Of whom everything is known that is in transit on a date.
pub(crate) struct Transit<'run> {
    settings: &'run Settings,
    /// Configured merchants of whom it is not.
    unknown: BTreeSet<String>,
    /// Whether it is of merchants that the configuration does not name.
    are_others_known: bool,
    /// What could not be read of it.
    failed: BTreeSet<NotEvaluated>,
}

/// A listing that is not complete, of those that hold what is in transit.
struct Missing {
    /// Whether it was asked for, and not read completely.
    is_failed: bool,
    listing: Listing,
}

impl Missing {
    fn of(store: &Store, listing: Listing) -> Result<Option<Self>, StoreError> {
        if store.is_complete(&listing)? {
            return Ok(None);
        }
        Ok(Some(Self { is_failed: store.listing_state(&listing)?.is_some(), listing }))
    }

    /// One that failed, before one that nobody asked for.
    fn first(
        store: &Store,
        listings: impl IntoIterator<Item = Listing>,
    ) -> Result<Option<Self>, StoreError> {
        let mut first = None;
        for listing in listings {
            match Self::of(store, listing)? {
                Some(failed) if failed.is_failed => return Ok(Some(failed)),
                missing => first = first.or(missing),
            }
        }
        Ok(first)
    }

    /// What to say of `merchant`, or of all where it is nobody's own listing.
    /// `None` as well when the check that would be due is turned off.
    fn not_evaluated(&self, rules: &Rules<'_>, merchant: &str) -> Option<NotEvaluated> {
        let (waiting, merchant_id) = match self.listing.resource {
            Resource::Payments => (Due::Payments, merchant),
            Resource::Refunds => (Due::Refunds, merchant),
            _ => (Due::Batches, ""),
        };
        let check = rules.registry.waiting(waiting)?;
        if rules.settings.is_off_for_all(&check.code) {
            return None;
        }
        if !merchant_id.is_empty() {
            check.level(rules.settings, merchant_id)?;
        }
        let problem = format!("{} could not be read completely", self.listing);
        self.is_failed.then(|| NotEvaluated::because(&check.code, merchant_id, SCOPE, &problem))
    }
}

impl<'run> Transit<'run> {
    /// Looks the listings up that hold what can be in transit on `date`.
    pub fn of(rules: &Rules<'run>, store: &Store, date: NaiveDate) -> Result<Self, StoreError> {
        let settings = rules.settings;
        // What waits on the date is listed from here on, in every calendar in use.
        let since = needs::first_waiting(settings, date);
        let links = missing_links(settings, store, since, date)?;
        let mut transit = Self {
            settings,
            unknown: BTreeSet::new(),
            are_others_known: true,
            failed: links.iter().filter_map(|missing| missing.not_evaluated(rules, "")).collect(),
        };
        // Merchants are many, calendars and terms few.
        let mut by_calendar: BTreeMap<(CalendarName, u32, u32), Waiting> = BTreeMap::new();
        for merchant in &settings.merchants {
            let MerchantTerms { payout_days, settle_days, .. } = merchant.terms;
            let waiting = match by_calendar.entry((merchant.calendar, payout_days, settle_days)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(Waiting::of(settings, store, merchant, since, date)?)
                }
            };
            let transfers = missing_transfers(store, merchant, date, &waiting.runs)?;
            for missing in waiting.batches.iter().chain(&transfers) {
                transit.failed.extend(missing.not_evaluated(rules, merchant.id.as_str()));
            }
            if links.is_some() || waiting.batches.is_some() || transfers.is_some() {
                transit.unknown.insert(merchant.id.to_string());
            }
        }
        let of_others = missing_batches(store, since, date, |_| true)?;
        transit.are_others_known = of_others.is_none() && links.is_none();
        if !settings.names_merchants() {
            transit.failed.extend(of_others.and_then(|missing| missing.not_evaluated(rules, "")));
        }
        Ok(transit)
    }

    /// What could not be read of what is in transit: rows of it may be missing.
    pub fn failed(&self) -> impl Iterator<Item = &NotEvaluated> {
        self.failed.iter()
    }

    /// Whether the sum of the merchant is one.
    pub fn is_known(&self, merchant: &str) -> bool {
        let mut named = self.settings.merchants.iter();
        if named.any(|named| named.id.as_str() == merchant) {
            !self.unknown.contains(merchant)
        } else {
            self.are_others_known
        }
    }
}

/// What waits on a date by one calendar and the same terms.
struct Waiting {
    /// What is not known of the batches that wait.
    batches: Option<Missing>,
    /// Days that were fetched for themselves and whose bank transfers wait.
    runs: Vec<NaiveDate>,
}

impl Waiting {
    fn of(
        settings: &Settings,
        store: &Store,
        merchant: &Merchant,
        since: NaiveDate,
        date: NaiveDate,
    ) -> Result<Self, StoreError> {
        let calendar = settings.calendar(merchant.calendar);
        let terms = merchant.terms;
        let is_waiting = |day: &NaiveDate, days| calendar.due(*day, days) > date;
        let batches =
            missing_batches(store, since, date, |day| is_waiting(day, terms.payout_days))?;
        let first = needs::before(date, needs::GROUP_AGE_LIMIT_DAYS);
        let mut runs = Vec::new();
        for day in days(first, date).filter(|day| is_waiting(day, terms.settle_days)) {
            if day == date || store.was_fetched(day)? {
                runs.push(day);
            }
        }
        Ok(Self { batches, runs })
    }
}

/// Of the batches of the days that wait, and the deposits since the first of them.
fn missing_batches(
    store: &Store,
    since: NaiveDate,
    date: NaiveDate,
    is_waiting: impl Fn(&NaiveDate) -> bool,
) -> Result<Option<Missing>, StoreError> {
    let Some(first) = days(since, date).find(|day| is_waiting(day)) else { return Ok(None) };
    let of_day = |day| {
        [Resource::Batches, Resource::Deposits]
            .map(|resource| Listing::new(resource, Selector::Date(day)))
    };
    Missing::first(store, days(first, date).flat_map(of_day))
}

/// Where links are asked for: of those of all days that a deposit of what waits can hold as well.
/// Of a key without the operation, what a service that stutters said before is no evidence.
fn missing_links(
    settings: &Settings,
    store: &Store,
    since: NaiveDate,
    date: NaiveDate,
) -> Result<Option<Missing>, StoreError> {
    let is_off = settings.api.transactions == TransactionsMode::Off;
    if is_off || store.lacks_operation("transactions")? {
        return Ok(None);
    }
    // Most of these days nobody needs.
    let dates = days(needs::first_waiting(settings, since), date);
    let missing = Missing::first(store, dates.map(needs::linked))?;
    Ok(missing.filter(|missing| missing.is_failed))
}

/// Of what is unsettled on the date, what ran on the days that wait, and what has settled since:
/// of earlier days as far as they were fetched for themselves.
fn missing_transfers(
    store: &Store,
    merchant: &Merchant,
    date: NaiveDate,
    runs: &[NaiveDate],
) -> Result<Option<Missing>, StoreError> {
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
    Missing::first(store, listings)
}

fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}
