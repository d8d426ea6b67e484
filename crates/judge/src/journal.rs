//! The journal entries of a date: deposits whose money has arrived and that no open discrepancy
//! names, each once, on the first date on which both hold. Other money stays in the clearing
//! account until its discrepancy is cleared; an accepted one is for the person who accepted it to
//! post.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::verdicts::{ids, is_trouble};
use super::{JudgeError, Registry};
use tieout_config::ComponentSigns;
use tieout_model::money::Minor;
use tieout_model::{
    Accounts, BankMatchRow, DepositId, DepositRow, Discrepancy, DiscrepancyStatus, JournalEntry,
    Verdict, is_at_bank, is_on_the_way,
};
use tieout_store::{DayOutcome, Store, banks, results};

/// The journal entries of `date`. `outcome` holds its deposits and discrepancies with their
/// verdicts. A deposit in `replaced` moves no money: a later one stands for it.
pub(super) fn entries(
    registry: &Registry,
    store: &Store,
    signs: &ComponentSigns,
    date: NaiveDate,
    (outcome, replaced): (&DayOutcome, &BTreeSet<DepositId>),
) -> Result<Vec<JournalEntry>, JudgeError> {
    let carried: BTreeSet<DepositId> = banks::carried_deposits(store)?.into_iter().collect();
    let mut in_question = in_question(registry, outcome);
    in_question.extend(replaced);
    let at_bank: BTreeMap<DepositId, &BankMatchRow> =
        outcome.bank_matches.iter().filter_map(|row| Some((row.ach_deposit_id?, row))).collect();
    let mut entries = Vec::new();
    for row in &outcome.deposits {
        let has_arrived = matches!(row.verdict, Verdict::Tied | Verdict::InTransit)
            && !is_on_the_way(&row.bank_verdict);
        if has_arrived && !in_question.contains(&row.ach_deposit_id) {
            entries.extend(entry(row, signs, carried.contains(&row.ach_deposit_id)));
        }
    }
    let today: BTreeSet<DepositId> =
        outcome.deposits.iter().map(|row| row.ach_deposit_id).collect();
    let cleared =
        named_by(registry, &outcome.discrepancies, |one| one.status == DiscrepancyStatus::Cleared);
    let found = at_bank.iter().filter(|(_, row)| is_at_bank(&row.verdict)).map(|(id, _)| *id);
    let earlier: BTreeSet<DepositId> =
        cleared.into_iter().chain(found).chain(carried.clone()).collect();
    for id in earlier.difference(&today).filter(|id| !in_question.contains(id)) {
        let is_carried = carried.contains(id);
        let posted = results::posted_before(store, date, *id)?;
        if let Some(first) = posted.first() {
            entries.extend(correction(first, &posted).filter(|_| is_carried));
            continue;
        }
        // A deposit that was not evaluated on its payment date waits until that date is run again.
        let paid = results::deposit_as_paid(store, *id)?.map(|(_, row)| row);
        let Some(row) = paid.filter(|row| row.verdict != Verdict::NotEvaluated) else { continue };
        // The bank rows do not include a deposit that is not due there yet.
        let is_awaited = is_on_the_way(&row.bank_verdict)
            && !at_bank.get(id).is_some_and(|row| is_at_bank(&row.verdict));
        if !is_awaited || is_carried {
            entries.extend(entry(&row, signs, is_carried));
        }
    }
    entries.sort_by_key(|entry| entry.ach_deposit_id);
    Ok(entries)
}

/// The deposits that an open or accepted discrepancy names.
fn in_question(registry: &Registry, outcome: &DayOutcome) -> BTreeSet<DepositId> {
    let mut named =
        named_by(registry, &outcome.discrepancies, |one| one.status != DiscrepancyStatus::Cleared);
    named.extend(named_by(registry, &outcome.accepted, |_| true));
    named
}

