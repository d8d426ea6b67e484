//! The clock. A merchant's batch closes when its local day ends; it is paid on a banking day;
//! payments from some test accounts are returned. Days run in order, merchants in order within a
//! day, so that the same commands give the same ids.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use super::command::Refusal;
use super::{FIRST_BATCH_ID, FIRST_DEPOSIT_ID, Live, MAX_DAYS, MAX_TRANSFERS, Payout, returns};
use crate::world::World;
use crate::world::details::Fate;
use crate::world::records::{AtBank, Batch, Deposit, Fee, Transfer, TransferStatus, TransferType};

/// Banking days after the batch date until the deposit is sent, and until it reaches the merchant.
const SENT_DAYS: u32 = 1;
const PAID_DAYS: u32 = 2;
/// Banking days after its batch date on which a test account's payment is returned.
const RETURN_DAYS: u32 = 2;

/// The fees of a deposit: an amount for each transfer, and one for each return.
const TRANSFER_FEE: i64 = 25;
const RETURN_FEE: i64 = 400;

/// The events of a clock movement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Happened {
    /// Ids of the batches that closed.
    pub batches: Vec<i64>,
    /// Ids of the deposits that were paid.
    pub deposits: Vec<i64>,
    /// Ids of the returned payments.
    pub returned: Vec<String>,
}

impl Live {
    /// Moves the clock to `now`, through every day between.
    pub(super) fn advance(
        &mut self,
        world: &World,
        now: DateTime<Utc>,
    ) -> Result<Happened, Refusal> {
        if now < self.now || (now - self.now).num_days() > MAX_DAYS {
            return Err(Refusal::Clock { now: self.now, max: MAX_DAYS });
        }
        let merchants = &world.records().merchants;
        let target: Vec<NaiveDate> = merchants
            .iter()
            .map(|merchant| now.with_timezone(&merchant.time_zone).date_naive())
            .collect();
        let mut happened = Happened::default();
        while let Some(date) = self
            .today
            .iter()
            .zip(&target)
            .filter(|(today, target)| today < target)
            .map(|(today, _)| *today)
            .min()
        {
            for (merchant, target) in target.iter().enumerate() {
                if self.today[merchant] == date && date < *target {
                    self.end_day(world, (merchant, date), &mut happened);
                    let next = date.succ_opt().unwrap_or(date);
                    self.today[merchant] = next;
                    self.start_day(world, (merchant, next), &mut happened);
                }
            }
        }
        self.now = now;
        Ok(happened)
    }

    /// Closes the day's batch unless it is empty, and decides how it will be paid.
    fn end_day(
        &mut self,
        world: &World,
        (merchant, date): (usize, NaiveDate),
        happened: &mut Happened,
    ) {
        let open = self.open.remove(&merchant).unwrap_or_default();
        let book = self.book(world);
        let (members, later): (Vec<usize>, Vec<usize>) =
            open.into_iter().partition(|at| book.transfer(*at).run_date <= date);
        let mut batch = Batch {
            id: FIRST_BATCH_ID + i64::try_from(self.batch_dates.len()).unwrap_or(i64::MAX / 2),
            merchant,
            date,
            is_evening: false,
            sales: 0,
            returns: 0,
            count: 0,
        };
        for at in &members {
            let transfer = book.transfer(*at);
            batch.count += 1;
            if transfer.transfer_type.is_refund() {
                batch.returns += transfer.amount;
            } else {
                batch.sales += transfer.amount;
            }
        }
        if !later.is_empty() {
            self.open.insert(merchant, later);
        }
        let is_group = !members.is_empty() || self.world_days.contains(&(merchant, date));
        for at in &members {
            self.collect(world, *at, date);
        }
        let returned = if is_group { self.take_returned(merchant, date) } else { (0, 0) };
        if !members.is_empty() || returned.0 > 0 {
            let paid = world.records().merchants[merchant].calendar.due(date, PAID_DAYS);
            let (sales, returns, count) = (batch.sales, batch.returns, batch.count);
            let payout = Payout { date, sales, returns, count, returned, members };
            if payout.count > 0 {
                happened.batches.push(batch.id);
                self.batch_dates.insert(batch.id, date);
                self.batches.entry(date).or_default().push(batch);
            }
            self.payouts.entry((merchant, paid)).or_default().push(payout);
        }
    }

