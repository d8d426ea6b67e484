//! The changing state: the clock, and all records created through the API or changed since. It is
//! kept beside the generated world, which never changes; a record of the world is copied here
//! before it changes. Never reads a real clock and draws no random number: the same commands in the
//! same order give the same state.

mod accounts;
mod book;
mod command;
mod days;
mod returns;
#[cfg(test)]
mod tests;
mod transfers;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};

use super::world::World;
use super::world::details::Account;
use super::world::records::{Batch, Deposit, Fee, Transfer, TransferStatus};
use super::world::{adjusted_days, counts_to, transfer_id};

pub use book::Book;
pub use command::{Change, ChangedField, Command, NewTransfer, Refusal, Source};
pub use days::Happened;
pub use transfers::Effect;

/// Ids of live batches and deposits start far above those of any generated world.
const FIRST_BATCH_ID: i64 = 1_000_000_001;
const FIRST_DEPOSIT_ID: i64 = 1_500_000_001;

/// More transfers than are created by hand or in a test; with the largest amount, totals stay far
/// below the largest integer.
const MAX_TRANSFERS: usize = 1_000_000;
/// The largest amount of one bank transfer, in minor units.
pub const MAX_AMOUNT: i64 = 999_999_999_999;
/// The largest step of the clock, in days.
pub const MAX_DAYS: i64 = 400;

/// Steps of that size when the clock starts later than the world ends, at most.
const MAX_STEPS: usize = 20;

/// The default hour (UTC) of the clock: morning in America.
const OPENING: NaiveTime = NaiveTime::from_hms_opt(14, 0, 0).expect("an hour of the day");

/// The state beside a world.
#[derive(Debug)]
pub struct Live {
    now: DateTime<Utc>,
    /// The current local date of each merchant.
    today: Vec<NaiveDate>,
    /// Transfers created since; the first one's position is the number of transfers in the world.
    transfers: Vec<Transfer>,
    /// Changed transfers of the world.
    changed: BTreeMap<usize, Transfer>,
    positions: BTreeMap<String, usize>,
    /// Listed payments and refunds of a terminal, in order of arrival.
    payments: BTreeMap<(usize, usize), Vec<usize>>,
    refunds: BTreeMap<(usize, usize), Vec<usize>>,
    /// Transfers in each merchant's open batch.
    open: BTreeMap<usize, Vec<usize>>,
    /// Amounts of returned payments that no deposit has deducted yet, with their dates.
    returned: BTreeMap<usize, Vec<(NaiveDate, i64)>>,
    /// The payouts of closed batches, by merchant and payment date.
    payouts: BTreeMap<(usize, NaiveDate), Vec<Payout>>,
    /// Payments that will be returned, by merchant and date.
    fated: BTreeMap<(usize, NaiveDate), Vec<(usize, usize)>>,
    /// Merchant-days on which the world has a batch.
    world_days: BTreeSet<(usize, NaiveDate)>,
    batches: BTreeMap<NaiveDate, Vec<Batch>>,
    batch_dates: BTreeMap<i64, NaiveDate>,
    deposits: Vec<Deposit>,
    deposits_paid: BTreeMap<NaiveDate, Vec<usize>>,
    fees: Vec<Fee>,
    fees_listed: BTreeMap<NaiveDate, Vec<usize>>,
    fees_of_deposit: BTreeMap<i64, Vec<usize>>,
    /// Accounts that were stored under a secure token.
    stored: BTreeMap<String, Account>,
    /// Digests of the single-use tokens that were used.
    used: BTreeSet<String>,
    changed_batches: BTreeMap<i64, Batch>,
    changed_deposits: BTreeMap<i64, Deposit>,
}

/// The payout of a merchant for a batch date.
#[derive(Clone, Debug)]
struct Payout {
    date: NaiveDate,
    sales: i64,
    returns: i64,
    count: i64,
    /// The returned payments that it deducts: their number and their sum.
    returned: (i64, i64),
    members: Vec<usize>,
}

