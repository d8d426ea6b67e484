//! Plants in settlement and payment: batches that are sent twice or late, carried balances,
//! deposits that are sent again, terminals that are not configured.

use chrono::{Days, NaiveDate};

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::records::{AtBank, Authorization, Batch, CardKind, Deposit, Fee};

/// A batch is submitted a second time on its day: the same cards, amounts and types, with new ids.
pub fn duplicate_batch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    candidates.retain(|(group, _)| {
        let [at] = group.batches[..] else { return false };
        let batch = &planter.records.batches[at];
        let items = planter.records.batch_items(batch.id);
        let transactions = items.iter().filter(|item| item.kind != CardKind::None);
        group.deposits.len() == 1 && transactions.count() >= 3 && batch.sales != batch.returns
    });
    let (group, _) = planter.take(&candidates)?;
    let at = group.batches[0];
    let first = planter.records.batches[at].clone();
    let again =
        Batch { id: first.id + 1, is_evening: true, sales: 0, returns: 0, count: 0, ..first };
    let mut copies: Vec<Authorization> = planter.records.batch_items(first.id).to_vec();
    copies.retain(|item| item.kind != CardKind::None);
    let end = planter.records.authorizations.partition_point(|item| item.batch_id <= first.id);
    planter.records.make_room(end - 1, copies.len());
    planter.records.batches.insert(at + 1, again.clone());
    for (nth, copy) in copies.into_iter().enumerate() {
        let copy = Authorization { batch_id: again.id, part_of: 0, ..copy };
        planter.records.insert_item(end - 1 + nth, &copy);
    }
    let again = planter.records.batches[at + 1].clone();
    let entry = planter.entry("DUPLICATE_BATCH", group.merchant, group.date);
    planter.expected.push(Expected {
        batch_id: again.id.to_string(),
        ..entry.with_figures(0, again.sales - again.returns)
    });
    Some(())
}

/// Fees leave a deposit below zero, it is on no statement, and a later deposit takes the balance.
pub fn deposit_carried(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let owed = planter.noticeable();
    let mut pairs = carrying_pairs(planter, owed);
    pairs.retain(|((_, first), _)| planter.records.deposits[*first].net_amount > 0);
    let ((earlier, first), (later, second)) = planter.random.pick(&pairs)?;
    planter.use_group(earlier.merchant, earlier.date);
    planter.use_group(later.merchant, later.date);
    let deposit = planter.deposit(first);
    let amount = deposit.net_amount + owed;
    deposit.daily_fees += amount;
    deposit.net_amount = deposit.components();
    deposit.at_bank = AtBank::Nothing;
    let deposit = deposit.clone();
    charge(planter, &deposit, "Terminal rental, yearly", amount);
    let carrying = planter.deposit(second);
    carrying.ach_adjustment += owed;
    carrying.net_amount = carrying.components();
    let paid = carrying.payment_date;
    let entry = planter.entry("DEPOSIT_CARRIED", earlier.merchant, paid);
    planter.expected.push(Expected {
        last_seen: Some(paid),
        ach_deposit_id: deposit.id.to_string(),
        ..entry.with_figures(-owed, 0)
    });
    Some(())
}

/// The returns of a day exceed its sales, no deposit pays it, and a later one takes the shortfall.
pub fn group_carried(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let owed = planter.noticeable();
    let mut pairs = carrying_pairs(planter, owed);
    pairs.retain(|((earlier, first), _)| {
        let items = |at: &usize| planter.records.batch_items(planter.records.batches[*at].id);
        let deposit = &planter.records.deposits[*first];
        deposit.ach_adjustment == 0
            && earlier.batches.len() == 1
            && earlier.batches.iter().any(|at| !items(at).is_empty())
    });
    let ((earlier, first), (later, second)) = planter.random.pick(&pairs)?;
    planter.use_group(earlier.merchant, earlier.date);
    planter.use_group(later.merchant, later.date);
    let deposit = planter.deposit(first).clone();
    let carrying = planter.deposit(second);
    carrying.ach_adjustment += owed;
    carrying.net_amount = carrying.components();
    let paid = carrying.payment_date;
    let batch = planter.records.batches[earlier.batches[0]].clone();
    let items = &planter.records.authorizations;
    let end = items.partition_point(|item| item.batch_id <= batch.id);
    let returned = Authorization {
        part_of: 0,
        deposit_id: 0,
        amount: batch.sales - batch.returns + owed,
        preauthorization: None,
        kind: CardKind::Return,
        response: None,
        ..items[end - 1].clone()
    };
    planter.records.insert_item(end - 1, &returned);
    planter.records.deposits.remove(first);
    planter.records.fees.retain(|fee| fee.deposit_id != Some(deposit.id));
    for item in &mut planter.records.authorizations {
        if item.deposit_id == deposit.id {
            item.deposit_id = 0;
        }
    }
    let entry = planter.entry("DEPOSIT_CARRIED", earlier.merchant, paid);
    planter.expected.push(Expected {
        last_seen: Some(paid),
        batch_id: batch.id.to_string(),
        ..entry.with_figures(-owed, 0)
    });
    Some(())
}

