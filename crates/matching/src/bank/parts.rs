//! Several lines for one deposit, on time: when exactly one choice of them adds up to it, and no
//! other deposit needs one of them.

use std::collections::{BTreeMap, BTreeSet};

use super::pairing::Pairing;

/// More lines than this are never tried for one deposit: their sums are gone through one by one.
const MAX_LINES: usize = 12;

/// Deposits that are looked at for a whole account.
const MAX_DEPOSITS: usize = 500;

/// Runs the pass.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let (deposits, lines) = (pairing.deposits_left(), pairing.lines_left());
    let mut choices: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut uncertain: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut wanted: BTreeMap<usize, u32> = BTreeMap::new();
    for &deposit in deposits.iter().take(MAX_DEPOSITS) {
        let candidates = candidates(pairing, deposit, &lines);
        if candidates.len() < 2 || candidates.len() > MAX_LINES {
            continue;
        }
        let ways = ways(pairing, deposit, &candidates);
        let all: BTreeSet<usize> = ways.iter().flatten().copied().collect();
        for &line in &all {
            *wanted.entry(line).or_default() += 1;
        }
        match &ways[..] {
            [] => {}
            [only] => drop(choices.insert(deposit, only.clone())),
            _ => drop(uncertain.insert(deposit, all)),
        }
    }
    for (deposit, lines) in choices {
        if lines.iter().all(|line| wanted[line] == 1) {
            pairing.pay_in_parts(deposit, &lines);
        }
    }
    for (deposit, lines) in uncertain {
        let free: BTreeSet<usize> =
            lines.into_iter().filter(|&line| pairing.is_line_left(line)).collect();
        if !free.is_empty() {
            pairing.mark_ambiguous(free, BTreeSet::from([deposit]), false);
        }
    }
}

/// The lines that could be a part of the deposit: on time, of its sign and smaller.
fn candidates(pairing: &Pairing<'_>, deposit: usize, lines: &[usize]) -> Vec<usize> {
    let amount = pairing.deposits[deposit].amount;
    let is_part = |&&line: &&usize| {
        let of_line = pairing.lines[line].amount;
        pairing.is_on_time(line, deposit)
            && (of_line > 0) == (amount > 0)
            && of_line.unsigned_abs() < amount.unsigned_abs()
    };
    lines.iter().filter(is_part).copied().collect()
}

/// Up to two different ways to choose at least two lines that add up; equal lines of one day are
/// taken in order, so that they make one way.
fn ways(pairing: &Pairing<'_>, deposit: usize, candidates: &[usize]) -> Vec<Vec<usize>> {
    let target = i128::from(pairing.deposits[deposit].amount);
    let mut found: Vec<Vec<usize>> = Vec::new();
    for choice in 1_u32..1 << candidates.len() {
        let is_chosen = |at: usize| choice >> at & 1 == 1;
        let chosen: Vec<usize> =
            (0..candidates.len()).filter(|&at| is_chosen(at)).map(|at| candidates[at]).collect();
        let sum: i128 = chosen.iter().map(|&line| i128::from(pairing.lines[line].amount)).sum();
        let is_first_of_equals = (1..candidates.len()).all(|at| {
            let (one, other) = (&pairing.lines[candidates[at - 1]], &pairing.lines[candidates[at]]);
            let is_equal = (one.date, one.amount, &one.merchant_id)
                == (other.date, other.amount, &other.merchant_id);
            !is_equal || is_chosen(at - 1) || !is_chosen(at)
        });
        if sum == target && chosen.len() > 1 && is_first_of_equals {
            found.push(chosen);
            if found.len() > 1 {
                break;
            }
        }
    }
    found
}
