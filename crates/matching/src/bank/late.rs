//! What arrives after its due date: one to one whenever it comes, and in sums for a week.

use std::collections::{BTreeMap, BTreeSet};

use super::pairing::{LATE_DAYS, Pairing};
use super::sums;

/// Runs the pass.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    singles(pairing);
    sums::run(pairing, is_late_sum);
}

fn is_late_sum(pairing: &Pairing<'_>, line: usize, deposit: usize) -> bool {
    let (date, at) = (pairing.lines[line].date, &pairing.deposits[deposit]);
    at.earliest <= date
        && pairing.distance(line, deposit) <= LATE_DAYS
        && pairing.is_allowed(line, deposit)
}

/// The oldest deposit of the amount that is past due, for the oldest line.
fn singles(pairing: &mut Pairing<'_>) {
    let mut by_amount: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for deposit in pairing.deposits_left() {
        by_amount.entry(pairing.deposits[deposit].amount).or_default().push(deposit);
    }
    for line in pairing.lines_left() {
        let at = &pairing.lines[line];
        let Some(equal) = by_amount.get(&at.amount) else { continue };
        let fitting: Vec<usize> = equal
            .iter()
            .copied()
            .filter(|&deposit| {
                pairing.is_deposit_left(deposit)
                    && pairing.deposits[deposit].due < at.date
                    && pairing.is_allowed(line, deposit)
            })
            .collect();
        let merchants: BTreeSet<&str> =
            fitting.iter().map(|&one| pairing.deposits[one].merchant_id.as_str()).collect();
        match (fitting.first(), merchants.len()) {
            (None, _) => {}
            (Some(&oldest), 1) => pairing.pay(line, vec![oldest]),
            _ => {
                let fitting = fitting.into_iter().collect();
                pairing.mark_ambiguous(BTreeSet::from([line]), fitting, false);
            }
        }
    }
}
