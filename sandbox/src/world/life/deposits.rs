//! Deposits that pay for several batch dates, or name a date beside theirs.

use chrono::NaiveDate;

use super::{Day, Weaver};
use crate::world::add_return;
use crate::world::records::{AtBank, Deposit, TransferStatus, TransferType};

/// Batch dates that one deposit pays for.
const MOST_DAYS: usize = 3;

impl Weaver<'_> {
    /// One deposit pays for two or three batch dates in a row and names one of them.
    pub(super) fn pay_together(&mut self) -> Option<()> {
        let wanted = if self.random.chance(50) { MOST_DAYS } else { 2 };
        let free = self.due_days();
        let runs: Vec<Vec<Day>> = free
            .iter()
            .filter_map(|first| self.run(first, wanted, &free))
            .filter(|run| self.are_neighbours_free(run))
            .collect();
        let run = self.pick(&runs)?;
        let (first, last) = (run.first()?, run.last()?);
        let merchant = first.merchant;
        for day in &run {
            self.claim(merchant, day.date);
        }
        self.claim_beside(merchant, first.date, last.date);
        let named = self.random.index(run.len());
        let positions: Vec<usize> = run.iter().flat_map(|day| day.deposits.clone()).collect();
        let paid: Vec<Deposit> =
            positions.iter().map(|at| self.records.deposits[*at].clone()).collect();
        let whole = self.merge(&paid, (run[named].date, last.date))?;
        self.records.deposits.retain(|deposit| !paid.iter().any(|one| one.id == deposit.id));
        let place = self.records.deposits.partition_point(|deposit| deposit.id < whole.id);
        self.relink(&paid, &whole);
        self.records.deposits.insert(place, whole);
        Some(())
    }

    /// The merchant's `wanted` batch dates in a row from `first` on, when all are free.
    fn run(&self, first: &Day, wanted: usize, free: &[Day]) -> Option<Vec<Day>> {
        let all = self.days();
        let later = all.range((first.merchant, first.date)..);
        let dates: Vec<NaiveDate> = later
            .take_while(|((merchant, _), _)| *merchant == first.merchant)
            .map(|((_, date), _)| *date)
            .take(wanted)
            .collect();
        let last = *dates.last()?;
        let is_near = last <= self.due(first.merchant, first.date, 3);
        let days: Vec<Day> = free
            .iter()
            .filter(|day| day.merchant == first.merchant && dates.contains(&day.date))
            .cloned()
            .collect();
        (days.len() == wanted && is_near).then_some(days)
    }

    /// Whether nothing was worked into the batch dates right before and after.
    fn are_neighbours_free(&self, run: &[Day]) -> bool {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return false };
        let beside = self.beside(first.merchant, first.date, last.date);
        beside.into_iter().all(|date| self.is_free(first.merchant, date))
    }

    fn beside(&self, merchant: usize, first: NaiveDate, last: NaiveDate) -> Vec<NaiveDate> {
        let days = self.days();
        let dates = days.keys().filter(|(other, _)| *other == merchant).map(|(_, date)| *date);
        let dates: Vec<NaiveDate> = dates.collect();
        let before = dates.iter().rev().find(|date| **date < first);
        let after = dates.iter().find(|date| **date > last);
        before.into_iter().chain(after).copied().collect()
    }

    fn claim_beside(&mut self, merchant: usize, first: NaiveDate, last: NaiveDate) {
        for date in self.beside(merchant, first, last) {
            self.claim(merchant, date);
        }
    }

    /// The deposit that pays what all of `paid` pay, named after one batch date and due by the
    /// last.
    fn merge(&self, paid: &[Deposit], (named, last): (NaiveDate, NaiveDate)) -> Option<Deposit> {
        let model = paid.last()?;
        let sum = |figure: fn(&Deposit) -> i64| paid.iter().map(figure).sum();
        let mut whole = Deposit {
            association_date: named,
            ach_date: self.due(model.merchant, last, 1),
            payment_date: self.due(model.merchant, last, 2),
            transactions: sum(|one| one.transactions),
            sales: sum(|one| one.sales),
            returns: sum(|one| one.returns),
            daily_fees: sum(|one| one.daily_fees),
            ach_adjustment: sum(|one| one.ach_adjustment),
            reserve_release: sum(|one| one.reserve_release),
            ..model.clone()
        };
        whole.net_amount = whole.components();
        Some(whole)
    }

    /// Lets the items and fees of `paid` name `whole`.
    fn relink(&mut self, paid: &[Deposit], whole: &Deposit) {
        let is_paid = |id: i64| paid.iter().any(|one| one.id == id);
        for item in &mut self.records.authorizations {
            if is_paid(item.deposit_id) {
                item.deposit_id = whole.id;
            }
        }
        for fee in &mut self.records.fees {
            if fee.deposit_id.is_some_and(is_paid) {
                fee.deposit_id = Some(whole.id);
                fee.association_date = whole.association_date;
                fee.adjustment_date = whole.ach_date;
                fee.listed_date = whole.payment_date;
            }
        }
    }

    /// A deposit names the day after its batch date.
    pub(super) fn move_association_date(&mut self) -> Option<()> {
        let mut days = self.due_days();
        days.retain(|day| {
            let Some(next) = day.date.succ_opt() else { return false };
            let is_quiet = |date: NaiveDate| {
                self.is_free(day.merchant, date) && !self.has_return(day.merchant, date)
            };
            let adjusts = |date: NaiveDate| {
                self.records.deposits.iter().any(|deposit| {
                    (deposit.merchant, deposit.association_date) == (day.merchant, date)
                        && deposit.ach_adjustment != 0
                })
            };
            day.deposits.len() == 1
                && self.are_neighbours_free(std::slice::from_ref(day))
                && [day.date, next].into_iter().all(|date| is_quiet(date) && !adjusts(date))
        });
        let day = self.pick(&days)?;
        let next = day.date.succ_opt()?;
        self.claim(day.merchant, day.date);
        self.claim(day.merchant, next);
        self.claim_beside(day.merchant, day.date, next);
        let deposit = &mut self.records.deposits[*day.deposits.first()?];
        deposit.association_date = next;
        let id = deposit.id;
        for fee in self.records.fees.iter_mut().filter(|fee| fee.deposit_id == Some(id)) {
            fee.association_date = next;
        }
        Some(())
    }

    fn has_return(&self, merchant: usize, date: NaiveDate) -> bool {
        let transfers = self.records.transfers.iter().filter(|one| one.merchant == merchant);
        transfers.flat_map(|transfer| &transfer.returns).any(|entry| entry.date == date)
    }

    /// A payment comes back on a day without a batch, and a deposit of that day takes it back.
    pub(super) fn return_without_batch(&mut self) -> Option<()> {
        let with_batch = self.days();
        let mut found = Vec::new();
        for (at, payment) in self.records.transfers.iter().enumerate() {
            let Some(settled) = payment.settled else { continue };
            let merchant = payment.merchant;
            let is_plain = payment.transfer_type == TransferType::Payment
                && payment.status == TransferStatus::Complete
                && payment.return_of.is_none()
                && payment.refunds.is_empty()
                && payment.returns.is_empty()
                && payment.represents.is_none()
                && self.records.merchants[merchant].is_configured
                && !self.woven.transfers.contains(&at);
            if !is_plain {
                continue;
            }
            let dates = self.from.iter_days().take_while(|date| *date <= self.to);
            found.extend(
                dates
                    .filter(|date| {
                        *date > settled
                            && self.records.merchants[merchant].calendar.is_banking_day(*date)
                            && !with_batch.contains_key(&(merchant, *date))
                            && self.is_free(merchant, *date)
                            && !self.has_return(merchant, *date)
                    })
                    .map(|date| (at, date)),
            );
        }
        let (at, date) = self.pick(&found)?;
        let merchant = self.records.transfers[at].merchant;
        self.claim(merchant, date);
        let code = self.random.index(3);
        let returned = add_return(&mut self.records.transfers, at, date, code);
        self.records.transfers[at].returns[0].closed = true;
        self.woven.transfers.extend([at, returned]);
        let amount = self.records.transfers[at].amount;
        self.add_deposit(merchant, date, amount);
        Some(())
    }

    /// A deposit that takes an amount back and pays nothing.
    fn add_deposit(&mut self, merchant: usize, date: NaiveDate, taken_back: i64) {
        let deposits = &self.records.deposits;
        let end = deposits.partition_point(|deposit| deposit.association_date <= date);
        // Ids rise in steps of two or more, so that the next one is free but where it was taken.
        let is_gap = |at: &usize| {
            let next = deposits.get(at + 1).map(|next| next.id);
            next.is_none_or(|next| next > deposits[*at].id + 1)
        };
        let Some(before) = (end.saturating_sub(1)..deposits.len()).find(is_gap) else { return };
        let mut deposit = Deposit {
            id: deposits[before].id + 1,
            merchant,
            association_date: date,
            ach_date: self.due(merchant, date, 1),
            payment_date: self.due(merchant, date, 2),
            transactions: 0,
            sales: 0,
            returns: 0,
            daily_fees: 0,
            held_sales: 0,
            ach_adjustment: taken_back,
            holdback: 0,
            reserve_release: 0,
            net_amount: 0,
            at_bank: AtBank::Shown,
        };
        deposit.net_amount = deposit.components();
        self.records.deposits.insert(before + 1, deposit);
    }
}
