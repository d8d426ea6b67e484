//! What is left, one line and one deposit that have nobody else: they differ in amount.

use std::collections::BTreeMap;

use super::outcome::{DepositState, LineState};
use super::pairing::Pairing;

/// A line and a deposit on time that have no other belong together all the same. A line that may pay
/// several deposits is never held against one of them.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let lines = pairing.lines_left();
    // What comes before its day with another amount is more likely another's.
    let is_due_by = |pairing: &Pairing<'_>, line: usize, deposit: usize| {
        pairing.is_on_time(line, deposit)
            && pairing.lines[line].date >= pairing.deposits[deposit].payment_date
    };
    let agrees = |pairing: &Pairing<'_>, line: usize, deposit: usize| {
        (pairing.lines[line].amount > 0) == (pairing.deposits[deposit].amount > 0)
    };
    let left = pairing.deposits_left();
    let mut of_line: Vec<(usize, usize)> = Vec::new();
    let mut lines_of: BTreeMap<usize, u32> = BTreeMap::new();
    for &line in &lines {
        let in_reach = pairing.in_reach(&left, line).iter().copied();
        // Whatever the line could pay together with others: once one of these has changed, what
        // the others are worth cannot be told from the line.
        let possible: Vec<usize> = in_reach.filter(|&at| is_due_by(pairing, line, at)).collect();
        for &deposit in possible.iter().filter(|&&at| agrees(pairing, line, at)) {
            *lines_of.entry(deposit).or_default() += 1;
        }
        if let [only] = possible[..]
            && agrees(pairing, line, only)
        {
            of_line.push((line, only));
        }
    }
    for (line, deposit) in of_line.into_iter().filter(|(_, one)| lines_of[one] == 1) {
        pairing.outcome.lines[line] = LineState::Differs { deposit };
        pairing.outcome.deposits[deposit] = DepositState::Differs { line };
    }
}
