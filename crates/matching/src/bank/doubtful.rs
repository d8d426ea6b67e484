//! Pairs that deposits which are left over could have made just as well.

use std::collections::BTreeSet;

use super::outcome::LineState;
use super::pairing::Pairing;
use super::sums;

/// Takes back each pair that could be made just as well with deposits that are left over,
/// all of them as near as the farthest that it took.
pub(super) fn withdraw(pairing: &mut Pairing<'_>) {
    let left = pairing.deposits_left();
    for line in pairing.line_order.clone() {
        let LineState::Pays(taken) = pairing.outcome.lines[line].clone() else { continue };
        let reach = taken.iter().map(|&at| pairing.distance(line, at)).max().unwrap_or(0);
        let mut candidates: Vec<usize> = pairing.in_reach(&left, line).to_vec();
        candidates.retain(|&at| {
            pairing.is_deposit_left(at)
                && pairing.is_on_time(line, at)
                && pairing.distance(line, at) <= reach
        });
        if candidates.is_empty() {
            continue;
        }
        candidates.extend(&taken);
        if let Some((deposits, is_bounded)) = sums::choose(pairing, line, &candidates).uncertain() {
            let all = deposits.into_iter().chain(taken).collect();
            pairing.mark_ambiguous(BTreeSet::from([line]), all, is_bounded);
        }
    }
}
