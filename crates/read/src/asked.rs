//! The readings of a run, so that no listing is read twice without need.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

use crate::channel::Fetched;
use tieout_model::{Listing, Resource, Selector};
use tieout_store::hash;

/// A reading that all its callers await; filled once.
pub(super) type Cell = Arc<OnceCell<Fetched>>;

/// Readings by session and listing.
type Cells = HashMap<(i64, Listing), Cell>;

/// The readings of one run.
#[derive(Default)]
pub(super) struct Asked {
    first: Mutex<Cells>,
    /// Readings that were requested once more.
    again: Mutex<Cells>,
    /// Listings read completely in sessions that are over, by a hash of session and listing.
    done: Mutex<HashSet<u64>>,
    /// Bank transfers read completely behind open discrepancies, by a hash of the listing.
    confirmed: Mutex<HashSet<u64>>,
}

impl Asked {
    /// The reading of a listing in a session; `None` when the session is over and read it
    /// completely.
    pub(super) fn first(&self, session: i64, listing: &Listing) -> Option<Cell> {
        if locked(&self.done).contains(&hash(&(session, listing))) {
            return None;
        }
        Some(Arc::clone(locked(&self.first).entry((session, listing.clone())).or_default()))
    }

    /// As `first`, for a listing that is read once more.
    pub(super) fn again(&self, session: i64, listing: &Listing) -> Cell {
        Arc::clone(locked(&self.again).entry((session, listing.clone())).or_default())
    }

    /// The repeated reading of a listing in this session, if one was requested.
    pub(super) fn known_again(&self, session: i64, listing: &Listing) -> Option<Cell> {
        locked(&self.again).get(&(session, listing.clone())).cloned()
    }

    /// The repeated reading of a listing in any session, with the session's number.
    pub(super) fn again_in_any(&self, listing: &Listing) -> Option<(i64, Cell)> {
        let again = locked(&self.again);
        let mut cells = again.iter().filter(|((_, asked), _)| asked == listing);
        cells.next().map(|((session, _), cell)| (*session, Arc::clone(cell)))
    }

    /// The result of a listing in a session; `None` while it was not read.
    pub(super) fn fetched(&self, session: i64, listing: &Listing) -> Option<Fetched> {
        match self.first_known(session, listing) {
            Some(cell) => cell.get().cloned(),
            None => locked(&self.done).contains(&hash(&(session, listing))).then(Fetched::default),
        }
    }

    fn first_known(&self, session: i64, listing: &Listing) -> Option<Cell> {
        locked(&self.first).get(&(session, listing.clone())).cloned()
    }

    /// Everything that was read in a session. A listing that was read once more has its latest
    /// result.
    pub(super) fn of_session(&self, session: i64) -> Vec<(Listing, Fetched)> {
        let mut listings = BTreeMap::new();
        for cells in [&self.first, &self.again] {
            let cells = locked(cells);
            let of_session = cells.iter().filter(|((of, _), _)| *of == session);
            listings.extend(
                of_session.filter_map(|((_, listing), cell)| {
                    Some((listing.clone(), cell.get()?.clone()))
                }),
            );
        }
        listings.into_iter().collect()
    }

    /// `listings` without the bank transfers that the run has read once more for an earlier date.
    pub(super) fn unconfirmed(&self, listings: Vec<Listing>) -> BTreeSet<Listing> {
        let confirmed = locked(&self.confirmed);
        listings.into_iter().filter(|listing| !confirmed.contains(&hash(listing))).collect()
    }

    /// Notes the bank transfers that were read once more in a session: they stay open for weeks,
    /// and make up most of the repeated readings. A failed one is read again for the next date,
    /// since it leaves that date without a result as well. Listings behind a total are read for
    /// each date that judges it.
    pub(super) fn confirm(&self, session: i64, listings: &BTreeSet<Listing>) {
        let is_read = |listing: &&Listing| {
            let is_transfer = matches!(listing.selector, Selector::TransferById(_));
            let cell = self.known_again(session, listing).filter(|_| is_transfer);
            cell.is_some_and(|cell| cell.get().is_some_and(|read| read.error.is_none()))
        };
        locked(&self.confirmed).extend(listings.iter().filter(is_read).map(hash));
    }

    /// Forgets a session that is over, except which listings it has read completely.
    pub(super) fn forget(&self, session: i64) {
        // The freshness of links is checked across sessions.
        let is_over = |of: i64, listing: &Listing| {
            of == session && listing.resource != Resource::Transactions
        };
        let mut first = locked(&self.first);
        let over = first.extract_if(|(of, listing), _| is_over(*of, listing));
        let read = over.filter(|(_, cell)| cell.get().is_some_and(|one| one.error.is_none()));
        locked(&self.done).extend(read.map(|(key, _)| hash(&key)));
        locked(&self.again).retain(|(of, listing), _| !is_over(*of, listing));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::Selector;

    #[test]
    fn forgets_a_session_but_not_what_it_has_read() {
        let date = "2026-11-20".parse().unwrap();
        let listing = |resource| Listing::new(resource, Selector::Date(date));
        let read = Listing::new(Resource::Payments, Selector::TransferById("17".into()));
        let (failed, batches) = (listing(Resource::Deposits), listing(Resource::Batches));
        let asked = Asked::default();
        let cell = |listing| asked.first(7, listing).unwrap();
        cell(&read).set(Fetched::default()).unwrap();
        let error = Some("500".to_owned());
        cell(&failed).set(Fetched { error, ..Fetched::default() }).unwrap();
        asked.again(7, &read).set(Fetched::default()).unwrap();
        asked.again(7, &batches).set(Fetched::default()).unwrap();
        let all = BTreeSet::from([read.clone(), failed.clone(), batches.clone()]);
        asked.confirm(7, &all);
        let again = asked.unconfirmed(all.into_iter().collect());
        assert_eq!(again, [failed.clone(), batches].into(), "a transfer once a run");
        assert_eq!(asked.of_session(7).len(), 3);
        asked.forget(7);
        assert!(asked.of_session(7).is_empty());
        assert_eq!(asked.fetched(7, &read), Some(Fetched::default()));
        assert!(asked.first(7, &read).is_none(), "read completely");
        assert_eq!(asked.fetched(7, &failed), None);
        assert!(asked.first(7, &failed).is_some(), "may be asked for again");
    }
}
