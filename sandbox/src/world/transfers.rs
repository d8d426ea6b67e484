//! The bank transfers of a world: ACH in the United States, PAD in Canada. Each is settled in a
//! batch of its run date or of the next day; some are returned, some are refunded.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, TimeZone, Utc};
use chrono_tz::Tz;

use super::details::GENERATED_RETURN_CODES;
use super::records::{
    Batch, HOLDERS, Merchant, PaymentLink, Return, Transfer, TransferStatus, TransferType,
};
use crate::random::Random;

/// Number of ids of ten capital letters and digits: 36^10.
const ID_SPACE: u64 = 3_656_158_440_062_976;
/// Coprime to 36, so that it maps ordinals to distinct, scattered ids.
const ID_STEP: u64 = 1_000_003_919_231_597;

/// Authorizations of a merchant-day for each additional bank transfer.
const AUTHORIZATIONS_PER_TRANSFER: u32 = 40;

/// Generates the bank transfers of every merchant that takes them.
pub fn generate(
    seed: u64,
    merchants: &[Merchant],
    batches: &[Batch],
    end: NaiveDate,
    per_day: u32,
) -> Vec<Transfer> {
    let mut transfers = Vec::new();
    let share = per_day / u32::try_from(merchants.len().max(1)).unwrap_or(u32::MAX);
    let mut dates_of: BTreeMap<usize, BTreeSet<NaiveDate>> = BTreeMap::new();
    for batch in batches {
        dates_of.entry(batch.merchant).or_default().insert(batch.date);
    }
    for (index, merchant) in merchants.iter().enumerate() {
        if !merchant.takes_bank_transfers() || merchant.is_silent {
            continue;
        }
        let dates = dates_of.remove(&index).unwrap_or_default();
        let random = Random::new(seed, &[3, index as u64]);
        let mut builder = Builder { random, merchant, index, dates, end, transfers };
        builder.run_all(share / AUTHORIZATIONS_PER_TRANSFER);
        transfers = builder.transfers;
    }
    transfers
}

