//! The further listings that the answers so far require: for the groups that deposits pay for, for
//! the groups that fell due, and for the days between a return and its batch.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::needs;
use crate::{Fetcher, ReadError};
use tieout_model::{GroupKey, Listing, Resource, Selector};
use tieout_store::{ReturnDays, Store, StoreError, days, listings, plan};

/// Dates after the start whose deposits may pay for a batch before it: a run spans at most five
/// banking days, and is paid within some days after.
const NEIGHBOURS_OF_START_DAYS: u64 = 30;

/// The further listings that the answers so far require.
pub(super) fn of(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
) -> Result<BTreeSet<Listing>, StoreError> {
    let mut listings = BTreeSet::new();
    let mut groups = BTreeSet::new();
    let late = late_days(fetcher, store, date)?;
    for &day in late.iter().chain([&date]) {
        for deposit in plan::deposits_of_date(store, day)? {
            let fees = Selector::Deposit(deposit.ach_deposit_id);
            listings.insert(Listing::new(Resource::Fees, fees));
            groups.extend(deposit.group);
        }
        for id in plan::deposits_to_look_up(store, day)? {
            listings.insert(Listing::new(Resource::Deposits, Selector::DepositById(id)));
        }
        for id in plan::payments_to_look_up(store, day)? {
            listings.insert(Listing::new(Resource::Payments, Selector::TransferById(id)));
        }
    }
    if fetcher.has_links() {
        let first = needs::before(date, needs::GROUP_AGE_LIMIT_DAYS);
        for id in plan::released_deposits(store, first, date)? {
            listings.insert(Listing::new(Resource::Deposits, Selector::DepositById(id)));
        }
    }
    listings.extend(missed_groups(fetcher, store, date)?);
    for group in &groups {
        let merchant = fetcher.settings().merchant(&group.merchant_id);
        listings.extend(fetcher.with_links(needs::group(merchant, group.batch_date, date)));
        listings.extend(earlier_fees(fetcher, store, group, date)?);
    }
    listings.extend(linked_groups(fetcher, store, date, &late)?);
    listings.extend(overdue_groups(fetcher, store, date, &late, &mut groups)?);
    listings.extend(early_links(fetcher, store, date, &mut groups)?);
    listings.extend(early_neighbours(fetcher, store, date)?);
    listings.extend(days_before_all(fetcher, store, &groups)?);
    listings.extend(skipped_days(fetcher, store, date)?);
    Ok(listings)
}

/// Reads, round by round, the listings that decide to which of `groups` each returned bank transfer
/// counts.
pub(super) async fn place_returns(
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
    groups: &BTreeSet<GroupKey>,
) -> Result<(), ReadError> {
    fetcher.read_what_follows(date, |store| days_before_all(fetcher, store, groups)).await
}

fn days_before_all(
    fetcher: &Fetcher<'_>,
    store: &Store,
    groups: &BTreeSet<GroupKey>,
) -> Result<Vec<Listing>, StoreError> {
    let returns = returns(fetcher, store, groups)?;
    let mut listings = Vec::new();
    for group in groups {
        listings.extend(days_before(fetcher, store, &returns, group)?);
    }
    Ok(listings)
}

/// For merchants with a ledger: the settled items of the days before `date` within the matching
/// window that no run has read. A job that runs only on weekdays skips two of these days; on the
/// start date all of them lie before it.
fn skipped_days(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
) -> Result<Vec<Listing>, StoreError> {
    let settings = fetcher.settings();
    if settings.merchants.iter().all(|merchant| merchant.ledger.is_none()) {
        return Ok(Vec::new());
    }
    let is_start = days::start(store, date)? == date;
    let start = days::start(store, date)?;
    let mut listings = Vec::new();
    for day in needs::window_start(settings, date).iter_days().take_while(|day| *day < date) {
        let is_wanted = is_start || day >= start;
        if is_wanted && !fetcher.is_own_date(day) && !days::was_fetched(store, day)? {
            listings.extend(needs::matched_with(settings, day));
        }
    }
    Ok(listings)
}

