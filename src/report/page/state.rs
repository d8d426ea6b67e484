//! How things stand: each merchant, how old the open discrepancies are, what is in transit,
//! how well the books match, and how the open ones rolled forward.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::chart::{Scale, Tone, bar};
use super::markup::Markup;
use super::shell::section;
use super::table::{Grid, Head, figure, merchant, table, text};
use super::words;
use crate::model::{AGES, Discrepancy, SummaryRow, TransitRow, age_class};
use crate::money::{Currency, Minor};
use crate::report::cell::rate_tenths;
use crate::report::manifest::{Amount, DiscrepancyTotals, ItemTotals, LedgerTotals, Total};
use crate::report::totals::{Sums, Tally, is_open};

/// Lines of one table; the CSV file has all.
pub(super) const MAX_LINES: usize = 200;

/// What follows a table of which only the first lines are shown.
pub(super) fn rest(page: &mut Markup, all: usize, file: &str) {
    if all > MAX_LINES {
        page.within("p", &[("class", "note")], |page| {
            page.text(&format!("The first {MAX_LINES} of {all} lines; {file} has all."));
        });
    }
}

pub(super) fn amount(grid: &mut Grid<'_>, amount: Option<Minor>, currency: Option<Currency>) {
    let key = amount.map(|amount| amount.0.to_string());
    grid.keyed(key.as_deref(), |page| match amount.zip(currency) {
        Some((amount, currency)) => page.money(i128::from(amount.0), currency),
        None => page.unknown(),
    });
}

/// A line for each merchant and currency, the worst first.
pub(super) fn merchants(page: &mut Markup, rows: &[&SummaryRow]) {
    const HEADS: &[Head] = &[
        text("Merchant"),
        text("Verdict"),
        figure("Paid out (net)"),
        figure("In transit"),
        figure("Opening"),
        figure("New"),
        figure("Cleared"),
        figure("Open"),
        figure("Open differences"),
        figure("Books matched"),
    ];
    section(page, "merchants", "Merchants", |page| {
        let mut rows = rows.to_vec();
        rows.sort_by_key(|row| (row.verdict, Reverse(row.closing)));
        table(page, "cards sortable", "A line for each merchant and currency", HEADS, |grid| {
            for row in rows.iter().take(MAX_LINES) {
                grid.row(&[], |grid| {
                    grid.cell(|page| merchant(page, &row.merchant_id, &row.merchant_name));
                    grid.mark(words::verdict(row.verdict));
                    amount(grid, row.deposited_net, row.currency);
                    amount(grid, row.in_transit_amount, row.currency);
                    for count in [row.opening, row.new, row.cleared, row.closing] {
                        grid.count(Some(count));
                    }
                    amount(grid, row.closing_amount, row.currency);
                    match_rate(grid, row.matched, row.ledger_records);
                });
            }
        });
        rest(page, rows.len(), "summary.csv");
    });
}

/// Matched of all, in percent; without records there is nothing to match.
pub(super) fn match_rate(grid: &mut Grid<'_>, matched: Option<i64>, records: Option<i64>) {
    let rate = rate_tenths(matched, records);
    let key = rate.map(|rate| rate.to_string());
    grid.keyed(key.as_deref(), |page| match (rate, records) {
        (Some(rate), Some(records)) => {
            page.number(&format!("{}.{}", rate / 10, rate % 10));
            page.fixed(" % of ");
            page.count(records);
        }
        (_, Some(0)) => page.fixed("no records"),
        _ => page.fixed("–"),
    });
}

/// How old the open discrepancies are.
pub(super) fn ageing(page: &mut Markup, rows: &[Discrepancy], end: NaiveDate) {
    const HEADS: &[Head] = &[text("Age"), figure("Open"), figure("Differences"), text("Picture")];
    section(page, "ageing", "How old the open ones are", |page| {
        let mut ages: [Tally; AGES.len()] = Default::default();
        for row in rows.iter().filter(|row| is_open(row, end)) {
            ages[age_class(row.age_days)].add(row);
        }
        let scale = Scale::of(ages.iter().map(|tally| i128::from(tally.count)));
        table(page, "ageing", "Open discrepancies by age in banking days", HEADS, |grid| {
            for ((_, name, _), tally) in AGES.iter().zip(&ages) {
                grid.row(&[], |grid| {
                    grid.words(name);
                    grid.cell(|page| page.count(tally.count));
                    grid.cell(|page| page.sums(&tally.differences));
                    let count = i128::from(tally.count);
                    grid.cell(|page| bar(page, scale, (0, count), Tone::Plain));
                });
            }
        });
    });
}

