//! The columns of every table, and the cells of a row. Columns are a public contract: a new one
//! goes to the end, and the dictionary in `reports/README.md` names each.

use super::cell::{Cell, rate_tenths};
use super::column::{
    ColumnOf, Row, amount, code, count, date, figure, headed, not_added, rate, text, written,
};
use tieout_model::money::{Currency, Minor};
use tieout_model::{BatchRow, DepositRow, Discrepancy, Figure, MatchRow, SummaryRow, TransitRow};

impl Row for Discrepancy {
    const FILE: &'static str = "discrepancies.csv";
    const BY_HAND: &'static [&'static str] = &["comment"];

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("discrepancy_id", |row| &row.discrepancy_id),
            headed("Check", text("code", |row| &row.code)),
            text("severity", |row| row.severity.as_str()),
            text("status", |row| row.status.as_str()),
            date("business_date", |row| Some(row.business_date)),
            date("first_seen", |row| Some(row.first_seen)),
            headed("Age in days", count("age_days", |row| Some(i64::from(row.age_days)))),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| match row.figure {
                Figure::Amount => code(row.currency),
                Figure::Count => "",
            }),
            not_added(figure("expected", |row| figure_of(row, row.expected))),
            not_added(figure("actual", |row| figure_of(row, row.actual))),
            figure("difference", |row| figure_of(row, row.difference)),
            date("batch_date", |row| row.batch_date),
            text("batch_id", |row| &row.ids.batch_id),
            headed("Deposit ID", text("ach_deposit_id", |row| &row.ids.ach_deposit_id)),
            text("authorization_id", |row| &row.ids.authorization_id),
            text("transaction_id", |row| &row.ids.transaction_id),
            text("payment_id", |row| &row.ids.payment_id),
            text("refund_id", |row| &row.ids.refund_id),
            text("order_id", |row| &row.ids.order_id),
            text("ledger_id", |row| &row.ids.ledger_id),
            text("explanation", |row| &row.explanation),
            headed("Next step", text("action", |row| &row.action)),
            text("dispute_id", |row| &row.ids.dispute_id),
            text("owner", |row| &row.assigned.owner),
            text("ticket", |row| &row.assigned.ticket),
            date("due_date", |row| row.assigned.due_date),
            text("note", |row| &row.assigned.note),
        ]
    }
}

impl Row for DepositRow {
    const FILE: &'static str = "deposits.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            headed("Deposit ID", written("ach_deposit_id", |row| row.ach_deposit_id.to_string())),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            date("association_date", |row| row.association_date),
            headed("ACH date", date("ach_date", |row| row.ach_date)),
            date("payment_date", |row| row.payment_date),
            count("transactions", |row| row.transactions),
            amount("sales", |row| row.sales),
            amount("returns", |row| row.returns),
            amount("daily_fees", |row| row.daily_fees),
            amount("held_sales", |row| row.held_sales),
            headed("Returned or disputed", amount("ach_adjustment", |row| row.ach_adjustment)),
            amount("holdback", |row| row.holdback),
            amount("reserve_release", |row| row.reserve_release),
            headed("Paid out (net)", amount("net_amount", |row| row.net_amount)),
            headed("Expected (net)", amount("net_expected", |row| row.net_expected)),
            amount("batch_sales", |row| row.batch_sales),
            amount("batch_returns", |row| row.batch_returns),
            count("batch_transactions", |row| row.batch_transactions),
            amount("fees_total", |row| row.fees_total),
            headed("Bank transfers returned", amount("returned_amount", |row| row.returned_amount)),
            headed("Not explained", amount("unexplained", |row| row.unexplained)),
            text("verdict", |row| row.verdict.as_str()),
            headed("Disputed", amount("disputed_amount", |row| row.disputed_amount)),
            headed("Date at the bank", date("bank_date", |row| row.bank_date)),
            headed("Amount at the bank", amount("bank_amount", |row| row.bank_amount)),
            headed("At the bank", text("bank_verdict", |row| &row.bank_verdict)),
            text("pays_for", |row| &row.pays_for),
        ]
    }
}

