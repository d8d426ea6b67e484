//! The returned bank debits of a period: rates against the thresholds of the ACH network, and the
//! return codes behind them.

use maud::{Markup, html};

use super::markup::count;
use super::shell::section;
use super::state;
use super::table::{Cell, Head, figure, table, text};
use super::words::Mark;
use crate::PeriodReport;
use crate::cell::rate_hundredths;
use tieout_model::{ReturnCodeRow, ReturnMeasure, ReturnRateRow, Standing};

/// The section about returned debits.
pub(super) fn returns(report: &PeriodReport) -> Markup {
    let content = match report.return_rates.first() {
        None => html! { p { "No merchant debited a bank account." } "\n" },
        Some(first) => html! {
            p {
                "The rules of the ACH network set thresholds for returned debits: 0.5 % for \
                 those that the customer did not authorize, 3 % for administrative reasons, \
                 15 % for all. Counted are debits in US dollars whose return is dated "
                (first.window_from) " to " (first.window_to)
                ", in percent of the debits that settled in these " (first.days())
                " days; only days that were read in full count on either side, and a rate is \
                 judged when all of them were."
            } "\n"
            (rates(&report.return_rates))
            (codes(&report.return_codes))
        },
    };
    section("returns", "Returned bank debits", &content)
}

fn rates(rows: &[ReturnRateRow]) -> Markup {
    const HEADS: [Head; 8] = [
        text("Merchant"),
        text("Measure"),
        figure("Returned"),
        figure("Debits"),
        figure("Rate in percent"),
        figure("Threshold"),
        text("Standing"),
        figure("Days read"),
    ];
    let lines = rows.iter().take(state::MAX_LINES).map(|row| {
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            Cell::words(&measure(row.measure)),
            Cell::count(row.returned),
            Cell::count(row.debits),
            percent(rate_hundredths(Some(row.returned), Some(row.debits))),
            percent(Some(row.measure.threshold())),
            Cell::mark(standing(row.standing())),
            html! { (count(row.days_read)) " of " (count(row.days())) }.into(),
        ]
    });
    html! {
        (table("cards sortable", "Return rates and their thresholds", &HEADS, lines))
        (state::rest(rows.len(), "return_rates.csv"))
    }
}

fn measure(measure: ReturnMeasure) -> String {
    let codes = measure.codes().map(|codes| codes.join(", "));
    match (measure, codes) {
        (ReturnMeasure::Unauthorized, Some(codes)) => format!("not authorized ({codes})"),
        (ReturnMeasure::Administrative, Some(codes)) => format!("administrative ({codes})"),
        _ => "all codes".to_owned(),
    }
}

fn percent(hundredths: Option<i64>) -> Cell {
    Cell::number(hundredths.map(|parts| format!("{}.{:02}", parts / 100, parts % 100)))
}

fn standing(standing: Standing) -> Mark {
    match standing {
        Standing::Within => Mark { class: "good", sign: "✓", word: "within" },
        Standing::Over => Mark { class: "bad", sign: "✕", word: "over" },
        Standing::NotEvaluated => Mark { class: "untold", sign: "?", word: "not evaluated" },
        Standing::NoDebits => Mark { class: "wait", sign: "–", word: "no debits" },
    }
}

fn codes(rows: &[ReturnCodeRow]) -> Markup {
    const HEADS: [Head; 5] =
        [text("Merchant"), text("Code"), text("Reason"), figure("Returned"), figure("Amount")];
    if rows.is_empty() {
        return html! { p { "None was returned." } "\n" };
    }
    let lines = rows.iter().take(state::MAX_LINES).map(|row| {
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            Cell::foreign(&row.code),
            Cell::foreign(&row.reason),
            Cell::count(row.returned),
            Cell::amount(row.amount, Some(row.currency)),
        ]
    });
    html! {
        (table("cards sortable", "Returned debits, by code", &HEADS, lines))
        (state::rest(rows.len(), "return_codes.csv"))
    }
}
