//! Pairs the lines of a bank account with the deposits that they pay. Pure: deposits and lines
//! as of a date go in, a state for each of them comes out; their order changes nothing.
//!
//! 1. A line whose text names the deposit.
//! 2. On time, one to one: the same amount, nearest day first.
//! 3. On time, one line for several deposits of one merchant: when exactly one choice of them
//!    adds up to the line.
//! 4. On time, several lines for one deposit: when exactly one choice of them adds up to it.
//! 5. Late: the same, for what is past its due date.
//! 6. What is left, one line and one deposit that have nobody else: they differ in amount.
//!
//! A pair that deposits which are left over could have made just as well is no pair: nothing is
//! guessed. A deposit that was debited back and sent again is missing. Deposits of one merchant, day
//! and amount are interchangeable, and so are lines of one day and amount.

mod differing;
mod doubtful;
mod late;
mod named;
mod outcome;
mod pairing;
mod parts;
mod single;
mod sums;
mod taken_back;

#[cfg(test)]
mod tests;

pub use outcome::{Ambiguity, Deposit, DepositState, Line, LineState, Outcome};
use pairing::Pairing;

/// Pairs the deposits and the lines of one account and currency.
///
/// Sums are looked for among at most `sums::MAX_CANDIDATES` deposits of a merchant at a time,
/// and within a budget of steps for the whole account; what would take more is ambiguous.
pub fn pair(deposits: &[Deposit], lines: &[Line]) -> Outcome {
    let mut pairing = Pairing::new(deposits, lines);
    named::run(&mut pairing);
    single::run(&mut pairing);
    sums::run(&mut pairing, Pairing::is_on_time);
    parts::run(&mut pairing);
    doubtful::withdraw(&mut pairing);
    late::run(&mut pairing);
    taken_back::run(&mut pairing);
    differing::run(&mut pairing);
    pairing.outcome
}
