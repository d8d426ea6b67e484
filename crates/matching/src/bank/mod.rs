//! Pairs the lines of a bank account with the deposits that they pay. Pure: takes deposits and
//! lines as of a date and returns a state for each of them; their order changes nothing.
//!
//! The steps are those of [`crate::search`]:
//!
//! 1. By key: a line whose text names the deposit.
//! 2. One to one: the same amount, the nearest day first, however late.
//! 3. Sums: one line for several deposits (also of several merchants that share the account),
//!    several lines for one deposit, and whole days of both; up to five banking days late.
//! 4. Opposites: a debit takes a credit back from its deposit, and a later equal credit pays that,
//!    or later credits that add up to it.
//! 5. A line and a deposit that have no other candidate differ in amount; for everything else the
//!    nearest set is named.
//!
//! Deposits of one merchant, day and amount are interchangeable, and so are lines of one day and
//! amount.

mod differing;
mod named;
mod near;
mod opposites;
mod paired;
mod pairing;
mod single;
mod sums;

#[cfg(test)]
mod tests;

pub use near::Open;
pub use paired::{Ambiguity, Deposit, DepositState, Line, LineState, Outcome, Together};
use pairing::Pairing;

/// Pairs the deposits and the lines of one account and currency.
pub fn pair(deposits: &[Deposit], lines: &[Line]) -> Outcome {
    let mut pairing = Pairing::new(deposits, lines);
    named::run(&mut pairing);
    single::run(&mut pairing);
    sums::run(&mut pairing);
    opposites::run(&mut pairing);
    differing::run(&mut pairing);
    pairing.outcome
}
