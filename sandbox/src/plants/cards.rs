//! Plants in card items. Header totals are not changed: an added item is in no batch, or counts
//! once.

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::records::{APPROVED, Authorization, CARDS, CardKind, FIRST_REFUSAL, Role};

/// Captures of one date that are tips, and not errors.
const TIPS: usize = 5;

/// The capture exceeds the authorization.
pub fn capture_exceeds_authorization(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let at = take_capture(planter)?;
    let item = &mut planter.records.authorizations[at];
    let authorized = item.amount - item.amount / 4 - 1;
    item.preauthorization = Some(authorized);
    item.response = Some(APPROVED);
    let item = item.clone();
    push(planter, "CAPTURE_EXCEEDS_AUTHORIZATION", &item, (authorized, item.amount));
    Some(())
}

/// The issuer declined, and the money was captured all the same.
pub fn declined_but_captured(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let at = take_capture(planter)?;
    let item = &mut planter.records.authorizations[at];
    item.response = Some(FIRST_REFUSAL + u8::try_from(nth.0 % 3).unwrap_or(0));
    let item = item.clone();
    push(planter, "DECLINED_BUT_CAPTURED", &item, (0, item.amount));
    Some(())
}

/// The same transaction is listed under a second authorization of the same batch.
pub fn duplicate_transaction(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let at = take_capture(planter)?;
    let item = &planter.records.authorizations[at];
    // Ids rise in steps of two or more, so the next one is free.
    let extra = Authorization { id: item.id + 1, part_of: 0, role: Role::Extra, ..item.clone() };
    planter.records.authorizations.insert(at + 1, extra.clone());
    push(planter, "DUPLICATE_TRANSACTION", &extra, (0, extra.amount));
    Some(())
}

/// An item names an unlisted batch; every second one names none.
pub fn item_without_batch(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let at = take_capture(planter)?;
    let batch_id = planter.records.authorizations[at].batch_id;
    let end = planter.records.authorizations.partition_point(|item| item.batch_id <= batch_id);
    let last = &planter.records.authorizations[end - 1];
    // Both ids rise in steps of two or more, so the next ones are free.
    let item = Authorization {
        id: last.id + 1,
        part_of: 0,
        transaction_id: last.transaction_id + 1,
        batch_id: batch_id + 1,
        deposit_id: 0,
        amount: planter.random.amount(200, 9_000),
        preauthorization: None,
        kind: CardKind::Capture,
        response: Some(APPROVED),
        role: if nth.0 % 2 == 1 { Role::NoBatch } else { Role::UnlistedBatch },
        ..last.clone()
    };
    planter.records.authorizations.insert(end, item.clone());
    push(planter, "ITEM_WITHOUT_BATCH", &item, (0, item.amount));
    Some(())
}

/// A sale of a batch is in no deposit: one cause, visible in the sales and in the count.
pub fn unpaid_sale(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    let busy = planter.days_with_transfers();
    candidates.retain(|(group, at)| {
        group.deposits.len() == 1
            && !busy.contains(&group.key())
            && sale_beside_others(planter, group, *at).is_some()
    });
    let (group, at) = planter.take(&candidates)?;
    let sale = sale_beside_others(planter, &group, at)?.clone();
    for item in &mut planter.records.authorizations {
        if item.id == sale.id {
            item.deposit_id = 0;
        }
    }
    planter.pay_less(&(group, at), [sale.amount, 0, 1]);
    Some(())
}

