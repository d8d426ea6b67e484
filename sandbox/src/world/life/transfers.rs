//! Bank transfers returned without a date, and days that are listed late.

use chrono::{Days, NaiveDate};

use super::weaver::{Day, Weaver};
use crate::world::records::{TransferStatus, TransferType};

/// A payment of the last days is returned without stating the return; a deposit deducts it.
pub(super) fn return_undated(weaver: &mut Weaver<'_>) -> Option<()> {
    let days = weaver.free_days();
    let mut found: Vec<(usize, Day)> = Vec::new();
    for (at, payment) in weaver.records.transfers.iter().enumerate() {
        let Some(settled) = payment.settled else { continue };
        let is_plain = payment.is_plain_payment() && !weaver.woven.transfers.contains(&at);
        // Its return need not be handled before the range is over.
        if is_plain && weaver.records.due(payment.merchant, payment.run_date, 5) > weaver.to {
            let is_later = |day: &&Day| day.merchant == payment.merchant && day.date > settled;
            found.extend(days.iter().filter(is_later).map(|day| (at, day.clone())));
        }
    }
    let (at, day) = weaver.random.pick(&found)?;
    weaver.claim(day.merchant, day.date);
    weaver.woven.transfers.insert(at);
    let payment = &mut weaver.records.transfers[at];
    payment.status = TransferStatus::Returned;
    let amount = payment.amount;
    let id = weaver.records.deposits[*day.deposits.last()?].id;
    weaver.records.change_deposit(id, |deposit| deposit.ach_adjustment += amount);
    Some(())
}

/// Declined payments have expired or were referred; recent ones are accepted.
pub(super) fn change_statuses(weaver: &mut Weaver<'_>) {
    for at in 0..weaver.records.transfers.len() {
        let transfer = &weaver.records.transfers[at];
        let is_plain = transfer.transfer_type == TransferType::Payment
            && transfer.settled.is_none()
            && transfer.return_of.is_none();
        let is_young = weaver.records.due(transfer.merchant, transfer.run_date, 6) > weaver.to;
        let statuses: &[TransferStatus] = match transfer.status {
            TransferStatus::Declined => {
                &[TransferStatus::Expired, TransferStatus::Referral, TransferStatus::Pickup]
            }
            TransferStatus::Ready if is_young => &[TransferStatus::Accepted],
            _ => continue,
        };
        if is_plain && weaver.random.chance(60) {
            weaver.records.transfers[at].status = *weaver.random.choose(statuses);
            weaver.woven.transfers.insert(at);
        }
    }
}

/// The batches and bank transfers of a merchant-day are listed two days later, before any of them
/// is due.
pub(super) fn list_late(weaver: &mut Weaver<'_>) -> Option<()> {
    let mut days = weaver.due_days();
    days.retain(|day| {
        settled(weaver, day).iter().all(|at| {
            let transfer = &weaver.records.transfers[*at];
            transfer.run_date == day.date && transfer.returns.is_empty()
        })
    });
    let day = weaver.random.pick(&days)?;
    weaver.claim(day.merchant, day.date);
    let listed: NaiveDate = day.date.checked_add_days(Days::new(2))?;
    for at in settled(weaver, &day) {
        weaver.records.late.transfers.insert(at, listed);
        weaver.woven.transfers.insert(at);
    }
    for at in &day.batches {
        weaver.records.late.batches.insert(weaver.records.batches[*at].id, listed);
    }
    Some(())
}

/// Positions of the bank transfers that settled on a day.
fn settled(weaver: &Weaver<'_>, day: &Day) -> Vec<usize> {
    let transfers = weaver.records.transfers.iter().enumerate();
    transfers
        .filter(|(_, one)| one.merchant == day.merchant && one.settled == Some(day.date))
        .map(|(at, _)| at)
        .collect()
}
