//! A finding with its life: the state of a discrepancy on one business date.

use chrono::NaiveDate;

use super::{Assignment, MerchantId, RecordIds, Severity};
use crate::money::{Currency, Minor};

/// Status of a discrepancy as of a business date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiscrepancyStatus {
    New,
    Open,
    Cleared,
}

impl DiscrepancyStatus {
    /// The word that the store and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Open => "open",
            Self::Cleared => "cleared",
        }
    }
}

/// The unit of `expected`, `actual` and `difference`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Minor units of the row's currency.
    Amount,
    /// Plain integers; the currency column is empty.
    Count,
}

impl Figure {
    /// The word that the store uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Count => "count",
        }
    }
}

/// A discrepancy on one business date: a row of `discrepancies.csv`, with fields that the report
/// does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discrepancy {
    pub discrepancy_id: String,
    pub code: String,
    pub severity: Severity,
    pub status: DiscrepancyStatus,
    /// The date that lists it; for one that was found in a closed date and is not reported yet,
    /// the closed date.
    pub business_date: NaiveDate,
    pub first_seen: NaiveDate,
    pub age_days: u32,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    /// Identifies the discrepancy among those of its code and merchant.
    pub subject: String,
    /// `None` when it is unknown; kept here for a count too, but not written for one.
    pub currency: Option<Currency>,
    pub figure: Figure,
    pub expected: Option<i64>,
    pub actual: Option<i64>,
    /// actual - expected.
    pub difference: Option<i64>,
    pub batch_date: Option<NaiveDate>,
    pub ids: RecordIds,
    pub explanation: String,
    /// The next nearest sets of open entries, each with what it comes to, joined with `;`.
    pub also_near: String,
    pub action: String,
    /// Whether it stays open on later dates and counts in the roll-forward.
    pub is_carried: bool,
    /// New, but it existed on an earlier date.
    pub is_reopened: bool,
    /// Whether expected and actual can be compared.
    pub has_difference: bool,
    /// The currency of `expected` where it differs from the row's; the amount itself is stored in
    /// the decimals of `currency`, as every amount of the row is.
    pub expected_currency: Option<Currency>,
    /// The assignment as of the date.
    pub assigned: Assignment,
}

impl Discrepancy {
    /// `expected` in its own currency and decimals; `None` for a count, and where either is
    /// unknown.
    pub fn expected_money(&self) -> Option<(Minor, Currency)> {
        let (amount, row) = self.money(self.expected)?;
        let own = self.expected_currency.unwrap_or(row);
        Some((amount.in_decimals_of(row, own)?, own))
    }

    /// `value` in the currency of the row; `None` for a count, and where either is unknown.
    pub fn money(&self, value: Option<i64>) -> Option<(Minor, Currency)> {
        let currency = self.currency.filter(|_| self.figure == Figure::Amount)?;
        Some((Minor(value?), currency))
    }
}