/// All items of one card type are in no deposit of a date, while the processor paid those of an
/// earlier one: no company pays them itself.
pub fn unpaid_card_type(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let groups = planter.paid_groups();
    let busy = planter.days_with_transfers();
    let paid_by = |planter: &Planter<'_>, group: &Group, at: usize| {
        let id = planter.records.deposits[at].id;
        let batches = group.batches.iter().map(|at| planter.records.batches[*at].id);
        let items = batches.flat_map(|id| planter.records.batch_items(id).to_vec());
        let is_own = |item: &Authorization| {
            item.deposit_id == id && item.kind != CardKind::None && is_of_own_contract(item)
        };
        items.filter(is_own).collect::<Vec<_>>()
    };
    let mut candidates = groups.clone();
    candidates.retain(|(group, at)| {
        let out: i64 = paid_by(planter, group, *at).iter().map(|item| item.amount).sum();
        let is_paid_before = |(other, deposit): &&(Group, usize)| {
            other.merchant == group.merchant
                && other.date < group.date
                && other.deposits.len() == 1
                && !paid_by(planter, other, *deposit).is_empty()
        };
        group.deposits.len() == 1
            && !busy.contains(&group.key())
            && out > 0
            && planter.records.deposits[*at].net_amount > 2 * out
            && groups.iter().any(|one| is_paid_before(&one))
    });
    let (group, at) = planter.take(&candidates)?;
    // No other plant takes from the dates that show who pays.
    for (other, _) in groups.iter().filter(|(other, _)| other.merchant == group.merchant) {
        planter.use_group(other.merchant, other.date);
    }
    let mut missing = [0; 3];
    for item in paid_by(planter, &group, at) {
        missing[usize::from(item.kind == CardKind::Return)] += item.amount;
        missing[2] += 1;
        for own in planter.records.authorizations.iter_mut().filter(|own| own.id == item.id) {
            own.deposit_id = 0;
        }
    }
    planter.pay_less(&(group, at), missing);
    Some(())
}

/// Whether a card company may pay it itself.
pub fn is_of_own_contract(item: &Authorization) -> bool {
    CARDS[usize::from(item.card)].1 == "amex"
}

/// The first plain capture of a group's batches that its deposit pays together with further sales.
fn sale_beside_others<'p>(
    planter: &'p Planter<'_>,
    group: &Group,
    at: usize,
) -> Option<&'p Authorization> {
    let deposit = &planter.records.deposits[at];
    let batches = group.batches.iter().map(|at| planter.records.batches[*at].id);
    batches
        .flat_map(|id| planter.records.batch_items(id))
        .filter(|item| is_plain(item) && !is_of_own_contract(item))
        .find(|item| item.deposit_id == deposit.id && item.amount < deposit.sales)
}

/// Position of a capture in the range, on a merchant-day that no plant has used. The day may have a
/// deposit in the range or not: card plants change no total.
fn take_capture(planter: &mut Planter<'_>) -> Option<usize> {
    let groups: Vec<_> = planter
        .free_groups()
        .into_iter()
        .filter(|group| {
            planter.is_in_range(group.date) && {
                let ids = group.batches.iter().map(|at| planter.records.batches[*at].id);
                ids.into_iter().any(|id| planter.records.batch_items(id).iter().any(is_plain))
            }
        })
        .collect();
    let group = planter.random.pick(&groups)?;
    planter.use_group(group.merchant, group.date);
    let first = planter.records.batches[*group.batches.first()?].id;
    let last = planter.records.batches[*group.batches.last()?].id;
    let items = &planter.records.authorizations;
    let start = items.partition_point(|item| item.batch_id < first);
    let end = items.partition_point(|item| item.batch_id <= last);
    let captures: Vec<usize> = (start..end).filter(|at| is_plain(&items[*at])).collect();
    planter.random.pick(&captures)
}

/// A capture large enough that a reduced amount stays above zero.
fn is_plain(item: &Authorization) -> bool {
    item.kind == CardKind::Capture && item.role == Role::Ordinary && item.amount > 10
}

fn push(
    planter: &mut Planter<'_>,
    code: &'static str,
    item: &Authorization,
    (expected, actual): (i64, i64),
) {
    let entry = planter.entry(code, item.merchant as usize, item.date);
    let names_batch = item.role != Role::NoBatch;
    planter.expected.push(Expected {
        batch_id: if names_batch { item.batch_id.to_string() } else { String::new() },
        authorization_id: item.authorization_id().to_string(),
        transaction_id: item.transaction_id.to_string(),
        ..entry.with_figures(expected, actual)
    });
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
