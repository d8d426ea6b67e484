//! The state of each merchant, the money in transit, the matching of the books, and the
//! roll-forward.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::chart::{Scale, Tone, bar};
use super::markup::{count, money, number, paragraph, sums};
use super::shell::section;
use super::table::{Cell, Head, Row, figure, table, text};
use super::words::{self, counted};
use crate::causes::Cause;
use crate::cell::rate_tenths;
use crate::totals::Sums;
use tieout_model::money::Currency;
use tieout_model::{
    DiscrepancyTotals, ItemTotals, LedgerTotals, MerchantId, MoneyPart, ReportedChecks, SummaryRow,
    Total, TransitRow, Verdict,
};

/// Maximum number of lines of a table; the CSV file has all.
pub(super) const MAX_LINES: usize = 200;

/// The remark under a table that shows only the first lines.
pub(super) fn rest(all: usize, file: &str) -> Markup {
    html! {
        @if all > MAX_LINES {
            (paragraph("note", &format!("The first {MAX_LINES} of {all} lines; {file} has all.")))
        }
    }
}

/// A line for each merchant and currency, the worst first.
pub(super) fn merchants(
    rows: &[&SummaryRow],
    causes: &[Cause<'_>],
    checks: &ReportedChecks,
) -> Markup {
    const HEADS: [Head; 11] = [
        text("Merchant"),
        text("Verdict"),
        text("Findings"),
        figure("Paid out (net)"),
        figure("In transit"),
        figure("Opening"),
        figure("New"),
        figure("Cleared"),
        figure("Open"),
        figure("Open differences"),
        figure("Books matched"),
    ];
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| (row.verdict, Reverse(row.closing)));
    let wrong = wrong_by_merchant(causes, checks);
    let lines = rows.iter().take(MAX_LINES).map(|row| {
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            Cell::mark(words::verdict(row.verdict)),
            wrong_of(&wrong, &row.merchant_id, row.currency, row.verdict).into(),
            Cell::amount(row.deposited_net, row.currency),
            Cell::amount(row.in_transit_amount, row.currency),
            Cell::count(row.opening),
            Cell::count(row.new),
            Cell::count(row.cleared),
            Cell::count(row.closing),
            Cell::amount(row.closing_amount, row.currency),
            match_rate(row.matched, row.ledger_records),
        ]
    });
    let content = html! {
        (table("cards sortable", "A line for each merchant and currency", &HEADS, lines))
        (rest(rows.len(), "summary.csv"))
    };
    section("merchants", "Merchants", &content)
}

/// A merchant's open causes: money by part, and the number of causes without an amount.
#[derive(Default)]
pub(super) struct Wrong {
    money: BTreeMap<(&'static str, MoneyPart), (Currency, i128)>,
    without_amount: u64,
}

/// The causes of each merchant.
pub(super) fn wrong_by_merchant<'a>(
    causes: &[Cause<'a>],
    checks: &ReportedChecks,
) -> BTreeMap<&'a MerchantId, Wrong> {
    let mut wrong: BTreeMap<&MerchantId, Wrong> = BTreeMap::new();
    for cause in causes {
        let own = wrong.entry(&cause.lead.merchant_id).or_default();
        match cause.total() {
            Some((amount, currency)) => {
                let key = (currency.code(), cause.part(checks));
                own.money.entry(key).or_insert((currency, 0)).1 += amount;
            }
            None => own.without_amount += 1,
        }
    }
    wrong
}

/// The open causes of a merchant in one currency, next to its verdict.
pub(super) fn wrong_of(
    wrong: &BTreeMap<&MerchantId, Wrong>,
    merchant_id: &MerchantId,
    currency: Option<Currency>,
    verdict: Verdict,
) -> Markup {
    let nothing = Wrong::default();
    let own = wrong.get(merchant_id).unwrap_or(&nothing);
    let parts: Vec<_> = own.money.iter().filter(|(_, (code, _))| Some(*code) == currency).collect();
    let is_untold = verdict == Verdict::NotEvaluated;
    html! {
        @for ((_, part), (currency, amount)) in &parts {
            span.part { (part.name()) ": " (money(*amount, *currency)) } br;
        }
        @if own.without_amount > 0 {
            (counted(own.without_amount, "cause", "causes")) " without an amount" br;
        }
        @if is_untold { a href="#untold" { "not evaluated" } }
        @else if parts.is_empty() && own.without_amount == 0 { "nothing" }
    }
}

/// The share of matched records in percent; without records there is nothing to match.
pub(super) fn match_rate(matched: Option<i64>, records: Option<i64>) -> Cell {
    let rate = rate_tenths(matched, records);
    let shown = match (rate, records) {
        (Some(rate), Some(records)) => {
            html! { (number(&format!("{}.{}", rate / 10, rate % 10))) " % of " (count(records)) }
        }
        (_, Some(0)) => html! { "no records" },
        _ => html! { "–" },
    };
    Cell::keyed(rate.map(|rate| rate.to_string()), shown)
}

