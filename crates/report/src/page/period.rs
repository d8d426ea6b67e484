//! The page of a period: the contents of a date's page over all of its dates, with the trends from
//! day to day and the returned bank debits.

use chrono_tz::Tz;
use maud::{Markup, html};

use super::chart::{Scale, Tone, columns};
use super::markup::{count, sums, unknown};
use super::shell::{Shell, present, section};
use super::table::{Cell, Head, badge, figure, table, text};
use super::top::Top;
use super::waterfall::waterfall;
use super::words::{self, Mark, counted, list};
use super::{
    accepted, ageing, bank_bridge, bridge, fees, found, largest, not_evaluated, returns, roll,
    share, sign_off, state,
};
use crate::PeriodReport;
use crate::cell::rate_tenths;
use crate::chain::AtBank;
use crate::headline::{Findings, Headline};
use crate::totals::{Sums, major};
use tieout_model::money::{Currency, grouped};
use tieout_model::{AGES, DayFigures, DayRow, MerchantPeriodRow, Verdict};

const SECTIONS: &[(&str, &str)] = &[
    ("untold", "Not evaluated"),
    ("largest", "First"),
    ("accepted", "Accepted"),
    ("wrong", "Findings"),
    ("days", "Day by day"),
    ("share", "Explained and verified"),
    ("bridge", "Paid out to bank"),
    ("trends", "Trends"),
    ("merchants", "Merchants"),
    ("waterfall", "Sales to net"),
    ("fees", "Fees and reserve"),
    ("returns", "Returned bank debits"),
    ("discrepancies", "Discrepancies"),
    ("ageing", "Ageing"),
    ("roll", "Roll-forward"),
];

