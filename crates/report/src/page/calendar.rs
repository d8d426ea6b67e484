//! The dates of a reports folder as a calendar: a month a table, each date with the sign of its state.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};

use super::words::{Mark, NOT_RUN};
use crate::files::PAGE_FILE;

/// Maximum number of months shown; the table of dates has all.
const MAX_MONTHS: usize = 12;
const WEEK: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// The content of a date in the calendar.
pub(super) enum Day {
    /// A link to its page, with its state if that is known.
    Page(Option<Mark>),
    NotRun,
}

/// The newest months that have dates, newest first.
pub(super) fn calendar(dates: &BTreeMap<NaiveDate, Day>) -> Markup {
    let mut months: Vec<NaiveDate> = dates.keys().filter_map(|date| date.with_day(1)).collect();
    months.dedup();
    let shown = months.iter().rev().take(MAX_MONTHS);
    html! {
        div.charts { @for first in shown { (month(*first, dates)) } } "\n"
        @if months.len() > MAX_MONTHS {
            p.note { "The last " (MAX_MONTHS) " of " (months.len()) " months." } "\n"
        }
    }
}

fn month(first: NaiveDate, dates: &BTreeMap<NaiveDate, Day>) -> Markup {
    // From the Monday on or before the first, so that each row is a week.
    let begin = first.week(chrono::Weekday::Mon).first_day();
    let days: Vec<NaiveDate> = begin.iter_days().take(6 * 7).collect();
    let is_own = |day: &NaiveDate| day.month() == first.month();
    html! {
        table class="plain calendar" {
            caption { (first.format("%B %Y").to_string()) } "\n"
            thead { tr {
                @for name in WEEK { th scope="col" class="words" { (name) } }
            } } "\n"
            tbody {
                @for week in days.chunks(7).filter(|week| week.iter().any(is_own)) {
                    tr {
                        @for day in week {
                            td class="words" { div { @if is_own(day) { (one(*day, dates)) } } }
                        }
                    } "\n"
                }
            }
        }
        "\n"
    }
}

/// A day: a link with its state if there is a report, its state alone if it was not run, else its
/// number.
fn one(day: NaiveDate, dates: &BTreeMap<NaiveDate, Day>) -> Markup {
    match dates.get(&day) {
        None => html! { span.note { (day.day()) } },
        Some(Day::NotRun) => {
            html! { span title=(NOT_RUN.word) { (day.day()) (signed(Some(NOT_RUN))) } }
        }
        Some(Day::Page(mark)) => html! {
            a href={ (day) "/" (PAGE_FILE) } title=[mark.map(|mark| mark.word)] {
                (day.day()) (signed(*mark))
            }
        },
    }
}

fn signed(mark: Option<Mark>) -> Markup {
    html! {
        @if let Some(mark) = mark {
            " "
            span class={ "state " (mark.class) } aria-hidden="true" { (mark.sign) }
            span.hidden { " " (mark.word) }
        }
    }
}
