//! The ways in which a whole set of entries adds up to a target: at most one if each entry has one
//! amount, several if some have alternatives.

use std::collections::BTreeSet;

use super::{Entry, Part, Set};

/// Maximum number of sums, and of partial ways to a sum, that are examined.
const MAX_SUMS: usize = 100_000;

/// Up to two ways in which all of `own` add up; `None` if there are too many sums to examine.
pub(super) fn whole(target: i64, own: &[&Entry]) -> Option<Vec<Set>> {
    // A dispute decided in part would match any missing amount.
    if own.iter().any(|one| one.at_most.is_some() || one.amounts.is_empty()) {
        return Some(Vec::new());
    }
    if own.iter().all(|one| one.amounts.len() == 1) {
        let sum: i128 = own.iter().map(|one| i128::from(one.amounts[0])).sum();
        let all = || own.iter().map(|one| (one.id, one.amounts[0])).collect();
        return Some((sum == i128::from(target)).then(all).into_iter().collect());
    }
    let amounts: Vec<BTreeSet<i64>> =
        own.iter().map(|one| one.amounts.iter().copied().collect()).collect();
    // The possible sums of the last entries, from none of them to all.
    let mut rest = vec![BTreeSet::from([0_i128])];
    let mut looked_at = 0;
    for of_one in amounts.iter().rev() {
        let sums = rest[rest.len() - 1].iter();
        let next: BTreeSet<i128> = sums
            .flat_map(|sum| of_one.iter().map(move |amount| sum + i128::from(*amount)))
            .collect();
        looked_at += next.len();
        if looked_at > MAX_SUMS {
            return None;
        }
        rest.push(next);
    }
    ways(i128::from(target), own, &amounts, &rest)
}

/// Continues only with amounts that can still reach the target, so that the order of the entries
/// changes nothing.
fn ways(
    target: i128,
    own: &[&Entry],
    amounts: &[BTreeSet<i64>],
    rest: &[BTreeSet<i128>],
) -> Option<Vec<Set>> {
    let (mut ways, mut looked_at) = (Vec::new(), 0);
    let mut waiting: Vec<(Vec<Part>, i128)> = vec![(Vec::new(), target)];
    while let Some((way, missing)) = waiting.pop() {
        if !rest[own.len() - way.len()].contains(&missing) {
            continue;
        }
        let Some(of_next) = amounts.get(way.len()) else {
            ways.push(way);
            if ways.len() == 2 {
                break;
            }
            continue;
        };
        looked_at += 1;
        if looked_at > MAX_SUMS {
            return None;
        }
        let id = own[way.len()].id;
        waiting.extend(of_next.iter().map(|amount| {
            ([way.clone(), vec![(id, *amount)]].concat(), missing - i128::from(*amount))
        }));
    }
    Some(ways)
}
