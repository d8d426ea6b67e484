//! The parts of the merchants' books that a date of a run has read, for the dates after it.

use super::book_cards::CardsAtHand;
use super::book_records::RecordsAtHand;

#[derive(Default)]
pub(super) struct AtHand {
    pub(super) cards: CardsAtHand,
    pub(super) records: RecordsAtHand,
}