fn named_by(
    registry: &Registry,
    rows: &[Discrepancy],
    is_wanted: impl Fn(&Discrepancy) -> bool,
) -> BTreeSet<DepositId> {
    let wanted = rows.iter().filter(|row| is_wanted(row) && is_trouble(registry, row));
    let named = wanted.flat_map(|row| ids(&row.ids.ach_deposit_id));
    named.filter_map(|id| id.parse().ok().map(DepositId)).collect()
}

/// The entry of a deposit; `None` while one of its figures is unknown. A balance that was carried
/// into a later deposit moved no money: it stays in clearing, and the later deposit takes it from
/// there.
fn entry(row: &DepositRow, signs: &ComponentSigns, is_carried: bool) -> Option<JournalEntry> {
    let (currency, net) = (row.currency?, row.net_amount?.0);
    let debit = |amount: Option<Minor>, sign: i64| amount?.0.checked_mul(-sign);
    let adjustment = row.ach_adjustment?.0;
    let (returned, disputed) = known(
        adjustment,
        row.returned_amount.map_or(0, |amount| amount.0),
        row.disputed_amount.map_or(0, |amount| amount.0),
    );
    let fees = debit(row.daily_fees, signs.daily_fees)?;
    let reserve = debit(row.held_sales, signs.held_sales)?
        .checked_add(debit(row.holdback, signs.holdback)?)?
        .checked_add(debit(row.reserve_release, signs.reserve_release)?)?;
    let returns = debit(Some(Minor(returned)), signs.ach_adjustment)?;
    let chargebacks = debit(Some(Minor(disputed)), signs.ach_adjustment)?;
    let cash = if is_carried { 0 } else { net };
    let debits = [cash, fees, reserve, chargebacks, returns];
    let sum = debits.into_iter().try_fold(0_i64, i64::checked_add)?;
    let amounts = Accounts {
        cash: Minor(cash),
        fees: Minor(fees),
        reserve: Minor(reserve),
        chargebacks: Minor(chargebacks),
        returns: Minor(returns),
        clearing: Minor(sum.checked_neg()?),
    };
    Some(JournalEntry {
        ach_deposit_id: row.ach_deposit_id,
        merchant_id: row.merchant_id.clone(),
        merchant_name: row.merchant_name.clone(),
        currency,
        amounts,
    })
}

/// The parts of an adjustment that are returned bank transfers, and disputes. Both are known for
/// the whole group, which several deposits can pay; the rest is the balance of an earlier deposit.
fn known(adjustment: i64, returned: i64, disputed: i64) -> (i64, i64) {
    let part = |of: i64, left: i64| {
        let is_within = of.signum() == left.signum() && of.unsigned_abs() <= left.unsigned_abs();
        if is_within { of } else { 0 }
    };
    if returned.checked_add(disputed) == Some(adjustment) {
        return (returned, disputed);
    }
    let returned = part(returned, adjustment);
    (returned, part(disputed, adjustment - returned))
}

/// Reverses the cash of a deposit that was posted before its balance was carried.
fn correction(first: &JournalEntry, posted: &[JournalEntry]) -> Option<JournalEntry> {
    let cash: i64 =
        posted.iter().try_fold(0_i64, |sum, entry| sum.checked_add(entry.amounts.cash.0))?;
    let amounts =
        Accounts { cash: Minor(cash.checked_neg()?), clearing: Minor(cash), ..Accounts::default() };
    (cash != 0).then(|| JournalEntry { amounts, ..first.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_an_adjustment_into_what_is_known_of_it() {
        // (adjustment, returned, disputed) to (returned, disputed)
        let cases = [
            ((0, 0, 0), (0, 0)),
            ((500, 500, 0), (500, 0)),
            ((500, 200, 300), (200, 300)),
            ((-100, 200, -300), (200, -300)),
            // Each of two deposits of a group has its own part.
            ((200, 200, 300), (200, 0)),
            ((300, 500, 300), (0, 300)),
            // A carried balance stays in clearing.
            ((700, 200, 0), (200, 0)),
            ((50, 0, 0), (0, 0)),
        ];
        for ((adjustment, returned, disputed), expected) in cases {
            assert_eq!(known(adjustment, returned, disputed), expected, "{adjustment}");
        }
    }
}
