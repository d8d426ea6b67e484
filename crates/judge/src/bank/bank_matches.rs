//! The bank's side of each deposit, as rows of `bank_matches.csv`.

use std::collections::{BTreeMap, BTreeSet};

use super::statement::{Known, Statement, place};
use crate::adjustments::NotCredited;
use tieout_matching::bank::{DepositState, LineState};
use tieout_model::money::Minor;
use tieout_model::{BankMatchRow, BankVerdict, DepositId, Finding};
use tieout_store::BankedLine;

impl Statement<'_> {
    /// The rows of deposits that are paid or due on the date, or were awaited before it, and of
    /// unexplained lines dated or due on the date. `is_whole` is true if every file of the bank was
    /// read.
    pub(super) fn rows(&self, is_whole: bool) -> Vec<BankMatchRow> {
        let (date, start) = (self.account.asof.business_date, self.account.asof.start_date);
        let is_shown = |known: &Known<'_>| {
            known.deposit.payment_date == date
                || known.due == date
                || self.account.awaited.contains(&known.deposit.ach_deposit_id)
        };
        let mut rows = Vec::new();
        for (at, known) in self.deposits.iter().enumerate() {
            if is_shown(known) && known.deposit.payment_date >= start {
                rows.push(self.row(at, is_whole));
            }
        }
        for (at, line) in self.lines.iter().enumerate() {
            let due = self.line_due(line);
            if self.outcome.lines[at] == LineState::Unknown && [line.date, due].contains(&date) {
                let verdict = self.of_unknown(at);
                let merchant_id = self.account.merchant_of(line).clone();
                rows.push(BankMatchRow {
                    merchant_id,
                    currency: Some(line.currency),
                    due_date: Some(due),
                    verdict: verdict.as_str().to_owned(),
                    ..self.with_lines(BankMatchRow::default(), &[at])
                });
            }
        }
        rows
    }

    /// The deposits that did not arrive: those that the processor sent again, with whether the bank
    /// shows the later deposit; and the others, as far as they brought money.
    pub(super) fn not_arrived(&self) -> (BTreeMap<DepositId, bool>, Vec<NotCredited>) {
        let (mut resent, mut others) = (BTreeMap::new(), Vec::new());
        for (at, state) in self.outcome.deposits.iter().take(self.deposits.len()).enumerate() {
            let debited = match *state {
                DepositState::Missing => None,
                DepositState::TakenBack { line } => Some(self.lines[line].date),
                _ => continue,
            };
            if self.missing(at).is_none_or(|finding| finding.problem.is_some()) {
                continue;
            }
            let known = &self.deposits[at];
            let deposit = known.deposit.ach_deposit_id;
            if let Some(again) = self.sent_again(at) {
                resent.insert(deposit, self.is_shown(again));
            } else if known.amount.0 > 0 {
                others.push(NotCredited {
                    deposit,
                    of: (known.merchant.id.clone(), known.currency.code().to_owned()),
                    amount: known.amount.0,
                    paid: known.deposit.payment_date,
                    since: debited.map_or(known.due, |day| day.max(known.due)),
                });
            }
        }
        (resent, others)
    }

    pub(super) fn row(&self, at: usize, is_whole: bool) -> BankMatchRow {
        let known = &self.deposits[at];
        let row = BankMatchRow {
            ach_deposit_id: Some(known.deposit.ach_deposit_id),
            merchant_id: known.merchant.id.clone(),
            currency: Some(known.currency),
            payment_date: Some(known.deposit.payment_date),
            due_date: Some(known.due),
            net_amount: Some(known.amount),
            bank: self.account.bank.name.clone(),
            ..BankMatchRow::default()
        };
        let on_time = |row: &BankMatchRow| {
            let is_late = row.bank_date.is_some_and(|date| date > known.due);
            if is_late { BankVerdict::Late } else { BankVerdict::Found }
        };
        let (row, verdict) = match self.outcome.deposits[at] {
            DepositState::Paid { line } => {
                let row = self.with_lines(row, &[line]);
                // The deposit's own share of the line, which may pay several deposits.
                let row = BankMatchRow { bank_amount: Some(known.amount), ..row };
                let verdict = on_time(&row);
                (row, verdict)
            }
            DepositState::Together { set } => {
                let row = self.with_lines(row, &self.outcome.together[set].lines);
                let row = BankMatchRow { bank_amount: Some(known.amount), ..row };
                let verdict = on_time(&row);
                (row, verdict)
            }
            DepositState::Differs { .. } => {
                let verdict = said(self.differs(at).as_ref(), is_whole, BankVerdict::AmountDiffers);
                (self.with_lines(row, &self.lines_of(at)), verdict)
            }
            DepositState::TakenBack { .. } | DepositState::Missing => {
                (row, said(self.missing(at).as_ref(), is_whole, BankVerdict::Missing))
            }
            DepositState::Ambiguous { .. } => (row, BankVerdict::Ambiguous),
        };
        BankMatchRow { verdict: verdict.as_str().to_owned(), ..row }
    }

    /// The verdict of a line that no deposit explains.
    pub(super) fn of_unknown(&self, at: usize) -> BankVerdict {
        match self.unknown(at) {
            None => BankVerdict::Due,
            Some(Finding { problem: Some(_), .. }) => BankVerdict::NotEvaluated,
            Some(_) => BankVerdict::UnknownCredit,
        }
    }

    /// Adds the date, amount and place of the lines to the row.
    fn with_lines(&self, row: BankMatchRow, lines: &[usize]) -> BankMatchRow {
        let lines: Vec<&BankedLine> = lines.iter().map(|&at| self.lines[at]).collect();
        let places: Vec<(&str, &str)> =
            lines.iter().filter_map(|line| place(line).rsplit_once(", line ")).collect();
        let files: BTreeSet<&str> = places.iter().map(|one| one.0).collect();
        let numbers: Vec<&str> = places.iter().map(|one| one.1).collect();
        let sum: Option<i64> =
            lines.iter().try_fold(0_i64, |sum, line| sum.checked_add(line.amount.0));
        BankMatchRow {
            bank: self.account.bank.name.clone(),
            bank_date: lines.iter().map(|line| line.date).max(),
            bank_amount: sum.map(Minor),
            bank_file: files.into_iter().collect::<Vec<_>>().join(";"),
            bank_line: numbers.join(";"),
            ..row
        }
    }
}

/// The verdict from the deposit's finding; without one it need not have arrived yet.
fn said(finding: Option<&Finding>, is_whole: bool, verdict: BankVerdict) -> BankVerdict {
    match finding {
        None => BankVerdict::Due,
        Some(finding) if finding.is_awaited && is_whole => BankVerdict::AwaitingStatement,
        Some(finding) if finding.problem.is_some() || !is_whole => BankVerdict::NotEvaluated,
        Some(_) => verdict,
    }
}
