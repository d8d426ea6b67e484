//! The state of a deposit, or of a line of the processor, at a bank as of a date. Period reports
//! are computed from these; no report of a single date shows them all.

use chrono::NaiveDate;

use crate::MerchantId;
use crate::money::{Currency, Minor};

/// The kind of thing that a standing describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StandingKind {
    #[default]
    Deposit,
    Line,
    /// Something that was not read, for which the statements cannot be added up.
    Gap,
}

impl StandingKind {
    /// The word that the store uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deposit => "deposit",
            Self::Line => "line",
            Self::Gap => "gap",
        }
    }
}

/// One deposit, line or gap of a bank section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankStanding {
    pub bank: String,
    pub kind: StandingKind,
    /// The deposit's id, the key of a line, or the name of the gap.
    pub id: String,
    pub currency: Option<Currency>,
    /// Empty for a gap.
    pub merchant_id: MerchantId,
    /// Payment date, date of the line, day that is not covered; `None` for a gap of no one day.
    pub day: Option<NaiveDate>,
    pub due_date: Option<NaiveDate>,
    pub amount: Option<Minor>,
    /// The bank's date and amount for a deposit.
    pub bank_date: Option<NaiveDate>,
    pub bank_amount: Option<Minor>,
    /// The deposits that a line pays, joined with `;`.
    pub ach_deposit_id: String,
    /// File and line of a line; a description of a gap.
    pub place: String,
    /// As in `bank_matches.csv`, [`PAYS`], [`PAYS_FEES`], [`TAKEN_BACK`] or [`CARRIED`]; empty for
    /// a gap.
    pub verdict: String,
}

/// A line that pays deposits.
pub const PAYS: &str = "pays";
/// A line that takes the fees of a month that name no deposit, alone or beside deposits.
pub const PAYS_FEES: &str = "pays_fees";
/// A line that was credited and debited again.
pub const TAKEN_BACK: &str = "taken_back";
/// A balance below zero that a later deposit took up: nothing of it moves at the bank.
pub const CARRIED: &str = "carried";
