//! A finding that replaces all findings in its merchant's books carries their sum, so that money
//! with no counterpart is counted where its cause is reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Registry;
use super::run::Findings;
use tieout_model::Finding;
use tieout_model::money::{Currency, Minor};

/// Expected and actual of several findings; `None` once they overflow.
type Sums = Option<(i64, i64)>;

/// Gives each such finding the sum in one currency, that of the earliest replaced finding; its text
/// names the sums in other currencies.
pub(super) fn add_sums(registry: &Registry, findings: &mut Findings, of_books: &[Finding]) {
    let stands = |one: &&mut Finding| registry.says(&one.code, |check| check.stands_for_books);
    for finding in findings.discrepancies.iter_mut().filter(stands) {
        let is_own = |one: &&Finding| {
            one.merchant_id == finding.merchant_id
                && registry.says(&one.code, |check| check.has_difference)
        };
        let mut own: Vec<&Finding> = of_books.iter().filter(is_own).collect();
        own.sort_by_key(|one| (one.batch_date, &one.subject));
        let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
        let known = |one: &&Finding| Some((one.currency?, one.expected?, one.actual?));
        for (currency, expected, actual) in own.iter().filter_map(known) {
            let sum = sums.entry(currency.code()).or_insert(Some((0, 0)));
            *sum = sum.and_then(|(of_expected, of_actual)| {
                Some((of_expected.checked_add(expected)?, of_actual.checked_add(actual)?))
            });
        }
        let Some((first, ..)) = own.iter().find_map(known) else { continue };
        finding.currency = Some(first);
        if let Some((expected, actual)) = sums.remove(first.code()).flatten() {
            (finding.expected, finding.actual) = (Some(expected), Some(actual));
            say(&mut finding.explanation, first, expected);
        }
        for (code, sum) in sums {
            if let (Some(currency), Some((expected, _))) = (Currency::from_code(code), sum) {
                say(&mut finding.explanation, currency, expected);
            }
        }
    }
}

fn say(explanation: &mut String, currency: Currency, expected: i64) {
    let amount = currency.in_words(Minor(expected));
    // Writing into a String cannot fail.
    let _ = write!(explanation, " Its books hold {amount} that is due and has no match.");
}
