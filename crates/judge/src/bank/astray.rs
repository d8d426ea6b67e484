//! Deposits that arrived at another bank of the configuration: a line of the processor there has
//! their amount, to the cent and on their day, and nothing else does.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::account::Account;
use super::code::BankCode;
use super::deposits::Paired;
use super::not_on_statement::{Judged, is_missing};
use super::statement::{money, place};
use tieout_matching::bank::{DepositState, LineState};
use tieout_model::money::Currency;
use tieout_model::{Finding, MerchantId};

/// The place of a deposit or a line: its bank, and two positions there.
type Place = (usize, usize, usize);

/// The currency and amount of a deposit and a line.
type Money = (&'static str, i64);

/// The first and the last day of a line that pays a deposit.
type Days = (NaiveDate, NaiveDate);

/// Missing deposits and unexplained lines of all banks.
#[derive(Default)]
struct Open {
    deposits: BTreeMap<Money, Vec<(Place, Days)>>,
    lines: BTreeMap<Money, Vec<(Place, NaiveDate)>>,
}

impl Open {
    fn add(&mut self, place: Place, money: Money, days: Days) {
        self.deposits.entry(money).or_default().push((place, days));
    }

    /// The deposits and lines of two banks that have no other candidate.
    fn astray(&self) -> Vec<(Place, Place)> {
        let mut found = Vec::new();
        for (money, deposits) in &self.deposits {
            let lines = self.lines.get(money).map_or(&[][..], Vec::as_slice);
            let fits = |(deposit, days): &(Place, Days), (line, date): &(Place, NaiveDate)| {
                deposit.0 != line.0 && (days.0..=days.1).contains(date)
            };
            for deposit in deposits {
                let mut own = lines.iter().filter(|line| fits(deposit, line));
                let (Some(line), None) = (own.next(), own.next()) else { continue };
                if deposits.iter().filter(|other| fits(other, line)).count() == 1 {
                    found.push((deposit.0, line.0));
                }
            }
        }
        found
    }
}

/// The days on which a line pays a deposit at another bank.
fn days(account: &Account<'_>, merchant: &MerchantId, paid: NaiveDate) -> Days {
    (paid, account.calendars[merchant].due(paid, 1))
}

/// Parts lines and deposits of different amounts, if one of the two fits another bank to the cent.
pub(super) fn release(paired: &mut [Paired<'_>]) {
    let mut open = Open::default();
    for (bank, one) in paired.iter().enumerate() {
        for (nth, of) in one.of_currencies.iter().enumerate() {
            let states = of.deposits.iter().zip(&of.outcome.deposits);
            for (at, (known, state)) in states.enumerate() {
                let is_open = matches!(state, DepositState::Missing | DepositState::Differs { .. });
                if is_open && known.amount.0 > 0 {
                    let paid = known.deposit.payment_date;
                    let days = days(one.account, &known.merchant.id, paid);
                    open.add((bank, nth, at), (known.currency.code(), known.amount.0), days);
                }
            }
            for (at, state) in of.outcome.lines.iter().enumerate() {
                let line = of.lines[at];
                if matches!(state, LineState::Unknown | LineState::Differs { .. }) {
                    let money = (line.currency.code(), line.amount.0);
                    open.lines.entry(money).or_default().push(((bank, nth, at), line.date));
                }
            }
        }
    }
    for (deposit, line) in open.astray() {
        let outcome = &mut paired[deposit.0].of_currencies[deposit.1].outcome;
        if let DepositState::Differs { line } = outcome.deposits[deposit.2] {
            outcome.release(line, deposit.2);
        }
        let outcome = &mut paired[line.0].of_currencies[line.1].outcome;
        if let LineState::Differs { deposit } = outcome.lines[line.2] {
            outcome.release(line.2, deposit);
        }
    }
}

/// Names the other bank in the finding about a deposit that arrived there, in place of a finding
/// about its line. `found` holds the findings of each bank.
pub(super) fn name(judged: &[Judged<'_>], found: &mut [Vec<Finding>]) {
    let mut open = Open::default();
    for (bank, findings) in found.iter().enumerate() {
        for (at, one) in findings.iter().enumerate() {
            let code = one.currency.map(Currency::code);
            let is_credit = one.code == BankCode::CreditUnknown.as_str() && one.problem.is_none();
            if is_missing(one)
                && let (Some(code), Some(amount)) = (code, one.expected.filter(|one| *one > 0))
            {
                let paid = judged[bank].paid_on[&one.subject];
                let days = days(judged[bank].account, &one.merchant_id, paid);
                open.add((bank, 0, at), (code, amount), days);
            } else if is_credit
                && let (Some(code), Some(amount), Some(date)) = (code, one.actual, one.batch_date)
            {
                open.lines.entry((code, amount)).or_default().push(((bank, 0, at), date));
            }
        }
    }
    let mut explained = Vec::new();
    for (deposit, line) in open.astray() {
        let account = judged[line.0].account;
        let bank = &account.bank.name;
        let key = &found[line.0][line.2].subject;
        let Some(shown) = account.lines.iter().find(|one| one.key == *key) else { continue };
        let (amount, at) = (money(shown.amount.0, shown.currency), place(shown));
        let finding = &mut found[deposit.0][deposit.2];
        let _ = write!(
            finding.explanation,
            " Bank \"{bank}\" shows {amount} on {} ({at}), which no other deposit explains: it \
             seems to have arrived there.",
            shown.date
        );
        finding.action = Some(format!(
            "Ask the processor which account it pays for the merchant, and have the money moved \
             from bank \"{bank}\"."
        ));
        explained.push(line);
    }
    for (bank, findings) in found.iter_mut().enumerate() {
        let mut at = 0..;
        findings.retain(|_| at.next().is_none_or(|at| !explained.contains(&(bank, 0, at))));
    }
}
