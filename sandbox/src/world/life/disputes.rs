//! Disputes that wait, are undecided, won or lost, and the adjustments that they explain.

use chrono::{Days, NaiveDate};

use super::weaver::{Day, Weaver};
use crate::world::disputes::{DisputeStatus, DisputeType};
use crate::world::records::{Authorization, CardKind};

/// Banking days after a status within which a deposit takes or gives the money.
const MOVEMENT_DAYS: u32 = 10;

/// A dispute of a merchant that has none yet; its course varies with `nth`.
pub(super) fn dispute(weaver: &mut Weaver<'_>, nth: usize) -> Option<()> {
    match nth % 4 {
        0 => won(weaver),
        1 => waiting(weaver),
        2 => {
            let lost = [
                DisputeStatus::RepresentmentFailed,
                DisputeStatus::Stand,
                DisputeStatus::ArbitrationLost,
            ];
            let end = *weaver.random.choose(&lost);
            moved(
                weaver,
                &[(DisputeStatus::New, 0), (DisputeStatus::RepresentmentInProgress, 2), (end, 4)],
            )
        }
        _ => moved(
            weaver,
            &[
                (DisputeStatus::New, 0),
                (DisputeStatus::RepresentmentInProgress, 1),
                (DisputeStatus::RepresentmentReceived, 3),
            ],
        ),
    }
}

/// New, and recent enough that the merchant's answer is not late.
fn waiting(weaver: &mut Weaver<'_>) -> Option<()> {
    let mut days = weaver.free_days();
    days.retain(|day| {
        !has_dispute(weaver, day.merchant)
            && day.date < weaver.to
            && weaver.records.due(day.merchant, day.date.max(weaver.from), 5) > weaver.to
    });
    let day = weaver.random.pick(&days)?;
    weaver.claim(day.merchant, day.date);
    let at = disputable(weaver, &day)?;
    let created = day.date.succ_opt()?;
    let item = weaver.records.authorizations[at].clone();
    add_dispute(weaver, &item, vec![(DisputeStatus::New, created)]);
    Some(())
}

/// A dispute whose amount a later deposit has taken, with or without the fee.
fn moved(weaver: &mut Weaver<'_>, life: &[(DisputeStatus, u64)]) -> Option<()> {
    let (item, created, taken) = opened(weaver)?;
    let statuses = dated(created, life);
    let fee = add_dispute(weaver, &item, statuses);
    take(weaver, &item, fee, &taken)
}

/// Taken first, and given back after the merchant had won.
fn won(weaver: &mut Weaver<'_>) -> Option<()> {
    let (item, created, taken) = opened(weaver)?;
    let wins = [DisputeStatus::RepresentmentPaid, DisputeStatus::IssuerReversal];
    let last = *weaver.random.choose(&wins);
    let life = [(DisputeStatus::New, 0), (DisputeStatus::RepresentmentInProgress, 1), (last, 3)];
    let mut statuses = dated(created, &life);
    let paid = statuses.last()?.1;
    let open = weaver.free_days();
    let given = movement_days(weaver, &open, item.merchant as usize, paid);
    let given = given.into_iter().filter(|day| day.date > taken.date).collect::<Vec<_>>();
    let given = weaver.random.pick(&given);
    if given.is_none() {
        statuses.pop();
    }
    let fee = add_dispute(weaver, &item, statuses);
    take(weaver, &item, fee, &taken)?;
    let Some(given) = given else { return Some(()) };
    weaver.claim(given.merchant, given.date);
    let id = weaver.records.deposits[*given.deposits.last()?].id;
    weaver.records.change_deposit(id, |deposit| deposit.ach_adjustment -= item.amount);
    Some(())
}

/// Taken, given back after the merchant had won, and taken again when it finally lost.
pub(super) fn lost_after_winning(weaver: &mut Weaver<'_>) -> Option<()> {
    let (item, created, taken) = opened(weaver)?;
    let life = [
        (DisputeStatus::New, 0),
        (DisputeStatus::RepresentmentPaid, 2),
        (DisputeStatus::PrearbitrationInProcess, 6),
        (DisputeStatus::PrearbitrationAccepted, 7),
    ];
    let statuses = dated(created, &life);
    let mut open = weaver.free_days();
    open.push(taken);
    open.sort_by_key(|day| (day.merchant, day.date));
    let mut movements: Vec<Day> = Vec::new();
    for (_, since) in [statuses[0], statuses[1], statuses[3]] {
        let last = movements.last().map(|day| day.date);
        let days = movement_days(weaver, &open, item.merchant as usize, since);
        movements.push(days.into_iter().find(|day| last.is_none_or(|last| day.date > last))?);
    }
    // When the second debit becomes possible, the first one has been taken.
    let first = weaver.records.deposits[*movements.first()?.deposits.last()?].ach_date;
    if first >= statuses[3].1 || movements[0].date == item.date {
        return None;
    }
    add_dispute(weaver, &item, statuses);
    for (day, sign) in movements.iter().zip([1, -1, 1]) {
        weaver.claim(day.merchant, day.date);
        let id = weaver.records.deposits[*day.deposits.last()?].id;
        weaver.records.change_deposit(id, |deposit| deposit.ach_adjustment += sign * item.amount);
    }
    Some(())
}

