//! Plants in batch headers, and unpaid batches.

use chrono::NaiveDate;

use super::cards::is_of_own_contract;
use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::records::{Batch, Deposit};

/// A figure of a batch header that its deposit repeats.
struct Shared {
    code: &'static str,
    of_batch: fn(&mut Batch) -> &mut i64,
    of_deposit: fn(&mut Deposit) -> &mut i64,
}

/// `saleAmount` exceeds the sum of the items.
pub fn sales_mismatch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let difference = planter.noticeable();
    let shared = Shared {
        code: "BATCH_SALES_MISMATCH",
        of_batch: |batch| &mut batch.sales,
        of_deposit: |deposit| &mut deposit.sales,
    };
    header_mismatch(planter, difference, &shared)
}

/// `returnAmount` exceeds the sum of the items.
pub fn returns_mismatch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let difference = planter.noticeable();
    let shared = Shared {
        code: "BATCH_RETURNS_MISMATCH",
        of_batch: |batch| &mut batch.returns,
        of_deposit: |deposit| &mut deposit.returns,
    };
    header_mismatch(planter, difference, &shared)
}

/// `transactionCount` exceeds the number of items.
pub fn count_mismatch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let difference = planter.random.amount(1, 3);
    let shared = Shared {
        code: "BATCH_COUNT_MISMATCH",
        of_batch: |batch| &mut batch.count,
        of_deposit: |deposit| &mut deposit.transactions,
    };
    header_mismatch(planter, difference, &shared)?;
    if let Some(entry) = planter.expected.last_mut() {
        entry.currency = None;
    }
    Some(())
}

/// The header is too high, and the deposit pays the amount of the header.
///
/// Only in groups that are not paid within the range: there the level above is not judged yet,
/// whether it is compared with the headers or with the linked transactions.
fn header_mismatch(planter: &mut Planter<'_>, difference: i64, shared: &Shared) -> Option<()> {
    let (group, deposit) = take_unpaid_group(planter)?;
    let at = planter.random.pick(&group.batches)?;
    let is_whole = group.batches.len() > 1 && planter.days_with_transfers().contains(&group.key());
    let subject =
        if is_whole { group.clone() } else { Group { batches: vec![at], ..group.clone() } };
    let figure = |planter: &mut Planter<'_>| -> i64 {
        let batches = &mut planter.records.batches;
        subject.batches.iter().map(|at| *(shared.of_batch)(&mut batches[*at])).sum()
    };
    let items = figure(planter);
    *(shared.of_batch)(&mut planter.records.batches[at]) += difference;
    let header = figure(planter);
    let deposit = planter.deposit(deposit);
    *(shared.of_deposit)(deposit) += difference;
    deposit.net_amount = deposit.components();
    let entry = planter.entry(shared.code, group.merchant, group.date);
    planter.expected.push(Expected {
        batch_id: planter.batch_ids(&subject),
        ..entry.with_figures(items, header)
    });
    Some(())
}

/// A free group of the range with one deposit, which is paid and due after the range.
fn take_unpaid_group(planter: &mut Planter<'_>) -> Option<(Group, usize)> {
    let groups: Vec<(Group, usize)> = planter
        .free_groups()
        .into_iter()
        .filter(|group| {
            planter.is_in_range(group.date)
                && planter.records.due(group.merchant, group.date, 2) > planter.to
        })
        .filter_map(|group| match group.deposits[..] {
            [deposit]
                if planter.records.deposits[deposit].transactions > 0
                    && planter.records.deposits[deposit].payment_date > planter.to =>
            {
                Some((group, deposit))
            }
            _ => None,
        })
        .collect();
    planter.take(&groups)
}

/// The deposit of a group never arrives; every second one arrives a banking day late, when the
/// range leaves room for that.
pub fn batch_without_deposit(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let paid = planter.paid_groups();
    let mut candidates = paid.clone();
    candidates.retain(|(group, _)| {
        group.deposits.len() == 1
            && planter.header(group, |batch| i64::from(batch.count > 0)) == 1
            && planter.header(group, |batch| batch.sales - batch.returns) > 0
            && !may_be_settled_elsewhere(planter, &paid, group)
    });
    let mut late = candidates.clone();
    late.retain(|(group, _)| planter.records.due(group.merchant, group.date, 3) <= planter.to);
    let is_late = nth.0 % 2 == 1 && !late.is_empty();
    let (group, at) = planter.take(if is_late { &late } else { &candidates })?;
    let first_seen = planter.records.due(group.merchant, group.date, 2);
    let last_seen = is_late.then(|| planter.records.due(group.merchant, group.date, 3));
    let deposit = planter.deposit(at).clone();
    if let Some(paid) = last_seen {
        pay_late(planter, at, paid);
    } else {
        planter.records.deposits.remove(at);
        planter.records.fees.retain(|fee| fee.deposit_id != Some(deposit.id));
        for item in &mut planter.records.authorizations {
            if item.deposit_id == deposit.id {
                item.deposit_id = 0;
            }
        }
    }
    let paid_for = group.batches.iter().find(|at| planter.records.batches[**at].count > 0)?;
    let batch = planter.records.batches[*paid_for].clone();
    let entry = planter.entry("BATCH_WITHOUT_DEPOSIT", group.merchant, first_seen);
    planter.expected.push(Expected {
        last_seen,
        batch_id: batch.id.to_string(),
        ..entry.with_figures(batch.sales - batch.returns, 0)
    });
    Some(())
}

/// Whether the group holds items that a card company may pay itself, of a type that no earlier date of
/// the merchant shows the processor to pay.
fn may_be_settled_elsewhere(planter: &Planter<'_>, paid: &[(Group, usize)], group: &Group) -> bool {
    let holds_any = |group: &Group| {
        let batches = group.batches.iter().map(|at| planter.records.batches[*at].id);
        batches.flat_map(|id| planter.records.batch_items(id)).any(is_of_own_contract)
    };
    let is_shown = |(other, _): &(Group, usize)| {
        other.merchant == group.merchant && other.date < group.date && holds_any(other)
    };
    holds_any(group) && !paid.iter().any(is_shown)
}

/// Moves the payment of a deposit, with the listing of its fees, to `paid`.
fn pay_late(planter: &mut Planter<'_>, at: usize, paid: NaiveDate) {
    let deposit = planter.deposit(at);
    deposit.payment_date = paid;
    let id = deposit.id;
    for fee in planter.records.fees.iter_mut().filter(|fee| fee.deposit_id == Some(id)) {
        fee.listed_date = paid;
    }
    planter.records.fees.sort_by_key(|fee| (fee.listed_date, fee.deposit_id));
}