/// The listings of groups before the start that deposits of earlier dates pay for, where they are
/// not stored: those deposits were not read in the night of their own date.
fn missed_groups(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
) -> Result<Vec<Listing>, StoreError> {
    let start = days::start(store, date)?;
    let from = needs::look_back(fetcher.settings(), date);
    let mut needed = BTreeSet::new();
    for (group, paid_on) in plan::groups_before_start(store, start.max(from), date, start)? {
        // Each date of this run reads its own.
        if !fetcher.is_own_date(paid_on) {
            let merchant = fetcher.settings().merchant(&group.merchant_id);
            needed.extend(fetcher.with_links(needs::group(merchant, group.batch_date, paid_on)));
        }
    }
    let mut listings = Vec::new();
    for listing in needed {
        if !listings::is_complete(store, &listing)? {
            listings.push(listing);
        }
    }
    Ok(listings)
}

/// The listings of batches before the start that a deposit of `date` may pay for although it names
/// another date. Only dates next to the start have such deposits.
fn early_neighbours(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
) -> Result<Vec<Listing>, StoreError> {
    let start = days::start(store, date)?;
    if needs::before(date, NEIGHBOURS_OF_START_DAYS) >= start {
        return Ok(Vec::new());
    }
    let mut listings = Vec::new();
    for group in plan::neighbours_before_start(store, date, start)? {
        let merchant = fetcher.settings().merchant(&group.merchant_id);
        let needed = fetcher.with_links(needs::group(merchant, group.batch_date, date));
        for listing in needed {
            // Each date of this run reads its own.
            let is_own = listing.key().2.is_some_and(|day| fetcher.is_own_date(day));
            if !is_own && !listings::is_complete(store, &listing)? {
                listings.push(listing);
            }
        }
    }
    Ok(listings)
}

/// The listings of the groups that the links of a merchant-day lead to: a deposit can contain the
/// transactions of several days.
fn linked_groups(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
    late: &[NaiveDate],
) -> Result<Vec<Listing>, StoreError> {
    if !fetcher.has_links() {
        return Ok(Vec::new());
    }
    let first = needs::first_waiting(fetcher.settings(), late.first().copied().unwrap_or(date));
    let mut listings = Vec::new();
    for group in plan::linked_groups(store, first, date)? {
        let merchant = fetcher.settings().merchant(&group.merchant_id);
        listings.extend(needs::with_linked(needs::group(merchant, group.batch_date, date)));
    }
    Ok(listings)
}

/// The listings before the start, where no date reads its own, that the links of `groups` lead to.
/// A deposit can contain the transactions of several days, back to those that are due no earlier
/// than its group begins. Only the few dates next to the start have such groups.
fn early_links(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
    groups: &mut BTreeSet<GroupKey>,
) -> Result<Vec<Listing>, StoreError> {
    let (start, sight) = (days::start(store, date)?, needs::look_back(fetcher.settings(), date));
    let days: BTreeSet<NaiveDate> = groups.iter().map(|group| group.batch_date).collect();
    let reach = |day: NaiveDate| needs::first_waiting(fetcher.settings(), day).max(sight);
    if !fetcher.has_links() || !days.iter().any(|day| reach(*day) < start) {
        return Ok(Vec::new());
    }
    let held = held_with(store, groups.iter(), sight)?;
    let mut listings = Vec::new();
    for group in held.iter().filter(|group| group.batch_date < start) {
        let merchant = fetcher.settings().merchant(&group.merchant_id);
        listings.extend(needs::with_linked(needs::group(merchant, group.batch_date, date)));
    }
    for day in days.into_iter().chain(held.iter().map(|group| group.batch_date)) {
        let early = reach(day).iter_days().take_while(|one| *one <= day && *one < start);
        listings.extend(early.map(needs::linked));
    }
    groups.extend(held);
    Ok(listings)
}

/// The fees of the earlier deposits of a group: its last deposit is explained over the whole group.
fn earlier_fees(
    fetcher: &Fetcher<'_>,
    store: &Store,
    group: &GroupKey,
    date: NaiveDate,
) -> Result<Vec<Listing>, StoreError> {
    let mut listings = Vec::new();
    for (id, paid_on) in plan::deposits_of_group(store, group, date)? {
        let listing = Listing::new(Resource::Fees, Selector::Deposit(id));
        // Each date of this run reads the fees of its own deposits.
        if !fetcher.is_own_date(paid_on) {
            listings.push(listing);
        }
    }
    Ok(listings)
}

