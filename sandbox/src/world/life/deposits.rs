//! Deposits that pay for several batch dates, or name a date next to theirs.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::weaver::{Day, Days, Weaver};
use crate::calendar::last_of_month;
use crate::world::records::{AtBank, Deposit, Fee};
use crate::world::{add_return, adjusted_days};

/// Batch dates that one deposit pays for.
const MOST_DAYS: usize = 3;

/// One deposit pays for two or three consecutive batch dates and names one of them.
pub(super) fn pay_together(weaver: &mut Weaver<'_>) -> Option<()> {
    let wanted = if weaver.random.chance(50) { MOST_DAYS } else { 2 };
    let (free, all) = (weaver.due_days(), weaver.days());
    let runs: Vec<Vec<Day>> = free
        .iter()
        .filter_map(|first| run(weaver, first, wanted, &free, &all))
        .filter(|run| are_neighbours_free(weaver, run, &all))
        .collect();
    let run = weaver.random.pick(&runs)?;
    let (first, last) = (run.first()?, run.last()?);
    let merchant = first.merchant;
    for day in &run {
        weaver.claim(merchant, day.date);
    }
    claim_beside(weaver, merchant, (first.date, last.date), &all);
    let named = weaver.random.index(run.len());
    let positions: Vec<usize> = run.iter().flat_map(|day| day.deposits.clone()).collect();
    let paid: Vec<Deposit> =
        positions.iter().map(|at| weaver.records.deposits[*at].clone()).collect();
    let whole = merge(weaver, &paid, run[named].date, (first.date, last.date))?;
    weaver.records.deposits.retain(|deposit| !paid.iter().any(|one| one.id == deposit.id));
    let place = weaver.records.deposits.partition_point(|deposit| deposit.id < whole.id);
    relink(weaver, &paid, &whole);
    weaver.records.deposits.insert(place, whole);
    Some(())
}

/// The merchant's `wanted` consecutive batch dates from `first` on, when all are free.
fn run(
    weaver: &Weaver<'_>,
    first: &Day,
    wanted: usize,
    free: &[Day],
    all: &Days,
) -> Option<Vec<Day>> {
    let later = all.range((first.merchant, first.date)..);
    let dates: Vec<NaiveDate> = later
        .take_while(|((merchant, _), _)| *merchant == first.merchant)
        .map(|((_, date), _)| *date)
        .take(wanted)
        .collect();
    let last = *dates.last()?;
    let is_near = last < weaver.records.due(first.merchant, first.date, 2);
    let days: Vec<Day> = free
        .iter()
        .filter(|day| day.merchant == first.merchant && dates.contains(&day.date))
        .cloned()
        .collect();
    (days.len() == wanted && is_near).then_some(days)
}

/// Checks that the batch dates right before and after have no kind worked in.
fn are_neighbours_free(weaver: &Weaver<'_>, run: &[Day], all: &Days) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return false };
    let beside = beside(all, first.merchant, (first.date, last.date));
    beside.into_iter().all(|date| weaver.is_free(first.merchant, date))
}

fn claim_beside(
    weaver: &mut Weaver<'_>,
    merchant: usize,
    ends: (NaiveDate, NaiveDate),
    all: &Days,
) {
    for date in beside(all, merchant, ends) {
        weaver.claim(merchant, date);
    }
}

