//! Plants in bank transfers. Batch totals are not changed: added transfers are never settled, and
//! settled transfers keep their amount and date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::records::{HOLDERS, PaymentLink, Transfer, TransferStatus, TransferType};
use crate::world::{add_return, counts_to, moment, transfer_id};

/// How far back a late transfer may have run: over any weekend with adjacent holidays.
const LATE_DAYS: u64 = 8;

/// A payment is in no settled listing. Every second one is settled, but too late.
pub fn payment_not_settled(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    not_settled(planter, nth, "PAYMENT_NOT_SETTLED", TransferType::Payment)
}

/// As `payment_not_settled`, for a refund.
pub fn refund_not_settled(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    not_settled(planter, nth, "REFUND_NOT_SETTLED", TransferType::UnreferencedRefund)
}

fn not_settled(
    planter: &mut Planter<'_>,
    nth: Nth,
    code: &'static str,
    transfer_type: TransferType,
) -> Option<()> {
    if nth.0 % 2 == 1 && settles_late(planter, code, transfer_type).is_some() {
        return Some(());
    }
    let mut candidates = Vec::new();
    for merchant in planter.banking_merchants() {
        let dates = planter.from.iter_days().take_while(|date| *date <= planter.to);
        let due = dates.filter(|date| planter.records.due(merchant, *date, 1) <= planter.to);
        candidates.extend(due.map(|date| (merchant, date)));
    }
    let (merchant, run) = planter.random.pick(&candidates)?;
    let status = *planter.random.choose(&[TransferStatus::Ready, TransferStatus::Complete]);
    let at = planter.add_transfer(merchant, transfer_type, status, run);
    let first_seen = planter.records.due(merchant, run, 1);
    let amount = planter.records.transfers[at].amount;
    let entry = planter.about(code, at, first_seen).with_figures(amount, 0);
    planter.expected.push(entry);
    Some(())
}

/// Moves the run date of a settled transfer so far back that it settled too late.
fn settles_late(
    planter: &mut Planter<'_>,
    code: &'static str,
    transfer_type: TransferType,
) -> Option<()> {
    let mut candidates: Vec<(usize, NaiveDate, NaiveDate)> = Vec::new();
    for (at, settled) in planter.settled(transfer_type) {
        let merchant = planter.records.transfers[at].merchant;
        let run = (1..=LATE_DAYS)
            .filter_map(|days| settled.checked_sub_days(Days::new(days)))
            .find(|run| *run >= planter.from && planter.records.due(merchant, *run, 1) < settled);
        candidates.extend(run.map(|run| (at, run, settled)));
    }
    let (at, run, settled) = planter.random.pick(&candidates)?;
    planter.used_transfers.insert(at);
    let merchant = planter.records.transfers[at].merchant;
    let zone = planter.records.merchants[merchant].time_zone;
    let run_at = moment(&mut planter.random, zone, run);
    let transfer = &mut planter.records.transfers[at];
    (transfer.run_at, transfer.run_date) = (run_at, run);
    let amount = transfer.amount;
    let first_seen = planter.records.due(merchant, run, 1);
    let entry = planter.about(code, at, first_seen).with_figures(amount, 0);
    planter.expected.push(Expected { last_seen: Some(settled), ..entry });
    Some(())
}

/// A declined payment, or a reversed refund, is settled all the same.
pub fn settled_despite_status(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let payments = planter.settled(TransferType::Payment);
    let refunds = planter.settled(TransferType::UnreferencedRefund);
    let is_refund = nth.0 % 2 == 1 && !refunds.is_empty();
    let (at, settled) = planter.random.pick(if is_refund { &refunds } else { &payments })?;
    planter.used_transfers.insert(at);
    let transfer = &mut planter.records.transfers[at];
    transfer.status = if is_refund { TransferStatus::Reversal } else { TransferStatus::Declined };
    let amount = transfer.amount;
    let entry = planter.about("SETTLED_DESPITE_STATUS", at, settled).with_figures(0, amount);
    planter.expected.push(entry);
    Some(())
}

