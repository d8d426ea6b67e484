//! Card transactions: captures in parts, tips, and money that is held or paid elsewhere.

use super::weaver::{Day, Weaver};
use crate::world::records::{APPROVED, Authorization, Standing};

/// Percentage of captures with a tip, for a merchant that takes tips.
const TIPPED_PERCENT: u32 = 40;
/// The tolerance of card brands for restaurants, in percent of the authorized amount.
const TOLERANCE_PERCENT: u32 = 20;

/// A capture becomes two of the same authorization: in the same batch or, in every second case,
/// with the second one in a batch of a later day.
pub(super) fn capture_in_parts(weaver: &mut Weaver<'_>, nth: usize) -> Option<()> {
    let days = weaver.due_days();
    let day = weaver.random.pick(&days)?;
    let captures = weaver.captures(&day);
    let at = weaver.random.pick(&captures)?;
    let item = weaver.records.authorizations[at].clone();
    let rest = item.amount * weaver.random.amount(25, 50) / 100;
    weaver.claim(day.merchant, day.date);
    let later = days
        .into_iter()
        .filter(|other| other.merchant == day.merchant && other.date > day.date)
        .find(|other| !weaver.captures(other).is_empty());
    if let Some(later) = later.filter(|_| nth % 2 == 1) {
        return capture_later(weaver, at, rest, &later);
    }
    weaver.records.reduce_capture(at, rest);
    weaver.records.insert_item(at, &part(&item, rest));
    Some(())
}

/// Adds the second part at the end of the last batch of `later`.
fn capture_later(weaver: &mut Weaver<'_>, at: usize, rest: i64, later: &Day) -> Option<()> {
    let first = weaver.records.authorizations[at].clone();
    let host = weaver.captures(later).last().copied()?;
    let batch_id = weaver.records.authorizations[host].batch_id;
    let items = &weaver.records.authorizations;
    let end = items.partition_point(|item| item.batch_id <= batch_id);
    weaver.claim(later.merchant, later.date);
    weaver.records.reduce_capture(at, rest);
    let second = Authorization {
        batch_id,
        deposit_id: weaver.records.authorizations[host].deposit_id,
        date: later.date,
        is_day_before: false,
        ..part(&first, rest)
    };
    weaver.records.insert_item(end - 1, &second);
    Some(())
}

/// A merchant is a restaurant: some of its captures exceed their authorizations.
pub(super) fn tip(weaver: &mut Weaver<'_>) -> Option<()> {
    let days = weaver.due_days();
    let merchant = weaver.random.pick(&days)?.merchant;
    weaver.records.merchants[merchant].capture_tolerance_percent = TOLERANCE_PERCENT;
    for day in days.iter().filter(|day| day.merchant == merchant) {
        for at in weaver.captures(day) {
            if weaver.random.chance(TIPPED_PERCENT) {
                let percent = i64::from(100 + weaver.random.between(5, TOLERANCE_PERCENT - 1));
                let item = &mut weaver.records.authorizations[at];
                // Rounded up, so that the tip never exceeds the tolerance.
                item.preauthorization = Some((item.amount * 100).div_euclid(percent) + 1);
                item.response = Some(APPROVED);
            }
        }
    }
    Some(())
}

/// Transactions on hold, released, or partly released.
pub(super) fn hold(weaver: &mut Weaver<'_>, nth: usize) -> Option<()> {
    match nth % 6 {
        0 => set_aside(weaver, Standing::Held),
        1 => release(weaver, Standing::Released),
        2 => release(weaver, Standing::PartlyReleased),
        3 => set_aside(weaver, Standing::HeldFor30Days),
        4 => set_aside(weaver, Standing::HeldAsDuplicate),
        _ => release_later(weaver, Standing::ReleasedAfterAudit),
    }
}

/// A transaction that a third party pays for, which alternately its status or its settlement
/// states.
pub(super) fn pay_elsewhere(weaver: &mut Weaver<'_>, nth: usize) -> Option<()> {
    set_aside(
        weaver,
        if nth.is_multiple_of(2) {
            Standing::PaidByThirdParty
        } else {
            Standing::SettledByThirdParty
        },
    )
}

/// Takes a transaction out of its deposit; it stays in its batch.
pub(super) fn set_aside(weaver: &mut Weaver<'_>, standing: Standing) -> Option<()> {
    let at = pick_capture(weaver, 3)?;
    let item = &mut weaver.records.authorizations[at];
    item.standing = standing;
    let (amount, deposit_id) = (item.amount, std::mem::take(&mut item.deposit_id));
    weaver.records.change_deposit(deposit_id, |deposit| {
        deposit.sales -= amount;
        deposit.transactions -= 1;
    });
    Some(())
}

/// A transaction was on hold; its deposit now contains it, or a part of it.
fn release(weaver: &mut Weaver<'_>, standing: Standing) -> Option<()> {
    let at = pick_capture(weaver, 1)?;
    let item = &mut weaver.records.authorizations[at];
    item.standing = standing;
    let (part, deposit_id) = (item.amount / 3, item.deposit_id);
    if standing == Standing::PartlyReleased {
        weaver.records.change_deposit(deposit_id, |deposit| deposit.sales -= part);
    }
    Some(())
}

/// A transaction was on hold; a deposit for a later date contains it.
fn release_later(weaver: &mut Weaver<'_>, standing: Standing) -> Option<()> {
    let at = pick_capture(weaver, 3)?;
    let item = weaver.records.authorizations[at].clone();
    let days = weaver.due_days();
    let host = days
        .iter()
        .filter(|day| day.merchant == item.merchant as usize && day.date > item.date)
        .find_map(|day| weaver.captures(day).first().map(|host| (day.date, *host)));
    let Some((date, host)) = host else { return release(weaver, standing) };
    weaver.claim(item.merchant as usize, date);
    let deposit_id = weaver.records.authorizations[host].deposit_id;
    for (id, sign) in [(item.deposit_id, -1), (deposit_id, 1)] {
        weaver.records.change_deposit(id, |deposit| {
            deposit.sales += sign * item.amount;
            deposit.transactions += sign;
        });
    }
    let held = &mut weaver.records.authorizations[at];
    (held.standing, held.deposit_id) = (standing, deposit_id);
    Some(())
}

/// A capture of a free day with at least `least` captures.
fn pick_capture(weaver: &mut Weaver<'_>, least: usize) -> Option<usize> {
    let mut days = weaver.due_days();
    days.retain(|day| weaver.captures(day).len() >= least);
    let day = weaver.random.pick(&days)?;
    weaver.claim(day.merchant, day.date);
    let captures = weaver.captures(&day);
    weaver.random.pick(&captures)
}

/// A further part of an authorization.
fn part(of: &Authorization, amount: i64) -> Authorization {
    Authorization { part_of: of.authorization_id(), amount, ..of.clone() }
}
