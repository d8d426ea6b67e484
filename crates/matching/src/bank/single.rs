//! One line for one deposit: the same amount, the nearest day first, however late.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::pairing::Pairing;
use tieout_model::MerchantId;

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
    for (lines, deposits) in by_amount.into_values() {
        // At equal distances the older deposit comes first.
        let mut cells: Vec<(i64, NaiveDate, NaiveDate)> = Vec::new();
        for line_day in lines.keys() {
            for paid_on in deposits.keys() {
                cells.push(((*line_day - *paid_on).num_days().abs(), *paid_on, *line_day));
            }
        }
        cells.sort_unstable();
        for (_, paid_on, line_day) in cells {
            pair_cell(pairing, &lines[&line_day], &deposits[&paid_on]);
        }
    }
}

/// Pairs lines of one day with deposits of one day, all of one amount.
fn pair_cell(pairing: &mut Pairing<'_>, lines: &[usize], deposits: &[usize]) {
    // A line that names its merchant only has a choice among equal deposits.
    for &line in lines {
        if pairing.lines[line].merchant_id.is_some() && pairing.is_line_left(line) {
            let fitting = |&&at: &&usize| pairing.is_deposit_left(at) && can_pay(pairing, line, at);
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
        .filter(|&at| pairing.is_deposit_left(at) && can_pay(pairing, first, at))
        .collect();
    let merchants: BTreeSet<&MerchantId> =
        left.iter().map(|&at| &pairing.deposits[at].merchant_id).collect();
    if nameless.len() < left.len() && merchants.len() > 1 {
        let (lines, deposits) = (nameless.into_iter().collect(), left.into_iter().collect());
        pairing.mark_ambiguous(lines, deposits);
        return;
    }
    for (line, deposit) in nameless.into_iter().zip(left) {
        pairing.pay(line, vec![deposit]);
    }
}

/// Whether the line is not before the day on which the deposit was sent.
fn can_pay(pairing: &Pairing<'_>, line: usize, deposit: usize) -> bool {
    pairing.lines[line].date >= pairing.deposits[deposit].earliest
        && pairing.is_allowed(line, deposit)
}
