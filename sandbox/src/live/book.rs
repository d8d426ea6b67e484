//! The world and the live records, read as one. Positions of live records continue those of the
//! world, so that a list is the world's part followed by the live part.

use chrono::NaiveDate;

use super::Live;
use crate::world::World;
use crate::world::details::AccountKind;
use crate::world::records::{Authorization, Batch, Deposit, Fee, Merchant, Records, Transfer};

/// A view of all records that are served.
#[derive(Clone, Copy, Debug)]
pub struct Book<'s> {
    pub world: &'s World,
    pub live: &'s Live,
    /// The target of links: the address of the service, up to and including its version.
    pub base: &'s str,
}

/// A list in two parts: positions in the world, then live ones.
pub type Positions<'s> = [&'s [usize]; 2];

impl<'s> Book<'s> {
    /// Reads `world` and `live` as one, without a target for links.
    pub fn new(world: &'s World, live: &'s Live) -> Self {
        Self { world, live, base: "" }
    }

    /// The records of the world.
    pub fn records(self) -> &'s Records {
        self.world.records()
    }

    /// A merchant.
    pub fn merchant(self, at: usize) -> &'s Merchant {
        &self.records().merchants[at]
    }

    /// Merchant and terminal of a terminal's id.
    pub fn terminal(self, id: &str) -> Option<(usize, usize)> {
        self.world.index().terminals.get(id).copied()
    }

    /// The kind of bank account that a merchant's terminals take.
    pub fn account_kind(self, merchant: usize) -> Option<AccountKind> {
        AccountKind::of_currency(self.merchant(merchant).currency)
    }

    /// A bank transfer.
    pub fn transfer(self, at: usize) -> &'s Transfer {
        let world = &self.records().transfers;
        match at.checked_sub(world.len()) {
            Some(live) => &self.live.transfers[live],
            None => self.live.changed.get(&at).unwrap_or(&world[at]),
        }
    }

    /// The batch dates under which a bank transfer is listed by now.
    pub fn settled(self, at: usize) -> [Option<NaiveDate>; 2] {
        let transfer = self.transfer(at);
        if self.has_come(self.records().late.transfers.get(&at)) {
            [transfer.settled, transfer.settled_again]
        } else {
            [None, None]
        }
    }

    /// Checks whether a batch and its items are listed by now.
    pub fn is_batch_listed(self, id: i64) -> bool {
        self.has_come(self.records().late.batches.get(&id))
    }

    /// Checks whether an authorization is listed by now.
    pub fn is_item_listed(self, item: &Authorization) -> bool {
        self.has_come(self.records().late.authorizations.get(&item.id))
            && self.is_batch_listed(item.batch_id)
    }

    /// Checks whether a deposit and its fees are listed by now.
    pub fn is_deposit_listed(self, id: i64) -> bool {
        self.has_come(self.records().late.deposits.get(&id))
    }

    /// Checks whether a late record is listed by `today`; a record that is in time has no day.
    fn has_come(self, day: Option<&NaiveDate>) -> bool {
        day.is_none_or(|day| self.today() >= *day)
    }

    /// The current day (UTC) of the clock.
    pub fn today(self) -> NaiveDate {
        self.live.now().date_naive()
    }

    /// The position of the bank transfer with that id.
    pub fn find(self, id: &str) -> Option<usize> {
        let found = self.world.index().transfers.get(id);
        found.or_else(|| self.live.positions.get(id)).copied()
    }

    /// Listed payments of a terminal.
    pub fn payments(self, terminal: (usize, usize)) -> Positions<'s> {
        [
            slice(self.world.index().payments.get(&terminal)),
            slice(self.live.payments.get(&terminal)),
        ]
    }

    /// Listed refunds of a terminal.
    pub fn refunds(self, terminal: (usize, usize)) -> Positions<'s> {
        [slice(self.world.index().refunds.get(&terminal)), slice(self.live.refunds.get(&terminal))]
    }

    /// The batches of a date.
    pub fn batches(self, date: NaiveDate) -> [&'s [Batch]; 2] {
        let batches = &self.records().batches;
        let start = batches.partition_point(|batch| batch.date < date);
        let end = batches.partition_point(|batch| batch.date <= date);
        [&batches[start..end], self.live.batches.get(&date).map_or(&[], Vec::as_slice)]
    }

    /// The current state of a batch, with an amount changed by hand if there is one.
    pub fn current_batch(self, batch: &'s Batch) -> &'s Batch {
        self.live.changed_batches.get(&batch.id).unwrap_or(batch)
    }

    /// The batch with that id.
    pub fn batch(self, id: i64) -> Option<&'s Batch> {
        let batches = &self.records().batches;
        let found = batches.binary_search_by_key(&id, |batch| batch.id);
        let batch = if let Ok(at) = found {
            &batches[at]
        } else {
            let batches = self.live.batches.get(self.live.batch_dates.get(&id)?)?;
            batches.iter().find(|batch| batch.id == id)?
        };
        Some(self.current_batch(batch)).filter(|_| self.is_batch_listed(id))
    }

    /// Deposits paid on a date.
    pub fn deposits_paid(self, date: NaiveDate) -> Positions<'s> {
        [slice(self.world.index().deposits.get(&date)), slice(self.live.deposits_paid.get(&date))]
    }

    /// The current state of a deposit.
    pub fn deposit_at(self, at: usize) -> &'s Deposit {
        let world = &self.records().deposits;
        let deposit = match at.checked_sub(world.len()) {
            Some(live) => &self.live.deposits[live],
            None => &world[at],
        };
        self.live.changed_deposits.get(&deposit.id).unwrap_or(deposit)
    }

    /// The deposit with that id.
    pub fn deposit(self, id: i64) -> Option<&'s Deposit> {
        let world = &self.records().deposits;
        let at = if let Ok(at) = world.binary_search_by_key(&id, |deposit| deposit.id) {
            at
        } else {
            let live = &self.live.deposits;
            world.len() + live.binary_search_by_key(&id, |deposit| deposit.id).ok()?
        };
        Some(self.deposit_at(at)).filter(|_| self.is_deposit_listed(id))
    }

    /// Fees listed on a date.
    pub fn fees_listed(self, date: NaiveDate) -> Positions<'s> {
        [slice(self.world.index().fees.get(&date)), slice(self.live.fees_listed.get(&date))]
    }

    /// Fees that name a deposit.
    pub fn fees_of_deposit(self, id: i64) -> Positions<'s> {
        [slice(self.world.index().deposit_fees.get(&id)), slice(self.live.fees_of_deposit.get(&id))]
    }

    /// A fee.
    pub fn fee(self, at: usize) -> &'s Fee {
        let world = &self.records().fees;
        match at.checked_sub(world.len()) {
            Some(live) => &self.live.fees[live],
            None => &world[at],
        }
    }

    /// Refunds of a payment that are neither declined nor reversed, added up.
    pub fn refunded(self, payment: &Transfer) -> i64 {
        let refunds = payment.refunds.iter().map(|at| self.transfer(*at));
        refunds
            .filter(|refund| refund.is_open() || refund.is_kept())
            .map(|refund| refund.amount)
            .sum()
    }

    /// Number of presentations before this one.
    pub fn presentations_before(self, payment: &Transfer) -> usize {
        let mut count = 0;
        let mut earlier = payment.represents;
        while let Some(at) = earlier {
            count += 1;
            earlier = self.transfer(at).represents;
        }
        count
    }
}

fn slice(positions: Option<&Vec<usize>>) -> &[usize] {
    positions.map_or(&[], Vec::as_slice)
}
