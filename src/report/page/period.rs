//! The page of a period: the same questions as on the page of a date, over all of its dates,
//! with how things moved from day to day and how many bank debits came back.

use super::chart::{Scale, Tone, columns};
use super::markup::Markup;
use super::shell::{Shell, section};
use super::state;
use super::table::{Grid, Head, badge, figure, merchant, table, text};
use super::top::Top;
use super::waterfall::waterfall;
use super::words::{self, Mark, counted, list};
use super::{found, markup};
use crate::model::{
    AGES, DayFigures, DayRow, MerchantPeriodRow, ReturnMeasure, ReturnRateRow, Standing,
};
use crate::money::Currency;
use crate::report::PeriodReport;
use crate::report::cell::{rate_hundredths, rate_tenths};
use crate::report::totals::{Headline, Sums, major};

const SECTIONS: &[(&str, &str)] = &[
    ("wrong", "What is wrong"),
    ("days", "Day by day"),
    ("trends", "Trends"),
    ("merchants", "Merchants"),
    ("waterfall", "Sales to net"),
    ("returns", "Bank debits that came back"),
    ("discrepancies", "Discrepancies"),
    ("ageing", "Ageing"),
    ("roll", "Roll-forward"),
];

/// The page of a period; `files` lie beside it.
pub(in crate::report) fn period_page(report: &PeriodReport, files: &[String]) -> String {
    let end = report.last_reconciled;
    let headline = Headline::of(&report.discrepancies, end);
    let groups = found::groups(&report.discrepancies, end);
    let mut deposited = Sums::default();
    for row in &report.merchants {
        deposited.add(row.deposited_net, row.currency);
    }
    let sections: Vec<_> = SECTIONS
        .iter()
        .filter(|one| !groups.is_empty() || one.0 != "discrepancies")
        .copied()
        .collect();
    let roll = report.roll_forward();
    let heading = words::span(report.first, report.last);
    let title = format!("Settlement {} to {}", report.first, report.last);
    let shell = Shell { title: &title, files, tool_version: &report.tool_version };
    shell.wrap(|page| {
        Top {
            kind: "Settlement reconciliation of a period",
            heading: &heading,
            verdict: report.verdict(),
            headline: &headline,
            new: roll.new.count + roll.reopened.count,
            cleared: roll.cleared.count,
            not_evaluated: figures(report).map(|day| day.not_evaluated).sum(),
            cautions: &cautions(report),
            deposited: &deposited,
            in_transit: None,
            sections: &sections,
        }
        .write(page);
        found::overview(page, &groups, &report.meanings);
        days(page, report);
        trends(page, report);
        merchants(page, &report.merchants);
        waterfall(page, report.deposits.iter(), &report.signs);
        returns(page, report);
        found::details(page, &groups, &report.meanings);
        state::ageing(page, &report.discrepancies, end);
        state::roll_forward(page, &roll);
        page.close("main");
    })
}

fn figures(report: &PeriodReport) -> impl Iterator<Item = &DayFigures> {
    report.days.iter().filter_map(|day| day.figures.as_ref())
}

/// What is missing from the period, or does not hold any more.
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
            "{dates} stale, as an older date was reconciled later: {named}. \
             tieout reconcile --stale brings them up to date."
        ));
    }
    if let Some(imbalance) = report.roll_forward().imbalance() {
        cautions.push(format!("The roll-forward does not add up: {imbalance}."));
    }
    cautions
}

fn days(page: &mut Markup, report: &PeriodReport) {
    const HEADS: &[Head] = &[
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
    ];
    section(page, "days", "Day by day", |page| {
        table(page, "cards sortable", "A line for each date of the period", HEADS, |grid| {
            for day in &report.days {
                grid.row(&[], |grid| one_day(grid, day, report));
            }
        });
    });
}

