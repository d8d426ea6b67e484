//! A deposit that the bank credited and debited back, and that the processor sent again: the first
//! of two equal deposits of a group never arrived.

use super::outcome::{DepositState, LineState};
use super::pairing::Pairing;

/// Runs the pass.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    for second in pairing.deposit_order.clone() {
        let DepositState::Paid { line: credited } = pairing.outcome.deposits[second] else {
            continue;
        };
        let Some(twin) = pairing.deposits[second].twin_of else { continue };
        let first = (0..pairing.deposits.len()).find(|&at| pairing.deposits[at].id == twin);
        let Some(first) = first else { continue };
        let DepositState::Paid { line } = pairing.outcome.deposits[first] else { continue };
        if pairing.outcome.lines[line] != LineState::Pays(vec![first]) {
            continue;
        }
        let (amount, begin, end) = (
            pairing.deposits[first].amount,
            pairing.lines[line].date,
            pairing.lines[credited].date,
        );
        let is_back = |back: &usize| {
            let at = &pairing.lines[*back];
            Some(at.amount) == amount.checked_neg()
                && (begin..=end).contains(&at.date)
                && pairing.is_allowed(*back, first)
        };
        if let Some(back) = pairing.lines_left().into_iter().find(is_back) {
            pairing.outcome.lines[line] = LineState::TakenBack { deposit: first };
            pairing.outcome.lines[back] = LineState::TakenBack { deposit: first };
            pairing.outcome.deposits[first] = DepositState::TakenBack { line: back };
        }
    }
}
