//! The key of a group: the batches of one merchant on one day.

use chrono::NaiveDate;

use super::MerchantId;

/// A merchant and a batch date: the key that deposits and batches share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    pub merchant_id: MerchantId,
    pub batch_date: NaiveDate,
}
