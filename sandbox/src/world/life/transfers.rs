//! Bank transfers returned without a date, and days that are listed late.

use chrono::{Days, NaiveDate};

use super::{Day, Weaver};
use crate::world::records::{TransferStatus, TransferType};

impl Weaver<'_> {
    /// A payment of the last days is returned without stating the return; a deposit deducts it.
    pub(super) fn return_undated(&mut self) -> Option<()> {
        let days = self.free_days();
        let mut found: Vec<(usize, Day)> = Vec::new();
        for (at, payment) in self.records.transfers.iter().enumerate() {
            let Some(settled) = payment.settled else { continue };
            let is_plain = payment.transfer_type == TransferType::Payment
                && payment.status == TransferStatus::Complete
                && payment.return_of.is_none()
                && payment.refunds.is_empty()
                && payment.returns.is_empty()
                && payment.represents.is_none()
                && !self.woven.transfers.contains(&at);
            // Its return need not be handled before the range is over.
            if is_plain && self.records.due(payment.merchant, payment.run_date, 5) > self.to {
                let is_later = |day: &&Day| day.merchant == payment.merchant && day.date > settled;
                found.extend(days.iter().filter(is_later).map(|day| (at, day.clone())));
            }
        }
        let (at, day) = self.random.pick(&found)?;
        self.claim(day.merchant, day.date);
        self.woven.transfers.insert(at);
        let payment = &mut self.records.transfers[at];
        payment.status = TransferStatus::Returned;
        let amount = payment.amount;
        let id = self.records.deposits[*day.deposits.last()?].id;
        self.records.change_deposit(id, |deposit| deposit.ach_adjustment += amount);
        Some(())
    }

    /// Declined payments have expired or were referred; recent ones are accepted.
    pub(super) fn change_statuses(&mut self) {
        for at in 0..self.records.transfers.len() {
            let transfer = &self.records.transfers[at];
            let is_plain = transfer.transfer_type == TransferType::Payment
                && transfer.settled.is_none()
                && transfer.return_of.is_none();
            let is_young = self.records.due(transfer.merchant, transfer.run_date, 6) > self.to;
            let statuses: &[TransferStatus] = match transfer.status {
                TransferStatus::Declined => {
                    &[TransferStatus::Expired, TransferStatus::Referral, TransferStatus::Pickup]
                }
                TransferStatus::Ready if is_young => &[TransferStatus::Accepted],
                _ => continue,
            };
            if is_plain && self.random.chance(60) {
                self.records.transfers[at].status = *self.random.choose(statuses);
                self.woven.transfers.insert(at);
            }
        }
    }

    /// The batches and bank transfers of a merchant-day are listed two days later, before any of
    /// them is due.
    pub(super) fn list_late(&mut self) -> Option<()> {
        let mut days = self.due_days();
        days.retain(|day| {
            self.settled(day).iter().all(|at| {
                let transfer = &self.records.transfers[*at];
                transfer.run_date == day.date && transfer.returns.is_empty()
            })
        });
        let day = self.random.pick(&days)?;
        self.claim(day.merchant, day.date);
        let listed: NaiveDate = day.date.checked_add_days(Days::new(2))?;
        for at in self.settled(&day) {
            self.records.late.transfers.insert(at, listed);
            self.woven.transfers.insert(at);
        }
        for at in &day.batches {
            self.records.late.batches.insert(self.records.batches[*at].id, listed);
        }
        Some(())
    }

    /// Positions of the bank transfers that settled on a day.
    fn settled(&self, day: &Day) -> Vec<usize> {
        let transfers = self.records.transfers.iter().enumerate();
        transfers
            .filter(|(_, one)| one.merchant == day.merchant && one.settled == Some(day.date))
            .map(|(at, _)| at)
            .collect()
    }
}
