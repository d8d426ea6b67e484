//! Lines whose text names deposits: believed before any amount.

use std::collections::{BTreeMap, BTreeSet};

use super::outcome::{DepositState, LineState};
use super::pairing::Pairing;

/// Runs the pass. What a line names and does not fit is left to the later ones, unless line and
/// deposit have nobody else: these differ in amount.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let by_id: BTreeMap<i64, usize> =
        pairing.deposits.iter().enumerate().map(|(at, one)| (one.id, at)).collect();
    let mut named_by: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut names: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut several: BTreeSet<usize> = BTreeSet::new();
    for &line in &pairing.line_order {
        let all: BTreeSet<usize> =
            pairing.lines[line].names.iter().filter_map(|id| by_id.get(id).copied()).collect();
        if all.len() > 1 {
            several.insert(line);
        }
        let own: BTreeSet<usize> =
            all.into_iter().filter(|&deposit| can_be(pairing, line, deposit)).collect();
        for &deposit in &own {
            named_by.entry(deposit).or_default().push(line);
        }
        if !own.is_empty() {
            names.insert(line, own.into_iter().collect());
        }
    }
    for (&line, deposits) in &names {
        let is_alone = deposits.iter().all(|deposit| named_by[deposit] == [line]);
        let sum = sum(deposits.iter().map(|&at| pairing.deposits[at].amount));
        if is_alone && sum == i128::from(pairing.lines[line].amount) {
            pairing.pay(line, deposits.clone());
        } else if let ([only], true) = (&deposits[..], is_alone && !several.contains(&line)) {
            // One that names several pays all of them or none.
            differ(pairing, line, *only);
        }
    }
    for (&deposit, lines) in named_by.iter().filter(|(_, lines)| lines.len() > 1) {
        let is_own = |line: &usize| names[line] == [deposit] && pairing.is_line_left(*line);
        if !pairing.is_deposit_left(deposit) || !lines.iter().all(is_own) {
            continue;
        }
        let amount = i128::from(pairing.deposits[deposit].amount);
        let equal: Vec<usize> = lines
            .iter()
            .copied()
            .filter(|&line| i128::from(pairing.lines[line].amount) == amount)
            .collect();
        if sum(lines.iter().map(|&line| pairing.lines[line].amount)) == amount {
            pairing.pay_in_parts(deposit, lines);
        } else if let Some(&first) = equal.first() {
            pairing.pay(first, vec![deposit]);
        }
    }
}

fn sum(amounts: impl Iterator<Item = i64>) -> i128 {
    amounts.map(i128::from).sum()
}

fn differ(pairing: &mut Pairing<'_>, line: usize, deposit: usize) {
    pairing.outcome.lines[line] = LineState::Differs { deposit };
    pairing.outcome.deposits[deposit] = DepositState::Differs { line };
}

/// Whether a line that names a deposit can be about it: not before it was sent, and in its
/// direction.
fn can_be(pairing: &Pairing<'_>, line: usize, deposit: usize) -> bool {
    let (line_of, deposit_of) = (&pairing.lines[line], &pairing.deposits[deposit]);
    line_of.date >= deposit_of.earliest
        && (line_of.amount > 0) == (deposit_of.amount > 0)
        && pairing.is_allowed(line, deposit)
}
