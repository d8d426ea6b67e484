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
    for (&line, deposits) in &names {
        let is_alone = deposits.iter().all(|deposit| named_by[deposit] == [line]);
        let sum = sum(deposits.iter().map(|&at| pairing.deposits[at].amount));
        if is_alone && sum == i128::from(pairing.lines[line].amount) {
            pairing.pay(line, deposits.clone());
        } else if let ([only], true) = (&deposits[..], is_alone && !several.contains(&line))
            && (pairing.lines[line].amount > 0) == (pairing.deposits[*only].amount > 0)
        {
            // A line that names several deposits pays all of them or none.
            differ(pairing, line, *only);
        }
    }
    for (&deposit, lines) in named_by.iter().filter(|(_, lines)| lines.len() > 1) {
        let is_own = |line: &usize| names[line] == [deposit] && pairing.is_line_left(*line);
        if pairing.is_deposit_left(deposit) && lines.iter().all(is_own) {
            of_several(pairing, deposit, lines);
        }
    }
}

/// Several lines name only this deposit: the nearest line of equal amount pays it; else the
/// smallest set of them that adds up; else all of them differ from it.
fn of_several(pairing: &mut Pairing<'_>, deposit: usize, lines: &[usize]) {
    let (amount, paid_on) =
        (pairing.deposits[deposit].amount, pairing.deposits[deposit].payment_date);
    let distance = |line: usize| (pairing.lines[line].date - paid_on).num_days().abs();
    let equal = lines.iter().copied().filter(|&line| pairing.lines[line].amount == amount);
    if let Some(nearest) = equal.min_by_key(|&line| distance(line)) {
        pairing.pay(nearest, vec![deposit]);
        return;
    }
    let entry = |&line: &usize| {
        let at = &pairing.lines[line];
        Entry::new(line, at.date, 0, at.amount)
    };
    let entries: Vec<Entry> = lines.iter().map(entry).collect();
    let all: Vec<usize> = lines.to_vec();
    let found = sets(Kind::Few, amount, &entries, 2, &mut pairing.budget);
    match found.all().iter().min_by_key(|one| one.len()) {
        Some(smallest) => {
            let own = smallest.iter().map(|part| part.0).collect();
            pairing.pay_together(vec![deposit], own);
        }
        None if sum(lines.iter().map(|&line| pairing.lines[line].amount)) == i128::from(amount) => {
            pairing.pay_together(vec![deposit], all);
        }
        None => {
            for &line in lines {
                differ(pairing, line, deposit);
            }
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

/// Whether a line that names a deposit can belong to it. One from before it was sent has its amount:
/// the date of a deposit may be restated, and a number may be another one's.
fn can_be(pairing: &Pairing<'_>, line: usize, deposit: usize) -> bool {
    let (line_of, deposit_of) = (&pairing.lines[line], &pairing.deposits[deposit]);
    let is_in_time = line_of.date >= deposit_of.earliest || line_of.amount == deposit_of.amount;
    is_in_time && pairing.is_allowed(line, deposit)
}
