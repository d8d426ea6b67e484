//! Returned bank transfers in the ways that need a rule of their own: deducted late, never settled,
//! only a notice, dishonored, collected again by hand; and transfers that state no time.

use chrono::NaiveDate;

use super::orders;
use super::weaver::{Day, Weaver};
use crate::world::add_return;
use crate::world::details::{CORRECTION_NOTICE, DISHONORED};
use crate::world::records::{TransferStatus, TransferType};

/// A return is handled within five banking days; it is dishonored before that.
const BEFORE_HANDLED: u32 = 3;

/// A plain payment, and a later free day of its merchant with one deposit.
fn payment_and_day(weaver: &mut Weaver<'_>) -> Option<(usize, Day)> {
    let days = weaver.due_days();
    let mut found = Vec::new();
    for at in weaver.plain_payments() {
        let payment = &weaver.records.transfers[at];
        let is_fit = |day: &&Day| {
            day.merchant == payment.merchant
                && payment.settled.is_some_and(|settled| day.date > settled)
                && day.deposits.len() == 1
                && weaver.records.deposits[day.deposits[0]].ach_adjustment == 0
        };
        found.extend(days.iter().filter(is_fit).map(|day| (at, day.clone())));
    }
    weaver.random.pick(&found)
}

/// A payment is returned on a day and closed; the deposit of the day does not deduct it.
fn come_back(weaver: &mut Weaver<'_>, at: usize, day: &Day, code: usize) -> i64 {
    weaver.claim(day.merchant, day.date);
    if let Some(settled) = weaver.records.transfers[at].settled {
        weaver.claim(day.merchant, settled);
    }
    let returned = add_return(&mut weaver.records.transfers, at, day.date, code);
    weaver.woven.transfers.extend([at, returned]);
    if let Some(entry) = weaver.records.transfers[at].returns.last_mut() {
        entry.closed = true;
    }
    weaver.records.transfers[at].amount
}

fn adjust(weaver: &mut Weaver<'_>, day: &Day, amount: i64) -> Option<()> {
    let id = weaver.records.deposits[*day.deposits.last()?].id;
    weaver.records.change_deposit(id, |deposit| deposit.ach_adjustment += amount);
    Some(())
}

/// A free day of the merchant after a date, within that many banking days, with one deposit that
/// deducts nothing.
fn soon_after(
    weaver: &mut Weaver<'_>,
    merchant: usize,
    date: NaiveDate,
    within: u32,
) -> Option<Day> {
    let last = weaver.records.due(merchant, date, within);
    let mut days = weaver.due_days();
    days.retain(|day| {
        day.merchant == merchant
            && date < day.date
            && day.date <= last
            && day.deposits.len() == 1
            && weaver.records.deposits[day.deposits[0]].ach_adjustment == 0
    });
    weaver.random.pick(&days)
}

/// The deposit of a later batch date, within one banking day, deducts the return.
pub(super) fn deduct_late(weaver: &mut Weaver<'_>) -> Option<()> {
    let (at, day) = payment_and_day(weaver)?;
    let later = soon_after(weaver, day.merchant, day.date, 1)?;
    let amount = come_back(weaver, at, &day, 0);
    weaver.claim(later.merchant, later.date);
    adjust(weaver, &later, amount)
}

/// A payment that was never settled is returned: nothing is deducted.
pub(super) fn return_unsettled(weaver: &mut Weaver<'_>) -> Option<()> {
    let is_declined = |(at, one): (usize, &crate::world::records::Transfer)| {
        let is_fit = one.transfer_type == TransferType::Payment
            && one.status == TransferStatus::Declined
            && one.settled.is_none()
            && (weaver.from..weaver.to).contains(&one.run_date)
            && !weaver.woven.transfers.contains(&at);
        is_fit.then_some(at)
    };
    let found: Vec<usize> =
        weaver.records.transfers.iter().enumerate().filter_map(is_declined).collect();
    let at = weaver.random.pick(&found)?;
    let date = weaver.records.transfers[at].run_date.succ_opt()?;
    let returned = add_return(&mut weaver.records.transfers, at, date, 2);
    weaver.records.transfers[at].returns[0].closed = true;
    weaver.woven.transfers.extend([at, returned]);
    Some(())
}

/// The customer's bank notifies of a changed account number: no money moves.
pub(super) fn notify(weaver: &mut Weaver<'_>) -> Option<()> {
    let (at, day) = payment_and_day(weaver)?;
    come_back(weaver, at, &day, CORRECTION_NOTICE);
    let payment = &mut weaver.records.transfers[at];
    payment.status = TransferStatus::Complete;
    payment.returns[0].closed = false;
    Some(())
}

/// A return is deducted, dishonored days later, and given back.
pub(super) fn dishonor(weaver: &mut Weaver<'_>) -> Option<()> {
    let (at, day) = payment_and_day(weaver)?;
    let later = soon_after(weaver, day.merchant, day.date, BEFORE_HANDLED)?;
    let amount = come_back(weaver, at, &day, 0);
    come_back(weaver, at, &later, DISHONORED);
    let payment = &mut weaver.records.transfers[at];
    payment.status = TransferStatus::Complete;
    for entry in &mut payment.returns {
        entry.closed = false;
    }
    adjust(weaver, &day, amount)?;
    adjust(weaver, &later, -amount)
}

/// A payment was returned and closed; another one of the same order collects it.
pub(super) fn collect_by_hand(weaver: &mut Weaver<'_>) -> Option<()> {
    let (at, day) = payment_and_day(weaver)?;
    let (first, merchant) = (weaver.records.transfers[at].clone(), day.merchant);
    let mut later = weaver.plain_payments();
    later.retain(|other| {
        let other = &weaver.records.transfers[*other];
        other.merchant == merchant && other.run_date > day.date && other.amount > first.amount
    });
    let again = weaver.random.pick(&later)?;
    let amount = come_back(weaver, at, &day, 1);
    adjust(weaver, &day, amount)?;
    orders::pay_as(weaver, again, &first)
}

/// Recent bank transfers that have not settled state no time.
pub(super) fn hide_times(weaver: &mut Weaver<'_>) -> Option<()> {
    let mut found = false;
    for at in 0..weaver.records.transfers.len() {
        let one = &weaver.records.transfers[at];
        let is_young = weaver.records.due(one.merchant, one.run_date, 1) > weaver.to;
        let is_fit = one.is_open() && is_young && !weaver.woven.transfers.contains(&at);
        if is_fit && weaver.random.chance(60) {
            weaver.records.transfers[at].shows_time = false;
            weaver.woven.transfers.insert(at);
            found = true;
        }
    }
    found.then_some(())
}