    /// Puts a transfer into the batch of `date`, and decides whether it will be returned.
    fn collect(&mut self, world: &World, at: usize, date: NaiveDate) {
        self.change(world, at, |transfer| {
            transfer.settled = Some(date);
            transfer.status = TransferStatus::Pending;
        });
        let transfer = self.book(world).transfer(at);
        let merchant = transfer.merchant;
        if let Some(code) = returns_with(transfer) {
            let back = world.records().merchants[merchant].calendar.due(date, RETURN_DAYS);
            self.fated.entry((merchant, back)).or_default().push((at, code));
        }
    }

    /// The merchant's returned payments that a deposit for `date` deducts: their number and their
    /// sum.
    fn take_returned(&mut self, merchant: usize, date: NaiveDate) -> (i64, i64) {
        let Some(waiting) = self.returned.get_mut(&merchant) else { return (0, 0) };
        let mut taken = (0, 0);
        waiting.retain(|(day, amount)| {
            if *day <= date {
                taken = (taken.0 + 1, taken.1 + amount);
            }
            *day > date
        });
        taken
    }

    /// Pays the deposits due on this day, and returns the payments that are due to come back.
    fn start_day(
        &mut self,
        world: &World,
        (merchant, date): (usize, NaiveDate),
        happened: &mut Happened,
    ) {
        for payout in self.payouts.remove(&(merchant, date)).unwrap_or_default() {
            happened.deposits.push(self.pay(world, merchant, &payout));
            for at in payout.members {
                self.change(world, at, |transfer| {
                    if transfer.status == TransferStatus::Pending {
                        transfer.status = TransferStatus::Complete;
                    }
                });
            }
        }
        for (at, code) in self.fated.remove(&(merchant, date)).unwrap_or_default() {
            // A person may have returned it by hand before its day.
            let payment = self.book(world).transfer(at);
            if payment.is_kept() && self.transfers.len() < MAX_TRANSFERS {
                happened.returned.push(payment.id.clone());
                returns::come_back(self, world, at, (date, code));
            }
        }
    }

    fn pay(&mut self, world: &World, merchant: usize, payout: &Payout) -> i64 {
        let calendar = &world.records().merchants[merchant].calendar;
        let (returned_count, ach_adjustment) = payout.returned;
        let mut deposit = Deposit {
            id: FIRST_DEPOSIT_ID + i64::try_from(self.deposits.len()).unwrap_or(i64::MAX / 2),
            merchant,
            association_date: payout.date,
            ach_date: calendar.due(payout.date, SENT_DAYS),
            payment_date: calendar.due(payout.date, PAID_DAYS),
            transactions: payout.count,
            sales: payout.sales,
            returns: payout.returns,
            daily_fees: 0,
            held_sales: 0,
            ach_adjustment,
            holdback: 0,
            reserve_release: 0,
            net_amount: 0,
            at_bank: AtBank::Shown,
        };
        let lines = [
            ("Bank transfer processing", TRANSFER_FEE * payout.count),
            ("Returned payment handling", RETURN_FEE * returned_count),
        ];
        for (description, amount) in lines.into_iter().filter(|(_, amount)| *amount > 0) {
            deposit.daily_fees += amount;
            self.charge(world, &deposit, (description, amount));
        }
        deposit.net_amount = deposit.components();
        let (id, paid) = (deposit.id, deposit.payment_date);
        let at = world.records().deposits.len() + self.deposits.len();
        self.deposits_paid.entry(paid).or_default().push(at);
        self.deposits.push(deposit);
        id
    }

    fn charge(
        &mut self,
        world: &World,
        deposit: &Deposit,
        (description, amount): (&'static str, i64),
    ) {
        let at = world.records().fees.len() + self.fees.len();
        self.fees_listed.entry(deposit.payment_date).or_default().push(at);
        self.fees_of_deposit.entry(deposit.id).or_default().push(at);
        self.fees.push(Fee {
            merchant: deposit.merchant,
            deposit_id: Some(deposit.id),
            association_date: deposit.association_date,
            adjustment_date: deposit.ach_date,
            listed_date: deposit.payment_date,
            description,
            amount,
        });
    }
}

/// The code with which a payment from a test account is returned.
fn returns_with(transfer: &Transfer) -> Option<usize> {
    let account = transfer.details.as_deref()?.account.as_ref()?;
    match account.fate() {
        Fate::Returned(code) if transfer.transfer_type == TransferType::Payment => Some(code),
        _ => None,
    }
}
