//! The first sheet of a workbook: the most important figures, one on each line.

use chrono_tz::Tz;

use super::cell::Cell;
use super::date_report::DateReport;
use super::headline::Headline;
use super::period_report::PeriodReport;
use super::signed::local_time;
use super::totals::{Sums, major, sum_of, verdict_of_date};
use super::xlsx::OverviewLine;
use tieout_model::money::{Currency, Minor};
use tieout_model::{DayFigures, DiscrepancyTotals, RollAmounts, SignOff, Signature};

/// The lines of one business date.
pub(super) fn of_date(report: &DateReport<'_>) -> Vec<OverviewLine> {
    let run = &report.run;
    let headline = Headline::of(report.into());
    let not_evaluated = run.checks.not_evaluated.len();
    let own = report.own_verdict();
    let verdict = verdict_of_date(&report.summary, run);
    let mut lines = vec![
        line("business date", Cell::Date(Some(report.business_date)), ""),
        line("verdict", Cell::Text(own.as_str().into()), "by new discrepancies of the date"),
        line(
            "with carried discrepancies",
            Cell::Text(verdict.as_str().into()),
            "as in summary.csv",
        ),
        counted("checks not evaluated", not_evaluated as u64, "reasons in run.json"),
    ];
    lines.extend(signed(&run.sign_off, report.time_zone));
    lines.extend(of_headline(&headline));
    lines.extend(amounts("paid out (net)", &sum_of(&report.summary, |row| row.deposited_net)));
    lines.extend(amounts("in transit", &sum_of(&report.summary, |row| row.in_transit_amount)));
    lines.extend(roll_forward(&run.discrepancies));
    let rows = report.summary.iter();
    lines.extend(rolled(rows.map(|row| (row.currency, row.roll(), row.closing_amount))));
    lines
}

/// The lines of a period.
pub(super) fn of_period(report: &PeriodReport) -> Vec<OverviewLine> {
    let headline = Headline::of(report.into());
    let figures = || report.days.iter().filter_map(|day| day.figures.as_ref());
    let total = |of: fn(&DayFigures) -> u64| figures().map(of).sum::<u64>();
    let mut lines = vec![
        line("first date", Cell::Date(Some(report.first)), ""),
        line("last date", Cell::Date(Some(report.last)), ""),
        line("verdict", Cell::Text(report.verdict().as_str().into()), "at the end"),
        counted("dates", report.days.len() as u64, ""),
        counted("dates reconciled", figures().count() as u64, ""),
        counted("dates signed off", report.signed_off(), "persons on the sheet days"),
        counted("checks not evaluated", total(|day| day.not_evaluated), "run.json of each date"),
    ];
    lines.extend(of_headline(&headline));
    let mut deposited = Sums::default();
    for row in &report.merchants {
        deposited.add(row.deposited_net, row.currency);
    }
    lines.extend(amounts("paid out (net)", &deposited));
    lines.extend(roll_forward(&report.roll_forward()));
    let rows = report.merchants.iter();
    lines.extend(rolled(rows.map(|row| (row.currency, row.roll, row.closing_amount))));
    lines
}

/// The people who prepared and closed a date; a line says so if there is none.
fn signed(sign_off: &SignOff, time_zone: Tz) -> Vec<OverviewLine> {
    let one = |label: &str, by: &Signature| {
        let colon = if by.note.is_empty() { "" } else { ": " };
        let note = format!("{}{colon}{}", local_time(by, time_zone), by.note);
        OverviewLine { note, ..line(label, Cell::Text(by.who.clone().into()), "") }
    };
    let nobody = |label: &str| line(label, Cell::Text("nobody".into()), "");
    let mut lines = vec![
        sign_off
            .prepared
            .as_ref()
            .map_or_else(|| nobody("prepared by"), |by| one("prepared by", by)),
        sign_off.closed.as_ref().map_or_else(|| nobody("closed by"), |by| one("closed by", by)),
    ];
    lines.extend(sign_off.taken_back.as_ref().map(|by| one("sign-off taken back by", by)));
    lines
}

fn of_headline(headline: &Headline) -> Vec<OverviewLine> {
    let mut lines = Vec::new();
    for (label, part) in headline.parts() {
        lines.extend(amounts(&label.to_lowercase(), &part.all));
        if !part.new.is_empty() {
            lines.extend(amounts("  of it new", &part.new));
        }
    }
    lines.extend([
        counted("errors open", headline.errors.count, ""),
        counted("warnings open", headline.warnings.count, ""),
        counted("notes", headline.notes.count, ""),
        counted("new", headline.are_new(), "errors and warnings"),
        counted("carried from earlier dates", headline.carried(), "errors and warnings"),
    ]);
    if let Some(date) = headline.carried_since {
        lines.push(line("  the oldest since", Cell::Date(Some(date)), ""));
    }
    lines
}

fn roll_forward(totals: &DiscrepancyTotals) -> [OverviewLine; 6] {
    [
        counted("opening", totals.opening.count, "open on the reconciled date before"),
        counted("+ new", totals.new.count, ""),
        counted("+ reopened", totals.reopened.count, ""),
        counted("- cleared", totals.cleared.count, ""),
        counted("- accepted", totals.accepted.count, ""),
        counted("= closing", totals.closing.count, "open now"),
    ]
}

/// The roll-forward in money, by currency. A row without a currency has no amounts.
fn rolled(
    rows: impl Iterator<Item = (Option<Currency>, RollAmounts, Option<Minor>)>,
) -> Vec<OverviewLine> {
    let mut steps: [(&str, Sums); 6] = [
        ("opening amount", Sums::default()),
        ("+ new amount", Sums::default()),
        ("- cleared amount", Sums::default()),
        ("- accepted amount", Sums::default()),
        ("+ changed amount", Sums::default()),
        ("= closing amount", Sums::default()),
    ];
    for (currency, roll, closing) in rows.filter(|row| row.0.is_some()) {
        let RollAmounts { opening, new, cleared, accepted, changed } = roll;
        let amounts = [opening, new, cleared, accepted, changed, closing];
        for ((_, sums), amount) in steps.iter_mut().zip(amounts) {
            sums.add(amount, currency);
        }
    }
    steps.iter().flat_map(|(label, sums)| amounts(label, sums)).collect()
}

fn line(label: &str, value: Cell<'static>, note: &str) -> OverviewLine {
    OverviewLine { label: label.to_owned(), value, note: note.to_owned() }
}

fn counted(label: &str, count: u64, note: &str) -> OverviewLine {
    line(label, Cell::Count(i64::try_from(count).ok()), note)
}

/// A line for each currency; a sum beyond 64 bits is written as text.
fn amounts(label: &str, sums: &Sums) -> Vec<OverviewLine> {
    let mut lines: Vec<OverviewLine> = sums
        .iter()
        .map(|(currency, sum)| {
            let cell = match i64::try_from(sum) {
                Ok(sum) => Cell::Amount(Some(Minor(sum)), Some(currency)),
                Err(_) => Cell::Text(major(sum, currency).into()),
            };
            line(label, cell, currency.code())
        })
        .collect();
    if sums.unknown > 0 {
        lines.push(counted(label, sums.unknown, "amounts that are not known"));
    }
    lines
}
