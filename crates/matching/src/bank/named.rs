//! Lines whose text names deposits: believed before any amount.

use std::collections::{BTreeMap, BTreeSet};

use super::paired::{DepositState, LineState};
use super::pairing::Pairing;
use crate::search::{Entry, Kind, sets};

/// Runs the pass. A line that does not fit the deposits it names is left to later passes, unless
/// line and deposit have no other candidate: then they differ in amount.
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
    let mut lines_of: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for &line in &pairing.line_order {
        if let Some(own) = names.get(&line) {
            lines_of.entry(own).or_default().push(line);
        }
    }
    for (deposits, lines) in lines_of {
        if deposits.iter().any(|deposit| named_by[deposit] != lines) {
            continue;
        }
        if pays_by_key(pairing, deposits, &lines) {
            continue;
        }
        // A line that names several deposits pays all of them or none.
        let [only] = *deposits else { continue };
        let is_credit = |amount: i64| amount > 0;
        let fits = |line: usize| {
            !several.contains(&line)
                && is_credit(pairing.lines[line].amount) == is_credit(pairing.deposits[only].amount)
        };
        if lines.len() > 1 || fits(lines[0]) {
            for line in lines {
                pairing.outcome.lines[line] = LineState::Differs { deposit: only };
                pairing.outcome.deposits[only] = DepositState::Differs { line };
            }
        }
    }
}

/// The lines name these deposits and nothing else does: the nearest one that adds up to them pays
/// them, else the smallest set of the lines, else all of them.
fn pays_by_key(pairing: &mut Pairing<'_>, deposits: &[usize], lines: &[usize]) -> bool {
    let own = || deposits.iter().map(|&at| &pairing.deposits[at]);
    let amount = sum(own().map(|one| one.amount));
    let Some(paid_on) = own().map(|one| one.payment_date).min() else { return false };
    let distance = |line: usize| (pairing.lines[line].date - paid_on).num_days().abs();
    let equal = lines.iter().copied();
    let equal = equal.filter(|&line| i128::from(pairing.lines[line].amount) == amount);
    if let Some(nearest) = equal.min_by_key(|&line| distance(line)) {
        pairing.pay(nearest, deposits.to_vec());
        return true;
    }
    let entry = |&line: &usize| {
        let at = &pairing.lines[line];
        Entry::new(line, at.date, 0, at.amount)
    };
    let entries: Vec<Entry> = lines.iter().map(entry).collect();
    let Ok(target) = i64::try_from(amount) else { return false };
    let found = sets(Kind::Few, target, &entries, 2, &mut pairing.budget);
    let smallest = found.all().iter().min_by_key(|one| one.len());
    let smallest = smallest.map(|one| one.iter().map(|part| part.0).collect());
    let is_all = sum(lines.iter().map(|&line| pairing.lines[line].amount)) == amount;
    let of_set = smallest.or_else(|| is_all.then(|| lines.to_vec()));
    let is_paid = of_set.is_some();
    if let Some(of_set) = of_set {
        pairing.pay_together(deposits.to_vec(), of_set);
    }
    is_paid
}

fn sum(amounts: impl Iterator<Item = i64>) -> i128 {
    amounts.map(i128::from).sum()
}

/// Whether a line that names a deposit can belong to it. One from before it was sent has its amount:
/// the date of a deposit may be restated, and a number may be another one's.
fn can_be(pairing: &Pairing<'_>, line: usize, deposit: usize) -> bool {
    let (line_of, deposit_of) = (&pairing.lines[line], &pairing.deposits[deposit]);
    let is_in_time = line_of.date >= deposit_of.earliest || line_of.amount == deposit_of.amount;
    is_in_time && pairing.is_allowed(line, deposit)
}
