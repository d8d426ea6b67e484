//! Payments under one order id: subscriptions, orders in parts, and sales returned in full.

use super::weaver::Weaver;
use crate::world::records::{Authorization, CardKind, Transfer};

/// Payments of a subscription.
const TIMES: usize = 3;

/// Gives a payment the order, the account and the smaller amount of another one; its batch and its
/// deposit follow.
pub(super) fn pay_as(weaver: &mut Weaver<'_>, at: usize, model: &Transfer) -> Option<()> {
    let (merchant, settled) =
        (weaver.records.transfers[at].merchant, weaver.records.transfers[at].settled?);
    let less = weaver.records.transfers[at].amount - model.amount;
    weaver.records.reduce_transfer(at, less)?;
    let one = &mut weaver.records.transfers[at];
    one.order_id.clone_from(&model.order_id);
    one.account_last4 = model.account_last4;
    weaver.woven.transfers.insert(at);
    weaver.claim(merchant, settled);
    Some(())
}

/// Plain payments of one merchant on different days.
fn payments_of_one(weaver: &mut Weaver<'_>) -> Option<Vec<usize>> {
    let plain = weaver.plain_payments();
    let first = weaver.random.pick(&plain)?;
    let merchant = weaver.records.transfers[first].merchant;
    let mut own: Vec<usize> = Vec::new();
    for at in plain {
        let one = &weaver.records.transfers[at];
        let is_new =
            own.iter().all(|other| weaver.records.transfers[*other].settled != one.settled);
        if one.merchant == merchant && is_new {
            own.push(at);
        }
    }
    Some(own)
}

/// Payments of one amount and order id, from one account.
pub(super) fn subscribe(weaver: &mut Weaver<'_>) -> Option<()> {
    let mut own = payments_of_one(weaver)?;
    own.truncate(TIMES);
    own.sort_by_key(|at| weaver.records.transfers[*at].amount);
    if own.len() < TIMES {
        return None;
    }
    let mut model = weaver.records.transfers[*own.first()?].clone();
    model.order_id = format!("SUB-{:05}", own[0]);
    own.into_iter().try_for_each(|at| pay_as(weaver, at, &model))
}

/// Two payments of an order, which the books split differently. The second settles before the books
/// must have the first.
pub(super) fn order_in_parts(weaver: &mut Weaver<'_>) -> Option<()> {
    let mut own = payments_of_one(weaver)?;
    own.sort_by_key(|at| weaver.records.transfers[*at].settled);
    let records = &weaver.records;
    let own = own.windows(2).find(|pair| {
        let [one, next] = [pair[0], pair[1]].map(|at| &records.transfers[at]);
        let soon = one.settled.map(|settled| records.due(one.merchant, settled, 1));
        next.settled <= soon
    })?;
    for at in own {
        let model = Transfer {
            order_id: format!("PART-{:05}", own[0]),
            account_last4: weaver.records.transfers[own[0]].account_last4,
            ..weaver.records.transfers[*at].clone()
        };
        pay_as(weaver, *at, &model)?;
    }
    Some(())
}

/// A sale is returned in full, days later, under its authorization.
pub(super) fn give_back(weaver: &mut Weaver<'_>) -> Option<()> {
    let days = weaver.due_days();
    let day = weaver.random.pick(&days)?;
    let at = {
        let captures = weaver.captures(&day);
        weaver.random.pick(&captures)?
    };
    let sale = weaver.records.authorizations[at].clone();
    let mut later = days;
    later.retain(|other| {
        other.merchant == day.merchant
            && other.date > day.date
            && other.date <= weaver.records.due(day.merchant, day.date, 1)
            && !weaver.captures(other).is_empty()
            && other.deposits.len() == 1
            && weaver.records.deposits[other.deposits[0]].net_amount > sale.amount
    });
    let later = weaver.random.pick(&later)?;
    weaver.claim(day.merchant, day.date);
    weaver.claim(later.merchant, later.date);
    let host = weaver.captures(&later).last().copied()?;
    let host = weaver.records.authorizations[host].clone();
    let end = weaver.records.authorizations.partition_point(|item| item.batch_id <= host.batch_id);
    let back = Authorization {
        part_of: sale.authorization_id(),
        kind: CardKind::Return,
        batch_id: host.batch_id,
        deposit_id: host.deposit_id,
        date: later.date,
        is_day_before: false,
        ..sale
    };
    weaver.records.insert_item(end - 1, &back);
    Some(())
}
