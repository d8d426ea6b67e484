//! Plants in ACH deposits and their fees. Except for the net mismatch, the components of a planted
//! deposit still add up to its net amount.

use super::key::Expected;
use super::planter::{Group, Nth, Planter};
use crate::world::records::{Batch, Deposit, Fee};

/// An id far above those of the world's deposits.
const UNKNOWN_DEPOSIT_ID: i64 = 990_000_001;

/// `netAmount` is wrong.
pub fn net_mismatch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let (group, at) = planter.take(&planter.deposits_paid())?;
    let difference = planter.noticeable();
    let difference = if planter.random.chance(50) { difference } else { -difference };
    let deposit = planter.deposit(at);
    deposit.net_amount += difference;
    let deposit = deposit.clone();
    let entry = planter.entry("DEPOSIT_NET_MISMATCH", group.merchant, deposit.payment_date);
    planter.expected.push(Expected {
        ach_deposit_id: deposit.id.to_string(),
        ..entry.with_figures(deposit.components(), deposit.net_amount)
    });
    Some(())
}

/// A figure of a group's deposits that must equal its batches.
struct Shared {
    code: &'static str,
    of_batch: fn(&Batch) -> i64,
    of_deposit: fn(&mut Deposit) -> &mut i64,
}

/// `sales` differs from the batches.
pub fn sales_mismatch(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let difference = planter.noticeable();
    shared_mismatch(
        planter,
        nth,
        difference,
        &Shared {
            code: "DEPOSIT_SALES_MISMATCH",
            of_batch: |batch| batch.sales,
            of_deposit: |deposit| &mut deposit.sales,
        },
    )
}

/// `returns` differs from the batches.
pub fn returns_mismatch(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let difference = planter.noticeable();
    shared_mismatch(
        planter,
        nth,
        difference,
        &Shared {
            code: "DEPOSIT_RETURNS_MISMATCH",
            of_batch: |batch| batch.returns,
            of_deposit: |deposit| &mut deposit.returns,
        },
    )
}

/// `transactions` differs from the batches.
pub fn count_mismatch(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let difference = planter.random.amount(1, 3);
    shared_mismatch(
        planter,
        nth,
        difference,
        &Shared {
            code: "DEPOSIT_COUNT_MISMATCH",
            of_batch: |batch| batch.count,
            of_deposit: |deposit| &mut deposit.transactions,
        },
    )?;
    if let Some(entry) = planter.expected.last_mut() {
        entry.currency = None;
    }
    Some(())
}

/// The first plant of a code pays too much, which shows on the payment date; the next one too
/// little, which shows when the group is due.
fn shared_mismatch(
    planter: &mut Planter<'_>,
    nth: Nth,
    difference: i64,
    shared: &Shared,
) -> Option<()> {
    let falls_short = nth.0 % 2 == 1;
    let mut candidates = planter.paid_groups();
    if falls_short {
        // The rest must be above zero, otherwise the kind of deposit would change.
        candidates.retain(|(_, at)| *(shared.of_deposit)(planter.deposit(*at)) > difference);
    }
    let (group, at) = planter.take(&candidates)?;
    let difference = if falls_short { -difference } else { difference };
    let deposit = planter.deposit(at);
    let net_before = deposit.net_amount - deposit.components();
    *(shared.of_deposit)(deposit) += difference;
    deposit.net_amount = deposit.components() + net_before;
    let paid = deposit.payment_date;
    let deposits = group.deposits.iter();
    let actual = deposits.map(|at| *(shared.of_deposit)(planter.deposit(*at))).sum();
    let due = planter.records.due(group.merchant, group.date, 2);
    let first_seen = if falls_short { due } else { paid };
    let entry = planter.entry(shared.code, group.merchant, first_seen);
    let expected = planter.header(&group, shared.of_batch);
    planter.expected.push(Expected {
        batch_id: planter.batch_ids(&group),
        ach_deposit_id: planter.deposit_ids(&group),
        ..entry.with_figures(expected, actual)
    });
    Some(())
}

/// `achAdjustment` differs from the returns: it is too large, or (later ones, where there were
/// returns) zero.
pub fn adjustment_mismatch(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    let returned = planter.returned();
    // A later deposit may still deduct the returns until then.
    let until =
        |planter: &Planter<'_>, group: &Group| planter.records.due(group.merchant, group.date, 4);
    let forgetful: Vec<(Group, usize)> = candidates
        .iter()
        .filter(|(group, _)| {
            returned.contains_key(&group.key()) && until(planter, group) <= planter.to
        })
        .cloned()
        .collect();
    let forgets = nth.0 % 2 == 1 && !forgetful.is_empty();
    if forgets {
        candidates = forgetful;
    }
    let (group, at) = planter.take(&candidates)?;
    let returned = returned.get(&group.key()).copied().unwrap_or(0);
    let actual = if forgets { 0 } else { returned + planter.noticeable() };
    let until = until(planter, &group);
    let deposit = planter.deposit(at);
    deposit.ach_adjustment = actual;
    deposit.net_amount = deposit.components();
    let first_seen = if forgets { until } else { deposit.payment_date };
    let entry = planter.entry("DEPOSIT_ADJUSTMENT_MISMATCH", group.merchant, first_seen);
    planter.expected.push(Expected {
        batch_id: planter.batch_ids(&group),
        ach_deposit_id: planter.deposit_ids(&group),
        ..entry.with_figures(returned, actual)
    });
    Some(())
}

