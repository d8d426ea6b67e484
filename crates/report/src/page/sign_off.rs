//! The sign-off of a date in words, and the cut-off of a page.

use chrono::NaiveDate;
use chrono_tz::Tz;
use maud::{Markup, html};

use super::markup::{Text, foreign};
use super::words::counted;
use crate::signed::local_time;
use tieout_model::{Discrepancy, DiscrepancyStatus, Severity, SignOff, Signature};

/// A sentence about each signature, with the number of open errors, or about its absence.
pub(super) fn paragraph(sign_off: &SignOff, rows: &[Discrepancy], time_zone: Tz) -> Markup {
    let is_open_error = |row: &&Discrepancy| {
        row.severity == Severity::Error && row.status != DiscrepancyStatus::Cleared
    };
    let open = rows.iter().filter(is_open_error).count() as u64;
    let act = |what: &str, by: &Signature, errors: u64| {
        html! {
            (what) " " b { (foreign(&by.who)) } " on " (local_time(by, time_zone))
            @if errors > 0 { " with " (counted(errors, "error", "errors")) " open" }
            @if !by.note.is_empty() { ": " (foreign(&by.note)) }
            ". "
        }
    };
    html! {
        p.signed {
            b { "Sign-off:" } " "
            @if let Some(by) = &sign_off.prepared { (act("Prepared by", by, open)) }
            @if let Some(by) = &sign_off.closed { (act("Approved and closed by", by, open)) }
            @if let Some(by) = &sign_off.taken_back { (act("Taken back by", by, 0)) }
            @if sign_off.closed.is_none() {
                @if sign_off.prepared.is_some() { "A second person has not approved it yet." }
                @else { "This date is neither prepared nor approved." }
            }
        } "\n"
    }
}

/// The person who closed a date of a period, or prepared it.
pub(super) fn in_short(sign_off: &SignOff) -> Markup {
    html! {
        @match (&sign_off.closed, &sign_off.prepared) {
            (Some(closed), Some(prepared)) => {
                (foreign(&closed.who)) ", prepared by " (foreign(&prepared.who))
            }
            (Some(closed), None) => (foreign(&closed.who)),
            (None, Some(prepared)) => { "prepared by " (foreign(&prepared.who)) }
            (None, None) => "nobody",
        }
    }
}

/// The last date that the page covers, with the time zones of its days and of its times.
pub(super) fn cut_off(last: NaiveDate, merchants: Option<&str>, times: Option<Tz>) -> Markup {
    html! {
        p.cutoff {
            "Cut-off: records dated up to and including " time { (last) } ". Business dates are the \
             processor's; days of bank transfers and books are "
            @match merchants {
                Some(zone) => { "of the time zone " (Text(zone)) },
                None => "as each merchant's time zone has them",
            }
            "."
            @if let Some(zone) = times { " Times are of the zone " (zone.name()) "." }
        } "\n"
    }
}
