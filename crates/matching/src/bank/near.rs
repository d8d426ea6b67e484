//! The nearest candidates for an unpaired line or deposit: the sets of open entries of the other
//! side whose sums come nearest.

use super::outcome::{Deposit, Line, Outcome};
use super::pairing::Pairing;
use super::sums::{deposits_for, lines_for};
use crate::search::{Near, nearest};

/// The nearest sets of open deposits in reach of the line, by position.
#[must_use]
pub fn near_line(
    (deposits, lines): (&[Deposit], &[Line]),
    outcome: &Outcome,
    line: usize,
    count: usize,
) -> Vec<Near> {
    let pairing = Pairing { outcome: outcome.clone(), ..Pairing::new(deposits, lines) };
    nearest(lines[line].amount, &deposits_for(&pairing, &pairing.deposits_left(), line), count)
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
