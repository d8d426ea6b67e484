//! The way of the money of each merchant and currency, from what was sold to what the bank has: one
//! line of what the page and the workbook show. Adds up rows of the CSV files, and judges nothing.

use std::collections::BTreeMap;

use super::DateReport;
use super::cell::{Cell, Column};
use super::rows::{Row, amount, count, text};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BankVerdict, BatchRow, DepositRow, SummaryRow, Verdict, is_at_bank, is_due_later,
};

/// Where the money of a merchant is, in one currency.
pub(super) struct ChainLine<'a> {
    row: &'a SummaryRow,
    batches: Vec<&'a BatchRow>,
    deposits: Vec<&'a DepositRow>,
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

type Place<'a> = (&'a str, Option<&'static str>);

fn place(merchant_id: &str, currency: Option<Currency>) -> Place<'_> {
    (merchant_id, currency.map(Currency::code))
}

impl ChainLine<'_> {
    /// Sales less returns of the batches of the date.
    fn batched(&self) -> Option<Minor> {
        let net = |batch: &&BatchRow| batch.sale_amount?.checked_sub(batch.return_amount?);
        sum(self.batches.iter().map(net))
    }

    /// A component of the deposits.
    fn of_deposits(&self, amount: fn(&DepositRow) -> Option<Minor>) -> Option<Minor> {
        sum(self.deposits.iter().map(|row| amount(row)))
    }

    /// What deposits hold beyond, or short of, what is known to make them up; unknown while one of
    /// them could not be evaluated.
    fn not_explained(&self) -> Option<Minor> {
        if self.deposits.iter().any(|row| row.verdict == Verdict::NotEvaluated) {
            return None;
        }
        sum(self.deposits.iter().filter(|row| row.unexplained.is_some()).map(|row| row.unexplained))
    }

    /// Deposits at the bank, due there, and not due yet; `None` where no bank is named. Of which a
    /// statement was not read counts as none of these.
    fn at_bank(&self) -> Option<[i64; 3]> {
        let verdicts = self.deposits.iter().map(|row| row.bank_verdict.as_str());
        let mut counts = None;
        for verdict in verdicts.filter(|verdict| !verdict.is_empty()) {
            let [found, due, not_due] = counts.get_or_insert([0; 3]);
            *found += i64::from(is_at_bank(verdict));
            if is_due_later(verdict) {
                *not_due += 1;
            } else if verdict != BankVerdict::NotEvaluated.as_str() {
                *due += 1;
            }
        }
        counts
    }
}

/// `None` for no amounts, when one is unknown, and for more than an amount can hold.
fn sum(amounts: impl Iterator<Item = Option<Minor>>) -> Option<Minor> {
    let mut total = None;
    for amount in amounts {
        total = Some(total.unwrap_or(Minor(0)).checked_add(amount?)?);
    }
    total
}

impl Row for ChainLine<'_> {
    /// No file of that name is written: the workbook has a sheet for it.
    const FILE: &'static str = "chain";
    const COLUMNS: &'static [Column] = &[
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        amount("sold"),
        amount("batched"),
        amount("on_hold"),
        amount("not_due_yet"),
        amount("overdue").headed("Overdue or short"),
        amount("fees"),
        amount("returned_or_disputed"),
        amount("paid_out").headed("Paid out (net)"),
        amount("not_explained"),
        count("found_at_bank").headed("Deposits found at the bank"),
        count("due_at_bank").headed("Deposits due at the bank"),
        count("not_due_at_bank").headed("Deposits not due there yet"),
        text("verdict"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let row = self.row;
        let amount = |amount| Cell::Amount(amount, row.currency);
        let [found, due, not_due] = self.at_bank().map_or([None; 3], |counts| counts.map(Some));
        vec![
            Cell::text(&row.merchant_id),
            Cell::text(&row.merchant_name),
            Cell::currency(row.currency),
            amount(row.items_amount),
            amount(self.batched()),
            amount(row.on_hold_amount),
            amount(row.in_transit_amount),
            amount(row.overdue_amount),
            amount(self.of_deposits(|row| row.daily_fees)),
            amount(self.of_deposits(|row| row.ach_adjustment)),
            amount(row.deposited_net),
            amount(self.not_explained()),
            Cell::Count(found),
            Cell::Count(due),
            Cell::Count(not_due),
            Cell::text(row.verdict.as_str()),
        ]
    }
}