impl Row for BatchRow {
    const FILE: &'static str = "batches.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            written("batch_id", |row| row.batch_id.to_string()),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            date("batch_date", |row| Some(row.batch_date)),
            headed("Transactions stated", count("transaction_count", |row| row.transaction_count)),
            headed("Sales stated", amount("sale_amount", |row| row.sale_amount)),
            headed("Returns stated", amount("return_amount", |row| row.return_amount)),
            headed("Transactions listed", count("items_count", |row| row.items_count)),
            headed("Sales listed", amount("items_sales", |row| row.items_sales)),
            headed("Returns listed", amount("items_returns", |row| row.items_returns)),
            headed("Deposit ID", text("ach_deposit_id", |row| &row.ach_deposit_id)),
            text("verdict", |row| row.verdict.as_str()),
            amount("on_hold", |row| row.on_hold),
            amount("settled_elsewhere", |row| row.settled_elsewhere),
            amount("withdrawn", |row| row.withdrawn),
        ]
    }
}

impl Row for MatchRow {
    const FILE: &'static str = "matches.csv";

    fn currency(&self) -> Option<Currency> {
        Some(self.currency)
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("item_type", |row| &row.item_type),
            text("item_id", |row| &row.item_id),
            headed("Ledger ID", text("ledger_id", |row| &row.ledger_id)),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("currency", |row| code(Some(row.currency))),
            date("item_date", |row| Some(row.item_date)),
            date("ledger_date", |row| Some(row.ledger_date)),
            amount("item_amount", |row| row.item_amount),
            amount("ledger_amount", |row| row.ledger_amount),
            amount("difference", |row| row.difference),
            headed("Matched by", text("pass", |row| &row.pass)),
            text("order_id", |row| &row.order_id),
            text("note", |row| &row.note),
        ]
    }
}

impl Row for TransitRow {
    const FILE: &'static str = "in_transit.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("type", |row| &row.kind),
            text("id", |row| &row.id),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            date("date", |row| row.date),
            date("due_date", |row| row.due_date),
            amount("amount", |row| row.amount),
            text("status", |row| &row.status),
        ]
    }
}

impl Row for SummaryRow {
    const FILE: &'static str = "summary.csv";

    fn currency(&self) -> Option<Currency> {
        self.currency
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("merchant_name", |row| &row.merchant_name),
            text("currency", |row| code(row.currency)),
            count("deposits", |row| row.deposits),
            headed("Paid out (net)", amount("deposited_net", |row| row.deposited_net)),
            count("batches", |row| row.batches),
            count("items", |row| row.items),
            headed("Sold", amount("items_amount", |row| row.items_amount)),
            count("ledger_records", |row| row.ledger_records),
            count("matched", |row| row.matched),
            headed(
                "Matched, %",
                rate("match_rate", |row| rate_tenths(row.matched, row.ledger_records)),
            ),
            headed("Not due yet", amount("in_transit_amount", |row| row.in_transit_amount)),
            count("opening", |row| Some(row.opening)),
            count("new", |row| Some(row.new)),
            count("cleared", |row| Some(row.cleared)),
            count("closing", |row| Some(row.closing)),
            amount("closing_amount", |row| row.closing_amount),
            text("verdict", |row| row.verdict.as_str()),
            amount("opening_amount", |row| row.opening_amount),
            amount("new_amount", |row| row.new_amount),
            amount("cleared_amount", |row| row.cleared_amount),
            count("accepted", |row| row.accepted),
            amount("accepted_amount", |row| row.accepted_amount),
            headed("On hold", amount("on_hold_amount", |row| row.on_hold_amount)),
            headed("Overdue or short", amount("overdue_amount", |row| row.overdue_amount)),
            headed("Final up to", date("final", |row| row.final_date)),
            amount("changed_amount", |row| row.changed_amount),
        ]
    }
}

/// An amount in the row's currency, or a plain number.
fn figure_of(row: &Discrepancy, figure: Option<i64>) -> Cell<'static> {
    match row.figure {
        Figure::Amount => Cell::Amount(figure.map(Minor), row.currency),
        Figure::Count => Cell::CountedAmount(figure),
    }
}
