//! The merchant of a record.

use super::{MerchantId, ShortText};

/// The merchant part of a reporting record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MerchantSummary {
    pub merchant_id: Option<MerchantId>,
    /// Trading name: business data, not private.
    pub doing_business_as: Option<ShortText>,
    pub processing_account_id: Option<i64>,
}
