//! `report.html`: one self-contained page for a person. The verdict comes first, then amount,
//! place, first date and action. Of very many rows it shows the most severe and the largest, and
//! names the file that has all. Shows its input and judges nothing.

mod accepted;
mod ageing;
mod arrivals;
mod bank_bridge;
mod booked;
mod bridge;
mod calendar;
mod chain;
mod chart;
mod data;
mod fees;
mod found;
mod index;
mod largest;
mod markup;
pub(crate) mod not_evaluated;
mod period;
mod returns;
mod roll;
mod share;
mod shell;
mod sign_off;
mod state;
mod table;
mod top;
mod waiting;
mod waterfall;
mod words;

use chrono_tz::Tz;
use maud::{Markup, html};

use super::causes::Cause;
use super::chain::AtBank;
use super::headline::{Findings, Headline};
use super::totals::sum_of;
use super::{DateReport, order};
pub(super) use index::index_page;
pub(super) use period::period_page;
use shell::{Shell, present};
use tieout_model::SummaryRow;
use top::Top;

/// Anchors and names of the sections of a date's page.
const SECTIONS: &[(&str, &str)] = &[
    ("untold", "Not evaluated"),
    ("largest", "First"),
    ("accepted", "Accepted"),
    ("wrong", "Findings"),
    ("chain", "From batch to bank"),
    ("merchants", "Merchants"),
    ("bank", "At the bank"),
    ("share", "Explained and verified"),
    ("journal", "Booked"),
    ("waterfall", "Sales to net"),
    ("disputes", "Disputes"),
    ("discrepancies", "Discrepancies"),
    ("ageing", "Ageing"),
    ("transit", "In transit"),
    ("final", "Final"),
    ("matching", "Matching"),
    ("roll", "Roll-forward"),
    ("data", "Data"),
];

/// The page of one business date; `files` lie beside it.
pub(super) fn date_page(report: &DateReport<'_>, files: &[String]) -> String {
    let run = &report.run;
    let summary = order::summary(&report.summary);
    let verdict = report.own_verdict();
    let groups = found::groups(&report.discrepancies, report.business_date);
    let findings = Findings::from(report);
    let causes = findings.causes();
    let largest = largest::largest(&causes, &report.checks);
    let bank = chain::bank(&report.bank_matches);
    let disputes = chain::disputes(&report.disputes);
    let share = share::of_date(&report.shares);
    let booked = booked::booked(report);
    let details = found::details(&groups, &found::leads(&causes), &report.checks);
    let way = html! {
        (bank)
        (share)
        (booked)
        (waterfall::waterfall(report.deposits.iter(), &report.signs))
        (disputes)
    };
    let body = html! {
        (not_evaluated::of_date(report))
        (largest)
        (accepted::accepted(findings))
        (found::overview(&groups, &report.checks, !run.is_partial()))
        (chain::chain(report, &summary))
        (state::merchants(&summary, &causes, &report.checks))
        (side_by_side(&way, &details, &standing(report, &summary, &causes)))
        (sign_off::cut_off(
            report.business_date,
            report.merchant_zone.map(Tz::name),
            Some(report.time_zone),
        ))
    };
    let sections = present(SECTIONS, &body);
    let top = Top {
        kind: "Settlement reconciliation",
        heading: &words::long_date(report.business_date),
        verdict,
        headline: &Headline::with(findings, &causes),
        first_step: &largest::first_step(&causes),
        span: "on this date",
        cleared: run.discrepancies.cleared.count,
        not_evaluated: run.checks.not_evaluated.len() as u64,
        causes: not_evaluated::causes(&run.checks.not_evaluated).len(),
        cautions: &run.warnings,
        deposited: &sum_of(&report.summary, |row| row.deposited_net),
        in_transit: Some(&sum_of(&report.summary, |row| row.in_transit_amount)),
        signed: &sign_off::paragraph(&run.sign_off, &report.discrepancies, report.time_zone),
        at_bank: AtBank::of(report.deposits.iter()),
        sections: &sections,
    };
    let content = html! {
        (top.header())
        main {
            (top.verdict())
            (body)
        }
        "\n"
    };
    let title = title(report);
    Shell {
        title: &title,
        files,
        tool_version: &run.tool_version,
        results_digest: &run.results_digest,
    }
    .wrap(&content)
}

/// The date and its own verdict.
fn title(report: &DateReport<'_>) -> String {
    let verdict = report.own_verdict().as_str().replace('_', " ");
    format!("Settlement {}: {verdict}", report.business_date)
}

/// The state of the date: ageing, transit, finality, books, roll-forward, data.
fn standing(report: &DateReport<'_>, summary: &[&SummaryRow], causes: &[Cause<'_>]) -> Markup {
    let run = &report.run;
    html! {
        (ageing::ageing(&report.discrepancies, report.business_date))
        (state::in_transit(&report.in_transit, &arrivals::arrivals(report)))
        (waiting::waiting(report, summary))
        (state::matching(&run.items, &run.ledger, summary))
        (state::roll_forward(&run.discrepancies, &html! {
            (roll::roll_forward(summary.iter().map(|row| roll::Line::from(*row)), "summary.csv"))
            (bridge::bridge(report.into(), causes))
        }))
        (data::completeness(run))
    }
}

/// The narrow sections around the findings, printed side by side: in one block if no finding comes
/// between them, so that such a day fits on one sheet.
fn side_by_side(way: &Markup, details: &Markup, standing: &Markup) -> Markup {
    html! {
        @if details.0.is_empty() {
            div.beside { (way) (standing) } "\n"
        } @else {
            div.beside { (way) } "\n"
            (details)
            div.beside { (standing) } "\n"
        }
    }
}