/// A refund gives back more than was paid: a settled refund without a payment now names a smaller
/// payment, or a new refund of the last day does.
pub fn refund_exceeds_payment(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let (refund, payment) = match smaller_payment(planter) {
        Some(pair) => pair,
        None => excessive_refund(planter)?,
    };
    planter.used_transfers.extend([refund, payment]);
    let paid = planter.records.transfers[payment].clone();
    planter.records.transfers[payment].refunds.push(refund);
    let entry = &mut planter.records.transfers[refund];
    entry.transfer_type = TransferType::Refund;
    entry.payment = PaymentLink::Known(payment);
    entry.terminal = paid.terminal;
    entry.order_id = paid.order_id;
    let (given_back, run) = (entry.amount, entry.run_date);
    let entry = planter.about("REFUND_EXCEEDS_PAYMENT", refund, run);
    planter
        .expected
        .push(Expected { payment_id: paid.id, ..entry.with_figures(paid.amount, given_back) });
    Some(())
}

/// A settled refund of the range, and an earlier, smaller payment of the same merchant.
fn smaller_payment(planter: &mut Planter<'_>) -> Option<(usize, usize)> {
    let mut payments: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in planter.untouched(TransferType::Payment) {
        payments.entry(planter.records.transfers[at].merchant).or_default().push(at);
    }
    let mut pairs = Vec::new();
    for (refund, _) in planter.settled(TransferType::UnreferencedRefund) {
        let given_back = &planter.records.transfers[refund];
        if given_back.run_date < planter.from {
            continue;
        }
        for at in payments.get(&given_back.merchant).into_iter().flatten() {
            let paid = &planter.records.transfers[*at];
            let fits = paid.settled.is_some_and(|settled| settled < given_back.run_date)
                && paid.amount < given_back.amount;
            if fits {
                pairs.push((refund, *at));
            }
        }
    }
    planter.random.pick(&pairs)
}

/// A new refund of the last day, larger than some settled payment.
fn excessive_refund(planter: &mut Planter<'_>) -> Option<(usize, usize)> {
    let mut payments = planter.untouched(TransferType::Payment);
    payments.retain(|at| {
        let payment = &planter.records.transfers[*at];
        payment.settled.is_some_and(|settled| settled < planter.to)
    });
    let payment = planter.random.pick(&payments)?;
    let paid = planter.records.transfers[payment].clone();
    let to = planter.to;
    let refund =
        planter.add_transfer(paid.merchant, TransferType::Refund, TransferStatus::Ready, to);
    let excess = planter.noticeable();
    planter.records.transfers[refund].amount = paid.amount + excess;
    Some((refund, payment))
}

/// A refund names an unknown payment.
pub fn refund_without_payment(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut refunds = planter.settled(TransferType::UnreferencedRefund);
    refunds.retain(|(at, _)| planter.records.transfers[*at].run_date >= planter.from);
    let at = if let Some((at, _)) = planter.random.pick(&refunds) {
        at
    } else {
        let merchants = planter.banking_merchants();
        let merchant = planter.random.pick(&merchants)?;
        let to = planter.to;
        planter.add_transfer(merchant, TransferType::Refund, TransferStatus::Ready, to)
    };
    planter.used_transfers.insert(at);
    // Ids from the other end of the ordinals, which no transfer of the world has.
    let unknown = transfer_id(usize::try_from(u32::MAX).unwrap_or(usize::MAX) - at);
    let refund = &mut planter.records.transfers[at];
    refund.transfer_type = TransferType::Refund;
    refund.payment = PaymentLink::Unknown(unknown.clone());
    let (amount, run) = (refund.amount, refund.run_date);
    let entry = planter.about("REFUND_WITHOUT_PAYMENT", at, run).with_figures(0, amount);
    planter.expected.push(Expected { payment_id: unknown, ..entry });
    Some(())
}

