//! Delays of the service: some records of each kind in a finished world are listed days after their
//! date.

use chrono::{Days, NaiveDate};

use super::records::Records;
use crate::random::Random;

/// Percentage of late records.
const LATE: u32 = 10;
/// Days after its own date on which a late record is listed: the next morning is in time, and a
/// date is read again for a week.
const DAYS: (u32, u32) = (2, 7);

/// Makes records late, at random by `seed`; all of them are listed on the day after `to`.
pub fn scatter(seed: u64, to: NaiveDate, records: &mut Records) {
    let mut random = Random::new(seed, &[u64::from(u32::from_be_bytes(*b"late"))]);
    let mut listed = |date: NaiveDate| {
        let is_late = random.chance(LATE);
        let days = random.between(DAYS.0, DAYS.1);
        let last = to.checked_add_days(Days::new(1))?;
        let day = date.checked_add_days(Days::new(days.into()))?;
        Some(day.min(last)).filter(|_| is_late)
    };
    let Records { batches, authorizations, deposits, transfers, late, .. } = records;
    for batch in batches.iter() {
        if let Some(day) = listed(batch.date) {
            late.batches.entry(batch.id).or_insert(day);
        }
    }
    for item in authorizations.iter() {
        if let Some(day) = listed(item.date) {
            late.authorizations.insert(item.id, day);
        }
    }
    for deposit in deposits.iter() {
        if let Some(day) = listed(deposit.payment_date) {
            late.deposits.insert(deposit.id, day);
        }
    }
    for (at, transfer) in transfers.iter().enumerate() {
        if let Some(day) = transfer.settled.and_then(&mut listed) {
            late.transfers.entry(at).or_insert(day);
        }
    }
}
