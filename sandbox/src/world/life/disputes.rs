//! Disputes that wait, are undecided, won or lost, and the adjustments that they explain.

use chrono::{Days, NaiveDate};

use super::{Day, Weaver};
use crate::world::disputes::{DisputeStatus, DisputeType};
use crate::world::records::{Authorization, CardKind};

/// Banking days after a status within which a deposit takes or gives the money.
const MOVEMENT_DAYS: u32 = 10;

impl Weaver<'_> {
    /// A dispute of a merchant that has none yet; its course varies with `nth`.
    pub(super) fn dispute(&mut self, nth: usize) -> Option<()> {
        match nth % 4 {
            0 => self.won(),
            1 => self.waiting(),
            2 => {
                let lost = [
                    DisputeStatus::RepresentmentFailed,
                    DisputeStatus::Stand,
                    DisputeStatus::ArbitrationLost,
                ];
                let end = *self.random.choose(&lost);
                self.moved(&[
                    (DisputeStatus::New, 0),
                    (DisputeStatus::RepresentmentInProgress, 2),
                    (end, 4),
                ])
            }
            _ => self.moved(&[
                (DisputeStatus::New, 0),
                (DisputeStatus::RepresentmentInProgress, 1),
                (DisputeStatus::RepresentmentReceived, 3),
            ]),
        }
    }

    /// New, and recent enough that the merchant's answer is not late.
    fn waiting(&mut self) -> Option<()> {
        let mut days = self.free_days();
        days.retain(|day| {
            !self.has_dispute(day.merchant)
                && day.date < self.to
                && self.records.due(day.merchant, day.date.max(self.from), 5) > self.to
        });
        let day = self.random.pick(&days)?;
        self.claim(day.merchant, day.date);
        let at = self.disputable(&day)?;
        let created = day.date.succ_opt()?;
        let item = self.records.authorizations[at].clone();
        self.add_dispute(&item, vec![(DisputeStatus::New, created)]);
        Some(())
    }

    /// A dispute whose amount a later deposit has taken, with or without the fee.
    fn moved(&mut self, life: &[(DisputeStatus, u64)]) -> Option<()> {
        let (item, created, taken) = self.opened()?;
        let statuses = dated(created, life);
        let fee = self.add_dispute(&item, statuses);
        self.take(&item, fee, &taken)
    }

    /// Taken first, and given back after the merchant had won.
    fn won(&mut self) -> Option<()> {
        let (item, created, taken) = self.opened()?;
        let wins = [DisputeStatus::RepresentmentPaid, DisputeStatus::IssuerReversal];
        let last = *self.random.choose(&wins);
        let life =
            [(DisputeStatus::New, 0), (DisputeStatus::RepresentmentInProgress, 1), (last, 3)];
        let mut statuses = dated(created, &life);
        let paid = statuses.last()?.1;
        let open = self.free_days();
        let given = self.movement_days(&open, item.merchant as usize, paid);
        let given = given.into_iter().filter(|day| day.date > taken.date).collect::<Vec<_>>();
        let given = self.random.pick(&given);
        if given.is_none() {
            statuses.pop();
        }
        let fee = self.add_dispute(&item, statuses);
        self.take(&item, fee, &taken)?;
        let Some(given) = given else { return Some(()) };
        self.claim(given.merchant, given.date);
        let id = self.records.deposits[*given.deposits.last()?].id;
        self.records.change_deposit(id, |deposit| deposit.ach_adjustment -= item.amount);
        Some(())
    }

    /// Taken, given back after the merchant had won, and taken again when it finally lost.
    pub(super) fn lost_after_winning(&mut self) -> Option<()> {
        let (item, created, taken) = self.opened()?;
        let life = [
            (DisputeStatus::New, 0),
            (DisputeStatus::RepresentmentPaid, 2),
            (DisputeStatus::PrearbitrationInProcess, 6),
            (DisputeStatus::PrearbitrationAccepted, 7),
        ];
        let statuses = dated(created, &life);
        let mut open = self.free_days();
        open.push(taken);
        open.sort_by_key(|day| (day.merchant, day.date));
        let mut movements: Vec<Day> = Vec::new();
        for (_, since) in [statuses[0], statuses[1], statuses[3]] {
            let last = movements.last().map(|day| day.date);
            let days = self.movement_days(&open, item.merchant as usize, since);
            movements.push(days.into_iter().find(|day| last.is_none_or(|last| day.date > last))?);
        }
        // When the second debit becomes possible, the first one has been taken.
        let first = self.records.deposits[*movements.first()?.deposits.last()?].ach_date;
        if first >= statuses[3].1 || movements[0].date == item.date {
            return None;
        }
        self.add_dispute(&item, statuses);
        for (day, sign) in movements.iter().zip([1, -1, 1]) {
            self.claim(day.merchant, day.date);
            let id = self.records.deposits[*day.deposits.last()?].id;
            self.records.change_deposit(id, |deposit| deposit.ach_adjustment += sign * item.amount);
        }
        Some(())
    }

    /// A dispute of a sale from long before the first date is won, and its amount is given back.
    pub(super) fn won_of_before(&mut self) -> Option<()> {
        let days = self.due_days();
        let mut days = days.into_iter().filter(|day| !self.has_dispute(day.merchant));
        let sale = days.next()?;
        let at = self.disputable(&sale)?;
        let item = self.records.authorizations[at].clone();
        let created = self.from.checked_sub_days(Days::new(30))?;
        let open = self.free_days();
        let given = self.movement_days(&open, sale.merchant, self.from);
        let given = self.random.pick(&given)?;
        let statuses = vec![
            (DisputeStatus::New, created),
            (DisputeStatus::RepresentmentReceived, created.checked_add_days(Days::new(9))?),
            (DisputeStatus::RepresentmentPaid, self.from),
        ];
        self.add_dispute(&item, statuses);
        // The processor finds no transaction that old.
        self.records.disputes.last_mut()?.item = None;
        self.claim(given.merchant, given.date);
        let id = self.records.deposits[*given.deposits.last()?].id;
        self.records.change_deposit(id, |deposit| deposit.ach_adjustment -= item.amount);
        Some(())
    }

    /// A transaction to dispute, the day of the dispute, and a later day whose deposit takes the
    /// amount.
    fn opened(&mut self) -> Option<(Authorization, NaiveDate, Day)> {
        let mut sales: Vec<Day> = self.days().into_values().collect();
        let open = self.free_days();
        sales.retain(|day| {
            !self.has_dispute(day.merchant)
                && self.is_free(day.merchant, day.date)
                && day.date.succ_opt().is_some_and(|created| {
                    !self.movement_days(&open, day.merchant, created).is_empty()
                })
        });
        let sale = self.random.pick(&sales)?;
        let at = self.disputable(&sale)?;
        let created = sale.date.succ_opt()?;
        let mut days = self.movement_days(&open, sale.merchant, created);
        days.retain(|day| day.date != sale.date);
        let taken = self.random.pick(&days)?;
        self.claim(sale.merchant, sale.date);
        self.claim(taken.merchant, taken.date);
        Some((self.records.authorizations[at].clone(), created, taken))
    }

    fn take(&mut self, item: &Authorization, fee: i64, taken: &Day) -> Option<()> {
        let amount = if self.random.chance(50) { item.amount + fee } else { item.amount };
        let id = self.records.deposits[*taken.deposits.last()?].id;
        self.records.change_deposit(id, |deposit| deposit.ach_adjustment += amount);
        Some(())
    }

    /// Free days of the merchant whose last deposit is sent soon after `status`.
    fn movement_days(&self, open: &[Day], merchant: usize, status: NaiveDate) -> Vec<Day> {
        let last = self.records.due(merchant, status, MOVEMENT_DAYS);
        let mut days: Vec<Day> =
            open.iter().filter(|day| day.merchant == merchant).cloned().collect();
        days.retain(|day| {
            day.deposits.last().is_some_and(|at| {
                let sent = self.records.deposits[*at].ach_date;
                status < sent && sent <= last
            })
        });
        days
    }

    fn has_dispute(&self, merchant: usize) -> bool {
        self.records.disputes.iter().any(|dispute| dispute.merchant == merchant)
    }

    /// A capture of the day that has no return which could be its refund.
    fn disputable(&mut self, day: &Day) -> Option<usize> {
        let returned = |item: &Authorization| {
            self.records.authorizations.iter().any(|other| {
                other.kind == CardKind::Return
                    && other.merchant == item.merchant
                    && (other.card_last4, other.amount) == (item.card_last4, item.amount)
            })
        };
        let mut captures = self.captures(day);
        captures.retain(|at| !returned(&self.records.authorizations[*at]));
        self.random.pick(&captures)
    }

    /// Adds a dispute of a transaction; returns its fee.
    fn add_dispute(
        &mut self,
        item: &Authorization,
        statuses: Vec<(DisputeStatus, NaiveDate)>,
    ) -> i64 {
        let is_reversal = self.random.chance(30);
        let dispute_type =
            if is_reversal { DisputeType::FirstWithReversal } else { DisputeType::First };
        let at = self.records.add_dispute(item, dispute_type, statuses);
        self.records.disputes[at].fee
    }
}

/// The statuses of a course, each a number of days after the first.
fn dated(start: NaiveDate, life: &[(DisputeStatus, u64)]) -> Vec<(DisputeStatus, NaiveDate)> {
    let date = |days: u64| start.checked_add_days(Days::new(days)).unwrap_or(start);
    life.iter().map(|(status, days)| (*status, date(*days))).collect()
}