/// `dailyFees` exceeds the sum of the fee lines.
pub fn fees_mismatch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let (group, at) = planter.take(&planter.deposits_paid())?;
    let difference = planter.noticeable();
    let deposit = planter.deposit(at);
    let fees = deposit.daily_fees;
    deposit.daily_fees += difference;
    deposit.net_amount = deposit.components();
    let deposit = deposit.clone();
    let entry = planter.entry("DEPOSIT_FEES_MISMATCH", group.merchant, deposit.payment_date);
    planter.expected.push(Expected {
        ach_deposit_id: deposit.id.to_string(),
        ..entry.with_figures(fees, deposit.daily_fees)
    });
    Some(())
}

/// The batches of a deposit are missing with all their items. Only groups without bank transfers,
/// so that no other record points to the missing day.
pub fn deposit_without_batch(planter: &mut Planter<'_>, _: Nth) -> Option<()> {
    let mut candidates = planter.paid_groups();
    let (returned, busy) = (planter.returned(), planter.days_with_transfers());
    candidates.retain(|(group, at)| {
        let deposit = &planter.records.deposits[*at];
        group.deposits.len() == 1
            && !returned.contains_key(&group.key())
            && !busy.contains(&group.key())
            && deposit.sales != deposit.returns
    });
    let (group, at) = planter.take(&candidates)?;
    let deposit = planter.deposit(at).clone();
    let ids: Vec<i64> = group.batches.iter().map(|at| planter.records.batches[*at].id).collect();
    planter.records.batches.retain(|batch| !ids.contains(&batch.id));
    planter.records.authorizations.retain(|item| !ids.contains(&item.batch_id));
    let entry = planter.entry("DEPOSIT_WITHOUT_BATCH", group.merchant, deposit.payment_date);
    planter.expected.push(Expected {
        ach_deposit_id: deposit.id.to_string(),
        ..entry.with_figures(0, deposit.sales - deposit.returns)
    });
    Some(())
}

/// A fee names an unknown deposit.
pub fn fee_without_deposit(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let merchants: Vec<usize> = (0..planter.records.merchants.len())
        .filter(|at| {
            let merchant = &planter.records.merchants[*at];
            merchant.is_configured && !merchant.is_silent
        })
        .collect();
    let merchant = planter.random.pick(&merchants)?;
    let dates: Vec<_> = planter.from.iter_days().take_while(|date| *date <= planter.to).collect();
    let date = planter.random.pick(&dates)?;
    // A fee without any deposit is reported a month later.
    let deposit_id = UNKNOWN_DEPOSIT_ID + i64::try_from(nth.0).unwrap_or_default();
    let amount = planter.noticeable();
    let fee = Fee {
        merchant,
        deposit_id: Some(deposit_id),
        association_date: date,
        adjustment_date: date,
        listed_date: date,
        description: "Annual programme fee",
        amount,
    };
    let fees = &mut planter.records.fees;
    let at = fees.partition_point(|other| other.listed_date <= date);
    fees.insert(at, fee);
    let entry = planter.entry("FEE_WITHOUT_DEPOSIT", merchant, date);
    planter
        .expected
        .push(Expected { ach_deposit_id: deposit_id.to_string(), ..entry.with_figures(0, amount) });
    Some(())
}

/// Sales are held; every second plant puts money into the reserve.
pub fn funds_held(planter: &mut Planter<'_>, nth: Nth) -> Option<()> {
    let (group, at) = planter.take(&planter.deposits_paid())?;
    let amount = planter.noticeable();
    let deposit = planter.deposit(at);
    if nth.0.is_multiple_of(2) {
        deposit.held_sales = amount;
    } else {
        deposit.holdback = amount;
    }
    deposit.net_amount = deposit.components();
    let deposit = deposit.clone();
    let entry = planter.entry("FUNDS_HELD", group.merchant, deposit.payment_date);
    planter.expected.push(Expected {
        last_seen: Some(deposit.payment_date),
        ach_deposit_id: deposit.id.to_string(),
        ..entry.with_figures(0, amount)
    });
    Some(())
}
