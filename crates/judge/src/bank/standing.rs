//! The state of every deposit and line of a bank section, and the gaps that keep its statements
//! from being added up. A period report is made from these.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::account::Account;
use super::statement::{Statement, place};
use tieout_matching::bank::LineState;
use tieout_model::{
    BankMatchRow, BankStanding, BankVerdict, PAYS, PAYS_FEES, StandingKind, TAKEN_BACK,
};

/// The state of a deposit, from its row.
pub(super) fn of_deposit(row: BankMatchRow) -> BankStanding {
    BankStanding {
        kind: StandingKind::Deposit,
        id: row.ach_deposit_id.map_or_else(String::new, |id| id.to_string()),
        merchant_id: row.merchant_id,
        currency: row.currency,
        day: row.payment_date,
        due_date: row.due_date,
        amount: row.net_amount,
        bank: row.bank,
        bank_date: row.bank_date,
        bank_amount: row.bank_amount,
        verdict: row.verdict,
        ..BankStanding::default()
    }
}

/// The states of every deposit since the start date, of earlier ones that a line since then pays,
/// and of every line since then or that pays one of these deposits.
pub(super) fn of_statement(statement: &Statement<'_>, is_whole: bool) -> Vec<BankStanding> {
    let start = statement.account.asof.start_date;
    let pays = pays(statement);
    let since = |at: &usize| statement.lines[*at].date >= start;
    let is_kept = |at: usize| {
        statement.deposits[at].deposit.payment_date >= start
            || pays.iter().any(|(line, deposits)| deposits.contains(&at) && since(line))
    };
    let kept: BTreeSet<usize> = (0..statement.deposits.len()).filter(|&at| is_kept(at)).collect();
    let mut standing: Vec<BankStanding> =
        kept.iter().map(|&at| of_deposit(statement.row(at, is_whole))).collect();
    for at in 0..statement.lines.len() {
        let deposits = pays.get(&at);
        let is_paying =
            deposits.is_some_and(|deposits| deposits.iter().any(|one| kept.contains(one)));
        if since(&at) || is_paying {
            standing.push(of_line(statement, at, deposits));
        }
    }
    standing
}

/// The deposits that each line pays, in full, in part, or with another amount.
fn pays(statement: &Statement<'_>) -> BTreeMap<usize, Vec<usize>> {
    let of_line = |(at, state): (usize, &LineState)| match state {
        LineState::Pays(deposits) => Some((at, deposits.clone())),
        LineState::Together { set } => {
            Some((at, statement.outcome.together[*set].deposits.clone()))
        }
        LineState::Differs { deposit } => Some((at, vec![*deposit])),
        LineState::Unknown | LineState::TakenBack | LineState::Ambiguous { .. } => None,
    };
    statement.outcome.lines.iter().enumerate().filter_map(of_line).collect()
}

fn of_line(statement: &Statement<'_>, at: usize, deposits: Option<&Vec<usize>>) -> BankStanding {
    let line = statement.lines[at];
    let takes_fees = statement.fees.at(deposits.into_iter().flatten()).next().is_some();
    let verdict = match statement.outcome.lines[at] {
        LineState::Pays(_) | LineState::Together { .. } if takes_fees => PAYS_FEES,
        LineState::Pays(_) | LineState::Together { .. } => PAYS,
        LineState::Differs { .. } => BankVerdict::AmountDiffers.as_str(),
        LineState::TakenBack => TAKEN_BACK,
        LineState::Ambiguous { .. } => BankVerdict::Ambiguous.as_str(),
        LineState::Unknown => statement.of_unknown(at).as_str(),
    };
    let ids: Vec<String> = deposits
        .into_iter()
        .flatten()
        .filter_map(|&at| statement.deposits.get(at))
        .map(|known| known.deposit.ach_deposit_id.to_string())
        .collect();
    BankStanding {
        bank: statement.account.bank.name.clone(),
        kind: StandingKind::Line,
        id: line.key.clone(),
        currency: Some(line.currency),
        merchant_id: statement.account.merchant_of(line).clone(),
        day: Some(line.date),
        due_date: Some(statement.line_due(line)),
        amount: Some(line.amount),
        ach_deposit_id: ids.join(";"),
        place: place(line).to_owned(),
        verdict: verdict.to_owned(),
        ..BankStanding::default()
    }
}

/// The banking days since the start date that the statements do not cover, and days whose deposits
/// are not all known.
pub(super) fn gaps(
    account: &Account<'_>,
    unclear: &BTreeMap<NaiveDate, String>,
) -> Vec<BankStanding> {
    let name = &account.bank.name;
    let (start, date) = (account.asof.start_date, account.asof.business_date);
    let mut gaps = Vec::new();
    for day in start.iter_days().take_while(|day| *day <= date) {
        let is_banking_day = account.calendars.values().any(|one| one.is_banking_day(day));
        if account.calendars.keys().any(|id| account.uncovered(id, day, day).is_some()) {
            let words = format!("the statements of bank \"{name}\" do not cover {day}");
            gaps.push(gap(account, Some(day), words));
        }
        if is_banking_day && !account.days_read.contains(&day) {
            let words = format!("the deposits of {day} were not read completely");
            gaps.push(gap(account, Some(day), words));
        }
        if let Some(why) = unclear.get(&day) {
            gaps.push(gap(account, Some(day), why.clone()));
        }
    }
    gaps
}

/// A gap: days or files that were not read.
pub(super) fn gap(account: &Account<'_>, day: Option<NaiveDate>, words: String) -> BankStanding {
    BankStanding {
        bank: account.bank.name.clone(),
        kind: StandingKind::Gap,
        id: words.clone(),
        day,
        place: words,
        ..BankStanding::default()
    }
}
