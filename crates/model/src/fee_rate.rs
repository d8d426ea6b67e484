//! A merchant's fees as a share of its sales.

use crate::MerchantId;
use crate::money::{Currency, Minor};

/// A row of `fee_rates.csv` of a period: one merchant, currency and month of payment. An amount is
/// unknown when one deposit's is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeeRateRow {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    /// `2026-11`.
    pub month: String,
    pub deposits: i64,
    pub sales: Option<Minor>,
    pub fees: Option<Minor>,
}