/// The id of the `ordinal`-th transfer of a world.
pub fn transfer_id(ordinal: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let product = u128::from(ordinal as u64 + 1) * u128::from(ID_STEP) % u128::from(ID_SPACE);
    let mut rest = u64::try_from(product).unwrap_or(0);
    let mut text = [b'0'; 10];
    for place in text.iter_mut().rev() {
        *place = DIGITS[usize::try_from(rest % 36).unwrap_or(0)];
        rest /= 36;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

/// A time of the local `date`, spread over the whole day by `random`.
pub fn moment(random: &mut Random, zone: Tz, date: NaiveDate) -> DateTime<Utc> {
    let hour = if random.chance(10) { *random.choose(&[0, 23]) } else { random.between(7, 21) };
    let (minute, second) = (random.between(0, 59), random.between(0, 59));
    let local = date.and_hms_opt(hour, minute, second).unwrap_or_default();
    // A local time that a clock change skips is taken as UTC; the hours used here are never skipped
    // in the zones of the sandbox.
    zone.from_local_datetime(&local)
        .earliest()
        .map_or_else(|| local.and_utc(), |moment| moment.with_timezone(&Utc))
}

struct Builder<'w> {
    random: Random,
    merchant: &'w Merchant,
    index: usize,
    /// The dates on which the merchant has a batch.
    dates: BTreeSet<NaiveDate>,
    end: NaiveDate,
    transfers: Vec<Transfer>,
}

impl Builder<'_> {
    fn run_all(&mut self, extra: u32) {
        for date in self.dates.clone() {
            for _ in 0..self.random.between(0, 4) + extra {
                self.run_one(date);
            }
        }
        // The tail: run on the last day, not yet in a closed batch.
        for _ in 0..self.random.between(1, 2) {
            self.push(TransferType::Payment, TransferStatus::Ready, self.end, None);
        }
    }

    /// One transfer that settles on `date`, or never.
    fn run_one(&mut self, date: NaiveDate) {
        let run = if self.random.chance(40) { yesterday(date) } else { date };
        match self.random.between(1, 100) {
            1..=8 => {
                let settled = self.random.chance(50).then_some(date);
                let status = TransferStatus::Complete;
                let at = self.push(TransferType::AccountVerification, status, run, settled);
                self.transfers[at].amount = 0;
            }
            9..=13 => self.never_settles(TransferStatus::Declined, run),
            14..=16 => self.never_settles(TransferStatus::Reversal, run),
            17..=18 => self.never_settles(TransferStatus::Admin, run),
            19..=27 => {
                let status = self.settled_status(date);
                self.push(TransferType::UnreferencedRefund, status, run, Some(date));
            }
            _ => self.pay(run, date),
        }
    }

    fn never_settles(&mut self, status: TransferStatus, run: NaiveDate) {
        self.push(TransferType::Payment, status, run, None);
    }

    /// A payment that settles, with its possible later events.
    fn pay(&mut self, run: NaiveDate, settled: NaiveDate) {
        let status = self.settled_status(settled);
        let at = self.push(TransferType::Payment, status, run, Some(settled));
        match self.random.between(1, 100) {
            1..=12 => {
                let banking_days = self.random.between(1, 3);
                let date = self.merchant.calendar.due(settled, banking_days);
                if date <= self.end {
                    self.come_back(at, date);
                }
            }
            13..=28 => self.give_back(at, settled),
            29..=31 => self.transfers[at].shows_time = false,
            _ => {}
        }
    }

    fn come_back(&mut self, at: usize, date: NaiveDate) {
        let code = self.random.index(GENERATED_RETURN_CODES);
        let wanted = self.random.between(1, 10);
        let is_due = self.merchant.calendar.due(date, 5) <= self.end;
        let represented = wanted <= 5 && self.represent(at, date);
        let closed = !represented && (is_due || wanted <= 7);
        let returned = add_return(&mut self.transfers, at, date, code);
        let entry = &mut self.transfers[at].returns[0];
        (entry.represented, entry.closed) = (represented, closed);
        self.transfers[returned].run_at = moment(&mut self.random, self.merchant.time_zone, date);
        self.transfers[returned].is_listed = self.random.chance(50);
        if self.dates.contains(&date) && self.random.chance(50) {
            self.transfers[returned].settled = Some(date);
        }
    }

    /// Presents the payment again; returns false when no batch in reach could take it.
    fn represent(&mut self, at: usize, returned: NaiveDate) -> bool {
        let run = self.merchant.calendar.due(returned, 1);
        let Some(settled) = self.settles_on(run) else { return false };
        let status = self.settled_status(settled);
        let new = self.push(TransferType::Payment, status, run, Some(settled));
        let original = self.transfers[at].clone();
        let payment = &mut self.transfers[new];
        payment.amount = original.amount;
        payment.order_id = original.order_id;
        payment.terminal = original.terminal;
        payment.account_last4 = original.account_last4;
        payment.holder = original.holder;
        payment.represents = Some(at);
        self.transfers[at].representment = Some(new);
        true
    }

    /// One refund or two, together never more than the payment; now and then a declined attempt as
    /// well.
    fn give_back(&mut self, at: usize, settled: NaiveDate) {
        let mut rest = self.transfers[at].amount;
        let run = settled.checked_add_days(Days::new(u64::from(self.random.between(1, 3))));
        let Some(run) = run.filter(|run| *run <= self.end) else { return };
        if self.random.chance(20) {
            self.refund(at, rest, TransferStatus::Declined, (run, None));
        }
        for _ in 0..self.random.between(1, 2) {
            let Some(settled) = self.settles_on(run) else { return };
            let part = if self.random.chance(50) { rest } else { rest / 3 + 1 };
            if part > rest || part == 0 {
                return;
            }
            rest -= part;
            let status = self.settled_status(settled);
            self.refund(at, part, status, (run, Some(settled)));
        }
    }

    fn refund(
        &mut self,
        at: usize,
        amount: i64,
        status: TransferStatus,
        (run, settled): (NaiveDate, Option<NaiveDate>),
    ) {
        let refund = self.push(TransferType::Refund, status, run, settled);
        let payment = self.transfers[at].clone();
        let entry = &mut self.transfers[refund];
        entry.amount = amount;
        entry.order_id = payment.order_id;
        entry.terminal = payment.terminal;
        entry.account_last4 = payment.account_last4;
        entry.holder = payment.holder;
        entry.payment = PaymentLink::Known(at);
        self.transfers[at].refunds.push(refund);
    }

    /// The batch date for a transfer run on `run`: the same day, else up to one banking day later.
    fn settles_on(&self, run: NaiveDate) -> Option<NaiveDate> {
        let due = self.merchant.calendar.due(run, 1);
        self.dates.range(run..=due).next().copied()
    }

    /// Money submitted in the last days has not reached the merchant yet.
    fn settled_status(&mut self, settled: NaiveDate) -> TransferStatus {
        let is_young = self.merchant.calendar.due(settled, 2) > self.end;
        if is_young && self.random.chance(50) {
            TransferStatus::Pending
        } else {
            TransferStatus::Complete
        }
    }

    fn push(
        &mut self,
        transfer_type: TransferType,
        status: TransferStatus,
        run_date: NaiveDate,
        settled: Option<NaiveDate>,
    ) -> usize {
        let ordinal = self.transfers.len();
        let random = &mut self.random;
        let high = if transfer_type.is_refund() { 9_000 } else { 60_000 };
        self.transfers.push(Transfer {
            id: transfer_id(ordinal),
            merchant: self.index,
            terminal: random.index(self.merchant.terminals.len()),
            order_id: format!("ORD-{}-{ordinal:05}", run_date.format("%Y%m%d")),
            run_at: moment(random, self.merchant.time_zone, run_date),
            run_date,
            shows_time: true,
            amount: random.amount(500, high),
            transfer_type,
            status,
            settled,
            settled_again: None,
            account_last4: u16::try_from(random.between(0, 9_999)).unwrap_or(0),
            holder: random.index(HOLDERS.len()),
            refunds: Vec::new(),
            returns: Vec::new(),
            representment: None,
            payment: PaymentLink::None,
            represents: None,
            return_of: None,
            is_listed: true,
            details: None,
        });
        ordinal
    }
}

