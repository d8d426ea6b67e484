//! What arrives after its due date: one to one whenever it comes, and in sums for a week.

use std::collections::{BTreeMap, BTreeSet};

use super::{Board, sums};

/// Calendar days after a payment date in which a line may still pay it together with others.
/// Among the deposits of longer than that, some add up to any line by chance.
pub(super) const LATE_DAYS: i64 = 7;

/// Runs the pass.
pub(super) fn run(board: &mut Board<'_>) {
    singles(board);
    sums::run(board, is_late_sum);
}

fn is_late_sum(board: &Board<'_>, line: usize, deposit: usize) -> bool {
    let (date, at) = (board.lines[line].date, &board.deposits[deposit]);
    at.earliest <= date
        && board.distance(line, deposit) <= LATE_DAYS
        && board.is_allowed(line, deposit)
}

/// The oldest deposit of the amount that is past due, for the oldest line.
fn singles(board: &mut Board<'_>) {
    let mut by_amount: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for deposit in board.deposits_left() {
        by_amount.entry(board.deposits[deposit].amount).or_default().push(deposit);
    }
    for line in board.lines_left() {
        let at = &board.lines[line];
        let Some(equal) = by_amount.get(&at.amount) else { continue };
        let fitting: Vec<usize> = equal
            .iter()
            .copied()
            .filter(|&deposit| {
                board.is_deposit_left(deposit)
                    && board.deposits[deposit].due < at.date
                    && board.is_allowed(line, deposit)
            })
            .collect();
        let merchants: BTreeSet<&str> =
            fitting.iter().map(|&one| board.deposits[one].merchant_id.as_str()).collect();
        match (fitting.first(), merchants.len()) {
            (None, _) => {}
            (Some(&oldest), 1) => board.pay(line, vec![oldest]),
            _ => board.set_aside(BTreeSet::from([line]), fitting.into_iter().collect()),
        }
    }
}
