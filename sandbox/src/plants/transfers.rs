//! More plants in bank transfers: returned refunds, transfers that settled twice or on a day
//! without a batch, run times in another time zone.

use chrono::NaiveDate;

use super::key::Expected;
use super::planter::{Nth, Planter};
use crate::world::moment;
use crate::world::records::{PaymentLink, TransferStatus, TransferType};

/// A refund was returned: the customer still has to be paid.
pub fn refund_returned(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut refunds = planter.settled(TransferType::UnreferencedRefund);
    refunds.retain(|(at, _)| planter.records.transfers[*at].run_date >= planter.from);
    let (at, _) = planter.random.pick(&refunds)?;
    planter.used_transfers.insert(at);
    let refund = &mut planter.records.transfers[at];
    refund.status = TransferStatus::Returned;
    let amount = refund.amount;
    // A return without a date counts on the last business date of the run that reads it.
    let entry = planter.about("REFUND_RETURNED", at, planter.to).with_figures(0, amount);
    planter.expected.push(entry);
    Some(())
}

/// A refund gives back money that was not kept: its payment was returned or declined.
pub fn refund_after_return(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (refund, _) in planter.settled(TransferType::UnreferencedRefund) {
        let given = &planter.records.transfers[refund];
        for (at, payment) in planter.records.transfers.iter().enumerate() {
            let is_closed = |entry: &crate::world::records::Return| {
                entry.closed && !entry.represented && entry.date < given.run_date
            };
            let came_to_nothing = match payment.status {
                TransferStatus::Returned => {
                    payment.returns.len() == 1 && payment.returns.iter().all(is_closed)
                }
                TransferStatus::Declined => {
                    payment.settled.is_none() && payment.run_date < given.run_date
                }
                _ => false,
            };
            let is_fit = payment.transfer_type == TransferType::Payment
                && payment.merchant == given.merchant
                && payment.return_of.is_none()
                && payment.refunds.is_empty()
                && payment.represents.is_none()
                && !planter.used_transfers.contains(&at)
                && given.run_date >= planter.from;
            if is_fit && came_to_nothing {
                pairs.push((refund, at));
            }
        }
    }
    let (refund, payment) = planter.random.pick(&pairs)?;
    planter.used_transfers.extend([refund, payment]);
    let paid = planter.records.transfers[payment].clone();
    planter.records.transfers[payment].refunds.push(refund);
    let given = &mut planter.records.transfers[refund];
    given.transfer_type = TransferType::Refund;
    given.payment = PaymentLink::Known(payment);
    given.terminal = paid.terminal;
    given.order_id = paid.order_id;
    let (amount, run) = (given.amount, given.run_date);
    let entry = planter.about("REFUND_EXCEEDS_PAYMENT", refund, run).with_figures(0, amount);
    planter.expected.push(Expected { payment_id: paid.id, ..entry });
    Some(())
}

/// A payment is in the settled listings of two dates, and in a batch of each.
pub fn settled_twice(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = Vec::new();
    let groups = planter.free_groups();
    for (at, settled) in planter.settled(TransferType::Payment) {
        let merchant = planter.records.transfers[at].merchant;
        let later = groups.iter().find(|group| {
            group.merchant == merchant
                && group.date > settled
                && planter.is_in_range(group.date)
                && group.deposits.len() == 1
        });
        candidates.extend(later.map(|group| (at, group.clone())));
    }
    let (at, group) = planter.random.pick(&candidates)?;
    planter.used_transfers.insert(at);
    planter.use_group(group.merchant, group.date);
    let payment = &mut planter.records.transfers[at];
    payment.settled_again = Some(group.date);
    let amount = payment.amount;
    let batch = &mut planter.records.batches[group.batches[0]];
    batch.sales += amount;
    batch.count += 1;
    let deposit = planter.deposit(group.deposits[0]);
    deposit.sales += amount;
    deposit.transactions += 1;
    deposit.net_amount = deposit.components();
    let entry = planter.about("DUPLICATE_TRANSACTION", at, group.date);
    planter.expected.push(entry.with_figures(0, amount));
    Some(())
}

/// A payment settles on a day on which its merchant has no batch.
pub fn settled_without_batch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let days: std::collections::BTreeSet<(usize, NaiveDate)> =
        planter.records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
    let mut candidates = Vec::new();
    for merchant in planter.banking_merchants() {
        let dates = planter.from.iter_days().take_while(|date| *date <= planter.to);
        let is_fit = |date: &NaiveDate| {
            let day = (merchant, *date);
            !days.contains(&day) && !planter.used_groups.contains(&day)
        };
        candidates.extend(dates.filter(is_fit).map(|date| (merchant, date)));
    }
    let (merchant, date) = planter.random.pick(&candidates)?;
    planter.use_group(merchant, date);
    let status = TransferStatus::Complete;
    let at = planter.add_transfer(merchant, TransferType::Payment, status, date);
    planter.records.transfers[at].settled = Some(date);
    let amount = planter.records.transfers[at].amount;
    let entry = planter.about("ITEM_WITHOUT_BATCH", at, date).with_figures(0, amount);
    planter.expected.push(entry);
    Some(())
}

/// Banking days after which an accepted payment should have settled.
const ACCEPTED_DAYS: u32 = 6;

/// A payment was accepted and never settles.
pub fn accepted_not_settled(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = Vec::new();
    for merchant in planter.banking_merchants() {
        let dates = planter.from.iter_days().take_while(|date| *date <= planter.to);
        let is_due =
            |date: &NaiveDate| planter.records.due(merchant, *date, ACCEPTED_DAYS) <= planter.to;
        candidates.extend(dates.filter(is_due).map(|date| (merchant, date)));
    }
    let (merchant, run) = planter.random.pick(&candidates)?;
    let status = TransferStatus::Accepted;
    let at = planter.add_transfer(merchant, TransferType::Payment, status, run);
    let due = planter.records.due(merchant, run, ACCEPTED_DAYS);
    let amount = planter.records.transfers[at].amount;
    let entry = planter.about("PAYMENT_NOT_SETTLED", at, due).with_figures(amount, 0);
    planter.expected.push(entry);
    Some(())
}

/// All transfers that settled on a day ran, by the local date, on the day after.
pub fn ran_after_settlement(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut settled = planter.settled(TransferType::Payment);
    settled.extend(planter.settled(TransferType::UnreferencedRefund));
    let mut found: Vec<((usize, NaiveDate), Vec<usize>)> = Vec::new();
    for group in planter.free_groups() {
        let (merchant, date) = group.key();
        let all = planter.records.transfers.iter();
        let count = all.filter(|one| one.merchant == merchant && one.settled == Some(date)).count();
        let of_day = settled.iter().filter(|(at, day)| {
            *day == date && planter.records.transfers[*at].merchant == merchant
        });
        let plain: Vec<usize> = of_day.map(|(at, _)| *at).collect();
        if plain.len() >= 2 && plain.len() == count && date < planter.to {
            found.push((group.key(), plain));
        }
    }
    let ((merchant, date), transfers) = planter.random.pick(&found)?;
    planter.use_group(merchant, date);
    let zone = planter.records.merchants[merchant].time_zone;
    let next = date.succ_opt()?;
    for at in transfers {
        planter.used_transfers.insert(at);
        let run_at = moment(&mut planter.random, zone, next);
        let transfer = &mut planter.records.transfers[at];
        (transfer.run_at, transfer.run_date) = (run_at, next);
    }
    let entry = planter.entry("TIME_ZONE_DOUBTFUL", merchant, date);
    planter.expected.push(Expected { currency: None, ..entry });
    Some(())
}
