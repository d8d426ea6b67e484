//! The way of the money on one page: batched, paid out, at the bank, with the rest at each step and
//! the date up to which everything has arrived; then the state of deposits at the bank, and
//! disputes.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use maud::{Markup, Render, html};

use super::markup::{count, paragraph, sums};
use super::shell::section;
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, badge, figure, merchant, table, text};
use super::words;
use crate::DateReport;
use crate::chain::{AtBank, ChainLine};
use crate::totals::{Sums, final_until};
use tieout_model::money::{Currency, Minor};
use tieout_model::{BankMatchRow, BankVerdict, DepositRow, DisputeRow, SummaryRow, Verdict};

/// A line for each merchant and currency, with the amount at each step.
pub(super) fn chain(report: &DateReport<'_>, summary: &[&SummaryRow]) -> Markup {
    const HEADS: [Head; 11] = [
        text("Merchant"),
        figure("Sold"),
        figure("Batched"),
        figure("On hold"),
        figure("Not due yet"),
        figure("Overdue or short"),
        figure("Fees"),
        figure("Returned or disputed"),
        figure("Paid out (net)"),
        figure("Not explained"),
        text("Found at the bank"),
    ];
    let lines = crate::chain::lines(report, summary);
    let lines = lines.iter().take(MAX_LINES).map(|line| {
        let row = line.row;
        let component = |amount: fn(&DepositRow) -> Option<Minor>| {
            of_any(&line.deposits, line.of_deposits(amount), row.currency)
        };
        [
            html! {
                (merchant(&row.merchant_id, &row.merchant_name)) " "
                (badge(words::verdict(row.verdict)))
            }
            .into(),
            Cell::amount(row.items_amount, row.currency),
            of_any(&line.batches, line.batched(), row.currency),
            amount(row.on_hold_amount, row.currency),
            Cell::amount(row.in_transit_amount, row.currency),
            amount(row.overdue_amount, row.currency),
            component(|row| row.daily_fees),
            component(|row| row.ach_adjustment),
            Cell::amount(row.deposited_net, row.currency),
            not_explained(line),
            at_bank(&line.deposits),
        ]
    });
    let content = html! {
        (finality(summary, final_until(&report.summary)))
        (table("chain", "Where the money of each merchant is", &HEADS, lines))
        (rest(summary.len(), "summary.csv"))
        (paragraph("note", &"Sold and batched are of this date, sales less returns; fees, \
                             adjustments and paid-out money are those of the deposits that \
                             arrived on it, for earlier dates."))
    };
    section("chain", "From batch to bank", &content)
}

/// The date up to which all expected money has arrived.
fn finality(summary: &[&SummaryRow], until: Option<NaiveDate>) -> Markup {
    html! {
        @match until {
            Some(date) => p {
                "Everything up to " time { (date) } " is final: everything that was due has arrived \
                 and ties out."
            },
            None if summary.iter().any(|row| row.final_date.is_some()) => p {
                "No date is final for every merchant yet."
            },
            None => p { "No date is final yet: part of the first one is open or in transit." },
        }
        "\n"
    }
}

/// An amount that is empty if there is none, or if the key cannot read it.
fn amount(amount: Option<Minor>, currency: Option<Currency>) -> Cell {
    match amount {
        Some(_) => Cell::amount(amount, currency),
        None => html! { "–" }.into(),
    }
}

/// A sum of rows; empty without rows.
fn of_any<T>(rows: &[T], sum: Option<Minor>, currency: Option<Currency>) -> Cell {
    if rows.is_empty() { Markup::default().into() } else { Cell::amount(sum, currency) }
}

/// The sums of the known amounts.
fn known_sums(amounts: impl Iterator<Item = (Option<Minor>, Option<Currency>)>) -> Markup {
    sums(&amounts.filter(|one| one.0.is_some()).collect::<Sums>())
}

/// The surplus or shortfall of deposits against their known components.
fn not_explained(line: &ChainLine<'_>) -> Cell {
    match line.not_explained() {
        Some(Minor(0)) => html! { "nothing" }.into(),
        None if line.deposits.iter().all(|row| row.verdict != Verdict::NotEvaluated) => {
            html! { "nothing" }.into()
        }
        other => Cell::amount(other, line.row.currency),
    }
}