fn one_day(grid: &mut Grid<'_>, day: &DayRow, report: &PeriodReport) {
    let date = day.business_date.to_string();
    let Some(figures) = &day.figures else {
        grid.words(&date);
        grid.mark(Mark { word: "never reconciled", ..words::verdict(day.verdict) });
        for _ in 0..9 {
            grid.cell(Markup::unknown);
        }
        return;
    };
    grid.cell(|page| {
        // The folder of the date lies two above that of the period.
        let link = format!("../../{date}/{}", crate::report::PAGE_FILE);
        page.element("a", &[("href", &link)], &date);
    });
    grid.cell(|page| {
        badge(page, words::verdict(day.verdict));
        if figures.is_stale {
            page.fixed(" stale");
        }
    });
    let counts = [
        figures.not_evaluated,
        figures.errors,
        figures.warnings,
        figures.new + figures.reopened,
        figures.cleared,
        figures.closing,
    ];
    for count in counts {
        grid.cell(|page| page.count(count));
    }
    let amounts: Vec<_> =
        report.amounts.iter().filter(|row| row.business_date == day.business_date).collect();
    let mut open = Sums::default();
    let mut paid = Sums::default();
    for row in amounts {
        if row.closing > 0 && row.currency.is_some() {
            open.add(row.closing_amount, row.currency);
        }
        paid.add(row.deposited_net, row.currency);
    }
    grid.cell(|page| page.sums(&open));
    grid.cell(|page| page.sums(&paid));
    state::match_rate(grid, figures.matched, figures.ledger_records);
}

fn trends(page: &mut Markup, report: &PeriodReport) {
    section(page, "trends", "Trends", |page| {
        page.fixed(
            "<p class=\"note\">A column for each date; the figures stand above. Each picture \
             has a scale of its own, from zero to the highest column.</p>\n",
        );
        page.open("div", &[("class", "charts")]);
        let of = |of: &dyn Fn(&DayFigures) -> Option<i128>| -> Vec<Option<i128>> {
            report.days.iter().map(|day| of(day.figures.as_ref()?)).collect()
        };
        let rate = of(&|day| rate_tenths(day.matched, day.ledger_records).map(i128::from));
        if rate.iter().any(Option::is_some) {
            let tenths = |rate: i128| format!("{}.{} %", rate / 10, rate % 10);
            chart(page, report, "Books matched", &rate, Tone::Good, &tenths);
        }
        let plain = |count: i128| markup::grouped(&count.to_string());
        let open = of(&|day| Some(i128::from(day.closing)));
        chart(page, report, "Open discrepancies", &open, Tone::Plain, &plain);
        let old = of(&|day| Some(day.ages[3..].iter().map(|count| i128::from(*count)).sum()));
        let name = "Open for more than five banking days";
        chart(page, report, name, &old, Tone::Less, &plain);
        for currency in currencies(report) {
            let name = format!("Open differences, {}", currency.code());
            let values = by_day(report, currency);
            let money = |sum: i128| {
                format!("{} {}", markup::grouped(&major(sum, currency)), currency.code())
            };
            chart(page, report, &name, &values, Tone::Fault, &money);
        }
        page.close("div");
    });
}

fn currencies(report: &PeriodReport) -> Vec<Currency> {
    let mut found: Vec<Currency> = report.amounts.iter().filter_map(|row| row.currency).collect();
    found.sort_by_key(|currency| currency.code());
    found.dedup();
    found
}

/// The open differences of each date in one currency: nothing where a date has nothing in it.
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
    page: &mut Markup,
    report: &PeriodReport,
    name: &str,
    values: &[Option<i128>],
    tone: Tone,
    show: &dyn Fn(i128) -> String,
) {
    let known = || values.iter().flatten().copied();
    let (Some(highest), Some(last)) = (known().max(), known().next_back()) else { return };
    page.within("figure", &[("class", "chart")], |page| {
        page.within("figcaption", &[], |page| {
            page.element("b", &[], name);
            page.text(&format!(": {} at the end, {} at most", show(last), show(highest)));
        });
        columns(page, Scale::of(known()), values, tone);
        page.within("div", &[("class", "axis"), ("aria-hidden", "true")], |page| {
            page.element("span", &[], &report.first.to_string());
            page.element("span", &[], &report.last.to_string());
        });
    });
}