/// The page of a period; `files` lie beside it.
pub(crate) fn period_page(report: &PeriodReport, files: &[String]) -> String {
    let end = report.last_reconciled;
    let findings = Findings::from(report);
    let causes = findings.causes();
    let headline = Headline::with(findings, &causes);
    let groups = found::groups(&report.discrepancies, end);
    let paid_out = report.merchants.iter().map(|row| (row.deposited_net, row.currency));
    let at_end = report.amounts.iter().filter(|row| row.business_date == end);
    let largest = largest::largest(&causes, &report.checks);
    let share = share::of_period(report);
    let bank_bridge = bank_bridge::bridges(report);
    let counts = report.roll_forward();
    let body = html! {
        (not_evaluated::of_period(report))
        (largest)
        (accepted::accepted(findings))
        (found::overview(&groups, &report.checks, report.verdict() != Verdict::NotEvaluated))
        (days(report))
        (share)
        (bank_bridge)
        (trends(report))
        (merchants(&report.merchants))
        (waterfall(report.deposits.iter(), &report.signs))
        (fees::fees(report))
        (returns::returns(report))
        (found::details(&groups, &found::leads(&causes), &report.checks))
        (ageing::ageing(&report.discrepancies, end))
        (state::roll_forward(&counts, &html! {
            (roll::roll_forward(report.merchants.iter().map(roll::Line::from), "merchants.csv"))
            (bridge::bridge(findings, &causes))
        }))
        (sign_off::cut_off(
            report.last,
            report.merchant_zone.map(Tz::name),
            Some(report.time_zone),
        ))
    };
    let sections = present(SECTIONS, &body);
    let top = Top {
        kind: "Settlement reconciliation of a period",
        heading: &words::span(report.first, report.last),
        verdict: report.verdict(),
        headline: &headline,
        first_step: &largest::first_step(&causes),
        span: "in this period",
        cleared: counts.cleared.count,
        not_evaluated: figures(report).map(|day| day.not_evaluated).sum(),
        causes: not_evaluated::causes(report.not_evaluated.values().flatten()).len(),
        cautions: &cautions(report),
        deposited: &paid_out.collect(),
        in_transit: Some(&at_end.map(|row| (row.in_transit_amount, row.currency)).collect()),
        signed: &signed(report),
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
    let title = format!("Settlement {} to {}", report.first, report.last);
    Shell { title: &title, files, tool_version: &report.tool_version, results_digest: "" }
        .wrap(&content)
}

/// The number of dates signed off; the table of days has the names.
fn signed(report: &PeriodReport) -> Markup {
    let dates = counted(report.days.len() as u64, "date", "dates");
    let prepared = |day: &&DayRow| day.sign_off.closed.is_none() && day.sign_off.prepared.is_some();
    let waiting = report.days.iter().filter(prepared).count() as u64;
    html! {
        p.signed {
            b { "Sign-off:" } " "
            @match report.signed_off() {
                0 => { "none of " (dates) " is signed off" },
                count => { (count) " of " (dates) " signed off" },
            }
            @if waiting > 0 { ", " (counted(waiting, "waits", "wait")) " for a second person" }
            "."
            @if report.signed_off() > 0 { " The table of days names the persons." }
        } "\n"
    }
}

fn figures(report: &PeriodReport) -> impl Iterator<Item = &DayFigures> {
    report.days.iter().filter_map(|day| day.figures.as_ref())
}

/// Data missing from the period, or no longer valid.
fn cautions(report: &PeriodReport) -> Vec<String> {
    let dates = |is_meant: &dyn Fn(&DayRow) -> bool| {
        const MAX_NAMED: usize = 10;
        let dates: Vec<String> = report
            .days
            .iter()
            .filter(|day| is_meant(day))
            .map(|day| day.business_date.to_string())
            .collect();
        let more = dates.len().saturating_sub(MAX_NAMED);
        let mut named: Vec<String> = dates.iter().take(MAX_NAMED).cloned().collect();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        (dates.len() as u64, list(&named))
    };
    let mut cautions = Vec::new();
    let (count, named) = dates(&|day| day.figures.is_none());
    if count > 0 {
        let dates = counted(count, "date was", "dates were");
        cautions.push(format!("{dates} never reconciled and left out here: {named}."));
    }
    let is_partial = |day: &DayRow| day.figures.as_ref().is_some_and(|day| day.not_evaluated > 0);
    let (count, named) = dates(&is_partial);
    if count > 0 {
        let dates = counted(count, "date was", "dates were");
        cautions.push(format!("{dates} evaluated only in part: {named}."));
    }
    let is_stale = |day: &DayRow| day.figures.as_ref().is_some_and(|day| day.is_stale);
    let (count, named) = dates(&is_stale);
    if count > 0 {
        let dates = counted(count, "date is", "dates are");
        cautions.push(format!(
            "{dates} stale, as an older date was reconciled or records were listed later: {named}. \
             tieout reconcile --stale brings them up to date."
        ));
    }
    if let Some(imbalance) = report.roll_forward().imbalance() {
        cautions.push(format!("The roll-forward does not add up: {imbalance}."));
        let opens_otherwise = |days: &[DayRow]| {
            let figures = days[0].figures.as_ref().zip(days[1].figures.as_ref());
            let differs = figures.is_some_and(|(before, day)| before.closing != day.opening);
            (differs && days[1].sign_off.closed.is_some()).then_some(days[1].business_date)
        };
        for date in report.days.windows(2).filter_map(opens_otherwise) {
            cautions.push(format!(
                "{date} is signed off and keeps its opening; the date before was run again since."
            ));
        }
    }
    cautions
}

fn days(report: &PeriodReport) -> Markup {
    const HEADS: [Head; 13] = [
        text("Date"),
        text("Verdict"),
        figure("Not evaluated"),
        figure("Errors"),
        figure("Warnings"),
        figure("New"),
        figure("Cleared"),
        figure("Open"),
        figure("Open differences"),
        figure("Paid out (net)"),
        figure("Books matched"),
        text("Final since"),
        text("Signed off by"),
    ];
    let rows = report.days.iter().map(|day| match &day.figures {
        Some(figures) => one_day(day, figures, report),
        None => never_reconciled(day),
    });
    let table = table("cards sortable", "A line for each date of the period", &HEADS, rows);
    section("days", "Day by day", &table)
}

fn never_reconciled(day: &DayRow) -> [Cell; 13] {
    let mark = Mark { word: "never reconciled", ..words::verdict(day.verdict) };
    std::array::from_fn(|column| match column {
        0 => Cell::words(&day.business_date.to_string()),
        1 => Cell::mark(mark),
        11 => Cell::date(None),
        12 => sign_off::in_short(&day.sign_off).into(),
        _ => unknown().into(),
    })
}

fn one_day(day: &DayRow, figures: &DayFigures, report: &PeriodReport) -> [Cell; 13] {
    let date = day.business_date;
    let mut open = Sums::default();
    let mut paid = Sums::default();
    for row in report.amounts.iter().filter(|row| row.business_date == date) {
        if row.closing > 0 && row.currency.is_some() {
            open.add(row.closing_amount, row.currency);
        }
        paid.add(row.deposited_net, row.currency);
    }
    // The folder of the date is two levels above that of the period.
    let link = html! { a href={ "../../" (date) "/" (crate::PAGE_FILE) } { (date) } };
    let verdict = html! {
        (badge(words::verdict(day.own_verdict)))
        @if figures.is_stale { " stale" }
    };
    [
        link.into(),
        verdict.into(),
        count(figures.not_evaluated).into(),
        count(figures.errors).into(),
        count(figures.warnings).into(),
        count(figures.new + figures.reopened).into(),
        count(figures.cleared).into(),
        count(figures.closing).into(),
        sums(&open).into(),
        sums(&paid).into(),
        state::match_rate(figures.matched, figures.ledger_records),
        Cell::date(day.final_since),
        sign_off::in_short(&day.sign_off).into(),
    ]
}

fn trends(report: &PeriodReport) -> Markup {
    let of = |of: &dyn Fn(&DayFigures) -> Option<i128>| -> Vec<Option<i128>> {
        report.days.iter().map(|day| of(day.figures.as_ref()?)).collect()
    };
    let rate = of(&|day| rate_tenths(day.matched, day.ledger_records).map(i128::from));
    let tenths = |rate: i128| format!("{}.{} %", rate / 10, rate % 10);
    let plain = |count: i128| grouped(&count.to_string());
    let open = of(&|day| Some(i128::from(day.closing)));
    let old = of(&|day| Some(day.ages[3..].iter().map(|count| i128::from(*count)).sum()));
    let of_currency = |currency: Currency| {
        let name = format!("Open differences, {}", currency.code());
        let money = |sum: i128| format!("{} {}", grouped(&major(sum, currency)), currency.code());
        chart(report, &name, &by_day(report, currency), Tone::Fault, &money)
    };
    let content = html! {
        p.note {
            "A column for each date; the tables above have the figures. Each chart has its own \
             scale, from zero to the highest column."
        } "\n"
        div.charts {
            @if rate.iter().any(Option::is_some) {
                (chart(report, "Books matched", &rate, Tone::Good, &tenths))
            }
            (chart(report, "Open discrepancies", &open, Tone::Plain, &plain))
            (chart(report, "Open for more than five banking days", &old, Tone::Less, &plain))
            @for currency in currencies(report) { (of_currency(currency)) }
        }
        "\n"
    };
    section("trends", "Trends", &content)
}

fn currencies(report: &PeriodReport) -> Vec<Currency> {
    let mut found: Vec<Currency> = report.amounts.iter().filter_map(|row| row.currency).collect();
    found.sort_by_key(|currency| currency.code());
    found.dedup();
    found
}

/// The open differences of each date in one currency: zero without a row in it, `None` if the date
/// was not reconciled.
fn by_day(report: &PeriodReport, currency: Currency) -> Vec<Option<i128>> {
    let amount = |day: &DayRow| {
        day.figures.as_ref()?;
        let is_meant = |date, code| date == day.business_date && code == Some(currency);
        let row = report.amounts.iter().find(|row| is_meant(row.business_date, row.currency));
        row.map_or(Some(0), |row| row.closing_amount.map(|amount| i128::from(amount.0)))
    };
    report.days.iter().map(amount).collect()
}

fn chart(
    report: &PeriodReport,
    name: &str,
    values: &[Option<i128>],
    tone: Tone,
    show: &dyn Fn(i128) -> String,
) -> Markup {
    let known = || values.iter().flatten().copied();
    let (Some(highest), Some(last)) = (known().max(), known().next_back()) else {
        return Markup::default();
    };
    html! {
        figure.chart {
            figcaption {
                b { (name) } ": " (show(last)) " at the end, " (show(highest)) " at most"
            }
            (columns(Scale::of(known()), values, tone))
            div.axis aria-hidden="true" { span { (report.first) } span { (report.last) } }
        }
        "\n"
    }
}

fn merchants(rows: &[MerchantPeriodRow]) -> Markup {
    const HEADS: [Head; 12] = [
        text("Merchant"),
        text("Verdict at the end"),
        figure("Days tied"),
        figure("Days in transit"),
        figure("Days with a discrepancy"),
        figure("Days not evaluated"),
        figure("Paid out (net)"),
        figure("New"),
        figure("Cleared"),
        figure("Open"),
        figure("Open differences"),
        figure("Books matched"),
    ];
    let mut rows: Vec<&MerchantPeriodRow> = rows.iter().collect();
    rows.sort_by_key(|row| (row.verdict, std::cmp::Reverse(row.closing)));
    let lines = rows.iter().take(state::MAX_LINES).map(|row| {
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            Cell::mark(words::verdict(row.verdict)),
            Cell::count(row.days_tied),
            Cell::count(row.days_in_transit),
            Cell::count(row.days_discrepancy),
            Cell::count(row.days_not_evaluated),
            Cell::amount(row.deposited_net, row.currency),
            Cell::count(row.new),
            Cell::count(row.cleared),
            Cell::count(row.closing),
            Cell::amount(row.closing_amount, row.currency),
            state::match_rate(row.matched, row.ledger_records),
        ]
    });
    let content = html! {
        (table("cards sortable", "A line for each merchant and currency", &HEADS, lines))
        (state::rest(rows.len(), "merchants.csv"))
    };
    section("merchants", "Merchants", &content)
}

const _: () = assert!(AGES[2].2 == 5, "the chart of the old ones begins after five days");