/// Marks payment `at` as returned on `date` and adds the return itself; returns its index. The
/// return is neither re-presented nor closed, and can only be read by its id.
pub fn add_return(transfers: &mut Vec<Transfer>, at: usize, date: NaiveDate, code: usize) -> usize {
    let ordinal = transfers.len();
    let payment = &mut transfers[at];
    payment.status = TransferStatus::Returned;
    payment.returns.push(Return {
        transfer: ordinal,
        date,
        code,
        represented: false,
        closed: false,
    });
    let run_at = date.and_hms_opt(17, 0, 0).unwrap_or_default().and_utc();
    let returned = Transfer {
        id: transfer_id(ordinal),
        run_at,
        run_date: date,
        shows_time: true,
        settled: None,
        settled_again: None,
        refunds: Vec::new(),
        returns: Vec::new(),
        representment: None,
        payment: PaymentLink::None,
        represents: None,
        return_of: Some(at),
        is_listed: false,
        ..payment.clone()
    };
    transfers.push(returned);
    ordinal
}

fn yesterday(date: NaiveDate) -> NaiveDate {
    date.pred_opt().unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_ten_characters_and_never_the_same_id_twice() {
        let ids: BTreeSet<String> = (0..50_000).map(transfer_id).collect();
        assert_eq!(ids.len(), 50_000);
        assert!(ids.iter().all(|id| id.len() == 10));
    }

    #[test]
    fn keeps_a_moment_on_its_local_date() {
        let mut random = Random::new(1, &[]);
        for zone in [chrono_tz::America::Los_Angeles, chrono_tz::Asia::Tokyo] {
            // On 1 November 2026 the clocks of Los Angeles go back.
            let date: NaiveDate = "2026-11-01".parse().unwrap();
            for _ in 0..300 {
                let moment = moment(&mut random, zone, date);
                assert_eq!(moment.with_timezone(&zone).date_naive(), date);
            }
        }
    }
}