fn merchants(page: &mut Markup, rows: &[MerchantPeriodRow]) {
    const HEADS: &[Head] = &[
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
    section(page, "merchants", "Merchants", |page| {
        let mut rows: Vec<&MerchantPeriodRow> = rows.iter().collect();
        rows.sort_by_key(|row| (row.verdict, std::cmp::Reverse(row.closing)));
        table(page, "cards sortable", "A line for each merchant and currency", HEADS, |grid| {
            for row in rows.iter().take(state::MAX_LINES) {
                grid.row(&[], |grid| {
                    grid.cell(|page| merchant(page, &row.merchant_id, &row.merchant_name));
                    grid.mark(words::verdict(row.verdict));
                    let days = [
                        row.days_tied,
                        row.days_in_transit,
                        row.days_discrepancy,
                        row.days_not_evaluated,
                    ];
                    for count in days {
                        grid.count(Some(count));
                    }
                    state::amount(grid, row.deposited_net, row.currency);
                    for count in [row.new, row.cleared, row.closing] {
                        grid.count(Some(count));
                    }
                    state::amount(grid, row.closing_amount, row.currency);
                    state::match_rate(grid, row.matched, row.ledger_records);
                });
            }
        });
        state::rest(page, rows.len(), "merchants.csv");
    });
}

fn returns(page: &mut Markup, report: &PeriodReport) {
    section(page, "returns", "Bank debits that came back", |page| {
        let Some(first) = report.return_rates.first() else {
            page.fixed("<p>No merchant debited a bank account.</p>\n");
            return;
        };
        page.within("p", &[], |page| {
            page.text(&format!(
                "The rules of the ACH network set thresholds for debits that come back: 0.5 % \
                 for those that the customer did not authorize, 3 % for administrative reasons, \
                 15 % for all. Counted are debits in US dollars whose return is dated {} to {}, \
                 in percent of the debits that settled in these {} days; only days that were \
                 read in full count on either side, and a rate is judged when all of them were.",
                first.window_from,
                first.window_to,
                first.days()
            ));
        });
        rates(page, &report.return_rates);
        codes(page, report);
    });
}

fn rates(page: &mut Markup, rows: &[ReturnRateRow]) {
    const HEADS: &[Head] = &[
        text("Merchant"),
        text("Measure"),
        figure("Came back"),
        figure("Debits"),
        figure("Rate in percent"),
        figure("Threshold"),
        text("Standing"),
        figure("Days read"),
    ];
    table(page, "cards sortable", "Return rates and their thresholds", HEADS, |grid| {
        for row in rows.iter().take(state::MAX_LINES) {
            grid.row(&[], |grid| {
                grid.cell(|page| merchant(page, &row.merchant_id, &row.merchant_name));
                grid.words(&measure(row.measure));
                grid.count(Some(row.returned));
                grid.count(Some(row.debits));
                percent(grid, rate_hundredths(Some(row.returned), Some(row.debits)));
                percent(grid, Some(row.measure.threshold()));
                grid.mark(standing(row.standing()));
                grid.cell(|page| {
                    page.count(row.days_read);
                    page.fixed(" of ");
                    page.count(row.days());
                });
            });
        }
    });
    state::rest(page, rows.len(), "return_rates.csv");
}

fn measure(measure: ReturnMeasure) -> String {
    let codes = measure.codes().map(|codes| codes.join(", "));
    match (measure, codes) {
        (ReturnMeasure::Unauthorized, Some(codes)) => format!("not authorized ({codes})"),
        (ReturnMeasure::Administrative, Some(codes)) => format!("administrative ({codes})"),
        _ => "all codes".to_owned(),
    }
}

fn percent(grid: &mut Grid<'_>, hundredths: Option<i64>) {
    let plain = hundredths.map(|parts| format!("{}.{:02}", parts / 100, parts % 100));
    grid.keyed(plain.as_deref(), |page| match &plain {
        Some(plain) => page.number(plain),
        None => page.unknown(),
    });
}

fn standing(standing: Standing) -> Mark {
    match standing {
        Standing::Within => Mark { class: "good", sign: "✓", word: "within" },
        Standing::Over => Mark { class: "bad", sign: "✕", word: "over" },
        Standing::NotEvaluated => Mark { class: "untold", sign: "?", word: "not evaluated" },
        Standing::NoDebits => Mark { class: "wait", sign: "–", word: "no debits" },
    }
}

fn codes(page: &mut Markup, report: &PeriodReport) {
    const HEADS: &[Head] =
        &[text("Merchant"), text("Code"), text("Reason"), figure("Came back"), figure("Amount")];
    if report.return_codes.is_empty() {
        page.fixed("<p>None came back.</p>\n");
        return;
    }
    table(page, "cards sortable", "Debits that came back, by code", HEADS, |grid| {
        for row in report.return_codes.iter().take(state::MAX_LINES) {
            grid.row(&[], |grid| {
                grid.cell(|page| merchant(page, &row.merchant_id, &row.merchant_name));
                grid.foreign(&row.code);
                grid.foreign(&row.reason);
                grid.count(Some(row.returned));
                state::amount(grid, row.amount, Some(row.currency));
            });
        }
    });
    state::rest(page, report.return_codes.len(), "return_codes.csv");
}

const _: () = assert!(AGES[2].2 == 5, "the chart of the old ones begins after five days");