/// A dispute of a sale from long before the first date is won, and its amount is given back.
pub(super) fn won_of_before(weaver: &mut Weaver<'_>) -> Option<()> {
    let days = weaver.due_days();
    let mut days = days.into_iter().filter(|day| !has_dispute(weaver, day.merchant));
    let sale = days.next()?;
    let at = disputable(weaver, &sale)?;
    let item = weaver.records.authorizations[at].clone();
    let created = weaver.from.checked_sub_days(Days::new(30))?;
    let open = weaver.free_days();
    let given = movement_days(weaver, &open, sale.merchant, weaver.from);
    let given = weaver.random.pick(&given)?;
    let statuses = vec![
        (DisputeStatus::New, created),
        (DisputeStatus::RepresentmentReceived, created.checked_add_days(Days::new(9))?),
        (DisputeStatus::RepresentmentPaid, weaver.from),
    ];
    add_dispute(weaver, &item, statuses);
    // The processor finds no transaction that old.
    weaver.records.disputes.last_mut()?.item = None;
    weaver.claim(given.merchant, given.date);
    let id = weaver.records.deposits[*given.deposits.last()?].id;
    weaver.records.change_deposit(id, |deposit| deposit.ach_adjustment -= item.amount);
    Some(())
}

/// A transaction to dispute, the day of the dispute, and a later day whose deposit takes the
/// amount.
fn opened(weaver: &mut Weaver<'_>) -> Option<(Authorization, NaiveDate, Day)> {
    let mut sales: Vec<Day> = weaver.days().into_values().collect();
    let open = weaver.free_days();
    sales.retain(|day| {
        !has_dispute(weaver, day.merchant)
            && weaver.is_free(day.merchant, day.date)
            && day.date.succ_opt().is_some_and(|created| {
                !movement_days(weaver, &open, day.merchant, created).is_empty()
            })
    });
    let sale = weaver.random.pick(&sales)?;
    let at = disputable(weaver, &sale)?;
    let created = sale.date.succ_opt()?;
    let mut days = movement_days(weaver, &open, sale.merchant, created);
    days.retain(|day| day.date != sale.date);
    let taken = weaver.random.pick(&days)?;
    weaver.claim(sale.merchant, sale.date);
    weaver.claim(taken.merchant, taken.date);
    Some((weaver.records.authorizations[at].clone(), created, taken))
}

fn take(weaver: &mut Weaver<'_>, item: &Authorization, fee: i64, taken: &Day) -> Option<()> {
    let amount = if weaver.random.chance(50) { item.amount + fee } else { item.amount };
    let id = weaver.records.deposits[*taken.deposits.last()?].id;
    weaver.records.change_deposit(id, |deposit| deposit.ach_adjustment += amount);
    Some(())
}

/// Free days of the merchant whose last deposit is sent soon after `status`.
fn movement_days(
    weaver: &Weaver<'_>,
    open: &[Day],
    merchant: usize,
    status: NaiveDate,
) -> Vec<Day> {
    let last = weaver.records.due(merchant, status, MOVEMENT_DAYS);
    let mut days: Vec<Day> = open.iter().filter(|day| day.merchant == merchant).cloned().collect();
    days.retain(|day| {
        day.deposits.last().is_some_and(|at| {
            let sent = weaver.records.deposits[*at].ach_date;
            status < sent && sent <= last
        })
    });
    days
}

fn has_dispute(weaver: &Weaver<'_>, merchant: usize) -> bool {
    weaver.records.disputes.iter().any(|dispute| dispute.merchant == merchant)
}

/// A capture of the day that has no return which could be its refund.
fn disputable(weaver: &mut Weaver<'_>, day: &Day) -> Option<usize> {
    let returned = |item: &Authorization| {
        weaver.records.authorizations.iter().any(|other| {
            other.kind == CardKind::Return
                && other.merchant == item.merchant
                && (other.card_last4, other.amount) == (item.card_last4, item.amount)
        })
    };
    let mut captures = weaver.captures(day);
    captures.retain(|at| !returned(&weaver.records.authorizations[*at]));
    weaver.random.pick(&captures)
}

/// Adds a dispute of a transaction; returns its fee.
fn add_dispute(
    weaver: &mut Weaver<'_>,
    item: &Authorization,
    statuses: Vec<(DisputeStatus, NaiveDate)>,
) -> i64 {
    let is_reversal = weaver.random.chance(30);
    let dispute_type =
        if is_reversal { DisputeType::FirstWithReversal } else { DisputeType::First };
    let at = weaver.records.add_dispute(item, dispute_type, statuses);
    weaver.records.disputes[at].fee
}

/// The statuses of a course, each a number of days after the first.
fn dated(start: NaiveDate, life: &[(DisputeStatus, u64)]) -> Vec<(DisputeStatus, NaiveDate)> {
    let date = |days: u64| start.checked_add_days(Days::new(days)).unwrap_or(start);
    life.iter().map(|(status, days)| (*status, date(*days))).collect()
}
