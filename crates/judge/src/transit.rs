//! Checks that every listing behind an in-transit total was read. A total with a part missing is
//! left empty.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::Rules;
use super::check::Waiting as Due;
use tieout_config::{Merchant, MerchantTerms, Settings, TransactionsMode};
use tieout_model::calendar::CalendarName;
use tieout_model::{Listing, MerchantId, NotEvaluated, Resource, Selector};
use tieout_read::needs;
use tieout_store::{Store, StoreError, days, key_operations, listings};

/// The subject of an in-transit entry in the not-evaluated list.
const SCOPE: &str = "in transit";

/// Merchants for which every listing behind the in-transit total of a date is complete.
pub(crate) struct Transit<'run> {
    settings: &'run Settings,
    /// Configured merchants with a listing missing.
    unknown: BTreeSet<MerchantId>,
    /// Whether the listings are complete for merchants that the configuration does not name.
    are_others_known: bool,
    /// Not-evaluated entries for the listings that could not be read.
    failed: BTreeSet<NotEvaluated>,
}

/// A listing behind an in-transit total that is not complete.
struct Missing {
    /// True if the listing was requested but not read completely.
    is_failed: bool,
    listing: Listing,
}

impl Missing {
    fn of(store: &Store, listing: Listing) -> Result<Option<Self>, StoreError> {
        if listings::is_complete(store, &listing)? {
            return Ok(None);
        }
        Ok(Some(Self { is_failed: listings::state(store, &listing)?.is_some(), listing }))
    }

    /// The first failed listing, else the first that was never requested.
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

    /// The not-evaluated entry of `merchant`, or of all merchants if the listing is not a
    /// merchant's own. `None` if the listing was never requested, or if the check that reports the
    /// amount once due is turned off.
    fn not_evaluated(&self, rules: &Rules<'_>, merchant: &MerchantId) -> Option<NotEvaluated> {
        let (waiting, merchant_id) = match self.listing.resource {
            Resource::Payments => (Due::Payments, merchant),
            Resource::Refunds => (Due::Refunds, merchant),
            _ => (Due::Batches, MerchantId::NONE),
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
    /// Looks up the listings that can hold money in transit on `date`.
    pub fn of(rules: &Rules<'run>, store: &Store, date: NaiveDate) -> Result<Self, StoreError> {
        let settings = rules.settings;
        // The earliest day, in every calendar in use, whose money can still wait on the date.
        let since = needs::first_waiting(settings, date);
        let links = missing_links(settings, store, since, date)?;
        let mut transit = Self {
            settings,
            unknown: BTreeSet::new(),
            are_others_known: true,
            failed: links
                .iter()
                .filter_map(|missing| missing.not_evaluated(rules, MerchantId::NONE))
                .collect(),
        };
        // Calendars and terms are few, merchants many: look each combination up once.
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
                transit.failed.extend(missing.not_evaluated(rules, &merchant.id));
            }
            if links.is_some() || waiting.batches.is_some() || transfers.is_some() {
                transit.unknown.insert(merchant.id.clone());
            }
        }
        let of_others = missing_batches(store, since, date, |_| true)?;
        transit.are_others_known = of_others.is_none() && links.is_none();
        if !settings.names_merchants() {
            transit.failed.extend(
                of_others.and_then(|missing| missing.not_evaluated(rules, MerchantId::NONE)),
            );
        }
        Ok(transit)
    }

    /// The listings that could not be read: rows in transit may be missing.
    pub fn failed(&self) -> impl Iterator<Item = &NotEvaluated> {
        self.failed.iter()
    }

    /// Whether the merchant's in-transit total is complete.
    pub fn is_known(&self, merchant: &MerchantId) -> bool {
        if self.settings.merchant(merchant).is_some() {
            !self.unknown.contains(merchant)
        } else {
            self.are_others_known
        }
    }
}

/// The state of the days that wait under one calendar and the same terms.
struct Waiting {
    /// A missing listing among the batches that wait.
    batches: Option<Missing>,
    /// Days that were fetched themselves and whose bank transfers wait.
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
            if day == date || days::was_fetched(store, day)? {
                runs.push(day);
            }
        }
        Ok(Self { batches, runs })
    }
}

/// A missing listing among the batches of the waiting days and the deposits since the first of
/// them.
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

/// A failed `/transactions` listing of the days whose transactions a deposit of a waiting batch can
/// hold. `None` if links are off, or if the key lacks the operation: an earlier failure of an
/// unreliable service proves nothing then.
fn missing_links(
    settings: &Settings,
    store: &Store,
    since: NaiveDate,
    date: NaiveDate,
) -> Result<Option<Missing>, StoreError> {
    let is_off = settings.api.transactions == TransactionsMode::Off;
    if is_off || key_operations::lacks(store, "transactions")? {
        return Ok(None);
    }
    // Most of these days are never requested, and need not be.
    let dates = days(needs::first_waiting(settings, since), date);
    let missing = Missing::first(store, dates.map(needs::linked))?;
    Ok(missing.filter(|missing| missing.is_failed))
}

/// A missing listing among the bank transfers that are returned or unsettled on the date, that ran
/// on a waiting day, or that have settled since.
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
            // The listing's key does not contain how far back it reaches.
            listings.push(Listing::new(resource, Selector::Unsettled { terminal, date, from }));
        }
    }
    Missing::first(store, listings)
}

fn days(first: NaiveDate, last: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    first.iter_days().take_while(move |day| *day <= last)
}
