//! `report.html`: one page for a person, which needs nothing but itself. The verdict first,
//! then how much, where, since when, and what to do. Of very much it shows the gravest and the
//! largest, and names the file that has all. Shows what it is given: it judges nothing.

mod chart;
mod data;
mod found;
mod markup;
mod period;
mod shell;
mod state;
mod table;
mod top;
mod waterfall;
mod words;

use super::totals::{Headline, sum_of, verdict_of_date};
use super::{DateReport, order};
pub(super) use period::period_page;
use shell::Shell;
use top::Top;

/// Anchors and names of the sections of a date's page.
const SECTIONS: &[(&str, &str)] = &[
    ("wrong", "What is wrong"),
    ("merchants", "Merchants"),
    ("waterfall", "Sales to net"),
    ("discrepancies", "Discrepancies"),
    ("ageing", "Ageing"),
    ("transit", "In transit"),
    ("matching", "Matching"),
    ("roll", "Roll-forward"),
    ("data", "Data"),
];

/// The page of one business date; `files` lie beside it.
pub(super) fn date_page(report: &DateReport, files: &[String]) -> String {
    let run = &report.run;
    let summary = order::summary(&report.summary);
    let headline = Headline::of(&report.discrepancies, report.business_date);
    let not_evaluated = run.checks.not_evaluated.len() as u64;
    let verdict = verdict_of_date(&report.summary, run);
    let heading = words::long_date(report.business_date);
    let groups = found::groups(&report.discrepancies, report.business_date);
    let deposited = sum_of(&report.summary, |row| row.deposited_net);
    let in_transit = sum_of(&report.summary, |row| row.in_transit_amount);
    let has_details = !groups.is_empty();
    let sections: Vec<_> =
        SECTIONS.iter().filter(|one| has_details || one.0 != "discrepancies").copied().collect();
    let title =
        format!("Settlement {}: {}", report.business_date, verdict.as_str().replace('_', " "));
    let shell = Shell { title: &title, files, tool_version: &run.tool_version };
    shell.wrap(|page| {
        Top {
            kind: "Settlement reconciliation",
            heading: &heading,
            verdict,
            headline: &headline,
            new: run.discrepancies.new.count + run.discrepancies.reopened.count,
            cleared: run.discrepancies.cleared.count,
            not_evaluated,
            cautions: &run.warnings,
            deposited: &deposited,
            in_transit: Some(&in_transit),
            sections: &sections,
        }
        .write(page);
        found::overview(page, &groups, &report.meanings);
        state::merchants(page, &summary);
        waterfall::waterfall(page, report.deposits.iter(), &report.signs);
        found::details(page, &groups, &report.meanings);
        state::ageing(page, &report.discrepancies, report.business_date);
        state::in_transit(page, &report.in_transit);
        state::matching(page, &run.items, &run.ledger, &summary);
        state::roll_forward(page, &run.discrepancies);
        data::completeness(page, run);
        page.close("main");
    })
}
