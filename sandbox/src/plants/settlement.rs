//! Plants in settlement: batches that are sent twice or late, and terminals that are not configured.

use chrono::{Days, NaiveDate};

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::records::{Authorization, Batch, CardKind};

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
    let first = planter.records.batches[at].id;
    let again = submit_again(planter, first, at, |copy| copy);
    let entry = planter.entry("DUPLICATE_BATCH", group.merchant, group.date);
    planter.expected.push(Expected {
        batch_id: again.id.to_string(),
        ..entry.with_figures(0, again.sales - again.returns)
    });
    Some(())
}

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
    let again = submit_again(planter, id, at, |copy| Authorization {
        deposit_id,
        is_day_before: true,
        ..copy
    });
    let entry = planter.entry("DUPLICATE_BATCH", next.merchant, next.date);
    planter.expected.push(Expected {
        batch_id: again.id.to_string(),
        ..entry.with_figures(0, again.sales - again.returns)
    });
    Some(())
}

/// A copy of the card items of a batch, as a further batch of the day of the batch at `at`.
fn submit_again(
    planter: &mut Planter<'_>,
    first: i64,
    at: usize,
    change: impl Fn(Authorization) -> Authorization,
) -> Batch {
    let model = planter.records.batches[at].clone();
    let again =
        Batch { id: model.id + 1, is_evening: true, sales: 0, returns: 0, count: 0, ..model };
    let mut copies = planter.records.batch_items(first).to_vec();
    copies.retain(|item| item.kind != CardKind::None);
    let end = planter.records.authorizations.partition_point(|item| item.batch_id < again.id);
    planter.records.make_room(end - 1, copies.len());
    planter.records.batches.insert(at + 1, again.clone());
    for (nth, copy) in copies.into_iter().enumerate() {
        let copy = Authorization { batch_id: again.id, date: again.date, part_of: 0, ..copy };
        planter.records.insert_item(end - 1 + nth, &change(copy));
    }
    planter.records.batches[at + 1].clone()
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
