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
        let mut nameless = BTreeMap::new();
        for (_, paid_on, line_day) in cells {
            pair_cell(pairing, &lines[&line_day], &deposits[&paid_on], &mut nameless);
        }
        for equal in deposits.values() {
            mark_choice(pairing, equal, &nameless);
        }
    }
}

/// Pairs lines of one day with deposits of one day, all of one amount. `nameless` are the lines that
/// name no merchant, by the deposit that they pay.
fn pair_cell(
    pairing: &mut Pairing<'_>,
    lines: &[usize],
    deposits: &[usize],
    nameless: &mut BTreeMap<usize, usize>,
) {
    let (named, others): (Vec<usize>, Vec<usize>) = lines
        .iter()
        .copied()
        .filter(|&line| pairing.is_line_left(line))
        .partition(|&line| pairing.lines[line].merchant_id.is_some());
    for line in named {
        let own = || deposits.iter().copied().filter(|&at| can_pay(pairing, line, at));
        // Another of the equal deposits serves a line that names no merchant as well.
        let freed = || {
            let mut held = own().filter_map(|at| Some((at, *nameless.get(&at)?)));
            held.find_map(|(at, by)| Some((at, by, left_for(pairing, by, deposits).next()?)))
        };
        let has_left = deposits.iter().any(|&at| pairing.is_deposit_left(at));
        let free = left_for(pairing, line, deposits).next();
        if let Some(deposit) = free {
            pairing.pay(line, vec![deposit]);
        } else if let Some((deposit, by, other)) = has_left.then(freed).flatten() {
            pairing.part(by);
            pairing.pay(by, vec![other]);
            nameless.insert(other, by);
            nameless.remove(&deposit);
            pairing.pay(line, vec![deposit]);
        }
    }
    let Some(&first) = others.first() else { return };
    let left: Vec<usize> = left_for(pairing, first, deposits).collect();
    for (line, deposit) in others.into_iter().zip(left) {
        pairing.pay(line, vec![deposit]);
        nameless.insert(deposit, line);
    }
}

/// Those of the deposits that are left and that the line can pay.
fn left_for<'p>(
    pairing: &'p Pairing<'_>,
    line: usize,
    deposits: &'p [usize],
) -> impl Iterator<Item = usize> + 'p {
    let is_left = move |&at: &usize| pairing.is_deposit_left(at) && can_pay(pairing, line, at);
    deposits.iter().copied().filter(is_left)
}

/// Marks equal deposits of one day, of which lines that name no merchant pay some and others are
/// left, if they are of several merchants: any of them may be the one that is left.
fn mark_choice(pairing: &mut Pairing<'_>, equal: &[usize], nameless: &BTreeMap<usize, usize>) {
    let mut left: BTreeSet<usize> =
        equal.iter().copied().filter(|&at| pairing.is_deposit_left(at)).collect();
    let has_choice = |line: usize| left.iter().any(|&at| can_pay(pairing, line, at));
    let paid = equal.iter().filter_map(|at| Some((*at, *nameless.get(at)?)));
    let paid: Vec<(usize, usize)> = paid.filter(|(_, line)| has_choice(*line)).collect();
    let lines: BTreeSet<usize> = paid.iter().map(|(_, line)| *line).collect();
    left.extend(paid.iter().map(|(deposit, _)| *deposit));
    let merchants: BTreeSet<&MerchantId> =
        left.iter().map(|&at| &pairing.deposits[at].merchant_id).collect();
    if !lines.is_empty() && merchants.len() > 1 {
        pairing.mark_ambiguous(lines, left);
    }
}

/// Whether the line is not before the day on which the deposit was sent.
fn can_pay(pairing: &Pairing<'_>, line: usize, deposit: usize) -> bool {
    pairing.lines[line].date >= pairing.deposits[deposit].earliest
        && pairing.is_allowed(line, deposit)
}
