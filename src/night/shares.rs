//! The shares of a date's money that are explained and verified, by currency, from the date's
//! outcome.

use std::collections::BTreeMap;

use tieout_judge::{Finder, Registry};
use tieout_model::money::{Currency, Minor};
use tieout_model::{BankMatchRow, BankVerdict, MoneyShare, Total, Verdict, is_at_bank};
use tieout_store::DayOutcome;

/// By currency, in order of code; a currency without money due is left out.
pub(super) fn shares(registry: &Registry, outcome: &DayOutcome) -> Vec<(Currency, MoneyShare)> {
    let mut shares: BTreeMap<&'static str, (Currency, MoneyShare)> = BTreeMap::new();
    let date = outcome.run_record.business_date;
    let is_due = |row: &&BankMatchRow| row.ach_deposit_id.is_some() && row.due_date == Some(date);
    let mut by_currency: BTreeMap<&'static str, (Currency, Vec<&BankMatchRow>)> = BTreeMap::new();
    for row in outcome.bank_matches.iter().filter(is_due) {
        let Some(currency) = row.currency else { continue };
        by_currency.entry(currency.code()).or_insert((currency, Vec::new())).1.push(row);
    }
    for (code, (currency, rows)) in by_currency {
        let (due, verified) = of_deposits(&rows);
        let share = MoneyShare { due, verified, ..MoneyShare::default() };
        shares.insert(code, (currency, share));
    }
    let items = &outcome.run_record.items;
    let are_known = are_books_known(registry, outcome);
    for (code, total) in &items.total.amounts {
        let Some(currency) = Currency::from_code(code) else { continue };
        let of = |total: &Total| total.amounts.get(code).map_or(0, |amount| amount.minor.0);
        let Some(due) = total.minor.0.checked_sub(of(&items.not_due)) else { continue };
        if due == 0 {
            continue;
        }
        let (_, share) = shares.entry(currency.code()).or_insert((currency, MoneyShare::default()));
        share.items_due = Some(Minor(due));
        share.items_matched = are_known.then(|| Minor(of(&items.matched)));
    }
    shares.into_values().collect()
}

/// The amount due and the verified part of it; unknown where a part is unknown.
fn of_deposits(rows: &[&BankMatchRow]) -> (Option<Minor>, Option<Minor>) {
    let is_known = |row: &&BankMatchRow| {
        ![BankVerdict::NotEvaluated, BankVerdict::AwaitingStatement]
            .iter()
            .any(|verdict| row.verdict == verdict.as_str())
            && row.deposit_verdict.is_some_and(|verdict| verdict != Verdict::NotEvaluated)
    };
    let is_verified = |row: &&BankMatchRow| {
        is_at_bank(&row.verdict) && row.deposit_verdict == Some(Verdict::Tied)
    };
    let due = sum(rows.iter().copied());
    let verified = sum(rows.iter().copied().filter(is_verified));
    (due, verified.filter(|_| due.is_some() && rows.iter().all(is_known)))
}

fn sum<'a>(mut rows: impl Iterator<Item = &'a BankMatchRow>) -> Option<Minor> {
    rows.try_fold(Minor(0), |sum, row| sum.checked_add(row.net_amount?.checked_abs()?))
}

/// Checks that every check of the books was evaluated.
fn are_books_known(registry: &Registry, outcome: &DayOutcome) -> bool {
    let is_of_books =
        |code: &str| registry.find(code).is_some_and(|check| check.finder == Finder::Ledger);
    !outcome.not_evaluated.iter().any(|entry| is_of_books(&entry.code))
}
