//! The data behind the figures: listings that were read, listings that were not, and the checks
//! that could therefore not be evaluated.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::markup::{Text, count, paragraph};
use super::shell::section;
use super::table::{Cell, Head, figure, table, text};
use super::words::{self, counted};
use tieout_model::{ListingRecord, RunRecord};

/// Maximum number of lines of a table; the manifest has all.
const MAX_LINES: usize = 50;

/// The section about the data.
pub(super) fn completeness(run: &RunRecord) -> Markup {
    let quarantined = run.ledger.quarantined.count;
    let content = html! {
        p {
            (counted(run.checks.evaluated.len() as u64, "check was", "checks were")) " evaluated"
            @if run.checks.not_evaluated.is_empty() { "." }
            @else { ", not all of them in full: see " a href="#untold" { "Not evaluated" } "." }
        } "\n"
        @if quarantined > 0 {
            (paragraph("caution", &format!(
                "{} quarantined: not read and not compared. tieout ledger check names each.",
                counted(quarantined, "ledger row is", "ledger rows are")
            )))
        }
        (listings(&run.listings, run.business_date))
        (incomplete(&run.listings))
        (conservation(&run.imbalances()))
    };
    section("data", "Data and totals", &content)
}

/// The conservation totals, and whether they add up.
fn conservation(imbalances: &[String]) -> Markup {
    html! {
        @if imbalances.is_empty() {
            (paragraph("note", &"The totals add up, by count and by amount: records received = \
                                 stored; items = paired + not paired + ambiguous; ledger records \
                                 = paired + not paired + ambiguous + not expected + out of scope; \
                                 opening + new + reopened − cleared − accepted = closing."))
        }
        @for imbalance in imbalances {
            (paragraph("caution", &Text(&format!("It does not add up: {imbalance}."))))
        }
    }
}

/// The remark under a table that shows only the first lines.
fn rest(all: usize, what: &str) -> Markup {
    html! {
        @if all > MAX_LINES {
            (paragraph("note", &format!(
                "The first {MAX_LINES} of {all} {what}; run.json has all."
            )))
        }
    }
}

/// Listings of the date itself by resource. Listings of other dates, and single look-ups, depend on
/// the earlier content of the store; the page must not, so they are in the manifest only.
fn listings(listings: &[ListingRecord], date: NaiveDate) -> Markup {
    const HEADS: [Head; 3] = [text("What"), figure("Complete"), figure("Not complete")];
    let mut counts: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for listing in listings.iter().filter(|listing| listing.date == Some(date)) {
        let count = counts.entry((&listing.resource, &listing.selector)).or_default();
        if is_complete(listing) {
            count.0 += 1;
        } else {
            count.1 += 1;
        }
    }
    if counts.is_empty() {
        return Markup::default();
    }
    let rows = counts.into_iter().map(|((resource, selector), (complete, not_complete))| {
        let how = if selector == "date" { "" } else { selector };
        [
            Cell::words(&format!("{} {how}", words::title_of(&resource.replace('-', "_")))),
            count(complete).into(),
            count(not_complete).into(),
        ]
    });
    table("plain read", "Listings of this date from the processor", &HEADS, rows)
}

fn is_complete(listing: &ListingRecord) -> bool {
    listing.verdict == "complete"
}

fn incomplete(listings: &[ListingRecord]) -> Markup {
    const HEADS: [Head; 4] = [text("What"), text("Day"), text("Of"), text("Why")];
    let missing: Vec<&ListingRecord> = listings.iter().filter(|one| !is_complete(one)).collect();
    if missing.is_empty() {
        return html! { p { "Every reading is complete." } "\n" };
    }
    let rows = missing.iter().take(MAX_LINES).map(|listing| {
        [
            Cell::words(&format!("{} ({})", listing.resource, listing.selector)),
            Cell::date(listing.date),
            Cell::foreign(&listing.scope),
            Cell::foreign(listing.error.as_deref().unwrap_or("not read")),
        ]
    });
    html! {
        (table("cards", "Readings that are not complete", &HEADS, rows))
        (rest(missing.len(), "readings"))
    }
}
