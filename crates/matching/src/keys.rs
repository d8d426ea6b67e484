//! Packs the fields that a pass compares into one number, because sorting numbers is fast.

use chrono::NaiveDate;

use super::input::Last4;
use tieout_model::LedgerKind;
use tieout_model::money::{Currency, Minor};

/// Kind, currency and amount in one number, with 46 bits below for further fields.
///
/// Sorting numbers keeps a million records well under a second.
pub(super) fn money_key(kind: LedgerKind, currency: Currency, amount: Minor) -> u128 {
    let letters = currency.code().bytes();
    let currency = letters.fold(0_u128, |sum, letter| sum * 26 + u128::from(letter - b'A'));
    let kind = u128::from(kind == LedgerKind::Refund);
    // Flipping the sign bit makes unsigned order the order of the amounts.
    let amount = u128::from(amount.0.cast_unsigned() ^ (1 << 63));
    (((kind << 15) | currency) << 64 | amount) << 46
}

/// A day as the lowest 32 bits of a key.
pub(super) fn day_key(day: NaiveDate) -> u128 {
    use chrono::Datelike as _;
    u128::from(day.num_days_from_ce().cast_unsigned())
}

/// The day that [`day_key`] stored.
pub(super) fn day_of_key(key: u128) -> Option<NaiveDate> {
    let days = i32::try_from(key & u128::from(u32::MAX)).ok()?;
    NaiveDate::from_num_days_from_ce_opt(days)
}

/// The last four digits as the 14 bits above the day.
pub(super) fn last4_key(last4: Last4) -> u128 {
    u128::from(last4.number()) << 32
}
