//! One line for one deposit, on time: the same amount, nearest day first.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::pairing::Pairing;

/// Positions by day.
type Days = BTreeMap<NaiveDate, Vec<usize>>;

/// Runs the pass.
pub(super) fn run(pairing: &mut Pairing<'_>) {
    let mut by_amount: BTreeMap<i64, (Days, Days)> = BTreeMap::new();
    for &line in &pairing.line_order {
        let at = &pairing.lines[line];
        by_amount.entry(at.amount).or_default().0.entry(at.date).or_default().push(line);
    }
    for &deposit in &pairing.deposit_order {
        let at = &pairing.deposits[deposit];
        let Some((_, days)) = by_amount.get_mut(&at.amount) else { continue };
        days.entry(at.payment_date).or_default().push(deposit);
    }
    let reach = pairing
        .deposits
        .iter()
        .map(|one| (one.due - one.payment_date).max(one.payment_date - one.earliest).num_days())
        .max()
        .unwrap_or(0);
    for (lines, deposits) in by_amount.into_values().filter(|(_, deposits)| !deposits.is_empty()) {
        for distance in 0..=reach {
            for (day, there) in &lines {
                // At one distance the older deposit comes first.
                for signed in [-distance, distance] {
                    let paid_on = *day + chrono::Duration::days(signed);
                    if let Some(candidates) = deposits.get(&paid_on) {
                        pair_cell(pairing, there, candidates);
                    }
                    if distance == 0 {
                        break;
                    }
                }
            }
        }
    }
}

/// Lines of one day and deposits of one day, all of one amount.
fn pair_cell(pairing: &mut Pairing<'_>, lines: &[usize], deposits: &[usize]) {
    // A line that names its merchant has no choice but among equals.
    for &line in lines {
        if pairing.lines[line].merchant_id.is_some() && pairing.is_line_left(line) {
            let fitting =
                |&&at: &&usize| pairing.is_deposit_left(at) && pairing.is_on_time(line, at);
            if let Some(&deposit) = deposits.iter().find(fitting) {
                pairing.pay(line, vec![deposit]);
            }
        }
    }
    let nameless: Vec<usize> = lines
        .iter()
        .copied()
        .filter(|&line| pairing.is_line_left(line) && pairing.lines[line].merchant_id.is_none())
        .collect();
    let Some(&first) = nameless.first() else { return };
    let left: Vec<usize> = deposits
        .iter()
        .copied()
        .filter(|&at| pairing.is_deposit_left(at) && pairing.is_on_time(first, at))
        .collect();
    let merchants: BTreeSet<&str> =
        left.iter().map(|&at| pairing.deposits[at].merchant_id.as_str()).collect();
    if nameless.len() < left.len() && merchants.len() > 1 {
        let (lines, deposits) = (nameless.into_iter().collect(), left.into_iter().collect());
        pairing.mark_ambiguous(lines, deposits, false);
        return;
    }
    for (line, deposit) in nameless.into_iter().zip(left) {
        pairing.pay(line, vec![deposit]);
    }
}
