//! The columns of the tables of disputes and banks, and the cells of a row.

use super::cell::{Cell, Column};
use super::rows::{Row, amount, date, text};
use tieout_model::{BankMatchRow, DisputeRow, Verdict};

impl Row for DisputeRow {
    const FILE: &'static str = "disputes.csv";
    const COLUMNS: &'static [Column] = &[
        text("dispute_id"),
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        text("type"),
        text("status"),
        date("status_date"),
        date("received_date"),
        date("due_date").headed("Answer by"),
        amount("dispute_amount"),
        amount("fee_amount"),
        text("transaction_id"),
        text("authorization_id"),
        text("ach_deposit_id").headed("Deposit ID"),
        text("verdict"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let id =
            |id: Option<i64>| Cell::Text(id.map_or_else(String::new, |id| id.to_string()).into());
        vec![
            id(Some(self.dispute_id)),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::text(&self.dispute_type),
            Cell::text(&self.status),
            Cell::Date(self.status_date),
            Cell::Date(self.received_date),
            Cell::Date(self.due_date),
            Cell::Amount(self.amount, self.currency),
            Cell::Amount(self.fee, self.currency),
            id(self.transaction_id),
            id(self.authorization_id),
            Cell::text(&self.ach_deposit_id),
            Cell::text(&self.verdict),
        ]
    }
}

impl Row for BankMatchRow {
    const FILE: &'static str = "bank_matches.csv";
    const COLUMNS: &'static [Column] = &[
        text("ach_deposit_id").headed("Deposit ID"),
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        date("payment_date"),
        date("due_date"),
        amount("net_amount").headed("Paid out (net)"),
        text("bank"),
        date("bank_date").headed("Date at the bank"),
        amount("bank_amount").headed("Amount at the bank"),
        amount("difference"),
        text("bank_file"),
        text("bank_line"),
        text("verdict"),
        text("deposit_verdict"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, self.currency);
        let id = self.ach_deposit_id.map_or_else(String::new, |id| id.to_string());
        vec![
            Cell::Text(id.into()),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::Date(self.payment_date),
            Cell::Date(self.due_date),
            amount(self.net_amount),
            Cell::text(&self.bank),
            Cell::Date(self.bank_date),
            amount(self.bank_amount),
            amount(self.difference()),
            Cell::text(&self.bank_file),
            Cell::text(&self.bank_line),
            Cell::text(&self.verdict),
            Cell::text(self.deposit_verdict.map_or("", Verdict::as_str)),
        ]
    }
}
