//! Reads recent dates again, to find records that the processor has changed, and listings that
//! could not be read. Only listings that an earlier run has read or tried are requested, each once
//! in a run.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::dependencies::{self, held_with};
use crate::{Fetcher, ReadError, needs};
use tieout_model::{GroupKey, Listing, Resource, Selector};
use tieout_store::{Freshness, RecentListing, Store, reconciled};

/// Failed listings that a date tries to read once more, at most: where the key lacks an operation,
/// every night leaves some.
const TRIED_AGAIN: usize = 200;

/// Reads again the listings of the dates before `date` whose records are compared with their
/// earlier state. The run's own dates are read anyway, and a date that an earlier date of this run
/// looks back at is not read twice.
pub(super) async fn read_past(fetcher: &Fetcher<'_>, date: NaiveDate) -> Result<(), ReadError> {
    if !fetcher.looks_back {
        return Ok(());
    }
    let days = u64::from(fetcher.settings().settlement.restated_days);
    let from = needs::restated_from(fetcher.settings(), date);
    let known = fetcher.plan(|store| reconciled::recent_listings(store, from, date)).await?;
    let wanted: Vec<RecentListing> = known
        .into_iter()
        .filter(|known| looks_back_first(fetcher, date, known.day, days))
        .filter(|known| still_reads(fetcher, &known.listing))
        .collect();
    let (authorizations, others): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|known| known.listing.resource == Resource::Authorizations);
    let mut listings: BTreeSet<Listing> = others.into_iter().map(|known| known.listing).collect();
    // Listings of card transactions are as long as those of authorizations. They are read for days
    // that may still wait for their deposit, as it may have arrived; for other days only where a
    // discrepancy is found.
    let first = needs::first_waiting(fetcher.settings(), date);
    let waiting = listings.iter().filter(|listing| listing.key().2 >= Some(first));
    let linked = fetcher.with_links(waiting.cloned().collect());
    listings.extend(linked);
    fetcher.read_with(date, listings, Freshness::ThisSessionElseBefore).await?;
    let session = fetcher.session_number(date);
    let changed =
        fetcher.plan(|store| reconciled::changed_batch_days(store, from, date, session)).await?;
    let budget = u64::from(fetcher.settings().settlement.restated_requests);
    let page_size = u64::from(fetcher.settings().api.page_size);
    let listings = affordable(authorizations, &changed, budget, page_size)
        .into_iter()
        .map(|known| known.listing)
        .collect();
    fetcher.read_with(date, listings, Freshness::ThisSessionElseBefore).await
}

/// Reads listings of the days before `date` that earlier runs could not read, within the look-back,
/// newest first. A listing that one night missed then does not leave the next nights without a
/// result.
pub(super) async fn read_what_failed(
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
) -> Result<(), ReadError> {
    let from = needs::look_back(fetcher.settings(), date);
    let is_wanted = |(listing, day): &&(Listing, NaiveDate)| {
        // Each date of this run reads its own.
        let is_earlier = from <= *day && *day < date;
        is_earlier && !fetcher.is_own_date(*day) && still_reads(fetcher, listing)
    };
    let tried = fetcher.failed_before.iter().filter(is_wanted).take(TRIED_AGAIN);
    fetcher.read_all(date, tried.map(|(listing, _)| listing.clone())).await
}

/// Requests by id the bank transfers that the listings of recent dates no longer contain. One that
/// is found has another date; one that is not found has vanished.
pub(super) async fn look_up_lost(fetcher: &Fetcher<'_>, date: NaiveDate) -> Result<(), ReadError> {
    if !fetcher.looks_back {
        return Ok(());
    }
    let from = needs::restated_from(fetcher.settings(), date);
    let lost = fetcher.plan(|store| reconciled::lost_transfers(store, from, date)).await?;
    let listings = lost
        .into_iter()
        .map(|(kind, id)| Listing::new(Resource::from(kind), Selector::TransferById(id)));
    fetcher.read_all(date, listings).await
}

