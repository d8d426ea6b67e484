//! One line for one deposit, on time: the same amount, nearest day first.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::Board;

/// Positions by day.
type Days = BTreeMap<NaiveDate, Vec<usize>>;

/// Runs the pass.
pub(super) fn run(board: &mut Board<'_>) {
    let mut by_amount: BTreeMap<i64, (Days, Days)> = BTreeMap::new();
    for &line in &board.line_order {
        let at = &board.lines[line];
        by_amount.entry(at.amount).or_default().0.entry(at.date).or_default().push(line);
    }
    for &deposit in &board.deposit_order {
        let at = &board.deposits[deposit];
        let Some((_, days)) = by_amount.get_mut(&at.amount) else { continue };
        days.entry(at.payment_date).or_default().push(deposit);
    }
    let reach = board
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
                        pair_cell(board, there, candidates);
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
fn pair_cell(board: &mut Board<'_>, lines: &[usize], deposits: &[usize]) {
    // A line that names its merchant has no choice but among equals.
    for &line in lines {
        if board.lines[line].merchant_id.is_some() && board.is_line_left(line) {
            let fitting = |&&at: &&usize| board.is_deposit_left(at) && board.is_on_time(line, at);
            if let Some(&deposit) = deposits.iter().find(fitting) {
                board.pay(line, vec![deposit]);
            }
        }
    }
    let nameless: Vec<usize> = lines
        .iter()
        .copied()
        .filter(|&line| board.is_line_left(line) && board.lines[line].merchant_id.is_none())
        .collect();
    let Some(&first) = nameless.first() else { return };
    let left: Vec<usize> = deposits
        .iter()
        .copied()
        .filter(|&at| board.is_deposit_left(at) && board.is_on_time(first, at))
        .collect();
    let merchants: BTreeSet<&str> =
        left.iter().map(|&at| board.deposits[at].merchant_id.as_str()).collect();
    if nameless.len() < left.len() && merchants.len() > 1 {
        board.set_aside(nameless.into_iter().collect(), left.into_iter().collect());
        return;
    }
    for (line, deposit) in nameless.into_iter().zip(left) {
        board.pay(line, vec![deposit]);
    }
}