/// What is on its way and not due, by the day that it is due.
pub(super) fn in_transit(page: &mut Markup, rows: &[TransitRow]) {
    const HEADS: &[Head] = &[text("Due"), text("What"), figure("Number"), figure("Amount")];
    section(page, "transit", "In transit", |page| {
        if rows.is_empty() {
            page.fixed("<p>Nothing is on its way.</p>\n");
            return;
        }
        let mut lines: BTreeMap<(NaiveDate, &str, &str), (u64, Sums)> = BTreeMap::new();
        for row in rows {
            let code = row.currency.map_or("", Currency::code);
            let line = lines.entry((row.due_date, &row.kind, code)).or_default();
            line.0 += 1;
            line.1.add(row.amount, row.currency);
        }
        page.fixed("<p>Money that is not due yet: never a discrepancy.</p>\n");
        table(page, "plain", "Money in transit by due date", HEADS, |grid| {
            for ((due, kind, _), (count, sums)) in lines.iter().take(MAX_LINES) {
                grid.row(&[], |grid| {
                    grid.words(&due.to_string());
                    grid.words(match *kind {
                        "batch" => "batches to be paid",
                        "payment" => "bank payments to settle",
                        "refund" => "bank refunds to settle",
                        other => other,
                    });
                    grid.cell(|page| page.count(*count));
                    grid.cell(|page| page.sums(sums));
                });
            }
        });
        rest(page, lines.len(), "in_transit.csv");
    });
}

/// How items and ledger records were paired.
pub(super) fn matching(
    page: &mut Markup,
    items: &ItemTotals,
    ledger: &LedgerTotals,
    rows: &[&SummaryRow],
) {
    const HEADS: &[Head] = &[text("What"), figure("Number"), figure("Amount")];
    section(page, "matching", "How the books match", |page| {
        if items.total.count == 0 && ledger.total.count == 0 && ledger.quarantined.count == 0 {
            page.fixed("<p>No merchant's books were compared.</p>\n");
            return;
        }
        rates(page, rows);
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
        let caption = "Items and ledger records up to this date";
        table(page, "plain", caption, HEADS, |grid| {
            for (name, total) in lines {
                let is_part = name.starts_with(char::is_lowercase);
                grid.row(&[("class", if is_part { "part" } else { "whole" })], |grid| {
                    grid.words(name);
                    grid.cell(|page| page.count(total.count));
                    grid.cell(|page| amounts(page, total));
                });
            }
        });
    });
}

fn amounts(page: &mut Markup, total: &Total) {
    let written: Vec<(&String, &Amount)> = total.amounts.iter().collect();
    for (position, (code, amount)) in written.into_iter().enumerate() {
        if position > 0 {
            page.fixed("<br>");
        }
        page.number(&amount.to_string());
        page.fixed("\u{a0}");
        page.text(code);
    }
}

/// The ledger records of the date, merchant by merchant.
fn rates(page: &mut Markup, rows: &[&SummaryRow]) {
    const HEADS: &[Head] = &[text("Merchant"), figure("Matched"), text("Picture")];
    let has_records = |row: &&&SummaryRow| row.ledger_records.is_some_and(|count| count > 0);
    let with_books: Vec<&&SummaryRow> = rows.iter().filter(has_records).collect();
    if with_books.is_empty() {
        return;
    }
    let scale = Scale::of([1_000]);
    table(page, "plain", "Ledger records of this date that are paired", HEADS, |grid| {
        for row in with_books.iter().take(MAX_LINES) {
            grid.row(&[], |grid| {
                grid.cell(|page| merchant(page, &row.merchant_id, &row.merchant_name));
                match_rate(grid, row.matched, row.ledger_records);
                let rate = rate_tenths(row.matched, row.ledger_records).unwrap_or_default();
                let tone = if rate == 1_000 { Tone::Good } else { Tone::Plain };
                grid.cell(|page| bar(page, scale, (0, i128::from(rate)), tone));
            });
        }
    });
    rest(page, with_books.len(), "summary.csv");
}

/// Opening, what came, what went, closing.
pub(super) fn roll_forward(page: &mut Markup, totals: &DiscrepancyTotals) {
    const HEADS: &[Head] = &[text("Step"), figure("Discrepancies")];
    section(page, "roll", "From the open ones before to those now", |page| {
        let lines = [
            ("Open before", totals.opening.count, "whole"),
            ("+ new", totals.new.count, "part"),
            ("+ back again", totals.reopened.count, "part"),
            ("− cleared", totals.cleared.count, "part"),
            ("− accepted by a person", totals.accepted.count, "part"),
            ("= open now", totals.closing.count, "whole"),
        ];
        table(page, "plain", "Roll-forward of discrepancies", HEADS, |grid| {
            for (name, count, class) in lines {
                grid.row(&[("class", class)], |grid| {
                    grid.words(name);
                    grid.cell(|page| page.count(count));
                });
            }
        });
    });
}