impl Live {
    /// The state beside `world` before any request. The clock starts at `now`, else on the morning
    /// after the last date of the world. Transfers left open at the end of the world are batched
    /// and paid in the days until then.
    pub fn new(world: &World, now: Option<DateTime<Utc>>) -> Self {
        let last = world.options().to;
        let morning = last.checked_add_days(Days::new(1)).unwrap_or(last).and_time(OPENING);
        let morning = morning.and_utc();
        let now = now.unwrap_or(morning);
        let mut live = Self::at(world, now.min(morning));
        for _ in 0..MAX_STEPS {
            let step = live.now.checked_add_signed(TimeDelta::days(MAX_DAYS)).unwrap_or(now);
            // The clock moves forwards here, and never further than allowed.
            let _ = live.advance(world, step.min(now));
        }
        live
    }

    /// The state at `now`, with the open transfers of the world.
    fn at(world: &World, now: DateTime<Utc>) -> Self {
        let records = world.records();
        let today = records
            .merchants
            .iter()
            .map(|merchant| now.with_timezone(&merchant.time_zone).date_naive())
            .collect();
        let world_days: BTreeSet<(usize, NaiveDate)> =
            records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
        let adjusted = adjusted_days(records);
        let mut open: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut returned: BTreeMap<usize, Vec<(NaiveDate, i64)>> = BTreeMap::new();
        for (at, transfer) in records.transfers.iter().enumerate() {
            if transfer.is_open() && transfer.status == TransferStatus::Ready {
                open.entry(transfer.merchant).or_default().push(at);
            }
            for entry in &transfer.returns {
                let is_taken = adjusted.contains(&(transfer.merchant, entry.date))
                    || counts_to(&world_days, transfer.merchant, entry.date).is_some();
                if !is_taken {
                    let waiting = returned.entry(transfer.merchant).or_default();
                    waiting.push((entry.date, transfer.amount));
                }
            }
        }
        Self {
            now,
            today,
            transfers: Vec::new(),
            changed: BTreeMap::new(),
            positions: BTreeMap::new(),
            payments: BTreeMap::new(),
            refunds: BTreeMap::new(),
            open,
            returned,
            payouts: BTreeMap::new(),
            fated: BTreeMap::new(),
            world_days,
            batches: BTreeMap::new(),
            batch_dates: BTreeMap::new(),
            deposits: Vec::new(),
            deposits_paid: BTreeMap::new(),
            fees: Vec::new(),
            fees_listed: BTreeMap::new(),
            fees_of_deposit: BTreeMap::new(),
            stored: BTreeMap::new(),
            used: BTreeSet::new(),
            changed_batches: BTreeMap::new(),
            changed_deposits: BTreeMap::new(),
        }
    }

    /// The current time of the sandbox's clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// The world and this state, read as one.
    pub fn book<'s>(&'s self, world: &'s World) -> Book<'s> {
        Book::new(world, self)
    }

    /// Changes one transfer; a transfer of the world is copied first.
    fn change(&mut self, world: &World, at: usize, change: impl FnOnce(&mut Transfer)) {
        let records = world.records();
        let transfer = match at.checked_sub(records.transfers.len()) {
            Some(live) => &mut self.transfers[live],
            None => self.changed.entry(at).or_insert_with(|| records.transfers[at].clone()),
        };
        change(transfer);
    }

    /// Adds a transfer and lists it; returns its position.
    fn add(&mut self, world: &World, transfer: Transfer) -> usize {
        let at = world.records().transfers.len() + self.transfers.len();
        let terminal = (transfer.merchant, transfer.terminal);
        let is_refund = transfer.transfer_type.is_refund();
        let listing = if is_refund { &mut self.refunds } else { &mut self.payments };
        listing.entry(terminal).or_default().push(at);
        if transfer.is_open() && transfer.status == TransferStatus::Ready {
            self.open.entry(transfer.merchant).or_default().push(at);
        }
        self.positions.insert(transfer.id.clone(), at);
        self.transfers.push(transfer);
        at
    }

    /// The id that the next transfer gets.
    fn next_id(&self, world: &World) -> String {
        transfer_id(world.records().transfers.len() + self.transfers.len())
    }
}
