//! The accepted findings: amount, person, date, reason and end of each acceptance. An acceptance
//! takes a finding off the open list, but it stays named here.

use maud::{Markup, html};

use super::markup::{Text, foreign, money, paragraph};
use super::shell::section;
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, figure, merchant, money_key, table, text};
use super::words::{self, counted};
use crate::headline::Findings;
use crate::totals::absolute_difference;
use tieout_model::AcceptedRow;

/// The section; empty if nothing is accepted.
pub(super) fn accepted(findings: Findings<'_>) -> Markup {
    const HEADS: [Head; 6] = [
        text("Accepted"),
        figure("Amount"),
        text("By"),
        text("Until"),
        text("Note"),
        text("Explanation"),
    ];
    let rows = findings.accepted;
    if rows.is_empty() {
        return Markup::default();
    }
    let lines = rows.iter().take(MAX_LINES).map(|row| {
        [
            title(row).into(),
            amount(row),
            by(row).into(),
            until(row, findings).into(),
            foreign(row.by.as_ref().map_or("", |by| &by.note)).into(),
            foreign(&row.found.explanation).into(),
        ]
    });
    let content = html! {
        (table("cards accepted", "Accepted discrepancies", &HEADS, lines))
        (rest(rows.len(), "the store"))
        (paragraph("note", &format!(
            "{} accepted. An accepted finding still exists: it is tested on every date, counts in \
             no verdict, and is reported again when the acceptance ends.",
            counted(rows.len() as u64, "finding is", "findings are")
        )))
    };
    section("accepted", "Accepted", &content)
}

fn title(row: &AcceptedRow) -> Markup {
    let found = &row.found;
    html! {
        (Text(&words::title_of(&found.code)))
        p.means { (merchant(&found.merchant_id, &found.merchant_name)) }
        p.means { span.id { (Text(&found.discrepancy_id)) } }
    }
}

fn amount(row: &AcceptedRow) -> Cell {
    match absolute_difference(&row.found).zip(row.found.currency) {
        Some((amount, currency)) => {
            Cell::keyed(Some(money_key(amount.0, currency)), money(i128::from(amount.0), currency))
        }
        None => Cell::words("no amount"),
    }
}

fn by(row: &AcceptedRow) -> Markup {
    html! {
        @match &row.by {
            Some(by) => {
                b { (foreign(&by.who)) } br;
                p.means {
                    "from " time { (by.since) }
                    @if row.is_new() { ", new" }
                }
            },
            None => "not known",
        }
    }
}

fn until(row: &AcceptedRow, findings: Findings<'_>) -> Markup {
    let has_ended = row.found.business_date < findings.end;
    html! {
        @match row.by.as_ref().map(|by| by.until) {
            Some(Some(until)) => time { (until) },
            Some(None) => "it is taken back",
            None => "not known",
        }
        @if has_ended {
            p.means { "last accepted on " time { (row.found.business_date) } }
        }
    }
}