/// Two paid days of a merchant, each with one deposit. The later one is paid soon after the earlier
/// day is due, and can take the amount owed.
fn carrying_pairs(planter: &Planter<'_>, owed: i64) -> Vec<((Group, usize), (Group, usize))> {
    let paid = planter.paid_groups();
    let mut pairs = Vec::new();
    for (earlier, first) in &paid {
        for (later, second) in &paid {
            let (one, other) =
                (&planter.records.deposits[*first], &planter.records.deposits[*second]);
            let is_soon = one.payment_date < other.payment_date
                && other.payment_date <= planter.records.due(one.merchant, one.payment_date, 5)
                && planter.records.due(one.merchant, earlier.date, 2) < other.payment_date;
            let is_whole = earlier.deposits.len() == 1 && later.deposits.len() == 1;
            if one.merchant == other.merchant && is_soon && is_whole && other.net_amount > owed {
                pairs.push(((earlier.clone(), *first), (later.clone(), *second)));
            }
        }
    }
    pairs
}

/// The bank returns a deposit, and the processor sends it again two banking days later.
pub fn deposit_resent(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    candidates.retain(|(group, at)| {
        let deposit = &planter.records.deposits[*at];
        let again = planter.records.due(group.merchant, deposit.payment_date, 2);
        let next = planter.records.deposits.get(at + 1).map(|next| next.id);
        let is_id_free = next != Some(deposit.id + 1);
        group.deposits.len() == 1 && deposit.net_amount > 0 && again <= planter.to && is_id_free
    });
    let (group, at) = planter.take(&candidates)?;
    let first = planter.deposit(at);
    first.at_bank = AtBank::Nothing;
    let first = first.clone();
    let second = Deposit {
        id: first.id + 1,
        ach_date: planter.records.due(group.merchant, first.payment_date, 1),
        payment_date: planter.records.due(group.merchant, first.payment_date, 2),
        at_bank: AtBank::Shown,
        ..first.clone()
    };
    let fees: Vec<Fee> = planter.records.fees.iter().filter(is_of(first.id)).cloned().collect();
    for fee in fees {
        charge(planter, &second, fee.description, fee.amount);
    }
    for item in &mut planter.records.authorizations {
        if item.deposit_id == first.id {
            item.deposit_id = second.id;
        }
    }
    planter.records.deposits.insert(at + 1, second);
    let due = planter.records.due(group.merchant, first.payment_date, 1);
    let entry = planter.entry("DEPOSIT_NOT_IN_BANK", group.merchant, due);
    planter.expected.push(Expected {
        ach_deposit_id: first.id.to_string(),
        ..entry.with_figures(first.net_amount, 0)
    });
    Some(())
}

fn is_of(deposit: i64) -> impl Fn(&&Fee) -> bool {
    move |fee| fee.deposit_id == Some(deposit)
}

/// A fee line of a deposit.
pub fn charge(
    planter: &mut Planter<'_>,
    deposit: &Deposit,
    description: &'static str,
    amount: i64,
) {
    let fees = &mut planter.records.fees;
    fees.push(Fee {
        merchant: deposit.merchant,
        deposit_id: Some(deposit.id),
        association_date: deposit.association_date,
        adjustment_date: deposit.ach_date,
        listed_date: deposit.payment_date,
        description,
        amount,
    });
    fees.sort_by_key(|fee| (fee.listed_date, fee.deposit_id));
}

/// Calendar days after its date on which a late batch is listed.
const LATE_DAYS: u64 = 5;

/// A second batch of a day is listed days later, and no deposit ever pays it.
pub fn late_batch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    let busy = planter.days_with_transfers();
    candidates.retain(|(group, at)| {
        let [_, evening] = group.batches[..] else { return false };
        let batch = &planter.records.batches[evening];
        let deposit = &planter.records.deposits[*at];
        group.deposits.len() == 1
            && !busy.contains(&group.key())
            && batch.count > 0
            && deposit.transactions > batch.count
            && listed_late(group.date).is_some_and(|listed| listed <= planter.to)
    });
    let (group, at) = planter.take(&candidates)?;
    let late = planter.records.batches[group.batches[1]].clone();
    planter.records.late.batches.insert(late.id, listed_late(group.date)?);
    for item in &mut planter.records.authorizations {
        if item.batch_id == late.id {
            item.deposit_id = 0;
        }
    }
    planter.pay_less(&(group, at), [late.sales, late.returns, late.count]);
    Some(())
}

fn listed_late(date: NaiveDate) -> Option<NaiveDate> {
    date.checked_add_days(Days::new(LATE_DAYS))
}

/// The configuration names no terminals of a merchant, and a header exceeds its card items.
pub fn terminals_not_named(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates: Vec<(Group, usize)> = Vec::new();
    for group in planter.free_groups() {
        let merchant = &planter.records.merchants[group.merchant];
        let is_fit = planter.is_in_range(group.date)
            && !merchant.takes_bank_transfers()
            && merchant.names_terminals
            && group.batches.len() == 1;
        if let ([at], true) = (&group.deposits[..], is_fit) {
            let at = *at;
            candidates.push((group, at));
        }
    }
    let (group, at) = planter.take(&candidates)?;
    let amount = planter.noticeable();
    planter.records.merchants[group.merchant].names_terminals = false;
    let batch = &mut planter.records.batches[group.batches[0]];
    batch.sales += amount;
    batch.count += 1;
    let deposit = planter.deposit(at);
    deposit.sales += amount;
    deposit.transactions += 1;
    deposit.net_amount = deposit.components();
    let entry = planter.entry("TERMINALS_NOT_NAMED", group.merchant, group.date);
    planter.expected.push(Expected { currency: None, ..entry });
    Some(())
}