/// Reads once more, before a new discrepancy of a group is reported, which deposits contain the
/// transactions of its days: a link is made when a deposit is paid, and the stored state may be
/// older. A deposit can also contain transactions of earlier days, back to those that are due no
/// earlier than the group begins. Where days turn out to be linked, the listings that they are
/// judged by are read unless they are stored.
///
/// `groups`: whether something new is reported of each group, or only its listings are needed.
pub async fn follow_links(
    fetcher: &Fetcher<'_>,
    date: NaiveDate,
    groups: &BTreeMap<GroupKey, bool>,
) -> Result<(), ReadError> {
    let sight = needs::look_back(fetcher.settings(), date);
    let groups: Vec<(&GroupKey, bool)> = groups
        .iter()
        .filter(|(group, _)| group.batch_date >= sight)
        .map(|(group, is_new)| (group, *is_new))
        .collect();
    let mut linked = BTreeSet::new();
    for (group, _) in groups.iter().filter(|(_, is_new)| *is_new) {
        let first = needs::first_waiting(fetcher.settings(), group.batch_date);
        let days = first.iter_days().take_while(|day| *day < date);
        linked.extend(days.filter(|day| !fetcher.is_own_date(*day)).map(needs::linked));
    }
    fetcher.read_again(date, linked).await?;
    let held = |store: &Store| held_with(store, groups.iter().map(|(group, _)| *group), sight);
    let needed = |group: &GroupKey| {
        let merchant = fetcher.settings().merchant(&group.merchant_id);
        needs::with_linked(needs::group(merchant, group.batch_date, date))
    };
    fetcher
        .read_what_follows(date, |store| {
            Ok(held(store)?.iter().flat_map(needed).collect::<BTreeSet<Listing>>())
        })
        .await?;
    let held = fetcher.plan(held).await?;
    dependencies::place_returns(fetcher, date, &held).await
}

/// Checks that `day` is not one of the run's own dates, and that `date` is the first of them to
/// look back at it.
fn looks_back_first(fetcher: &Fetcher<'_>, date: NaiveDate, day: NaiveDate, days: u64) -> bool {
    let is_first = |own: &NaiveDate| *own > day && needs::before(*own, days) <= day;
    !fetcher.is_own_date(day) && fetcher.own_dates().find(is_first) == Some(date)
}

/// Checks that the key and the configuration still allow the listing, for example that its terminal
/// is configured.
fn still_reads(fetcher: &Fetcher<'_>, listing: &Listing) -> bool {
    match &listing.selector {
        Selector::Settled { terminal, .. } | Selector::Run { terminal, .. } => {
            let mut merchants = fetcher.settings().merchants.iter();
            merchants.any(|merchant| merchant.terminals.contains(terminal))
        }
        _ => listing.resource != Resource::Transactions || fetcher.has_links(),
    }
}

/// The authorizations of dates whose batches have changed, and of the newest other dates within
/// `budget` pages. A batch header is the control total of its items, so a change that it does not
/// show is seldom worth reading a large night again. Pages are counted from the records: how many
/// pages the last reading took does not predict the next.
fn affordable(
    mut known: Vec<RecentListing>,
    changed: &BTreeSet<NaiveDate>,
    budget: u64,
    page_size: u64,
) -> Vec<RecentListing> {
    known.sort_by_key(|listing| std::cmp::Reverse(listing.day));
    let mut left = budget;
    let mut is_spent = false;
    known.retain(|listing| {
        if changed.contains(&listing.day) {
            return true;
        }
        // Newest first without a gap, which a report can state.
        let pages = listing.records.div_ceil(page_size.max(1)).max(1);
        is_spent = is_spent || pages > left;
        left = left.saturating_sub(pages);
        !is_spent
    });
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spends_its_pages_on_the_newest_dates_and_on_those_that_have_changed() {
        let listing = |day: &str, records| RecentListing {
            listing: Listing::new(Resource::Authorizations, Selector::Date(day.parse().unwrap())),
            day: day.parse().unwrap(),
            records,
        };
        let known = || {
            vec![
                listing("2026-11-01", 0),
                listing("2026-11-02", 8_991),
                listing("2026-11-03", 600),
                listing("2026-11-04", 391),
            ]
        };
        let days = |budget, changed: &[&str]| -> Vec<String> {
            let changed = changed.iter().map(|day| day.parse().unwrap()).collect();
            let read = affordable(known(), &changed, budget, 10);
            read.iter().map(|listing| listing.day.to_string()).collect()
        };
        assert_eq!(days(1_001, &[]).len(), 4);
        assert_eq!(days(1_000, &[]).len(), 3);
        assert_eq!(days(100, &[]), ["2026-11-04", "2026-11-03"]);
        assert_eq!(days(99, &[]), ["2026-11-04"]);
        assert_eq!(days(0, &["2026-11-02"]), ["2026-11-02"]);
        assert!(days(0, &[]).is_empty());
    }
}
