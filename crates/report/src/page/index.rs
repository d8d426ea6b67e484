//! The page of all dates of a reports folder, newest first.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::calendar::{Day, calendar};
use super::markup::{Text, count, number, paragraph};
use super::shell::{Shell, section};
use super::sign_off::{cut_off, in_short};
use super::table::{Cell, Head, badge, figure, table, text};
use super::words::{self, Mark, NOT_RUN};
use crate::files::PAGE_FILE;
use crate::manifest::IndexedDate;
use tieout_model::{DateStanding, MoneyPart, Verdict};

/// The page; `missed` are dates that were not run, `periods` the folders of periods.
pub(crate) fn index_page(
    dates: &[IndexedDate],
    missed: &[NaiveDate],
    periods: &[String],
) -> String {
    let content = html! {
        header.top {
            p.kind { "Settlement reconciliation" } "\n"
            h1 { "All dates" } "\n"
        } "\n"
        main {
            (section("calendar", "Calendar", &calendar(&states(dates, missed))))
            (section("dates", "Dates, newest first", &all(dates, missed)))
            @if !periods.is_empty() {
                (section("periods", "Periods", &html! {
                    ul {
                        @for name in periods {
                            li {
                                a href={ "periods/" (Text(name)) "/" (PAGE_FILE) } { (Text(name)) }
                            }
                        }
                    } "\n"
                }))
            }
            @if let Some(newest) = dates.first() {
                (cut_off(newest.business_date, zone_of_all(dates), None))
            }
        } "\n"
    };
    let tool_version = dates.first().map_or("", |date| date.tool_version.as_str());
    Shell { title: "Settlement: all dates", files: &[], tool_version, results_digest: "" }
        .wrap(&content)
}

/// The time zone of all merchants on all dates; `None` if there are several.
fn zone_of_all(dates: &[IndexedDate]) -> Option<&str> {
    let mut zones = dates.iter().map(|date| date.standing.as_ref()?.time_zone.as_deref());
    let first = zones.next()??;
    zones.all(|zone| zone == Some(first)).then_some(first)
}

fn all(dates: &[IndexedDate], missed: &[NaiveDate]) -> Markup {
    const HEADS: [Head; 10] = [
        text("Date"),
        text("Verdict"),
        figure("New"),
        figure("Carried"),
        figure("Cleared"),
        figure("Not evaluated"),
        figure("Overdue"),
        figure("Short"),
        text("Final since"),
        text("Signed off by"),
    ];
    // The first date on which everything up to `day` was final.
    let since = |day: NaiveDate| {
        let is_final = |date: &&IndexedDate| {
            let until = date.standing.as_ref().and_then(|standing| standing.final_until);
            until.is_some_and(|until| day <= until)
        };
        dates.iter().filter(is_final).map(|date| date.business_date).min()
    };
    let row = |date: &IndexedDate| {
        let day = date.business_date;
        let standing = date.standing.as_ref();
        let found = &date.discrepancies;
        [
            html! { a href={ (day) "/" (PAGE_FILE) } { time { (day) } } }.into(),
            mark(standing).map(badge).unwrap_or_default().into(),
            Cell::number(standing.map(|standing| standing.new.to_string())),
            standing.map_or_else(|| Cell::words(""), carried),
            count(found.cleared.count).into(),
            count(date.checks.not_evaluated.len() as u64).into(),
            owed(standing, MoneyPart::Overdue),
            owed(standing, MoneyPart::Short),
            since(day).map_or_else(|| Cell::words("not yet"), |date| Cell::date(Some(date))),
            in_short(&date.sign_off).into(),
        ]
    };
    let mut rows: Vec<(NaiveDate, [Cell; HEADS.len()])> =
        dates.iter().map(|date| (date.business_date, row(date))).collect();
    rows.extend(missed.iter().map(|day| (*day, not_run(*day))));
    rows.sort_by_key(|(day, _)| std::cmp::Reverse(*day));
    let rows = rows.into_iter().map(|(_, cells)| cells);
    html! {
        (table("cards sortable", "A line for each business date", &HEADS, rows))
        (paragraph("note", &"The verdict is the date's own: it counts discrepancies that are new \
                             on the date. Those carried from earlier dates are counted beside it. \
                             New and carried are errors and warnings."))
    }
}

/// A line for a date that was not run.
fn not_run<const COLUMNS: usize>(day: NaiveDate) -> [Cell; COLUMNS] {
    std::array::from_fn(|at| match at {
        0 => Cell::date(Some(day)),
        1 => Cell::mark(NOT_RUN),
        _ => Cell::words(""),
    })
}

/// Each date with the mark of its state.
fn states(dates: &[IndexedDate], missed: &[NaiveDate]) -> BTreeMap<NaiveDate, Day> {
    let not_run = missed.iter().map(|day| (*day, Day::NotRun));
    let page = |date: &IndexedDate| Day::Page(mark(date.standing.as_ref()));
    not_run.chain(dates.iter().map(|date| (date.business_date, page(date)))).collect()
}

/// The mark of a date's own verdict.
fn mark(standing: Option<&DateStanding>) -> Option<Mark> {
    let known = [Verdict::NotEvaluated, Verdict::Discrepancy, Verdict::InTransit, Verdict::Tied]
        .into_iter()
        .find(|verdict| standing.is_some_and(|standing| standing.own_verdict == verdict.as_str()));
    known.map(words::verdict)
}

/// `31 since 2026-11-02`.
fn carried(standing: &DateStanding) -> Cell {
    let shown = html! {
        (count(standing.carried))
        @if let Some(date) = standing.carried_since { " since " time { (date) } }
    };
    Cell::keyed(Some(standing.carried.to_string()), shown)
}

/// The amounts of one part of the money owed, a line for each currency.
fn owed(standing: Option<&DateStanding>, part: MoneyPart) -> Cell {
    let sums = standing.and_then(|standing| standing.owed.get(part.name()));
    let lines = || sums.into_iter().flatten();
    // The sort key is the first amount, within its currency.
    let key = lines().next().map(|(code, amount)| format!("{code}:{}", amount.minor.0));
    let shown = html! {
        @for (position, (code, amount)) in lines().enumerate() {
            @if position > 0 { br; }
            span.money { (number(&amount.to_string())) "\u{a0}" (Text(code)) }
        }
    };
    Cell::keyed(key, shown)
}
