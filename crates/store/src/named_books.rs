//! The books of merchants, as the configuration names them.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use tieout_model::MerchantId;

/// The books of one merchant, as the configuration names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBooks {
    pub name: String,
    /// Records dated before the start date count from this day on, as far as they were read.
    pub early_day: NaiveDate,
}

/// By merchant.
pub type Ledgers = BTreeMap<MerchantId, NamedBooks>;
