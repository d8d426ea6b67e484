//! The columns of every table, and the cells of a row. Columns are a public contract: a new one
//! goes to the end, and the dictionary in `reports/README.md` names each.

use super::cell::{Cell, Column, ColumnKind, rate_tenths};
use tieout_model::money::Minor;
use tieout_model::{BatchRow, DepositRow, Discrepancy, Figure, MatchRow, SummaryRow, TransitRow};

/// A row of a table.
pub trait Row {
    /// The file's name.
    const FILE: &'static str;
    /// Its columns, in order.
    const COLUMNS: &'static [Column];
    /// Empty columns of the workbook for people to fill in.
    const BY_HAND: &'static [&'static str] = &[];

    /// A cell for each column.
    fn cells(&self) -> Vec<Cell<'_>>;
}

pub(super) const fn text(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Text)
}

pub(super) const fn amount(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Amount)
}

pub(super) const fn count(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Count)
}

pub(super) const fn date(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Date)
}

pub(super) const fn rate(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Rate)
}

pub(super) const fn fine_rate(name: &'static str) -> Column {
    Column::new(name, ColumnKind::FineRate)
}

impl Row for Discrepancy {
    const FILE: &'static str = "discrepancies.csv";
    const COLUMNS: &'static [Column] = &[
        text("discrepancy_id"),
        text("code").headed("Check"),
        text("severity"),
        text("status"),
        date("business_date"),
        date("first_seen"),
        count("age_days").headed("Age in days"),
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        amount("expected").without_total(),
        amount("actual").without_total(),
        amount("difference"),
        date("batch_date"),
        text("batch_id"),
        text("ach_deposit_id").headed("Deposit ID"),
        text("authorization_id"),
        text("transaction_id"),
        text("payment_id"),
        text("refund_id"),
        text("order_id"),
        text("ledger_id"),
        text("explanation").headed("What happened"),
        text("action").headed("What to do"),
        text("dispute_id"),
        text("owner"),
        text("ticket"),
        date("due_date"),
        text("note"),
    ];
    const BY_HAND: &'static [&'static str] = &["comment"];

    fn cells(&self) -> Vec<Cell<'_>> {
        let currency = match self.figure {
            Figure::Amount => self.currency,
            Figure::Count => None,
        };
        let figure = |figure: Option<i64>| match self.figure {
            Figure::Amount => Cell::Amount(figure.map(Minor), self.currency),
            Figure::Count => Cell::CountedAmount(figure),
        };
        vec![
            Cell::text(&self.discrepancy_id),
            Cell::text(&self.code),
            Cell::text(self.severity.as_str()),
            Cell::text(self.status.as_str()),
            Cell::Date(Some(self.business_date)),
            Cell::Date(Some(self.first_seen)),
            Cell::Count(Some(i64::from(self.age_days))),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(currency),
            figure(self.expected),
            figure(self.actual),
            figure(self.difference),
            Cell::Date(self.batch_date),
            Cell::text(&self.ids.batch_id),
            Cell::text(&self.ids.ach_deposit_id),
            Cell::text(&self.ids.authorization_id),
            Cell::text(&self.ids.transaction_id),
            Cell::text(&self.ids.payment_id),
            Cell::text(&self.ids.refund_id),
            Cell::text(&self.ids.order_id),
            Cell::text(&self.ids.ledger_id),
            Cell::text(&self.explanation),
            Cell::text(&self.action),
            Cell::text(&self.ids.dispute_id),
            Cell::text(&self.assigned.owner),
            Cell::text(&self.assigned.ticket),
            Cell::Date(self.assigned.due_date),
            Cell::text(&self.assigned.note),
        ]
    }
}

impl Row for DepositRow {
    const FILE: &'static str = "deposits.csv";
    const COLUMNS: &'static [Column] = &[
        text("ach_deposit_id").headed("Deposit ID"),
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        date("association_date"),
        date("ach_date").headed("ACH date"),
        date("payment_date"),
        count("transactions"),
        amount("sales"),
        amount("returns"),
        amount("daily_fees"),
        amount("held_sales"),
        amount("ach_adjustment").headed("Returned or disputed"),
        amount("holdback"),
        amount("reserve_release"),
        amount("net_amount").headed("Paid out (net)"),
        amount("net_expected").headed("Expected (net)"),
        amount("batch_sales"),
        amount("batch_returns"),
        count("batch_transactions"),
        amount("fees_total"),
        amount("returned_amount").headed("Bank transfers returned"),
        amount("unexplained").headed("Not explained"),
        text("verdict"),
        amount("disputed_amount").headed("Disputed"),
        date("bank_date").headed("Date at the bank"),
        amount("bank_amount").headed("Amount at the bank"),
        text("bank_verdict").headed("At the bank"),
        text("pays_for"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, self.currency);
        vec![
            Cell::Text(self.ach_deposit_id.to_string().into()),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::Date(self.association_date),
            Cell::Date(self.ach_date),
            Cell::Date(self.payment_date),
            Cell::Count(self.transactions),
            amount(self.sales),
            amount(self.returns),
            amount(self.daily_fees),
            amount(self.held_sales),
            amount(self.ach_adjustment),
            amount(self.holdback),
            amount(self.reserve_release),
            amount(self.net_amount),
            amount(self.net_expected),
            amount(self.batch_sales),
            amount(self.batch_returns),
            Cell::Count(self.batch_transactions),
            amount(self.fees_total),
            amount(self.returned_amount),
            amount(self.unexplained),
            Cell::text(self.verdict.as_str()),
            amount(self.disputed_amount),
            Cell::Date(self.bank_date),
            amount(self.bank_amount),
            Cell::text(&self.bank_verdict),
            Cell::text(&self.pays_for),
        ]
    }
}

