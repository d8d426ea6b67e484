//! The answer key: the discrepancies that a run over the world must find, with their dates.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::world::records::Merchant;

/// Every discrepancy planted in a world, sorted. A run must find no others.
///
/// The key is valid for a first run from the first to the last date of the world, oldest first,
/// with default settings and without `/transactions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerKey {
    pub expected: Vec<Expected>,
}

impl AnswerKey {
    pub(super) fn new(mut expected: Vec<Expected>) -> Self {
        expected.sort_by(|one, other| {
            (one.first_seen, &one.code, &one.merchant_id, one.ids()).cmp(&(
                other.first_seen,
                &other.code,
                &other.merchant_id,
                other.ids(),
            ))
        });
        Self { expected }
    }
}

/// One expected discrepancy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub code: String,
    pub merchant_id: String,
    /// `None` for a count, and where no amount is compared.
    pub currency: Option<String>,
    /// The first business date on which it exists.
    pub first_seen: NaiveDate,
    /// The business date on which it is cleared; `None` when it is still open on the last one. For
    /// a finding that is reported once and never carried (`FUNDS_HELD`), the date of that report.
    pub last_seen: Option<NaiveDate>,
    /// Minor units, or a count.
    pub expected: Option<i64>,
    pub actual: Option<i64>,
    /// Ids as the reports write them: several joined with `;`, ascending; empty when the finding
    /// has none.
    pub batch_id: String,
    pub ach_deposit_id: String,
    pub authorization_id: String,
    pub transaction_id: String,
    pub payment_id: String,
    pub refund_id: String,
    #[serde(default)]
    pub ledger_id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dispute_id: String,
}

impl Expected {
    /// An entry about this merchant, with only its currency set.
    pub(crate) fn about(code: &str, merchant: &Merchant, first_seen: NaiveDate) -> Self {
        Self {
            code: code.to_owned(),
            merchant_id: merchant.id.clone(),
            currency: Some(merchant.currency.to_owned()),
            first_seen,
            ..Self::default()
        }
    }

    /// Sets the two figures.
    pub(crate) fn with_figures(self, expected: i64, actual: i64) -> Self {
        Self { expected: Some(expected), actual: Some(actual), ..self }
    }

    fn ids(&self) -> [&String; 8] {
        [
            &self.batch_id,
            &self.ach_deposit_id,
            &self.authorization_id,
            &self.transaction_id,
            &self.payment_id,
            &self.refund_id,
            &self.ledger_id,
            &self.dispute_id,
        ]
    }
}
