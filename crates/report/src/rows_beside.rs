//! The columns of the tables of disputes and banks, and the cells of a row.

use super::column::{ColumnOf, Row, amount, code, date, headed, text, written};
use tieout_model::money::Currency;
use tieout_model::{BankMatchRow, DisputeRow, Verdict};

impl Row for DisputeRow {
    const FILE: &'static str = "disputes.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            written("dispute_id", |row| row.dispute_id.to_string()),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            text("type", |row| &row.dispute_type),
            text("status", |row| &row.status),
            date("status_date", |row| row.status_date),
            date("received_date", |row| row.received_date),
            headed("Answer by", date("due_date", |row| row.due_date)),
            amount("dispute_amount", |row| row.amount),
            amount("fee_amount", |row| row.fee),
            written("transaction_id", |row| id(row.transaction_id)),
            written("authorization_id", |row| id(row.authorization_id)),
            headed("Deposit ID", text("ach_deposit_id", |row| &row.ach_deposit_id)),
            text("verdict", |row| &row.verdict),
        ]
    }
}

impl Row for BankMatchRow {
    const FILE: &'static str = "bank_matches.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            headed("Deposit ID", written("ach_deposit_id", |row| id(row.ach_deposit_id))),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            date("payment_date", |row| row.payment_date),
            date("due_date", |row| row.due_date),
            headed("Paid out (net)", amount("net_amount", |row| row.net_amount)),
            text("bank", |row| &row.bank),
            headed("Date at the bank", date("bank_date", |row| row.bank_date)),
            headed("Amount at the bank", amount("bank_amount", |row| row.bank_amount)),
            amount("difference", Self::difference),
            text("bank_file", |row| &row.bank_file),
            text("bank_line", |row| &row.bank_line),
            text("verdict", |row| &row.verdict),
            text("deposit_verdict", |row| row.deposit_verdict.map_or("", Verdict::as_str)),
        ]
    }
}

/// An id; empty where there is none.
fn id<Id: ToString>(id: Option<Id>) -> String {
    id.map_or_else(String::new, |id| id.to_string())
}