/// Money that is not due yet, by due date.
pub(super) fn in_transit(rows: &[TransitRow], arrivals: &Markup) -> Markup {
    const HEADS: [Head; 4] = [text("Due"), text("What"), figure("Number"), figure("Amount")];
    // Lines without a due date come last.
    type Key<'row> = (bool, Option<NaiveDate>, &'row str, &'row str);
    let mut lines: BTreeMap<Key<'_>, (u64, Sums)> = BTreeMap::new();
    for row in rows {
        let code = row.currency.map_or("", Currency::code);
        let key = (row.due_date.is_none(), row.due_date, &*row.kind, code);
        let line = lines.entry(key).or_default();
        line.0 += 1;
        line.1.add(row.amount, row.currency);
    }
    let cells = lines.iter().take(MAX_LINES).map(|((_, due, kind, _), (number, amounts))| {
        let what = match *kind {
            "batch" => "batches to be paid",
            "payment" => "bank payments to settle",
            "refund" => "bank refunds to settle",
            "held" => "transactions on hold",
            other => other,
        };
        [
            Cell::words(&due.map_or_else(|| "not known".to_owned(), |due| due.to_string())),
            Cell::words(what),
            count(*number).into(),
            sums(amounts).into(),
        ]
    });
    let content = html! {
        (arrivals)
        @if rows.is_empty() {
            p { "Nothing is on its way." } "\n"
        } @else {
            p { "Money that is not due yet is not a discrepancy." } "\n"
            (table("plain", "Money in transit by due date", &HEADS, cells))
            (rest(lines.len(), "in_transit.csv"))
        }
    };
    section("transit", "Arrived and in transit", &content)
}

/// How items and ledger records were paired.
pub(super) fn matching(items: &ItemTotals, ledger: &LedgerTotals, rows: &[&SummaryRow]) -> Markup {
    const HEADS: [Head; 3] = [text("What"), figure("Number"), figure("Amount")];
    if items.total.count == 0 && ledger.total.count == 0 && ledger.quarantined.count == 0 {
        let content = html! { p { "No merchant's books were compared." } "\n" };
        return section("matching", "How the books match", &content);
    }
    let lines: [(&str, &Total); 11] = [
        ("The processor's items", &items.total),
        ("of them paired", &items.matched),
        ("not paired", &items.unmatched),
        ("ambiguous", &items.ambiguous),
        ("Ledger records", &ledger.total),
        ("of them paired", &ledger.matched),
        ("not paired", &ledger.unmatched),
        ("ambiguous", &ledger.ambiguous),
        ("not expected at the processor", &ledger.excluded),
        ("out of scope", &ledger.out_of_scope),
        ("Ledger rows that could not be read", &ledger.quarantined),
    ];
    let class = |name: &str, total: &Total| match name.starts_with(char::is_lowercase) {
        true if total.count == 0 => "part none",
        true => "part",
        false => "whole",
    };
    let lines = lines.into_iter().map(|(name, total)| Row {
        class: Some(class(name, total)),
        found: None,
        cells: [Cell::words(name), count(total.count).into(), amounts(total).into()],
    });
    let content = html! {
        (rates(rows))
        (table("plain", "Items and ledger records up to this date", &HEADS, lines))
        (paragraph("note", &"Out of scope are ledger records dated before the start date, or on \
                             days that were not read: counted, never reported."))
    };
    section("matching", "How the books match", &content)
}

fn amounts(total: &Total) -> Markup {
    html! {
        @for (position, (code, amount)) in total.amounts.iter().enumerate() {
            @if position > 0 { br; }
            span.money { (number(&amount.to_string())) "\u{a0}" (code) }
        }
    }
}

/// The ledger records of the date, merchant by merchant.
fn rates(rows: &[&SummaryRow]) -> Markup {
    const HEADS: [Head; 3] = [text("Merchant"), figure("Matched"), text("Picture")];
    let has_records = |row: &&&SummaryRow| row.ledger_records.is_some_and(|count| count > 0);
    let with_books: Vec<&&SummaryRow> = rows.iter().filter(has_records).collect();
    if with_books.is_empty() {
        return Markup::default();
    }
    let scale = Scale::of([1_000]);
    let lines = with_books.iter().take(MAX_LINES).map(|row| {
        let rate = rate_tenths(row.matched, row.ledger_records).unwrap_or_default();
        let tone = if rate == 1_000 { Tone::Good } else { Tone::Plain };
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            match_rate(row.matched, row.ledger_records),
            bar(scale, (0, i128::from(rate)), tone).into(),
        ]
    });
    html! {
        (table("plain rates", "Ledger records of this date that are paired", &HEADS, lines))
        (rest(with_books.len(), "summary.csv"))
    }
}

/// Opening, new, cleared, accepted, closing; a sentence if all are zero.
pub(super) fn roll_forward(totals: &DiscrepancyTotals, in_money: &Markup) -> Markup {
    const HEADS: [Head; 2] = [text("Step"), figure("Discrepancies")];
    let lines = [
        ("Opening", totals.opening.count, "whole"),
        ("+ new", totals.new.count, "part"),
        ("+ reopened", totals.reopened.count, "part"),
        ("− cleared", totals.cleared.count, "part"),
        ("− accepted", totals.accepted.count, "part"),
        ("= closing", totals.closing.count, "whole"),
    ];
    if lines.iter().all(|(_, number, _)| *number == 0) {
        let content =
            html! { p { "Nothing was open before, nothing is new, nothing is open." } "\n" };
        return section("roll", "Roll-forward", &content);
    }
    let rows = lines.into_iter().map(|(name, number, class)| Row {
        class: Some(class),
        found: None,
        cells: [Cell::words(name), count(number).into()],
    });
    let table = table("plain", "Roll-forward of discrepancies", &HEADS, rows);
    section("roll", "Roll-forward", &html! { (table) (in_money) })
}
