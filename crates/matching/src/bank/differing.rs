//! What is left, one line and one deposit that have nobody else: they differ in amount.

use std::collections::BTreeMap;

use super::outcome::{DepositState, LineState};
use super::pairing::Pairing;

/// A line and a deposit on time that have no other belong together all the same. A line that may pay
/// several deposits is never held against one of them.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let lines = pairing.lines_left();
    // What comes before its day with another amount is more likely another's.
    let is_early = |pairing: &Pairing<'_>, line: usize, deposit: usize| {
        pairing.lines[line].date < pairing.deposits[deposit].payment_date
    };
    let fits = |pairing: &Pairing<'_>, line: usize, deposit: usize| {
        !is_early(pairing, line, deposit)
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
        let fitting: Vec<usize> =
            possible.iter().copied().filter(|&at| fits(pairing, line, at)).collect();
        for &deposit in &fitting {
            *lines_of.entry(deposit).or_default() += 1;
        }
        let [only] = fitting[..] else { continue };
        // One that is paid later can only have brought what the line has beyond this one.
        let beyond =
            i128::from(pairing.lines[line].amount) - i128::from(pairing.deposits[only].amount);
        let brings = |at: usize| (pairing.deposits[at].amount > 0) == (beyond > 0);
        let mut others = possible.iter().filter(|&&at| at != only);
        if others.all(|&at| is_early(pairing, line, at) && !brings(at)) {
            of_line.push((line, only));
        }
    }
    for (line, deposit) in of_line.into_iter().filter(|(_, one)| lines_of[one] == 1) {
        pairing.outcome.lines[line] = LineState::Differs { deposit };
        pairing.outcome.deposits[deposit] = DepositState::Differs { line };
    }
}
