//! Of several entries under one key, finds the smallest set that adds up.

use chrono::NaiveDate;

use crate::search::{Budget, Entry, Kind, sets};
use tieout_model::money::Minor;

/// The smallest set of `all` that adds up to `target`, the first of several; all of them if only
/// all add up. `None` if nothing adds up.
pub(super) fn smallest(target: Minor, all: &[(u32, Minor)]) -> Option<Vec<u32>> {
    let entry = |(at, one): (usize, &(u32, Minor))| Entry::new(at, NaiveDate::MIN, 0, one.1.0);
    let entries: Vec<Entry> = all.iter().enumerate().map(entry).collect();
    let found = sets(Kind::Few, target.0, &entries, 1, &mut Budget::default());
    if let Some(set) = found.all().iter().min_by_key(|set| set.len()) {
        return Some(set.iter().map(|part| all[part.0].0).collect());
    }
    let sum: i128 = all.iter().map(|one| i128::from(one.1.0)).sum();
    (sum == i128::from(target.0)).then(|| all.iter().map(|one| one.0).collect())
}
