//! Plants across deposits: balances that later ones take, deposits that are paid again, and returns
//! that none deducts.

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::add_return;
use crate::world::records::{AtBank, Authorization, CardKind, Deposit, Fee};

/// Banking days within which the next deposit takes the rest of a balance or of the step before.
const WITHIN: u32 = 5;

/// Fees leave a deposit below zero, it is on no statement, and a later deposit takes the balance.
pub fn deposit_carried(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let owed = planter.noticeable();
    let mut pairs = carrying_pairs(planter, owed);
    pairs.retain(|((_, first), _)| planter.records.deposits[*first].net_amount > 0);
    let ((earlier, first), (later, second)) = planter.random.pick(&pairs)?;
    planter.use_group(earlier.merchant, earlier.date);
    planter.use_group(later.merchant, later.date);
    let deposit = overdraw(planter, first, owed);
    let carrying = planter.deposit(second);
    carrying.ach_adjustment += owed;
    carrying.net_amount = carrying.components();
    let paid = carrying.payment_date;
    let entry = planter.entry("DEPOSIT_CARRIED", earlier.merchant, paid);
    planter.expected.push(Expected {
        last_seen: Some(paid),
        ach_deposit_id: deposit.to_string(),
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
                && other.payment_date
                    <= planter.records.due(one.merchant, one.payment_date, WITHIN)
                && planter.records.due(one.merchant, earlier.date, 2) < other.payment_date;
            let is_whole = earlier.deposits.len() == 1 && later.deposits.len() == 1;
            if one.merchant == other.merchant && is_soon && is_whole && other.net_amount > owed {
                pairs.push(((earlier.clone(), *first), (later.clone(), *second)));
            }
        }
    }
    pairs
}

/// A balance below zero is taken by three later deposits, and each finding states the rest.
pub fn carried_in_parts(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    carry(planter, 1, 3)
}

/// Two balances below zero are taken by one later deposit.
pub fn carried_together(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    carry(planter, 2, 1)
}

fn carry(planter: &mut Planter<'_>, below: usize, takers: usize) -> Option<()> {
    let runs = runs(planter, below + takers);
    let run = planter.random.pick(&runs)?;
    for (group, _) in &run {
        planter.use_group(group.merchant, group.date);
    }
    let merchant = run.first()?.0.merchant;
    let mut balances = Vec::new();
    for (_, at) in &run[..below] {
        let owed = planter.noticeable() + 900;
        balances.push((overdraw(planter, *at, owed), owed));
    }
    let total: i64 = balances.iter().map(|(_, owed)| owed).sum();
    let mut left = total;
    for (nth, (_, at)) in run[below..].iter().enumerate() {
        let part = if nth + 1 == takers { left } else { total / i64::try_from(takers).ok()? };
        left -= part;
        let deposit = planter.deposit(*at);
        deposit.ach_adjustment += part;
        deposit.net_amount = deposit.components();
        let paid = deposit.payment_date;
        for (id, owed) in &balances {
            let entry = planter.entry("DEPOSIT_CARRIED", merchant, paid);
            planter.expected.push(Expected {
                last_seen: Some(paid),
                ach_deposit_id: id.to_string(),
                ..entry.with_figures(-owed, -left)
            });
        }
    }
    Some(())
}

/// Consecutive paid groups of a merchant, each with one deposit that deducts nothing, and each paid
/// after the one before and soon enough to take its rest.
fn runs(planter: &Planter<'_>, length: usize) -> Vec<Vec<(Group, usize)>> {
    let mut groups = planter.paid_groups();
    groups.retain(|(group, at)| {
        let deposit = &planter.records.deposits[*at];
        group.deposits.len() == 1 && deposit.ach_adjustment == 0 && deposit.net_amount > 20_000
    });
    groups.sort_by_key(|(group, _)| group.key());
    let is_next = |pair: &[(Group, usize)]| {
        let merchant = pair[0].0.merchant;
        let paid = |nth: usize| planter.records.deposits[pair[nth].1].payment_date;
        merchant == pair[1].0.merchant
            && paid(0) < paid(1)
            && paid(1) <= planter.records.due(merchant, paid(0), WITHIN)
    };
    let windows = groups.windows(length);
    windows.filter(|run| run.windows(2).all(is_next)).map(<[_]>::to_vec).collect()
}