/// A returned payment is not handled. Its deposit deducts the money correctly.
///
/// A return is judged however long before the first date it was made. An earlier one therefore
/// serves where the range is too short for a return that falls due within it.
pub fn return_outstanding(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let batch_days: BTreeSet<(usize, NaiveDate)> =
        planter.records.batches.iter().map(|batch| (batch.merchant, batch.date)).collect();
    let groups: BTreeMap<(usize, NaiveDate), Group> = planter
        .free_groups()
        .into_iter()
        .filter(|group| group.deposits.len() == 1)
        .map(|group| (group.key(), group))
        .collect();
    let mut candidates = Vec::new();
    for at in planter.untouched(TransferType::Payment) {
        let payment = &planter.records.transfers[at];
        let Some(settled) = payment.settled else { continue };
        let date = planter.records.due(payment.merchant, settled, 1);
        let due = planter.records.due(payment.merchant, date, 5);
        let day = counts_to(&batch_days, payment.merchant, date);
        let group = day.and_then(|day| groups.get(&day));
        if let Some(group) = group.filter(|_| planter.is_in_range(due)) {
            candidates.push((at, date, due, group.clone()));
        }
    }
    let within: Vec<_> =
        candidates.iter().filter(|(_, date, _, _)| *date >= planter.from).cloned().collect();
    let (at, date, due, group) =
        planter.random.pick(if within.is_empty() { &candidates } else { &within })?;
    planter.use_group(group.merchant, group.date);
    planter.used_transfers.insert(at);
    let code = planter.random.index(3);
    let returned = add_return(&mut planter.records.transfers, at, date, code);
    planter.used_transfers.insert(returned);
    let amount = planter.records.transfers[at].amount;
    let deposit = planter.deposit(group.deposits[0]);
    deposit.ach_adjustment += amount;
    deposit.net_amount = deposit.components();
    let entry = planter.about("RETURN_OUTSTANDING", at, due).with_figures(0, amount);
    planter.expected.push(entry);
    Some(())
}

impl Planter<'_> {
    pub(super) fn banking_merchants(&self) -> Vec<usize> {
        let merchants = self.records.merchants.iter().enumerate();
        merchants
            .filter(|(_, merchant)| {
                merchant.is_configured && !merchant.is_silent && merchant.takes_bank_transfers()
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// Good transfers of that type that no other record refers to.
    pub(super) fn untouched(&self, transfer_type: TransferType) -> Vec<usize> {
        let is_good = |transfer: &Transfer| {
            transfer.transfer_type == transfer_type
                && matches!(transfer.status, TransferStatus::Pending | TransferStatus::Complete)
                && transfer.shows_time
                && transfer.refunds.is_empty()
                && transfer.representment.is_none()
                && transfer.represents.is_none()
                && transfer.return_of.is_none()
                && self.records.merchants[transfer.merchant].is_configured
        };
        let transfers = self.records.transfers.iter().enumerate();
        transfers
            .filter(|(at, transfer)| is_good(transfer) && !self.used_transfers.contains(at))
            .map(|(at, _)| at)
            .collect()
    }

    /// The untouched transfers that settled in the range, with the date.
    pub(super) fn settled(&self, transfer_type: TransferType) -> Vec<(usize, NaiveDate)> {
        let untouched = self.untouched(transfer_type).into_iter();
        untouched
            .filter_map(|at| self.records.transfers[at].settled.map(|date| (at, date)))
            .filter(|(_, date)| self.is_in_range(*date))
            .collect()
    }

    /// A new transfer that is not settled.
    pub(super) fn add_transfer(
        &mut self,
        merchant: usize,
        transfer_type: TransferType,
        status: TransferStatus,
        run_date: NaiveDate,
    ) -> usize {
        let ordinal = self.records.transfers.len();
        let entry = &self.records.merchants[merchant];
        let random = &mut self.random;
        self.records.transfers.push(Transfer {
            id: transfer_id(ordinal),
            merchant,
            terminal: random.index(entry.terminals.len()),
            order_id: format!("ORD-{}-{ordinal:05}", run_date.format("%Y%m%d")),
            run_at: moment(random, entry.time_zone, run_date),
            run_date,
            shows_time: true,
            amount: random.amount(500, 20_000),
            transfer_type,
            status,
            settled: None,
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
        self.used_transfers.insert(ordinal);
        ordinal
    }

    /// An entry of the key about a bank transfer.
    pub(super) fn about(&self, code: &'static str, at: usize, first_seen: NaiveDate) -> Expected {
        let transfer = &self.records.transfers[at];
        let entry = self.entry(code, transfer.merchant, first_seen);
        if transfer.transfer_type.is_refund() {
            Expected { refund_id: transfer.id.clone(), ..entry }
        } else {
            Expected { payment_id: transfer.id.clone(), ..entry }
        }
    }
}
