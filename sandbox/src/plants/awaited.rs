//! Plants of rules that the job does not implement yet; they are planted only when named.

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use super::settlement::charge;
use crate::world::add_return;
use crate::world::records::{
    APPROVED, AtBank, Authorization, Batch, CardKind, TransferStatus, TransferType,
};

/// Captures of one date that are tips, and not errors.
const TIPS: usize = 5;
/// Banking days within which the next deposit takes the rest of a balance or of the step before.
const WITHIN: u32 = 5;

/// A batch is submitted again on the next day, with the transaction dates of the first batch.
pub fn duplicate_next_day(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let groups = planter.paid_groups();
    let mut pairs: Vec<(Group, (Group, usize))> = Vec::new();
    for (first, _) in &groups {
        let next = groups.iter().find(|(next, _)| {
            next.merchant == first.merchant && Some(next.date) == first.date.succ_opt()
        });
        let Some(next) =
            next.filter(|(next, _)| next.batches.len() == 1 && next.deposits.len() == 1)
        else {
            continue;
        };
        let [at] = first.batches[..] else { continue };
        let items = planter.records.batch_items(planter.records.batches[at].id);
        let own = || items.iter().filter(|item| item.kind != CardKind::None);
        if own().count() >= 3 && own().all(|item| !item.is_day_before) {
            pairs.push((first.clone(), next.clone()));
        }
    }
    let (first, (next, deposit)) = planter.random.pick(&pairs)?;
    planter.use_group(first.merchant, first.date);
    planter.use_group(next.merchant, next.date);
    let (at, deposit_id) = (next.batches[0], planter.records.deposits[deposit].id);
    let id = planter.records.batches[first.batches[0]].id;
    let mut copies = planter.records.batch_items(id).to_vec();
    copies.retain(|item| item.kind != CardKind::None);
    let model = planter.records.batches[at].clone();
    let again =
        Batch { id: model.id + 1, is_evening: true, sales: 0, returns: 0, count: 0, ..model };
    let end = planter.records.authorizations.partition_point(|item| item.batch_id <= again.id);
    planter.records.make_room(end - 1, copies.len());
    planter.records.batches.insert(at + 1, again.clone());
    for (nth, copy) in copies.into_iter().enumerate() {
        let (batch_id, date) = (again.id, again.date);
        let copy =
            Authorization { batch_id, date, deposit_id, part_of: 0, is_day_before: true, ..copy };
        planter.records.insert_item(end - 1 + nth, &copy);
    }
    let again = planter.records.batches[at + 1].clone();
    let entry = planter.entry("DUPLICATE_BATCH", next.merchant, next.date);
    planter.expected.push(Expected {
        batch_id: again.id.to_string(),
        ..entry.with_figures(0, again.sales - again.returns)
    });
    Some(())
}

/// Captures of a date exceed their authorizations by a fifth, and no tolerance allows it.
pub fn tips(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    candidates.retain(|(group, _)| captures(planter, group).len() >= TIPS);
    let (group, _) = planter.take(&candidates)?;
    let own = captures(planter, &group);
    let (mut authorized, mut captured) = (0, 0);
    for at in &own[..TIPS] {
        let item = &mut planter.records.authorizations[*at];
        let asked = item.amount - item.amount / 6;
        (item.preauthorization, item.response) = (Some(asked), Some(APPROVED));
        authorized += asked;
        captured += item.amount;
    }
    let entry = planter.entry("CAPTURE_EXCEEDS_AUTHORIZATION", group.merchant, group.date);
    let entry = entry.with_figures(authorized, captured);
    planter.expected.push(Expected { last_seen: Some(group.date), ..entry });
    Some(())
}

/// Positions of the plain captures of a group.
fn captures(planter: &Planter<'_>, group: &Group) -> Vec<usize> {
    let ids: Vec<i64> = group.batches.iter().map(|at| planter.records.batches[*at].id).collect();
    let items = planter.records.authorizations.iter().enumerate();
    items
        .filter(|(_, item)| {
            ids.contains(&item.batch_id)
                && item.kind == CardKind::Capture
                && item.part_of == 0
                && item.amount > 300
        })
        .map(|(at, _)| at)
        .collect()
}

/// A return under the authorization of a capture exceeds the capture.
pub fn card_refunded_too_much(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let extra = planter.noticeable();
    let mut candidates = planter.paid_groups();
    candidates.retain(|(group, at)| {
        let deposit = &planter.records.deposits[*at];
        let own = captures(planter, group);
        let amount = own.last().map_or(0, |at| planter.records.authorizations[*at].amount);
        group.deposits.len() == 1 && amount > 0 && deposit.net_amount > amount + extra
    });
    let (group, _) = planter.take(&candidates)?;
    let sale = captures(planter, &group).last().copied()?;
    let sale = planter.records.authorizations[sale].clone();
    let end = planter.records.authorizations.partition_point(|item| item.batch_id <= sale.batch_id);
    let back = Authorization {
        part_of: sale.id,
        kind: CardKind::Return,
        amount: sale.amount + extra,
        ..sale.clone()
    };
    planter.records.insert_item(end - 1, &back);
    let entry = planter.entry("REFUND_EXCEEDS_PAYMENT", group.merchant, group.date);
    planter.expected.push(Expected {
        authorization_id: sale.authorization_id().to_string(),
        ..entry.with_figures(sale.amount, back.amount)
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
                && payment.transfer_type == TransferType::Payment
                && payment.status == TransferStatus::Complete
                && payment.return_of.is_none()
                && payment.returns.is_empty()
                && payment.refunds.is_empty()
                && payment.represents.is_none()
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
        let deposit = planter.deposit(*at);
        let amount = deposit.net_amount + owed;
        deposit.daily_fees += amount;
        deposit.net_amount = deposit.components();
        deposit.at_bank = AtBank::Nothing;
        let deposit = deposit.clone();
        charge(planter, &deposit, "Terminal rental, yearly", amount);
        balances.push((deposit.id, owed));
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
