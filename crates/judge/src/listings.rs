//! The listings that a date rests on, with the verdict of each: complete, incomplete, not read.

use std::collections::HashSet;

use chrono::NaiveDate;

use tieout_config::Settings;
use tieout_model::Listing;
use tieout_model::ListingRecord;
use tieout_read::needs;
use tieout_store::{ListingState, Store, StoreError, judging, listings};

/// The verdict of a listing that was never read.
pub const NOT_READ: &str = "not_read";

/// The fields that identify a listing, in the order of the run record.
type Key<'state> = (&'state str, &'state str, &'state str, &'state str);

/// Every listing that `date` rests on, with its state in the store. A listing that was never read,
/// such as that of a terminal added later, is included as missing.
pub fn of(
    settings: &Settings,
    store: &Store,
    date: NaiveDate,
) -> Result<Vec<ListingRecord>, StoreError> {
    let mut states = judging::date_listings(store)?;
    let known: HashSet<Key<'_>> = states.iter().map(key).collect();
    let mut needed = needs::own(settings, date);
    needed.extend(needs::waiting(settings, date));
    let mut others = Vec::new();
    for listing in &needed {
        let missing = not_read(listing);
        if !known.contains(&key(&missing)) {
            // The listing of a waiting date can be read and hold no record.
            others.push(listings::state(store, listing)?.unwrap_or(missing));
        }
    }
    states.extend(others);
    states.sort_by(|one, other| key(one).cmp(&key(other)));
    Ok(states.into_iter().map(ListingState::into_record).collect())
}

fn key(state: &ListingState) -> Key<'_> {
    let ListingState { resource, selector, business_date, scope, .. } = state;
    (resource, selector, business_date, scope)
}

fn not_read(listing: &Listing) -> ListingState {
    let (selector, scope, date) = listing.key();
    ListingState {
        resource: listing.resource.as_str().to_owned(),
        selector: selector.to_owned(),
        scope,
        business_date: date.map(|date| date.to_string()).unwrap_or_default(),
        verdict: NOT_READ.to_owned(),
        pages: 0,
        records: 0,
        bytes: 0,
        digest: String::new(),
        error: Some("no page of it was ever read".to_owned()),
    }
}
