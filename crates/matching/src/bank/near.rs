//! The nearest candidates for an unpaired line or deposit: the sets of open entries of the other
//! side whose sums come nearest. A deposit that was sent back is open for the lines after its debit.

use super::paired::{Deposit, DepositState, Line, Outcome};
use super::pairing::Pairing;
use super::sums::{Payees, deposits_for, lines_for};
use crate::search::{MAX_FEW, Near, nearest};

/// The deposits and lines that pairing has left open, by position.
pub struct Open<'a> {
    pairing: Pairing<'a>,
    /// In order of payment date.
    deposits: Vec<usize>,
    /// In order of day.
    lines: Vec<usize>,
}

impl<'a> Open<'a> {
    #[must_use]
    pub fn new((deposits, lines): (&'a [Deposit], &'a [Line]), outcome: &Outcome) -> Self {
        let pairing = Pairing { outcome: outcome.clone(), ..Pairing::new(deposits, lines) };
        let is_open = |at: &usize| {
            matches!(outcome.deposits[*at], DepositState::Missing | DepositState::TakenBack { .. })
        };
        let deposits = pairing.deposit_order.iter().copied().filter(is_open).collect();
        Self { deposits, lines: pairing.lines_left(), pairing }
    }

    /// The nearest sets of open deposits in reach of the line.
    #[must_use]
    pub fn near_line(&self, line: usize, count: usize) -> Vec<Near> {
        let pairing = &self.pairing;
        let mut entries = deposits_for(pairing, &self.deposits, line, Payees::Named);
        entries.retain(|one| match pairing.outcome.deposits[one.id] {
            DepositState::TakenBack { line: debit } => {
                pairing.lines[debit].date <= pairing.lines[line].date
            }
            _ => true,
        });
        nearest(pairing.lines[line].amount, &entries, count)
    }

    /// The nearest sets of open lines in reach of the deposit.
    #[must_use]
    pub fn near_deposit(&self, deposit: usize, count: usize) -> Vec<Near> {
        let entries = lines_for(&self.pairing, &self.lines, deposit);
        nearest(self.pairing.deposits[deposit].amount, &entries, count)
    }

    /// The open line whose nearest set holds the deposit beside others and comes nearest to the
    /// line, with that set. `None` where many lines are in reach: some come near by chance.
    #[must_use]
    pub fn near_together(&self, deposit: usize) -> Option<(usize, Near)> {
        let in_reach = lines_for(&self.pairing, &self.lines, deposit);
        let amount = |line: usize| i128::from(self.pairing.lines[line].amount);
        let holds =
            |near: &Near| near.set.len() > 1 && near.set.iter().any(|part| part.0 == deposit);
        let own = in_reach.iter().filter(|_| in_reach.len() <= MAX_FEW);
        own.filter_map(|line| Some((line.id, self.near_line(line.id, 1).pop().filter(holds)?)))
            .min_by_key(|(line, near)| ((amount(*line) - near.sum).abs(), *line))
    }
}
