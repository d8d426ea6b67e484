//! The share of the money that is explained and verified: for a date as a table, for a period as
//! charts and a line for each date.

use maud::{Markup, html};

use super::chart::{Scale, Tone, columns};
use super::markup::{number, paragraph};
use super::shell::section;
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, figure, table, text};
use crate::PeriodReport;
use crate::cell::rate_tenths;
use tieout_model::money::{Currency, Minor};
use tieout_model::{DayAmountsRow, MoneyShare};

const NOTE: &str = "Deposits: net amounts, without their signs, of those that were due at the bank \
                    on the date; verified when the deposit ties out and the statement shows it with \
                    its amount. Items: everything since the start date that the books must hold by \
                    the date; verified when it is matched with a ledger record.";

/// Tenths of a percent; `None` if nothing was due, or while it could not be evaluated.
pub fn tenths(part: Option<Minor>, whole: Option<Minor>) -> Option<i64> {
    rate_tenths(part.map(|part| part.0), whole.map(|whole| whole.0))
}

/// `97.5 %`.
fn percent(part: Option<Minor>, whole: Option<Minor>) -> Cell {
    let rate = tenths(part, whole);
    let shown = match (rate, whole) {
        (Some(rate), _) => html! { (number(&format!("{}.{}", rate / 10, rate % 10))) " %" },
        (None, Some(_)) => html! { span.unknown { "not evaluated" } },
        (None, None) => html! { "–" },
    };
    Cell::keyed(rate.map(|rate| rate.to_string()), shown)
}

fn amount(amount: Option<Minor>, currency: Currency) -> Cell {
    match amount {
        Some(_) => Cell::amount(amount, Some(currency)),
        None => html! { "–" }.into(),
    }
}

/// The section of a date; empty if nothing was due.
pub(super) fn of_date(shares: &[(Currency, MoneyShare)]) -> Markup {
    const HEADS: [Head; 4] =
        [text("What"), figure("Due"), figure("Explained and verified"), figure("Share")];
    let line = |words: &str, currency: Currency, due: Option<Minor>, verified: Option<Minor>| {
        due.filter(|due| due.0 != 0).map(|_| {
            [
                Cell::words(&format!("{words}, {}", currency.code())),
                amount(due, currency),
                amount(verified, currency),
                percent(verified, due),
            ]
        })
    };
    let deposits = shares.iter().filter_map(|(currency, share)| {
        line("Deposits due at the bank", *currency, share.due, share.verified)
    });
    let items = shares.iter().filter_map(|(currency, share)| {
        line("Items that the books must hold", *currency, share.items_due, share.items_matched)
    });
    let lines: Vec<[Cell; 4]> = deposits.chain(items).collect();
    if lines.is_empty() {
        return Markup::default();
    }
    let content = html! {
        (table("plain", "Due, explained and verified money", &HEADS, lines))
        (paragraph("note", &NOTE))
    };
    section("share", "Explained and verified", &content)
}

/// The section of a period; empty if nothing was due on any of its dates.
pub(super) fn of_period(report: &PeriodReport) -> Markup {
    const HEADS: [Head; 8] = [
        text("Date"),
        text("Currency"),
        figure("Deposits due"),
        figure("Tie out and found"),
        figure("Share"),
        figure("Items due"),
        figure("Matched"),
        figure("Share of items"),
    ];
    let is_any = |row: &&DayAmountsRow| row.share != MoneyShare::default();
    let rows: Vec<(&DayAmountsRow, Currency)> =
        report.amounts.iter().filter(is_any).filter_map(|row| Some((row, row.currency?))).collect();
    if rows.is_empty() {
        return Markup::default();
    }
    let lines = rows.iter().take(MAX_LINES).map(|(row, currency)| {
        let share = row.share;
        [
            Cell::date(Some(row.business_date)),
            Cell::words(currency.code()),
            amount(share.due, *currency),
            amount(share.verified, *currency),
            percent(share.verified, share.due),
            amount(share.items_due, *currency),
            amount(share.items_matched, *currency),
            percent(share.items_matched, share.items_due),
        ]
    });
    let content = html! {
        div.charts {
            @for currency in currencies(&rows) {
                @let code = currency.code();
                (chart(report, &format!("Tie out and found, {code}"), currency, |share| {
                    tenths(share.verified, share.due)
                }))
                (chart(report, &format!("Items matched, {code}"), currency, |share| {
                    tenths(share.items_matched, share.items_due)
                }))
            }
        }
        "\n"
        (table("cards", "Explained and verified money, date by date", &HEADS, lines))
        (rest(rows.len(), "day_amounts.csv"))
        (paragraph("note", &NOTE))
        (paragraph("note", &"A date that was not reconciled, or could not be evaluated, has no \
                             column and no share."))
    };
    section("share", "Explained and verified", &content)
}

fn currencies(rows: &[(&DayAmountsRow, Currency)]) -> Vec<Currency> {
    let mut found: Vec<Currency> = rows.iter().map(|one| one.1).collect();
    found.sort_by_key(|currency| currency.code());
    found.dedup();
    found
}

/// A column for each date; a date without a share has none.
fn chart(
    report: &PeriodReport,
    name: &str,
    currency: Currency,
    of: impl Fn(&MoneyShare) -> Option<i64>,
) -> Markup {
    let values: Vec<Option<i128>> = report
        .days
        .iter()
        .map(|day| {
            let is_meant = |row: &&DayAmountsRow| {
                row.business_date == day.business_date && row.currency == Some(currency)
            };
            report.amounts.iter().find(is_meant).and_then(|row| of(&row.share)).map(i128::from)
        })
        .collect();
    let known = || values.iter().flatten().copied();
    let (Some(last), Some(lowest)) = (known().next_back(), known().min()) else {
        return Markup::default();
    };
    let shown = |rate: i128| format!("{}.{} %", rate / 10, rate % 10);
    html! {
        figure.chart {
            figcaption {
                b { (name) } ": " (shown(last)) " at the end, " (shown(lowest)) " at least"
            }
            (columns(Scale::of([1_000]), &values, Tone::Good))
            div.axis aria-hidden="true" { span { (report.first) } span { (report.last) } }
        }
        "\n"
    }
}
