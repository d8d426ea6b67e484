//! Pairs the processor's items with the records of a merchant's ledger.
//!
//! Pure functions over one merchant's records: no clock, no database, no files. The order of the
//! input changes nothing, and nothing is ever guessed: if several pairings are possible and the
//! candidates are not interchangeable, they are set aside as ambiguous.
//!
//! The passes run in this order, each on the entries that the previous ones left: processor
//! reference; order id, also in another spelling; same day, amount and last four; nearby day,
//! amount and last four; same day and amount where the numbers on both sides are equal; nearby day
//! and amount where no other entry is near; and across the start date. From the second on, bank
//! transfers that have not settled take part as the items that they may become.
//!
//! Cost: n log n in the number of items and records for each pass, and once more for each day of
//! the window, for any input.
//!
//! Architecture invariant: a record and an item are taken at most once, and every one of them has
//! exactly one state at the end; both are asserted, also in release builds.

mod across_start;
pub mod bank;
mod candidate;
mod conclude;
mod counter;
mod days;
mod exports;
mod finding_rows;
mod findings;
mod fit;
mod fit_count;
mod input;
mod interchange;
mod kept;
mod keys;
mod ledger_input;
mod match_rows;
mod matched;
mod named_sums;
mod names;
mod nearby;
mod nearby_places;
mod nearby_unique;
mod odd_reference;
mod order;
mod order_by_id;
mod order_entry;
mod order_spelling;
mod order_transfers;
mod progress;
mod put_back;
mod record_index;
mod record_names;
mod reference;
mod reference_names;
mod representment;
mod same_amount;
pub mod search;
mod spelling;
mod standing;
mod states;
mod status;
mod subjects;
mod tickets;
mod unknowns;
mod waiting;
mod wording;

#[cfg(test)]
mod tests;

use across_start::Evidence;
pub use days::BankingDays;
pub use exports::{compare_names, merge_exports};
pub use finding_rows::{Row, ledger_rows};
pub use findings::items_not_due;
pub use findings::{LedgerCode, LedgerFinding, findings};
pub use input::{
    Dispute, Item, ItemKind, KnownTransfer, Last4, LeftOutRow, MerchantInput, Record, ReturnFact,
    Terms, TransferFacts, TransferStatus,
};
pub use kept::{
    Bounds, Kept, Names, crowded, is_any_revived, keep, money_and_days, money_of_record,
    name_of_return, names_of_item, names_of_record, names_of_reference, names_of_transfer, resume,
    stands,
};
pub use ledger_input::{CardIds, LedgerInput, Unclear};
pub use match_rows::matches;
pub use matched::Matched;
pub use order_by_id::{compare_records, could_pair, last4_agree};
use progress::Side;
pub use states::{
    Ambiguity, Candidate, ItemState, Outcome, Pair, Pass, RecordState, Refusal, Tally, Totals,
};
pub use subjects::Subjects;

/// Matches one merchant's items with its ledger records, as of the terms' business date.
///
/// # Panics
/// When an item or record would be taken twice or lost, which is a mistake in this module.
pub fn match_merchant(input: &MerchantInput<'_>) -> Outcome {
    let mut progress = progress::Progress::new(*input);
    counter::run(&mut progress, counter::Of::Certain);
    reference::run(&mut progress);
    waiting::join(&mut progress);
    let representments = representment::Representments::of(&progress);
    order::run(&mut progress, &representments);
    order_spelling::run(&mut progress, &representments);
    representments.follow_originals(&mut progress);
    progress.number_orders();
    put_back::put_back(&mut progress, &representments);
    let is_all_loaded = progress.input.standing.is_none();
    for side in [Side::Since, Side::Before] {
        nearby::run(&mut progress, side);
        if side == Side::Before && is_all_loaded {
            across_start::run(&mut progress, Evidence::LastFour);
        }
        same_amount::run(&mut progress, side);
        nearby_unique::run(&mut progress, side);
    }
    if is_all_loaded {
        across_start::run(&mut progress, Evidence::Amount);
    }
    same_amount::set_aside(&mut progress);
    waiting::leave(&mut progress);
    put_back::release(&mut progress);
    representments.follow_originals(&mut progress);
    representments.follow_each_other(&mut progress);
    counter::run(&mut progress, counter::Of::Undecided);
    counter::set_opposites_aside(&mut progress);
    conclude::outcome(progress)
}
