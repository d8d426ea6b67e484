//! Pairs a line and a deposit that are each other's only candidate although their amounts differ.

use std::collections::BTreeMap;

use super::paired::{DepositState, LineState};
use super::pairing::Pairing;

/// Pairs a line with a deposit in time that has no other candidate. A line that may pay several
/// deposits never gives one of them a discrepancy.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let lines = pairing.lines_left();
    // A line before the payment date with another amount more likely belongs to another deposit.
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
        // All deposits that the line could pay together. If one of these has changed, the line does
        // not show the amount of the others.
        let possible: Vec<usize> = in_reach.filter(|&at| pairing.is_on_time(line, at)).collect();
        let fitting: Vec<usize> =
            possible.iter().copied().filter(|&at| fits(pairing, line, at)).collect();
        for &deposit in &fitting {
            *lines_of.entry(deposit).or_default() += 1;
        }
        let [only] = fitting[..] else { continue };
        // A deposit paid later can only account for the surplus of the line over this one.
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
