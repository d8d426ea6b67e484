//! Returned bank transfers in the ways that need a rule of their own: deducted late, never settled,
//! only a notice, dishonored, collected again by hand; and transfers that state no time.

use chrono::NaiveDate;

use super::{Day, Weaver};
use crate::world::add_return;
use crate::world::details::{CORRECTION_NOTICE, DISHONORED};
use crate::world::records::{TransferStatus, TransferType};

/// A return is handled within five banking days; it is dishonored before that.
const BEFORE_HANDLED: u32 = 3;

impl Weaver<'_> {
    /// Positions of payments that settled on a free day, without any later event.
    pub(super) fn plain_payments(&self) -> Vec<usize> {
        let is_plain = |(at, payment): (usize, &crate::world::records::Transfer)| {
            let settled = payment.settled?;
            let is_plain = payment.transfer_type == TransferType::Payment
                && payment.status == TransferStatus::Complete
                && payment.return_of.is_none()
                && payment.refunds.is_empty()
                && payment.returns.is_empty()
                && payment.represents.is_none()
                && payment.run_date >= self.from
                && self.records.merchants[payment.merchant].is_configured
                && self.is_free(payment.merchant, settled)
                && !self.woven.transfers.contains(&at);
            is_plain.then_some(at)
        };
        self.records.transfers.iter().enumerate().filter_map(is_plain).collect()
    }

    /// A plain payment, and a later free day of its merchant with one deposit.
    fn payment_and_day(&mut self) -> Option<(usize, Day)> {
        let days = self.due_days();
        let mut found = Vec::new();
        for at in self.plain_payments() {
            let payment = &self.records.transfers[at];
            let is_fit = |day: &&Day| {
                day.merchant == payment.merchant
                    && payment.settled.is_some_and(|settled| day.date > settled)
                    && day.deposits.len() == 1
                    && self.records.deposits[day.deposits[0]].ach_adjustment == 0
            };
            found.extend(days.iter().filter(is_fit).map(|day| (at, day.clone())));
        }
        self.random.pick(&found)
    }

    /// A payment is returned on a day and closed; the deposit of the day does not deduct it.
    fn come_back(&mut self, at: usize, day: &Day, code: usize) -> i64 {
        self.claim(day.merchant, day.date);
        if let Some(settled) = self.records.transfers[at].settled {
            self.claim(day.merchant, settled);
        }
        let returned = add_return(&mut self.records.transfers, at, day.date, code);
        self.woven.transfers.extend([at, returned]);
        if let Some(entry) = self.records.transfers[at].returns.last_mut() {
            entry.closed = true;
        }
        self.records.transfers[at].amount
    }

    fn adjust(&mut self, day: &Day, amount: i64) -> Option<()> {
        let id = self.records.deposits[*day.deposits.last()?].id;
        self.records.change_deposit(id, |deposit| deposit.ach_adjustment += amount);
        Some(())
    }

    /// A free day of the merchant after a date, within that many banking days, with one deposit
    /// that deducts nothing.
    fn soon_after(&mut self, merchant: usize, date: NaiveDate, within: u32) -> Option<Day> {
        let last = self.records.due(merchant, date, within);
        let mut days = self.due_days();
        days.retain(|day| {
            day.merchant == merchant
                && date < day.date
                && day.date <= last
                && day.deposits.len() == 1
                && self.records.deposits[day.deposits[0]].ach_adjustment == 0
        });
        self.random.pick(&days)
    }

    /// The deposit of a later batch date, within one banking day, deducts the return.
    pub(super) fn deduct_late(&mut self) -> Option<()> {
        let (at, day) = self.payment_and_day()?;
        let later = self.soon_after(day.merchant, day.date, 1)?;
        let amount = self.come_back(at, &day, 0);
        self.claim(later.merchant, later.date);
        self.adjust(&later, amount)
    }

    /// A payment that was never settled is returned: nothing is deducted.
    pub(super) fn return_unsettled(&mut self) -> Option<()> {
        let is_declined = |(at, one): (usize, &crate::world::records::Transfer)| {
            let is_fit = one.transfer_type == TransferType::Payment
                && one.status == TransferStatus::Declined
                && one.settled.is_none()
                && (self.from..self.to).contains(&one.run_date)
                && !self.woven.transfers.contains(&at);
            is_fit.then_some(at)
        };
        let found: Vec<usize> =
            self.records.transfers.iter().enumerate().filter_map(is_declined).collect();
        let at = self.random.pick(&found)?;
        let date = self.records.transfers[at].run_date.succ_opt()?;
        let returned = add_return(&mut self.records.transfers, at, date, 2);
        self.records.transfers[at].returns[0].closed = true;
        self.woven.transfers.extend([at, returned]);
        Some(())
    }

    /// The customer's bank notifies of a changed account number: no money moves.
    pub(super) fn notify(&mut self) -> Option<()> {
        let (at, day) = self.payment_and_day()?;
        self.come_back(at, &day, CORRECTION_NOTICE);
        let payment = &mut self.records.transfers[at];
        payment.status = TransferStatus::Complete;
        payment.returns[0].closed = false;
        Some(())
    }

    /// A return is deducted, dishonored days later, and given back.
    pub(super) fn dishonor(&mut self) -> Option<()> {
        let (at, day) = self.payment_and_day()?;
        let later = self.soon_after(day.merchant, day.date, BEFORE_HANDLED)?;
        let amount = self.come_back(at, &day, 0);
        self.come_back(at, &later, DISHONORED);
        let payment = &mut self.records.transfers[at];
        payment.status = TransferStatus::Complete;
        for entry in &mut payment.returns {
            entry.closed = false;
        }
        self.adjust(&day, amount)?;
        self.adjust(&later, -amount)
    }

    /// A payment was returned and closed; another one of the same order collects it.
    pub(super) fn collect_by_hand(&mut self) -> Option<()> {
        let (at, day) = self.payment_and_day()?;
        let (first, merchant) = (self.records.transfers[at].clone(), day.merchant);
        let mut later = self.plain_payments();
        later.retain(|other| {
            let other = &self.records.transfers[*other];
            other.merchant == merchant && other.run_date > day.date && other.amount > first.amount
        });
        let again = self.random.pick(&later)?;
        let amount = self.come_back(at, &day, 1);
        self.adjust(&day, amount)?;
        self.pay_as(again, &first)
    }

    /// Recent bank transfers that have not settled state no time.
    pub(super) fn hide_times(&mut self) -> Option<()> {
        let mut found = false;
        for at in 0..self.records.transfers.len() {
            let one = &self.records.transfers[at];
            let is_young = self.records.due(one.merchant, one.run_date, 1) > self.to;
            let is_fit = one.is_open() && is_young && !self.woven.transfers.contains(&at);
            if is_fit && self.random.chance(60) {
                self.records.transfers[at].shows_time = false;
                self.woven.transfers.insert(at);
                found = true;
            }
        }
        found.then_some(())
    }
}
