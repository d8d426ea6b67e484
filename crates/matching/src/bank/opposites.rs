//! Debits that take back a credit. A later equal credit pays the deposit again, else the only later
//! credits that add up to it; without these the deposit was sent back.

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

/// Takes the nearest earlier credit of the same amount from the deposit that it pays.
fn take_back(pairing: &mut Pairing<'_>, debit: usize) {
    let at = &pairing.lines[debit];
    let is_taken = |&credit: &usize| {
        let one = &pairing.lines[credit];
        let of = &pairing.outcome.lines[credit];
        one.amount.checked_neg() == Some(at.amount)
            && (at.back_from..=at.date).contains(&one.date)
            && matches!(of, LineState::Pays(own) if own.len() == 1
                && pairing.is_allowed(debit, own[0]))
    };
    let nearest = pairing.line_order.iter().copied().rfind(is_taken);
    let Some(credit) = nearest else { return };
    let LineState::Pays(own) = &pairing.outcome.lines[credit] else { return };
    let deposit = own[0];
    let again = pairing.lines_left().into_iter().find(|&line| {
        pairing.lines[line].amount == pairing.lines[credit].amount
            && pairing.lines[line].date >= at.date
            && pairing.is_allowed(line, deposit)
    });
    let back = LineState::TakenBack { deposit: Some(deposit) };
    pairing.outcome.lines[credit] = back.clone();
    pairing.outcome.lines[debit] = back;
    pairing.outcome.deposits[deposit] = DepositState::TakenBack { line: debit };
    if let Some(again) = again {
        pairing.outcome.deposits[deposit] = DepositState::Missing;
        pairing.pay(again, vec![deposit]);
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
        pairing.outcome.lines[line] = LineState::TakenBack { deposit: None };
    }
    single::run(pairing);
    sums::run(pairing);
    if !pairing.lines_left().is_empty() || pairing.outcome.ambiguities != before.ambiguities {
        pairing.outcome = before;
    }
}
