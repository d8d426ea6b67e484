//! Pairs the processor's items with the records of a merchant's ledger.
//!
//! Pure functions over one merchant's records: no clock, no database, no files. The order of
//! the input changes nothing, and nothing is ever guessed: where more than one pairing is
//! possible and the candidates are not interchangeable, they are set aside as ambiguous.
//!
//! Passes, in this order; what a pass leaves goes to the next: processor reference, order id,
//! same day with amount and last four, nearby day with amount and last four, and same day and
//! amount when that is unique on both sides.
//!
//! Cost: n log n in the number of items and records for each pass, and once more for each day
//! of the window, whatever the input looks like.
//!
//! Architecture invariant: a record and an item are taken at most once, and every one of them
//! has exactly one state at the end; both are asserted, also in release builds.

pub mod bank;
mod board;
mod candidate;
mod close;
mod days;
mod family;
mod findings;
mod input;
mod interchange;
mod names;
mod nearby;
mod order;
mod outcome;
mod reference;
mod status;
mod unique;
mod wording;

#[cfg(test)]
mod tests;

pub use board::{compare_records, could_pair, last4_agree};
pub use days::BankingDays;
pub use findings::{LedgerCode, LedgerFinding, findings};
pub use input::{
    Item, ItemKind, KnownTransfer, Last4, MerchantInput, Record, ReturnFact, Terms, TransferFacts,
    TransferStatus,
};
pub use outcome::{
    Ambiguity, Candidate, ItemState, Outcome, Pair, Pass, RecordState, Refusal, Tally, Totals,
};

/// Matches one merchant's items with its ledger records, as of the terms' business date.
///
/// # Panics
/// When an item or record would be taken twice or lost, which is a mistake in this module.
pub fn match_merchant(input: &MerchantInput<'_>) -> Outcome {
    let mut board = board::Board::new(*input);
    reference::run(&mut board);
    let families = family::Families::of(&board);
    order::run(&mut board, &families);
    nearby::run(&mut board);
    unique::run(&mut board);
    nearby::run_before_start(&mut board);
    families.follow_originals(&mut board);
    families.follow_each_other(&mut board);
    close::outcome(board)
}
