//! Debits that take back a credit. Another equal credit pays its deposits, else the only later
//! credits that add up to each; without these the deposits were sent back.

use std::collections::{BTreeMap, BTreeSet};

use super::paired::{DepositState, LineState};
use super::pairing::Pairing;
use super::{single, sums};
use crate::search::{Kind, Sets, sets, settle};

/// Runs the step.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    for debit in pairing.lines_left() {
        if pairing.lines[debit].amount < 0 {
            take_back(pairing, debit);
        }
    }
    pay_in_parts(pairing);
    set_aside(pairing);
}

/// Takes back the nearest earlier credit of the same amount that no deposit explains, else the one
/// that pays deposits. Another equal credit that is left pays these instead.
fn take_back(pairing: &mut Pairing<'_>, debit: usize) {
    let (at, lines) = (&pairing.lines[debit], pairing.lines);
    let is_equal = |line: usize| lines[line].amount.checked_neg() == Some(at.amount);
    let is_earlier = |line: usize| (at.back_from..=at.date).contains(&lines[line].date);
    let pays = |line: usize| match &pairing.outcome.lines[line] {
        LineState::Pays(own) if pairing.is_of(debit, own) => Some((line, own.clone())),
        _ => None,
    };
    let earlier = pairing.line_order.iter().copied().rev();
    let mut earlier = earlier.filter(|&line| is_equal(line) && is_earlier(line));
    let Some((credit, own)) = earlier.find_map(pays) else { return };
    let mut left = pairing.lines_left();
    left.retain(|&line| is_equal(line));
    let is_unexplained = |&&line: &&usize| {
        is_earlier(line) && lines[line].date < at.date && lines[line].agrees_with(at)
    };
    let unexplained = left.iter().rfind(is_unexplained).copied();
    pairing.outcome.lines[debit] = LineState::TakenBack;
    pairing.outcome.lines[unexplained.unwrap_or(credit)] = LineState::TakenBack;
    if unexplained.is_some() {
        return;
    }
    let again = left.into_iter().find(|&line| {
        let is_sent = |&one: &usize| pairing.deposits[one].earliest <= lines[line].date;
        own.iter().all(is_sent) && pairing.is_of(line, &own)
    });
    for &deposit in &own {
        pairing.outcome.deposits[deposit] =
            again.map_or(DepositState::TakenBack { line: debit }, |_| DepositState::Missing);
    }
    if let Some(again) = again {
        pairing.pay(again, own);
    }
}

/// Pays deposits that were sent back with later credits that add up to them, if only these do and
/// no other such deposit needs one of them.
fn pay_in_parts(pairing: &mut Pairing<'_>) {
    let (lines, behind) = (pairing.lines_left(), pairing.lines.len());
    let mut wishes: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
    for deposit in 0..pairing.deposits.len() {
        let DepositState::TakenBack { line: debit } = pairing.outcome.deposits[deposit] else {
            continue;
        };
        let mut entries = sums::lines_for(pairing, &lines, deposit);
        entries.retain(|line| line.day >= pairing.lines[debit].date);
        let amount = pairing.deposits[deposit].amount;
        let found = Kind::IN_ORDER
            .iter()
            .map(|kind| sets(*kind, amount, &entries, 2, &mut pairing.budget))
            .find(|found| *found != Sets::None);
        let nodes = |set: &Vec<(usize, i64)>| set.iter().map(|part| part.0).collect();
        let all: Vec<BTreeSet<usize>> = found.iter().flat_map(Sets::all).map(nodes).collect();
        if !all.is_empty() {
            wishes.insert(behind + deposit, all);
        }
    }
    for target in settle(&wishes, |_, _| false).taken {
        let deposit = target - behind;
        pairing.outcome.deposits[deposit] = DepositState::Missing;
        let own = wishes[&target][0].iter().copied().collect();
        pairing.pay_together(vec![deposit], own);
    }
}

/// Sets other opposites aside if all remaining lines are then explained.
fn set_aside(pairing: &mut Pairing<'_>) {
    let left = pairing.lines_left();
    let mut aside: BTreeSet<usize> = BTreeSet::new();
    for &debit in left.iter().filter(|&&line| pairing.lines[line].amount < 0) {
        let at = &pairing.lines[debit];
        let is_opposite = |&&credit: &&usize| {
            let one = &pairing.lines[credit];
            !aside.contains(&credit)
                && one.amount.checked_neg() == Some(at.amount)
                && (at.back_from..=at.date).contains(&one.date)
                && one.merchant_id == at.merchant_id
        };
        if let Some(&credit) = left.iter().rfind(is_opposite) {
            aside.extend([credit, debit]);
        }
    }
    if aside.is_empty() {
        return;
    }
    let before = pairing.outcome.clone();
    for &line in &aside {
        pairing.outcome.lines[line] = LineState::TakenBack;
    }
    single::run(pairing);
    sums::run(pairing);
    if !pairing.lines_left().is_empty() || pairing.outcome.ambiguities != before.ambiguities {
        pairing.outcome = before;
    }
}