impl Row for BatchRow {
    const FILE: &'static str = "batches.csv";
    const COLUMNS: &'static [Column] = &[
        text("batch_id"),
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        date("batch_date"),
        count("transaction_count").headed("Transactions stated"),
        amount("sale_amount").headed("Sales stated"),
        amount("return_amount").headed("Returns stated"),
        count("items_count").headed("Transactions listed"),
        amount("items_sales").headed("Sales listed"),
        amount("items_returns").headed("Returns listed"),
        text("ach_deposit_id").headed("Deposit ID"),
        text("verdict"),
        amount("on_hold"),
        amount("settled_elsewhere"),
        amount("withdrawn"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, self.currency);
        vec![
            Cell::Text(self.batch_id.to_string().into()),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::Date(Some(self.batch_date)),
            Cell::Count(self.transaction_count),
            amount(self.sale_amount),
            amount(self.return_amount),
            Cell::Count(self.items_count),
            amount(self.items_sales),
            amount(self.items_returns),
            Cell::text(&self.ach_deposit_id),
            Cell::text(self.verdict.as_str()),
            amount(self.on_hold),
            amount(self.settled_elsewhere),
            amount(self.withdrawn),
        ]
    }
}

impl Row for MatchRow {
    const FILE: &'static str = "matches.csv";
    const COLUMNS: &'static [Column] = &[
        text("item_type"),
        text("item_id"),
        text("ledger_id").headed("Ledger ID"),
        text("merchant_id"),
        text("currency"),
        date("item_date"),
        date("ledger_date"),
        amount("item_amount"),
        amount("ledger_amount"),
        amount("difference"),
        text("pass").headed("Matched by"),
        text("order_id"),
        text("note"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, Some(self.currency));
        vec![
            Cell::text(&self.item_type),
            Cell::text(&self.item_id),
            Cell::text(&self.ledger_id),
            Cell::text(&self.merchant_id),
            Cell::currency(Some(self.currency)),
            Cell::Date(Some(self.item_date)),
            Cell::Date(Some(self.ledger_date)),
            amount(self.item_amount),
            amount(self.ledger_amount),
            amount(self.difference),
            Cell::text(&self.pass),
            Cell::text(&self.order_id),
            Cell::text(&self.note),
        ]
    }
}

impl Row for TransitRow {
    const FILE: &'static str = "in_transit.csv";
    const COLUMNS: &'static [Column] = &[
        text("type"),
        text("id"),
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        date("date"),
        date("due_date"),
        amount("amount"),
        text("status"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        vec![
            Cell::text(&self.kind),
            Cell::text(&self.id),
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::Date(self.date),
            Cell::Date(self.due_date),
            Cell::Amount(self.amount, self.currency),
            Cell::text(&self.status),
        ]
    }
}

impl Row for SummaryRow {
    const FILE: &'static str = "summary.csv";
    const COLUMNS: &'static [Column] = &[
        text("merchant_id"),
        text("merchant_name"),
        text("currency"),
        count("deposits"),
        amount("deposited_net").headed("Paid out (net)"),
        count("batches"),
        count("items"),
        amount("items_amount").headed("Sold"),
        count("ledger_records"),
        count("matched"),
        rate("match_rate").headed("Matched, %"),
        amount("in_transit_amount").headed("Not due yet"),
        count("opening"),
        count("new"),
        count("cleared"),
        count("closing"),
        amount("closing_amount"),
        text("verdict"),
        amount("opening_amount"),
        amount("new_amount"),
        amount("cleared_amount"),
        count("accepted"),
        amount("accepted_amount"),
        amount("on_hold_amount").headed("On hold"),
        amount("overdue_amount").headed("Overdue or short"),
        date("final").headed("Final up to"),
        amount("changed_amount"),
    ];

    fn cells(&self) -> Vec<Cell<'_>> {
        let amount = |amount| Cell::Amount(amount, self.currency);
        vec![
            Cell::text(&self.merchant_id),
            Cell::text(&self.merchant_name),
            Cell::currency(self.currency),
            Cell::Count(self.deposits),
            amount(self.deposited_net),
            Cell::Count(self.batches),
            Cell::Count(self.items),
            amount(self.items_amount),
            Cell::Count(self.ledger_records),
            Cell::Count(self.matched),
            Cell::Rate(rate_tenths(self.matched, self.ledger_records)),
            amount(self.in_transit_amount),
            Cell::Count(Some(self.opening)),
            Cell::Count(Some(self.new)),
            Cell::Count(Some(self.cleared)),
            Cell::Count(Some(self.closing)),
            amount(self.closing_amount),
            Cell::text(self.verdict.as_str()),
            amount(self.opening_amount),
            amount(self.new_amount),
            amount(self.cleared_amount),
            Cell::Count(self.accepted),
            amount(self.accepted_amount),
            amount(self.on_hold_amount),
            amount(self.overdue_amount),
            Cell::Date(self.final_date),
            amount(self.changed_amount),
        ]
    }
}
