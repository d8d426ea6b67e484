//! Converts the fields of a record to the values of its row.

use chrono::NaiveDate;

use crate::reading::Reading;
use tieout_model::Selector;
use tieout_model::money::{Currency, Minor};

pub(super) fn text(date: Option<NaiveDate>) -> Option<String> {
    date.map(|date| date.to_string())
}

pub(super) fn minor(amount: Option<Minor>) -> Option<i64> {
    amount.map(|amount| amount.0)
}

pub(super) fn code(currency: Option<Currency>) -> Option<&'static str> {
    currency.map(Currency::code)
}

/// The record's own date, else the date of the listing, else an empty text: an empty day keeps the
/// stored one.
pub(super) fn day(own: Option<NaiveDate>, reading: &Reading) -> String {
    let listed = match reading.listing.selector {
        Selector::Date(date) => Some(date),
        _ => None,
    };
    text(own.or(listed)).unwrap_or_default()
}
