//! What is left, one line and one deposit that have nobody else: they differ in amount.

use std::collections::BTreeMap;

use super::outcome::{DepositState, LineState};
use super::pairing::Pairing;

/// A line and a deposit on time that have nobody else belong together all the same. A line that may
/// pay several deposits is never held against one of them.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let lines = pairing.lines_left();
    let fits = |pairing: &Pairing<'_>, line: usize, deposit: usize| {
        // What comes before its day with another amount is more likely somebody else's.
        pairing.lines[line].date >= pairing.deposits[deposit].payment_date
            && (pairing.lines[line].amount > 0) == (pairing.deposits[deposit].amount > 0)
    };
    let left = pairing.deposits_left();
    let mut of_line: Vec<(usize, usize)> = Vec::new();
    let mut lines_of: BTreeMap<usize, u32> = BTreeMap::new();
    for &line in &lines {
        let in_reach = pairing.in_reach(&left, line).iter().copied();
        // Whatever the line could pay together with others: once one of these has changed, what
        // the others are worth cannot be told from the line.
        let possible: Vec<usize> = in_reach.filter(|&at| pairing.is_on_time(line, at)).collect();
        for &deposit in possible.iter().filter(|&&at| fits(pairing, line, at)) {
            *lines_of.entry(deposit).or_default() += 1;
        }
        if let Some(&only) = possible.first().filter(|&&at| fits(pairing, line, at))
            && possible.len() == 1
        {
            of_line.push((line, only));
        }
    }
    for (line, deposit) in of_line.into_iter().filter(|(_, one)| lines_of[one] == 1) {
        pairing.outcome.lines[line] = LineState::Differs { deposit };
        pairing.outcome.deposits[deposit] = DepositState::Differs { line };
    }
}
