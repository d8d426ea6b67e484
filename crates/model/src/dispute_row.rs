//! A row of `disputes.csv`: the state of a dispute on a business date.

use chrono::NaiveDate;

use crate::money::{Currency, Minor};
use crate::{AuthorizationId, DisputeId, MerchantId, TransactionId};

/// A dispute that was submitted or changed on the date, or is open. `None` is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeRow {
    pub dispute_id: DisputeId,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub dispute_type: String,
    pub status: String,
    pub status_date: Option<NaiveDate>,
    pub received_date: Option<NaiveDate>,
    /// When the merchant must have answered, while it waits for the merchant.
    pub due_date: Option<NaiveDate>,
    pub amount: Option<Minor>,
    pub fee: Option<Minor>,
    pub transaction_id: Option<TransactionId>,
    pub authorization_id: Option<AuthorizationId>,
    /// The deposits that it helps to explain the adjustment of, joined with `;`.
    pub ach_deposit_id: String,
    /// `waits`, `undecided`, `won` or `lost`.
    pub verdict: String,
}
