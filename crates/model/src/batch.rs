//! A batch: transactions that a merchant submitted together. The header carries control totals.

use chrono::NaiveDate;

use super::{BatchId, MerchantSummary};
use crate::money::{Currency, Minor};

/// A batch header.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    pub batch_id: BatchId,
    pub merchant: MerchantSummary,
    pub date: Option<NaiveDate>,
    pub sale_amount: Option<Minor>,
    /// A positive number.
    pub return_amount: Option<Minor>,
    /// Sales and returns together.
    pub transaction_count: Option<i64>,
    pub currency: Option<Currency>,
}
