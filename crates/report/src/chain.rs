//! The way of the money of each merchant and currency, from sales to the bank: one line of the page
//! and the workbook. Adds up rows of the CSV files and judges nothing.

use std::collections::BTreeMap;

use super::DateReport;
use super::column::{ColumnOf, Row, amount, code, count, headed, text};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BankVerdict, BatchRow, DepositRow, MerchantId, SummaryRow, Verdict, is_at_bank,
};

/// The amounts of a merchant at each step, in one currency.
pub(super) struct ChainLine<'a> {
    pub row: &'a SummaryRow,
    pub batches: Vec<&'a BatchRow>,
    pub deposits: Vec<&'a DepositRow>,
}

/// The numbers of deposits of merchants with a bank, by their state there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AtBank {
    /// Found on a statement, early ones included.
    pub found: u64,
    /// Due at the bank.
    pub due: u64,
    pub not_due: u64,
    /// Due, but their statement may still come.
    pub awaited: u64,
    /// Unknown, because a statement was not read.
    pub not_evaluated: u64,
}

impl AtBank {
    /// `None` if no deposit belongs to a merchant with a bank.
    pub fn of<'a>(deposits: impl IntoIterator<Item = &'a DepositRow>) -> Option<Self> {
        let verdicts = deposits.into_iter().map(|row| row.bank_verdict.as_str());
        let mut counts = None;
        for verdict in verdicts.filter(|verdict| !verdict.is_empty()) {
            let at_bank: &mut Self = counts.get_or_insert_default();
            at_bank.found += u64::from(is_at_bank(verdict));
            if verdict == BankVerdict::Due.as_str() {
                at_bank.not_due += 1;
            } else if verdict == BankVerdict::AwaitingStatement.as_str() {
                at_bank.awaited += 1;
            } else if verdict == BankVerdict::NotEvaluated.as_str() {
                at_bank.not_evaluated += 1;
            } else {
                at_bank.due += 1;
            }
        }
        counts
    }
}

/// A line for each row of the summary, in their order.
pub(super) fn lines<'a>(
    report: &'a DateReport<'_>,
    summary: &[&'a SummaryRow],
) -> Vec<ChainLine<'a>> {
    let mut batches: BTreeMap<Place<'_>, Vec<&BatchRow>> = BTreeMap::new();
    for batch in report.batches.iter() {
        batches.entry(place(&batch.merchant_id, batch.currency)).or_default().push(batch);
    }
    let mut deposits: BTreeMap<Place<'_>, Vec<&DepositRow>> = BTreeMap::new();
    for deposit in report.deposits.iter() {
        deposits.entry(place(&deposit.merchant_id, deposit.currency)).or_default().push(deposit);
    }
    let line = |row: &&'a SummaryRow| {
        let place = place(&row.merchant_id, row.currency);
        ChainLine {
            row,
            batches: batches.get(&place).cloned().unwrap_or_default(),
            deposits: deposits.get(&place).cloned().unwrap_or_default(),
        }
    };
    summary.iter().map(line).collect()
}

type Place<'a> = (&'a MerchantId, Option<&'static str>);

fn place(merchant_id: &MerchantId, currency: Option<Currency>) -> Place<'_> {
    (merchant_id, currency.map(Currency::code))
}

impl ChainLine<'_> {
    /// Sales less returns of the batches of the date.
    pub fn batched(&self) -> Option<Minor> {
        let net = |batch: &&BatchRow| batch.sale_amount?.checked_sub(batch.return_amount?);
        sum(self.batches.iter().map(net))
    }

    /// The sum of a component of the deposits.
    pub fn of_deposits(&self, amount: fn(&DepositRow) -> Option<Minor>) -> Option<Minor> {
        sum(self.deposits.iter().map(|row| amount(row)))
    }

    /// A number of deposits at the bank; unknown where one is not known.
    fn at_bank(&self, of: fn(AtBank) -> u64) -> Option<i64> {
        i64::try_from(of(AtBank::of(self.deposits.iter().copied())?)).ok()
    }

    /// The surplus or shortfall of deposits against their known components; `None` while one of
    /// them could not be evaluated.
    pub fn not_explained(&self) -> Option<Minor> {
        if self.deposits.iter().any(|row| row.verdict == Verdict::NotEvaluated) {
            return None;
        }
        sum(self.deposits.iter().filter(|row| row.unexplained.is_some()).map(|row| row.unexplained))
    }
}

/// `None` without amounts, if one is unknown, and if the sum overflows.
fn sum(amounts: impl Iterator<Item = Option<Minor>>) -> Option<Minor> {
    let mut total = None;
    for amount in amounts {
        total = Some(total.unwrap_or(Minor(0)).checked_add(amount?)?);
    }
    total
}

impl Row for ChainLine<'_> {
    /// The workbook's sheet. No file of this name is written.
    const FILE: &'static str = "chain";

    fn currency(&self) -> Option<Currency> {
        self.row.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("merchant_id", |line| line.row.merchant_id.as_str()),
            text("merchant_name", |line| &line.row.merchant_name),
            text("currency", |line| code(line.row.currency)),
            amount("sold", |line| line.row.items_amount),
            amount("batched", Self::batched),
            amount("on_hold", |line| line.row.on_hold_amount),
            amount("not_due_yet", |line| line.row.in_transit_amount),
            headed("Overdue or short", amount("overdue", |line| line.row.overdue_amount)),
            amount("fees", |line| line.of_deposits(|row| row.daily_fees)),
            amount("returned_or_disputed", |line| line.of_deposits(|row| row.ach_adjustment)),
            headed("Paid out (net)", amount("paid_out", |line| line.row.deposited_net)),
            amount("not_explained", Self::not_explained),
            headed(
                "Deposits found at the bank",
                count("found_at_bank", |line| line.at_bank(|at_bank| at_bank.found)),
            ),
            headed(
                "Deposits due at the bank",
                count("due_at_bank", |line| line.at_bank(|at_bank| at_bank.due)),
            ),
            headed(
                "Deposits not due there yet",
                count("not_due_at_bank", |line| line.at_bank(|at_bank| at_bank.not_due)),
            ),
            text("verdict", |line| line.row.verdict.as_str()),
        ]
    }
}