/// The deposits up to `date` that may pay groups which fell due since the latest earlier date, or
/// since a day that was read late.
fn overdue_groups(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
    late: &[NaiveDate],
    groups: &mut BTreeSet<GroupKey>,
) -> Result<Vec<Listing>, StoreError> {
    let due_after = days::previous_reconciled(store, date)?.unwrap_or(needs::before(date, 1));
    // Under an earlier configuration they may have waited longer.
    let mut overdue = plan::groups_in_transit(store, due_after)?;
    let late = late.iter().map(|day| (needs::before(*day, 1), *day));
    for (due_after, last) in late.chain([(due_after, date)]) {
        let first = needs::first_waiting(fetcher.settings(), due_after.min(needs::before(last, 1)));
        for group in plan::batch_groups(store, first, last)? {
            let settings = fetcher.settings();
            let (calendar, terms) = settings.merchant(&group.merchant_id).map_or_else(
                || (settings.settlement.calendar, settings.usual_terms()),
                |merchant| (merchant.calendar, merchant.terms),
            );
            let due = settings.calendar(calendar).due(group.batch_date, terms.payout_days);
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

/// The days whose listings could be read only now, after the nights before had missed them. Only
/// the first date of a run follows them up.
fn late_days(
    fetcher: &Fetcher<'_>,
    store: &Store,
    date: NaiveDate,
) -> Result<Vec<NaiveDate>, StoreError> {
    if fetcher.own_dates().next() != Some(date) {
        return Ok(Vec::new());
    }
    plan::late_days(
        store,
        date,
        needs::look_back(fetcher.settings(), date).max(days::start(store, date)?),
    )
}

/// The days with returned bank transfers that can count to one of `groups`. One query for all
/// groups, since a large night has a group for each merchant.
fn returns(
    fetcher: &Fetcher<'_>,
    store: &Store,
    groups: &BTreeSet<GroupKey>,
) -> Result<ReturnDays, StoreError> {
    let dates = || groups.iter().map(|group| group.batch_date);
    let (Some(first), Some(last)) = (dates().min(), dates().max()) else {
        return Ok(ReturnDays::default());
    };
    plan::return_days(store, needs::look_back(fetcher.settings(), first), last)
}

/// A return dated on a day without a batch counts to the next batch date: the days from such a
/// return to the batch date must be known to have no batch.
fn days_before(
    fetcher: &Fetcher<'_>,
    store: &Store,
    returns: &ReturnDays,
    group: &GroupKey,
) -> Result<Vec<Listing>, StoreError> {
    let Some(merchant) = fetcher.settings().merchant(&group.merchant_id) else {
        return Ok(Vec::new());
    };
    let first = needs::look_back(fetcher.settings(), group.batch_date);
    let Some(earliest) = returns.earliest(&merchant.terminals, first, group.batch_date) else {
        return Ok(Vec::new());
    };
    let mut day = needs::before(group.batch_date, 1);
    let mut listings = Vec::new();
    while day >= earliest {
        let listing = Listing::new(Resource::Batches, Selector::Date(day));
        let is_known = listings::is_complete(store, &listing)?;
        listings.push(listing);
        let earlier = GroupKey { merchant_id: group.merchant_id.clone(), batch_date: day };
        // One day at a time: most merchants have a batch on the day before.
        if !is_known || plan::has_batch(store, &earlier)? {
            break;
        }
        day = needs::before(day, 1);
    }
    Ok(listings)
}

/// The groups linked with `groups`, as far as the answers so far show. Each day can lead to another
/// one, through the deposits that contain its transactions.
pub(super) fn held_with<'group>(
    store: &Store,
    groups: impl Iterator<Item = &'group GroupKey>,
    sight: NaiveDate,
) -> Result<BTreeSet<GroupKey>, StoreError> {
    let mut held = BTreeSet::new();
    let mut latest: Vec<GroupKey> = groups.cloned().collect();
    while let Some(group) = latest.pop() {
        for other in plan::groups_held_with(store, &group)? {
            if other.batch_date >= sight && held.insert(other.clone()) {
                latest.push(other);
            }
        }
    }
    Ok(held)
}
