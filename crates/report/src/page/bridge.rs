//! The steps from the closing of the roll-forward, which counts findings, to the head of the page,
//! which counts causes: each in number and in money, to the cent.

use maud::{Markup, html};

use super::markup::{count, paragraph, sums};
use super::table::{Cell, Head, Row, figure, table, text};
use crate::causes::Cause;
use crate::headline::Findings;
use crate::totals::{Sums, Tally, absolute_difference, is_open};
use tieout_model::{Discrepancy, Severity};

/// A step: its name, whether it is a sum of those above, and its figures.
type Step = (&'static str, bool, Tally);

/// The table; empty if nothing is open.
pub(super) fn bridge(findings: Findings<'_>, causes: &[Cause<'_>]) -> Markup {
    const HEADS: [Head; 3] = [text("Step"), figure("Findings"), figure("Money")];
    let steps = steps(findings, causes);
    if steps.iter().all(|(_, _, tally)| tally.count == 0) {
        return Markup::default();
    }
    let is_shown = |step: &&Step| step.1 || step.2.count > 0;
    let lines = steps.iter().filter(is_shown).map(|(name, is_sum, tally)| Row {
        class: Some(if *is_sum { "whole" } else { "part" }),
        found: None,
        cells: [
            Cell::words(name),
            count(tally.count).into(),
            html! {
                @if tally.differences.iter().next().is_none() { "–" }
                (sums(&tally.differences))
            }
            .into(),
        ],
    });
    html! {
        (table("plain bridge", "From the closing to the head of this page", &HEADS, lines))
        (paragraph("note", &"The closing counts every finding that is carried forward, each with its \
                             own difference. The head counts errors and warnings, and money once for \
                             each cause."))
    }
}

fn steps(findings: Findings<'_>, causes: &[Cause<'_>]) -> [Step; 6] {
    let open = || findings.rows.iter().filter(|row| is_open(row, findings.end));
    let tally = |holds: &dyn Fn(&Discrepancy) -> bool| {
        let mut tally = Tally::default();
        open().filter(|row| holds(row)).for_each(|row| tally.add(row));
        tally
    };
    let is_note = |row: &Discrepancy| row.severity == Severity::Info;
    let mut others = Tally::default();
    causes.iter().flat_map(|cause| &cause.others).for_each(|row| others.add(row));
    let mut once = Tally { count: causes.len() as u64, differences: Sums::default() };
    for cause in causes {
        let amount = absolute_difference(cause.lead);
        if amount.is_some() {
            once.differences.add(amount, cause.lead.currency);
        }
    }
    [
        ("Closing: carried forward", true, tally(&|row| row.is_carried)),
        (
            "+ errors and warnings of this date alone",
            false,
            tally(&|row| !row.is_carried && !is_note(row)),
        ),
        ("− notes that are carried forward", false, tally(&|row| row.is_carried && is_note(row))),
        ("= open errors and warnings", true, tally(&|row| !is_note(row))),
        ("− further findings of the same causes", false, others),
        ("= causes, at the head of this page", true, once),
    ]
}
