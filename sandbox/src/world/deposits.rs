//! The payouts of merchants: one deposit for a batch date, now and then two, each with its
//! breakdown and its fee lines. Every deposit adds up, and its fee lines add up to its fees.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::records::{AtBank, Batch, CardKind, Deposit, Fee, Records};
use crate::random::Random;

const FIRST_DEPOSIT_ID: i64 = 70_400;

const FEES: [&str; 4] =
    ["Card processing", "Batch handling", "Gateway access", "Chargeback handling"];

/// The two dates of the usual payout, in banking days after the batch date.
const SENT_DAYS: u32 = 1;
const PAID_DAYS: u32 = 2;

/// Pays every group of the world, and links its card items to their deposits.
pub fn generate(seed: u64, records: &mut Records) {
    let returned = returned_by_group(records);
    let mut groups: BTreeMap<(NaiveDate, usize), Vec<usize>> = BTreeMap::new();
    for (position, batch) in records.batches.iter().enumerate() {
        groups.entry((batch.date, batch.merchant)).or_default().push(position);
    }
    let mut payer = Payer { random: Random::new(seed, &[4]), next_id: FIRST_DEPOSIT_ID };
    for ((date, merchant), positions) in groups {
        let adjustment = returned.get(&(merchant, date)).copied().unwrap_or(0);
        let batches: Vec<&Batch> = positions.iter().map(|at| &records.batches[*at]).collect();
        let whole = Figures {
            count: batches.iter().map(|batch| batch.count).sum(),
            sales: batches.iter().map(|batch| batch.sales).sum(),
            returns: batches.iter().map(|batch| batch.returns).sum(),
        };
        if whole.count > 0 || adjustment > 0 {
            let ids: Vec<i64> = batches.iter().map(|batch| batch.id).collect();
            payer.pay(records, (merchant, date), &ids, &whole, adjustment);
        }
    }
    // A fee is listed on the payment date of its deposit.
    records.fees.sort_by_key(|fee| (fee.listed_date, fee.deposit_id));
}

/// The amounts of a merchant's returned bank transfers, by the batch date to which they count: the
/// day itself, else the merchant's next day with a batch.
pub fn returned_by_group(records: &Records) -> BTreeMap<(usize, NaiveDate), i64> {
    let groups: BTreeSet<(usize, NaiveDate)> =
        records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
    let adjusted = adjusted_days(records);
    let mut returned = BTreeMap::new();
    for transfer in &records.transfers {
        for entry in &transfer.returns {
            let day = (transfer.merchant, entry.date);
            if adjusted.contains(&day) && !groups.contains(&day) {
                continue;
            }
            if let Some(group) = counts_to(&groups, transfer.merchant, entry.date) {
                *returned.entry(group).or_default() += transfer.amount;
            }
        }
    }
    returned
}

/// The merchant-days whose deposits deduct an amount: a return of such a day, with or without a
/// batch, counts there.
pub fn adjusted_days(records: &Records) -> BTreeSet<(usize, NaiveDate)> {
    let adjusting = records.deposits.iter().filter(|deposit| deposit.ach_adjustment != 0);
    adjusting.map(|deposit| (deposit.merchant, deposit.association_date)).collect()
}

/// The group to which a return of `date` counts.
pub fn counts_to(
    groups: &BTreeSet<(usize, NaiveDate)>,
    merchant: usize,
    date: NaiveDate,
) -> Option<(usize, NaiveDate)> {
    groups.range((merchant, date)..=(merchant, NaiveDate::MAX)).next().copied()
}

#[derive(Clone, Copy)]
struct Figures {
    count: i64,
    sales: i64,
    returns: i64,
}

struct Payer {
    random: Random,
    next_id: i64,
}

impl Payer {
    fn pay(
        &mut self,
        records: &mut Records,
        group: (usize, NaiveDate),
        batch_ids: &[i64],
        whole: &Figures,
        adjustment: i64,
    ) {
        let early = self.random.chance(15);
        let wants_split = self.random.chance(12);
        let first_id = self.take_id();
        let mut second_id = first_id;
        let mut part = *whole;
        if wants_split {
            second_id = self.take_id();
            // The first deposit pays for the card items of the first half of the group.
            let (linked, head) = link(records, batch_ids, first_id, second_id);
            if linked {
                part = head;
            } else {
                second_id = first_id;
            }
        }
        if second_id == first_id {
            let _ = link(records, batch_ids, first_id, first_id);
            let days = if early { SENT_DAYS } else { PAID_DAYS };
            self.deposit(records, group, (first_id, days), whole, adjustment);
            return;
        }
        let rest = Figures {
            count: whole.count - part.count,
            sales: whole.sales - part.sales,
            returns: whole.returns - part.returns,
        };
        let first_days = if early { SENT_DAYS } else { PAID_DAYS };
        self.deposit(records, group, (first_id, first_days), &part, 0);
        self.deposit(records, group, (second_id, PAID_DAYS), &rest, adjustment);
    }

