//! The books of merchants, as the configuration names them.

use std::collections::BTreeMap;

use chrono::NaiveDate;

/// The books of one merchant, as the configuration names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBooks {
    pub name: String,
    /// Of what is dated before the start date, that counts which is from this day on, as far as it
    /// was read.
    pub early_day: NaiveDate,
}

/// By merchant.
pub type Ledgers = BTreeMap<String, NamedBooks>;
