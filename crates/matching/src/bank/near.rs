//! The nearest candidates for an unpaired line or deposit: the sets of open entries of the other
//! side whose sums come nearest. A deposit that was sent back is open for the lines after its debit.

use super::paired::{Deposit, DepositState, Line, Outcome};
use super::pairing::Pairing;
use super::sums::{Payees, deposits_for, lines_for};
use crate::search::{MAX_FEW, Near, nearest};

/// The nearest sets of open deposits in reach of the line, by position.
#[must_use]
pub fn near_line(
    (deposits, lines): (&[Deposit], &[Line]),
    outcome: &Outcome,
    line: usize,
    count: usize,
) -> Vec<Near> {
    let pairing = Pairing { outcome: outcome.clone(), ..Pairing::new(deposits, lines) };
    of_line(&pairing, line, count)
}

fn of_line(pairing: &Pairing<'_>, line: usize, count: usize) -> Vec<Near> {
    let is_open = |at: &usize| match pairing.outcome.deposits[*at] {
        DepositState::Missing => true,
        DepositState::TakenBack { line: debit } => {
            pairing.lines[debit].date <= pairing.lines[line].date
        }
        _ => false,
    };
    let open: Vec<usize> = pairing.deposit_order.iter().copied().filter(is_open).collect();
    nearest(pairing.lines[line].amount, &deposits_for(pairing, &open, line, Payees::Named), count)
}

/// The nearest sets of open lines in reach of the deposit, by position.
#[must_use]
pub fn near_deposit(
    (deposits, lines): (&[Deposit], &[Line]),
    outcome: &Outcome,
    deposit: usize,
    count: usize,
) -> Vec<Near> {
    let pairing = Pairing { outcome: outcome.clone(), ..Pairing::new(deposits, lines) };
    nearest(deposits[deposit].amount, &lines_for(&pairing, &pairing.lines_left(), deposit), count)
}

/// The open line whose nearest set holds the deposit beside others and comes nearest to the line,
/// with that set. `None` where many lines are in reach: some come near by chance.
#[must_use]
pub fn near_together(
    (deposits, lines): (&[Deposit], &[Line]),
    outcome: &Outcome,
    deposit: usize,
) -> Option<(usize, Near)> {
    let pairing = Pairing { outcome: outcome.clone(), ..Pairing::new(deposits, lines) };
    let in_reach = lines_for(&pairing, &pairing.lines_left(), deposit);
    let holds = |near: &Near| near.set.len() > 1 && near.set.iter().any(|part| part.0 == deposit);
    let own = in_reach.iter().filter(|_| in_reach.len() <= MAX_FEW);
    own.filter_map(|line| Some((line.id, of_line(&pairing, line.id, 1).pop().filter(holds)?)))
        .min_by_key(|(line, near)| ((i128::from(lines[*line].amount) - near.sum).abs(), *line))
}