    fn take_id(&mut self) -> i64 {
        self.next_id += self.random.amount(2, 9);
        self.next_id
    }

    fn deposit(
        &mut self,
        records: &mut Records,
        (merchant, date): (usize, NaiveDate),
        (id, days): (i64, u32),
        figures: &Figures,
        ach_adjustment: i64,
    ) {
        let calendar = &records.merchants[merchant].calendar;
        let mut deposit = Deposit {
            id,
            merchant,
            association_date: date,
            ach_date: calendar.due(date, SENT_DAYS),
            payment_date: calendar.due(date, days),
            transactions: figures.count,
            sales: figures.sales,
            returns: figures.returns,
            daily_fees: 0,
            held_sales: 0,
            ach_adjustment,
            holdback: 0,
            reserve_release: if self.random.chance(8) { self.random.amount(100, 5_000) } else { 0 },
            net_amount: 0,
            at_bank: AtBank::Shown,
        };
        for (description, amount) in self.fee_lines(&deposit) {
            deposit.daily_fees += amount;
            records.fees.push(fee(&deposit, description, amount));
        }
        deposit.net_amount = deposit.components();
        records.deposits.push(deposit);
    }

    fn fee_lines(&mut self, deposit: &Deposit) -> Vec<(&'static str, i64)> {
        let gross = deposit.components();
        let share = deposit.sales * self.random.amount(15, 32) / 1_000;
        let flat = self.random.amount(10, 60);
        match self.random.between(1, 100) {
            1..=5 => Vec::new(),
            6..=9 => vec![(FEES[0], 0)],
            // Two equal lines are two fees.
            10..=18 => vec![(FEES[0], share), (FEES[1], flat), (FEES[1], flat)],
            // Fees that use up the day's amount: a deposit of zero.
            19..=20 if gross > 0 => vec![(FEES[3], gross)],
            21..=60 => vec![(FEES[0], share), (FEES[1], flat)],
            61..=75 => vec![(FEES[0], share), (FEES[1], flat), (FEES[2], 250)],
            _ => vec![(FEES[0], share)],
        }
    }
}

/// A fee line of `deposit`.
fn fee(deposit: &Deposit, description: &'static str, amount: i64) -> Fee {
    Fee {
        merchant: deposit.merchant,
        deposit_id: Some(deposit.id),
        association_date: deposit.association_date,
        adjustment_date: deposit.ach_date,
        listed_date: deposit.payment_date,
        description,
        amount,
    }
}

/// Links the first half of the group's transactions to the deposit `first` and the rest to
/// `second`. Returns false without linking when two deposits would leave the first one empty.
fn link(records: &mut Records, batch_ids: &[i64], first: i64, second: i64) -> (bool, Figures) {
    let (Some(low), Some(high)) = (batch_ids.first(), batch_ids.last()) else {
        return (false, Figures { count: 0, sales: 0, returns: 0 });
    };
    let from = records.authorizations.partition_point(|item| item.batch_id < *low);
    let to = records.authorizations.partition_point(|item| item.batch_id <= *high);
    let items = &mut records.authorizations[from..to];
    let transactions = items.iter().filter(|item| item.kind != CardKind::None).count();
    let half = transactions / 2;
    let mut head = Figures { count: 0, sales: 0, returns: 0 };
    if first != second && half == 0 {
        return (false, head);
    }
    let transactions = items.iter_mut().filter(|item| item.kind != CardKind::None);
    for (nth, item) in transactions.enumerate() {
        let is_head = nth < half;
        item.deposit_id = if is_head { first } else { second };
        if is_head {
            head.count += 1;
            match item.kind {
                CardKind::Return => head.returns += item.amount,
                _ => head.sales += item.amount,
            }
        }
    }
    (true, head)
}
