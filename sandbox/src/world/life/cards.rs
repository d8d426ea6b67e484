//! Card transactions: captures in parts, tips, and money that is held or paid elsewhere.

use super::{Day, Weaver};
use crate::world::records::{APPROVED, Authorization, Standing};

/// Percentage of captures with a tip, for a merchant that takes tips.
const TIPPED_PERCENT: u32 = 40;
/// The tolerance of card brands for restaurants, in percent of the authorized amount.
const TOLERANCE_PERCENT: u32 = 20;

impl Weaver<'_> {
    /// A capture becomes two of the same authorization: in the same batch or, in every second case,
    /// with the second one in a batch of a later day.
    pub(super) fn capture_in_parts(&mut self, nth: usize) -> Option<()> {
        let days = self.due_days();
        let day = self.random.pick(&days)?;
        let captures = self.captures(&day);
        let at = self.random.pick(&captures)?;
        let item = self.records.authorizations[at].clone();
        let rest = item.amount * self.random.amount(25, 50) / 100;
        self.claim(day.merchant, day.date);
        let later = days
            .into_iter()
            .filter(|other| other.merchant == day.merchant && other.date > day.date)
            .find(|other| !self.captures(other).is_empty());
        if let Some(later) = later.filter(|_| nth % 2 == 1) {
            return self.capture_later(at, rest, &later);
        }
        self.records.reduce_capture(at, rest);
        self.records.insert_item(at, &part(&item, rest));
        Some(())
    }

    /// Adds the second part at the end of the last batch of `later`.
    fn capture_later(&mut self, at: usize, rest: i64, later: &Day) -> Option<()> {
        let first = self.records.authorizations[at].clone();
        let host = self.captures(later).last().copied()?;
        let batch_id = self.records.authorizations[host].batch_id;
        let items = &self.records.authorizations;
        let end = items.partition_point(|item| item.batch_id <= batch_id);
        self.claim(later.merchant, later.date);
        self.records.reduce_capture(at, rest);
        let second = Authorization {
            batch_id,
            deposit_id: self.records.authorizations[host].deposit_id,
            date: later.date,
            is_day_before: false,
            ..part(&first, rest)
        };
        self.records.insert_item(end - 1, &second);
        Some(())
    }

    /// A merchant is a restaurant: some of its captures exceed their authorizations.
    pub(super) fn tip(&mut self) -> Option<()> {
        let days = self.due_days();
        let merchant = self.random.pick(&days)?.merchant;
        self.records.merchants[merchant].capture_tolerance_percent = TOLERANCE_PERCENT;
        for day in days.iter().filter(|day| day.merchant == merchant) {
            for at in self.captures(day) {
                if self.random.chance(TIPPED_PERCENT) {
                    let percent = i64::from(100 + self.random.between(5, TOLERANCE_PERCENT - 1));
                    let item = &mut self.records.authorizations[at];
                    // Rounded up, so that the tip never exceeds the tolerance.
                    item.preauthorization = Some((item.amount * 100).div_euclid(percent) + 1);
                    item.response = Some(APPROVED);
                }
            }
        }
        Some(())
    }

    /// Transactions on hold, released, or partly released.
    pub(super) fn hold(&mut self, nth: usize) -> Option<()> {
        match nth % 6 {
            0 => self.set_aside(Standing::Held),
            1 => self.release(Standing::Released),
            2 => self.release(Standing::PartlyReleased),
            3 => self.set_aside(Standing::HeldFor30Days),
            4 => self.set_aside(Standing::HeldAsDuplicate),
            _ => self.release_later(Standing::ReleasedAfterAudit),
        }
    }

    /// A transaction that a third party pays for, which alternately its status or its settlement
    /// states.
    pub(super) fn pay_elsewhere(&mut self, nth: usize) -> Option<()> {
        self.set_aside(if nth.is_multiple_of(2) {
            Standing::PaidByThirdParty
        } else {
            Standing::SettledByThirdParty
        })
    }

    /// Takes a transaction out of its deposit; it stays in its batch.
    pub(super) fn set_aside(&mut self, standing: Standing) -> Option<()> {
        let at = self.pick_capture(3)?;
        let item = &mut self.records.authorizations[at];
        item.standing = standing;
        let (amount, deposit_id) = (item.amount, std::mem::take(&mut item.deposit_id));
        self.records.change_deposit(deposit_id, |deposit| {
            deposit.sales -= amount;
            deposit.transactions -= 1;
        });
        Some(())
    }

    /// A transaction was on hold; its deposit now contains it, or a part of it.
    fn release(&mut self, standing: Standing) -> Option<()> {
        let at = self.pick_capture(1)?;
        let item = &mut self.records.authorizations[at];
        item.standing = standing;
        let (part, deposit_id) = (item.amount / 3, item.deposit_id);
        if standing == Standing::PartlyReleased {
            self.records.change_deposit(deposit_id, |deposit| deposit.sales -= part);
        }
        Some(())
    }

    /// A transaction was on hold; a deposit for a later date contains it.
    fn release_later(&mut self, standing: Standing) -> Option<()> {
        let at = self.pick_capture(3)?;
        let item = self.records.authorizations[at].clone();
        let days = self.due_days();
        let host = days
            .iter()
            .filter(|day| day.merchant == item.merchant as usize && day.date > item.date)
            .find_map(|day| self.captures(day).first().map(|host| (day.date, *host)));
        let Some((date, host)) = host else { return self.release(standing) };
        self.claim(item.merchant as usize, date);
        let deposit_id = self.records.authorizations[host].deposit_id;
        for (id, sign) in [(item.deposit_id, -1), (deposit_id, 1)] {
            self.records.change_deposit(id, |deposit| {
                deposit.sales += sign * item.amount;
                deposit.transactions += sign;
            });
        }
        let held = &mut self.records.authorizations[at];
        (held.standing, held.deposit_id) = (standing, deposit_id);
        Some(())
    }

    /// A capture of a free day with at least `least` captures.
    fn pick_capture(&mut self, least: usize) -> Option<usize> {
        let mut days = self.due_days();
        days.retain(|day| self.captures(day).len() >= least);
        let day = self.random.pick(&days)?;
        self.claim(day.merchant, day.date);
        let captures = self.captures(&day);
        self.random.pick(&captures)
    }
}

/// A further part of an authorization.
fn part(of: &Authorization, amount: i64) -> Authorization {
    Authorization { part_of: of.authorization_id(), amount, ..of.clone() }
}
