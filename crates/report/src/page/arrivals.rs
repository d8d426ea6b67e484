//! Compares the money in transit on the date before with the money that arrived, by due date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use maud::{Markup, html};

use super::markup::{money, paragraph};
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, figure, table, text};
use super::words::counted;
use crate::DateReport;
use crate::totals::is_open;
use tieout_model::money::Currency;
use tieout_model::{DepositRow, Discrepancy, MerchantId, TransitRow};

/// Batches due on one date in one currency, and the outcome. Amounts are sales less returns.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    expected: i128,
    arrived: i128,
    on_its_way: i128,
    overdue: i128,
}

impl Line {
    /// The surplus or shortfall against the expectation: paid too much or too little, withdrawn, or
    /// restated.
    fn difference(self) -> i128 {
        self.arrived + self.on_its_way + self.overdue - self.expected
    }
}

/// A due date and a currency; without a date for unexpected money.
type Key = (bool, Option<NaiveDate>, &'static str);

/// The table; a sentence if the date before was not reconciled.
pub(super) fn arrivals(report: &DateReport<'_>) -> Markup {
    let Some(expected) = &report.expected else {
        return html! {
            p {
                "The date before was not reconciled: expected and arrived money are not compared."
            } "\n"
        };
    };
    let batches: Vec<&TransitRow> = expected.iter().filter(|row| row.kind == "batch").collect();
    let lines = lines(report, &batches);
    let is_unknown = |amount: bool, currency: Option<Currency>| !amount || currency.is_none();
    let left_out = batches.iter().filter(|row| is_unknown(row.amount.is_some(), row.currency));
    let left_out = left_out.count()
        + report
            .deposits
            .iter()
            .filter(|row| is_unknown(came(row).is_some(), row.currency))
            .count();
    html! {
        @if lines.is_empty() {
            p { "Nothing was due, and nothing arrived." } "\n"
        } @else {
            (shown(&lines))
        }
        @if left_out > 0 {
            (paragraph("note", &format!(
                "Left out: {} with an unknown amount or currency.",
                counted(left_out as u64, "batch or deposit", "batches and deposits")
            )))
        }
    }
}

fn shown(lines: &BTreeMap<Key, (Currency, Line)>) -> Markup {
    const HEADS: [Head; 6] = [
        text("Was due"),
        figure("Expected"),
        figure("Arrived"),
        figure("Still in transit"),
        figure("Overdue"),
        figure("Over or short"),
    ];
    let rows = lines.iter().take(MAX_LINES).map(|((_, due, _), (currency, line))| {
        let amount = |amount: i128| Cell::from(money(amount, *currency));
        let due = due.map_or_else(|| "not expected".to_owned(), |due| due.to_string());
        [
            Cell::words(&due),
            amount(line.expected),
            amount(line.arrived),
            amount(line.on_its_way),
            amount(line.overdue),
            amount(line.difference()),
        ]
    });
    html! {
        (table("cards", "Expected on the date before, and arrived", &HEADS, rows))
        (rest(lines.len(), "in_transit.csv"))
        (paragraph("note", &"Sales less returns of batches, before fees and holds. Expected: \
                             in_transit.csv of the date before; arrived: the deposits of this \
                             date. Over or short: paid above or below the expected amount, \
                             withdrawn, settled elsewhere, or restated."))
    }
}

/// The lines that were due by the date or have an arrival.
fn lines(report: &DateReport<'_>, batches: &[&TransitRow]) -> BTreeMap<Key, (Currency, Line)> {
    let still: BTreeMap<(&MerchantId, &str), &TransitRow> = report
        .in_transit
        .iter()
        .filter(|row| row.kind == "batch")
        .map(|row| ((&row.merchant_id, row.id.as_str()), row))
        .collect();
    let overdue = overdue(&report.discrepancies, report.business_date);
    let mut lines: BTreeMap<Key, (Currency, Line)> = BTreeMap::new();
    // The expected due date of a group.
    let mut due: BTreeMap<(&MerchantId, &str, Option<NaiveDate>), Option<NaiveDate>> =
        BTreeMap::new();
    for row in batches {
        let Some((currency, amount)) = row.currency.zip(row.amount) else { continue };
        let (_, line) = line_of(&mut lines, row.due_date, currency);
        line.expected += i128::from(amount.0);
        let key = (&row.merchant_id, row.id.as_str());
        if let Some(now) = still.get(&key) {
            line.on_its_way += now.amount.map_or(0, |amount| i128::from(amount.0));
        } else if overdue.contains(&key) {
            line.overdue += i128::from(amount.0);
        }
        let group = (&row.merchant_id, currency.code(), row.date);
        let earliest = due.entry(group).or_insert(row.due_date);
        *earliest = (*earliest).min(row.due_date);
    }
    for deposit in report.deposits.iter() {
        let Some((currency, came)) = deposit.currency.zip(came(deposit)) else { continue };
        let group = |date| (&deposit.merchant_id, currency.code(), Some(date));
        let dates = paid_dates(deposit).filter_map(|date| due.get(&group(date)).copied());
        let (_, line) = line_of(&mut lines, dates.min().flatten(), currency);
        line.arrived += came;
    }
    let date = report.business_date;
    lines.retain(|(_, due, _), (_, line)| line.arrived != 0 || due.is_some_and(|due| due <= date));
    lines
}

fn line_of(
    lines: &mut BTreeMap<Key, (Currency, Line)>,
    due: Option<NaiveDate>,
    currency: Currency,
) -> &mut (Currency, Line) {
    lines.entry((due.is_none(), due, currency.code())).or_insert((currency, Line::default()))
}

/// The sales less returns that a deposit pays for.
fn came(deposit: &DepositRow) -> Option<i128> {
    Some(i128::from(deposit.sales?.0) - i128::from(deposit.returns?.0))
}

fn paid_dates(deposit: &DepositRow) -> impl Iterator<Item = NaiveDate> + '_ {
    deposit.pays_for.split(';').filter_map(|date| date.parse().ok())
}

/// Batches without any payment, according to an open finding.
fn overdue(rows: &[Discrepancy], end: NaiveDate) -> BTreeSet<(&MerchantId, &str)> {
    rows.iter()
        .filter(|row| is_open(row, end) && row.actual == Some(0) && row.difference < Some(0))
        .filter(|row| row.ids.ach_deposit_id.is_empty() && !row.ids.batch_id.is_empty())
        .map(|row| (&row.merchant_id, row.ids.batch_id.as_str()))
        .collect()
}
