//! The errors open at sign-off of a date: number and amount for each code.

use std::collections::BTreeMap;

use super::totals::{Tally, major};
use tieout_model::Discrepancy;
use tieout_model::money::grouped;

/// Open errors of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenErrors {
    pub code: String,
    pub count: u64,
    /// Without signs, such as `1,608.08 CAD, 174,272 JPY`; empty without any.
    pub differences: String,
}

/// The errors by code, the most frequent first.
pub fn open_errors(rows: &[Discrepancy]) -> Vec<OpenErrors> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for row in rows {
        tallies.entry(&row.code).or_default().add(row);
    }
    let mut errors: Vec<OpenErrors> = tallies
        .into_iter()
        .map(|(code, tally)| {
            let sums = tally.differences.iter();
            let words = sums.map(|(currency, sum)| {
                format!("{} {}", grouped(&major(sum, currency)), currency.code())
            });
            let differences = words.collect::<Vec<_>>().join(", ");
            OpenErrors { code: code.to_owned(), count: tally.count, differences }
        })
        .collect();
    errors.sort_by_key(|one| std::cmp::Reverse(one.count));
    errors
}
