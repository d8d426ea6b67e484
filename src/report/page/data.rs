//! What the figures rest on: what was read, what was not, and what could therefore not be
//! checked.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::markup::Markup;
use super::shell::section;
use super::table::{Head, figure, table, text};
use super::words::{self, counted};
use crate::model::NotEvaluated;
use crate::report::manifest::{ListingRecord, RunRecord};

/// Lines of a table here; the manifest has all.
const MAX_LINES: usize = 50;

/// The section about the data.
pub(super) fn completeness(page: &mut Markup, run: &RunRecord) {
    section(page, "data", "What was read and checked", |page| {
        not_checked(page, &run.checks.not_evaluated, run.checks.evaluated.len() as u64);
        if run.ledger.quarantined.count > 0 {
            page.within("p", &[("class", "caution")], |page| {
                let rows = counted(run.ledger.quarantined.count, "ledger row", "ledger rows");
                page.text(&format!(
                    "{rows} could not be read and took no part in anything. \
                     tieout ledger check names each."
                ));
            });
        }
        listings(page, &run.listings, run.business_date);
        incomplete(page, &run.listings);
    });
}

/// The checks that could not be made, by reason.
fn not_checked(page: &mut Markup, entries: &[NotEvaluated], evaluated: u64) {
    const HEADS: &[Head] = &[text("Why"), figure("Checks"), text("Which"), text("Merchants")];
    if entries.is_empty() {
        page.within("p", &[], |page| {
            page.text(&format!("All {} were made.", counted(evaluated, "check", "checks")));
        });
        return;
    }
    let mut reasons: BTreeMap<&str, Vec<&NotEvaluated>> = BTreeMap::new();
    for entry in entries {
        reasons.entry(&entry.reason).or_default().push(entry);
    }
    table(page, "cards", "What could not be checked, and why", HEADS, |grid| {
        for (reason, entries) in reasons.iter().take(MAX_LINES) {
            grid.row(&[], |grid| {
                grid.foreign(reason);
                grid.cell(|page| page.count(entries.len() as u64));
                let codes: BTreeSet<&str> = entries.iter().map(|e| e.code.as_str()).collect();
                grid.foreign(&some_of(&codes));
                let merchants: BTreeSet<&str> =
                    entries.iter().map(|entry| entry.merchant_id.as_str()).collect();
                let is_for_all = merchants.contains("");
                grid.foreign(&if is_for_all { "all".to_owned() } else { some_of(&merchants) });
            });
        }
    });
    if reasons.len() > MAX_LINES {
        page.within("p", &[("class", "note")], |page| {
            page.text(&format!(
                "The first {MAX_LINES} of {} reasons; run.json has all.",
                reasons.len()
            ));
        });
    }
}

fn some_of(names: &BTreeSet<&str>) -> String {
    const MAX_NAMES: usize = 8;
    let first: Vec<&str> = names.iter().take(MAX_NAMES).copied().collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Readings of the date itself by what they are of. What was read of other dates, or looked up
/// one by one, depends on what the store held before, and the page must not: it stands in the
/// manifest alone.
fn listings(page: &mut Markup, listings: &[ListingRecord], date: NaiveDate) {
    const HEADS: &[Head] = &[text("What"), figure("Complete"), figure("Not complete")];
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
        return;
    }
    table(page, "plain", "What was read of this date from the processor", HEADS, |grid| {
        for ((resource, selector), (complete, not_complete)) in counts {
            grid.row(&[], |grid| {
                let how = if selector == "date" { "" } else { selector };
                grid.words(&format!("{} {how}", words::title_of(&resource.replace('-', "_"))));
                grid.cell(|page| page.count(complete));
                grid.cell(|page| page.count(not_complete));
            });
        }
    });
}

fn is_complete(listing: &ListingRecord) -> bool {
    listing.verdict == "complete"
}

fn incomplete(page: &mut Markup, listings: &[ListingRecord]) {
    const HEADS: &[Head] = &[text("What"), text("Day"), text("Of"), text("Why")];
    let missing: Vec<&ListingRecord> = listings.iter().filter(|one| !is_complete(one)).collect();
    if missing.is_empty() {
        page.fixed("<p>Every reading is complete.</p>\n");
        return;
    }
    table(page, "cards", "Readings that are not complete", HEADS, |grid| {
        for listing in missing.iter().take(MAX_LINES) {
            grid.row(&[], |grid| {
                grid.words(&format!("{} ({})", listing.resource, listing.selector));
                grid.words(&listing.date.map(|date| date.to_string()).unwrap_or_default());
                grid.foreign(&listing.scope);
                grid.foreign(listing.error.as_deref().unwrap_or("it was not read"));
            });
        }
    });
    if missing.len() > MAX_LINES {
        page.within("p", &[("class", "note")], |page| {
            page.text(&format!("The first {MAX_LINES} of {}; run.json has all.", missing.len()));
        });
    }
}