/// A fee leaves the deposit at `at` below zero by `owed`, and no statement shows it.
fn overdraw(planter: &mut Planter<'_>, at: usize, owed: i64) -> i64 {
    let deposit = planter.deposit(at);
    let amount = deposit.net_amount + owed;
    deposit.daily_fees += amount;
    deposit.net_amount = deposit.components();
    deposit.at_bank = AtBank::Nothing;
    let deposit = deposit.clone();
    charge(planter, &deposit, "Terminal rental, yearly", amount);
    deposit.id
}

/// A fee line of a deposit.
fn charge(planter: &mut Planter<'_>, deposit: &Deposit, description: &'static str, amount: i64) {
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

/// The bank returns a deposit, and the processor sends it again two banking days later: the bank
/// shows the second at once.
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
        at_bank: AtBank::ShownAtOnce,
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
    let found = second.payment_date;
    planter.records.deposits.insert(at + 1, second);
    let due = planter.records.due(group.merchant, first.payment_date, 1);
    let entry = planter.entry("DEPOSIT_NOT_IN_BANK", group.merchant, due);
    planter.expected.push(Expected {
        last_seen: Some(found),
        ach_deposit_id: first.id.to_string(),
        ..entry.with_figures(first.net_amount, 0)
    });
    Some(())
}

fn is_of(deposit: i64) -> impl Fn(&&Fee) -> bool {
    move |fee| fee.deposit_id == Some(deposit)
}

/// A deposit did not arrive, and a later one pays it again through a negative adjustment.
pub fn paid_again(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut pairs = runs(planter, 2);
    pairs.retain(|pair| {
        let due = planter.records.due(
            pair[0].0.merchant,
            planter.records.deposits[pair[0].1].payment_date,
            1,
        );
        due < planter.records.deposits[pair[1].1].payment_date
    });
    let pair = planter.random.pick(&pairs)?;
    for (group, _) in &pair {
        planter.use_group(group.merchant, group.date);
    }
    let first = planter.deposit(pair[0].1);
    first.at_bank = AtBank::Nothing;
    let first = first.clone();
    let second = planter.deposit(pair[1].1);
    second.ach_adjustment -= first.net_amount;
    second.net_amount = second.components();
    second.at_bank = AtBank::ShownAtOnce;
    let found = second.payment_date;
    let due = planter.records.due(first.merchant, first.payment_date, 1);
    let entry = planter.entry("DEPOSIT_NOT_IN_BANK", first.merchant, due);
    planter.expected.push(Expected {
        last_seen: Some(found),
        ach_deposit_id: first.id.to_string(),
        ..entry.with_figures(first.net_amount, 0)
    });
    Some(())
}

/// A payment is returned on a batch date, and no deposit deducts it.
pub fn never_deducted(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut pairs: Vec<(usize, (Group, usize))> = Vec::new();
    for (group, deposit) in planter.paid_groups() {
        let is_free = planter.records.deposits[deposit].ach_adjustment == 0;
        for (at, payment) in planter.records.transfers.iter().enumerate() {
            let is_fit = payment.merchant == group.merchant
                && payment.is_plain_payment()
                && payment.settled.is_some_and(|settled| settled < group.date)
                && payment.run_date >= planter.from
                && !planter.used_transfers.contains(&at);
            if is_fit && is_free && group.deposits.len() == 1 {
                pairs.push((at, (group.clone(), deposit)));
            }
        }
    }
    let (at, (group, deposit)) = planter.random.pick(&pairs)?;
    planter.use_group(group.merchant, group.date);
    let returned = add_return(&mut planter.records.transfers, at, group.date, 0);
    planter.records.transfers[at].returns[0].closed = true;
    planter.used_transfers.extend([at, returned]);
    let amount = planter.records.transfers[at].amount;
    // A later deposit might still deduct it until then.
    let due = planter.records.due(group.merchant, group.date, 4);
    let deposit = planter.records.deposits[deposit].id;
    let entry = planter.entry("DEPOSIT_ADJUSTMENT_MISMATCH", group.merchant, due);
    planter.expected.push(Expected {
        batch_id: planter.batch_ids(&group),
        ach_deposit_id: deposit.to_string(),
        ..entry.with_figures(amount, 0)
    });
    Some(())
}