/// The deposit that pays the amounts of all `paid`, named after one batch date. It is paid before
/// the payment for the first batch date is overdue.
fn merge(
    weaver: &Weaver<'_>,
    paid: &[Deposit],
    named: NaiveDate,
    (first, last): (NaiveDate, NaiveDate),
) -> Option<Deposit> {
    let model = paid.last()?;
    let payment_date = weaver.records.due(model.merchant, first, 2);
    let sum = |figure: fn(&Deposit) -> i64| paid.iter().map(figure).sum();
    let mut whole = Deposit {
        association_date: named,
        ach_date: weaver.records.due(model.merchant, last, 1).min(payment_date),
        payment_date,
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

/// Makes the items and fees of `paid` name `whole`.
fn relink(weaver: &mut Weaver<'_>, paid: &[Deposit], whole: &Deposit) {
    let is_paid = |id: i64| paid.iter().any(|one| one.id == id);
    for item in &mut weaver.records.authorizations {
        if is_paid(item.deposit_id) {
            item.deposit_id = whole.id;
        }
    }
    for fee in &mut weaver.records.fees {
        if fee.deposit_id.is_some_and(is_paid) {
            fee.deposit_id = Some(whole.id);
            fee.association_date = whole.association_date;
            fee.adjustment_date = whole.ach_date;
            fee.listed_date = whole.payment_date;
        }
    }
}

/// A deposit names the day after its batch date.
pub(super) fn move_association_date(weaver: &mut Weaver<'_>) -> Option<()> {
    let (mut days, all) = (weaver.due_days(), weaver.days());
    let adjusted = adjusted_days(weaver.records);
    let returned = return_days(weaver);
    days.retain(|day| {
        let Some(next) = day.date.succ_opt() else { return false };
        let is_quiet = |date: NaiveDate| {
            let key = (day.merchant, date);
            weaver.is_free(day.merchant, date)
                && !returned.contains(&key)
                && !adjusted.contains(&key)
        };
        let is_one = all.get(&(day.merchant, next)).is_none_or(|next| next.deposits.len() < 2);
        day.deposits.len() == 1
            && is_one
            && are_neighbours_free(weaver, std::slice::from_ref(day), &all)
            && [day.date, next].into_iter().all(is_quiet)
    });
    let day = weaver.random.pick(&days)?;
    let next = day.date.succ_opt()?;
    weaver.claim(day.merchant, day.date);
    weaver.claim(day.merchant, next);
    claim_beside(weaver, day.merchant, (day.date, next), &all);
    let deposit = &mut weaver.records.deposits[*day.deposits.first()?];
    deposit.association_date = next;
    let id = deposit.id;
    for fee in weaver.records.fees.iter_mut().filter(|fee| fee.deposit_id == Some(id)) {
        fee.association_date = next;
    }
    Some(())
}

/// Merchant-days with a returned payment.
fn return_days(weaver: &Weaver<'_>) -> BTreeSet<(usize, NaiveDate)> {
    let transfers = weaver.records.transfers.iter();
    transfers.flat_map(|one| one.returns.iter().map(|entry| (one.merchant, entry.date))).collect()
}

/// A payment is returned on a day without a batch, and a deposit of that day deducts it.
pub(super) fn return_without_batch(weaver: &mut Weaver<'_>) -> Option<()> {
    let (with_batch, returned) = (weaver.days(), return_days(weaver));
    let mut found = Vec::new();
    for (at, payment) in weaver.records.transfers.iter().enumerate() {
        let Some(settled) = payment.settled else { continue };
        let merchant = payment.merchant;
        let is_plain = payment.is_plain_payment()
            && weaver.records.merchants[merchant].is_configured
            && !weaver.woven.transfers.contains(&at);
        if !is_plain {
            continue;
        }
        let dates = weaver.from.iter_days().take_while(|date| *date <= weaver.to);
        found.extend(
            dates
                .filter(|date| {
                    *date > settled
                        && weaver.records.merchants[merchant].calendar.is_banking_day(*date)
                        && !with_batch.contains_key(&(merchant, *date))
                        && weaver.is_free(merchant, *date)
                        && !returned.contains(&(merchant, *date))
                })
                .map(|date| (at, date)),
        );
    }
    let (at, date) = weaver.random.pick(&found)?;
    let merchant = weaver.records.transfers[at].merchant;
    weaver.claim(merchant, date);
    let code = weaver.random.index(3);
    let returned = add_return(&mut weaver.records.transfers, at, date, code);
    weaver.records.transfers[at].returns[0].closed = true;
    weaver.woven.transfers.extend([at, returned]);
    let amount = weaver.records.transfers[at].amount;
    add_deposit(weaver, merchant, date, amount);
    Some(())
}

/// A deposit that deducts an amount and pays nothing.
fn add_deposit(weaver: &mut Weaver<'_>, merchant: usize, date: NaiveDate, taken_back: i64) {
    let deposits = &weaver.records.deposits;
    let end = deposits.partition_point(|deposit| deposit.association_date <= date);
    // Ids rise in steps of two or more, so the next one is free unless it was taken.
    let is_gap = |at: &usize| {
        let next = deposits.get(at + 1).map(|next| next.id);
        next.is_none_or(|next| next > deposits[*at].id + 1)
    };
    let Some(before) = (end.saturating_sub(1)..deposits.len()).find(is_gap) else { return };
    let mut deposit = Deposit {
        id: deposits[before].id + 1,
        merchant,
        association_date: date,
        ach_date: weaver.records.due(merchant, date, 1),
        payment_date: weaver.records.due(merchant, date, 2),
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
    weaver.records.deposits.insert(before + 1, deposit);
}

/// The merchant's batch dates right before and after a range of days.
fn beside(all: &Days, merchant: usize, (first, last): (NaiveDate, NaiveDate)) -> Vec<NaiveDate> {
    let before = all.range((merchant, NaiveDate::MIN)..(merchant, first)).next_back();
    let after = all.range((merchant, last)..=(merchant, NaiveDate::MAX));
    let after = after.map(|((_, date), _)| *date).find(|date| *date > last);
    before.map(|((_, date), _)| *date).into_iter().chain(after).collect()
}

/// Fees of every configured merchant that name no deposit, on the first and the last date of each
/// month.
pub fn bill_by_month(weaver: &mut Weaver<'_>) -> Option<()> {
    for merchant in 0..weaver.records.merchants.len() {
        let of = &weaver.records.merchants[merchant];
        if !of.is_configured || of.is_silent {
            continue;
        }
        let mut first = weaver.from;
        while first <= weaver.to {
            let last = last_of_month(first).min(weaver.to);
            for (date, description) in [(first, "Statement fee"), (last, "Gateway fee")] {
                weaver.records.fees.push(Fee {
                    merchant,
                    deposit_id: None,
                    association_date: date,
                    adjustment_date: date,
                    listed_date: date,
                    description,
                    amount: weaver.random.amount(500, 4_000),
                });
            }
            first = last.succ_opt()?;
        }
    }
    Some(())
}