/// `2 of 3 due, 1 not due yet`.
fn at_bank(deposits: &[&DepositRow]) -> Cell {
    html! {
        @match AtBank::of(deposits.iter().copied()) {
            _ if deposits.is_empty() => "none paid",
            None => "no bank",
            Some(at_bank) => (at_bank),
        }
    }
    .into()
}

impl Render for AtBank {
    fn render(&self) -> Markup {
        html! {
            @if self.due == 0 && self.found == 0 { "none due" }
            @else { (count(self.found)) " of " (count(self.due)) " due" }
            @if self.not_due > 0 { ", " (count(self.not_due)) " not due yet" }
            @if self.awaited > 0 { ", " (count(self.awaited)) " awaiting the statement" }
            @if self.not_evaluated > 0 { ", " (count(self.not_evaluated)) " not evaluated" }
        }
    }
}

/// Verdicts at the bank with their words, the worst first.
const AT_BANK: [(BankVerdict, &str); 9] = [
    (BankVerdict::Missing, "Missing: due, and not on the statement"),
    (BankVerdict::AmountDiffers, "On the statement with another amount"),
    (BankVerdict::UnknownCredit, "Lines of the processor that no deposit explains"),
    (BankVerdict::Ambiguous, "Ambiguous: several pairings fit"),
    (BankVerdict::NotEvaluated, "Not evaluated: a statement was not read"),
    (BankVerdict::Late, "Found late"),
    (BankVerdict::AwaitingStatement, "Awaiting the statement"),
    (BankVerdict::Due, "Not due at the bank yet"),
    (BankVerdict::Found, "Found"),
];

/// The state of deposits at the bank; empty if no merchant names one.
pub(super) fn bank(rows: &[BankMatchRow]) -> Markup {
    const HEADS: [Head; 4] =
        [text("At the bank"), figure("Number"), figure("Stated"), figure("On the statement")];
    if rows.is_empty() {
        return Markup::default();
    }
    let lines = AT_BANK.iter().filter_map(|(verdict, words)| {
        let own: Vec<&BankMatchRow> =
            rows.iter().filter(|row| row.verdict == verdict.as_str()).collect();
        let of = |amount: fn(&BankMatchRow) -> Option<Minor>| {
            known_sums(own.iter().map(|row| (amount(row), row.currency)))
        };
        (!own.is_empty()).then(|| {
            [
                Cell::words(words),
                count(own.len() as u64).into(),
                of(|row| row.net_amount).into(),
                of(|row| row.bank_amount).into(),
            ]
        })
    });
    let content = html! {
        (table("plain", "Deposits paid, due at the bank or awaited there on this date", &HEADS, lines))
        (paragraph("note", &"bank_matches.csv has a line for each deposit and statement line."))
    };
    section("bank", "At the bank", &content)
}

/// Disputes by state; empty if there are none, or if the key cannot read them.
pub(super) fn disputes(rows: &[DisputeRow]) -> Markup {
    const HEADS: [Head; 5] =
        [text("Disputes"), figure("Number"), figure("Amount"), figure("Fees"), text("Answer by")];
    const NAMES: [(&str, &str); 4] = [
        ("waits", "wait for the merchant"),
        ("undecided", "undecided"),
        ("lost", "lost"),
        ("won", "won"),
    ];
    if rows.is_empty() {
        return Markup::default();
    }
    let mut by_verdict: BTreeMap<&str, Vec<&DisputeRow>> = BTreeMap::new();
    for row in rows {
        by_verdict.entry(&row.verdict).or_default().push(row);
    }
    let lines = NAMES.iter().filter_map(|(verdict, words)| {
        let own = by_verdict.get(verdict)?;
        let of = |amount: fn(&DisputeRow) -> Option<Minor>| {
            known_sums(own.iter().map(|row| (amount(row), row.currency)))
        };
        let next = own.iter().filter_map(|row| row.due_date).collect::<BTreeSet<_>>();
        Some([
            Cell::words(words),
            count(own.len() as u64).into(),
            of(|row| row.amount).into(),
            of(|row| row.fee).into(),
            Cell::date(next.first().copied()),
        ])
    });
    let content = html! {
        (table("plain", "Disputes submitted, changed or open on this date", &HEADS, lines))
        (paragraph("note", &"disputes.csv has a line for each."))
    };
    section("disputes", "Disputes", &content)
}
