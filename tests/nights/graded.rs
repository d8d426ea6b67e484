//! Worlds compared with their answer keys: every plant is found, and clean worlds are clean.

use tieout::cli::{Found, grade};
use tieout_sandbox::{Expected, WorldOptions};

use super::audit;
use crate::harness::{Served, Site, reports};

/// Ranges of about a week: quiet ones, over month ends, and over the holidays of both
/// countries, where due dates are far from their batches.
pub const WEEKS: [(&str, &str); 8] = [
    ("2026-11-02", "2026-11-08"),
    ("2026-11-23", "2026-12-02"),
    ("2026-12-21", "2027-01-05"),
    ("2026-10-08", "2026-10-16"),
    ("2026-09-28", "2026-10-07"),
    ("2027-03-22", "2027-04-02"),
    ("2027-06-28", "2027-07-08"),
    ("2028-02-25", "2028-03-04"),
];

/// The difference between the answer key and the findings of a run over the world, as lines; empty
/// when they agree.
fn faults(options: &WorldOptions) -> Vec<String> {
    let served = Served::new(options);
    let site = served.site_with_books();
    let result = served.job(&site);
    let mut wrong = Vec::new();
    let mut found: Vec<Found> = Vec::new();
    for date in &result.dates {
        if let Some(error) = &date.error {
            wrong.push(format!("{}: {error}", date.business_date));
        }
        let Some(outcome) = result.outcome(date.business_date).unwrap() else { continue };
        // Checks not evaluated for want of terminals are the plant.
        let is_said = |merchant: &str| {
            let unnamed = |entry: &Expected| entry.code == "TERMINALS_NOT_NAMED";
            served.key.expected.iter().any(|one| unnamed(one) && one.merchant_id == merchant)
        };
        let skipped =
            outcome.not_evaluated.iter().filter(|entry| !is_said(entry.merchant_id.as_str()));
        wrong.extend(skipped.map(|entry| {
            format!(
                "{}: not evaluated: {} {} {} {}",
                date.business_date, entry.code, entry.merchant_id, entry.scope, entry.reason
            )
        }));
        found.push((date.business_date, outcome.discrepancies));
    }
    wrong.extend(grade(&served.key, &found));
    wrong.extend(false_pairs(&served, &site));
    wrong.extend(audit::faults(&site.reports(), &served.dates()));
    wrong
}

/// Pairs of an item and an entry of the books that is not about it.
fn false_pairs(served: &Served, site: &Site) -> Vec<String> {
    let truth = served.world.items_behind_books();
    let mut wrong = Vec::new();
    let mut pairs = 0;
    for date in served.dates() {
        for row in reports::table(&site.reports(), date, "matches.csv") {
            pairs += 1;
            if !truth.get(&row["ledger_id"]).is_some_and(|items| items.contains(&row["item_id"])) {
                wrong.push(format!("{date}: a false pair: {row:?}"));
            }
        }
    }
    if pairs == 0 {
        wrong.push("nothing was paired at all".to_owned());
    }
    wrong
}

#[track_caller]
pub fn assert_graded(options: &WorldOptions) {
    let wrong = faults(options);
    assert!(wrong.is_empty(), "{options:?}:\n{}", wrong.join("\n"));
}

pub fn planted(mut options: WorldOptions, codes: &[&str]) -> WorldOptions {
    options.plants = codes.iter().map(ToString::to_string).collect();
    options
}

/// A clean world in the eyes of a shell: exit 0, tables with a header and no rows, every check
/// evaluated, and every group tied.
pub fn assert_clean(options: &WorldOptions) {
    let served = Served::new(options);
    let site: Site = served.site_with_books();
    let ended = site.run(&[
        "run",
        "--date",
        &format!("{}..{}", options.from, options.to),
        "--fail-on",
        "info",
    ]);
    assert_eq!(ended.code, Some(0), "{options:?}\n{}\n{}", ended.stdout, ended.stderr);
    for date in served.dates() {
        let files = reports::files(&site.reports().join(date.to_string()));
        let rows = String::from_utf8_lossy(&files["discrepancies.csv"]).into_owned();
        assert_eq!(rows.lines().count(), 1, "{options:?} {date}:\n{rows}");
        assert!(rows.starts_with("discrepancy_id,code,severity,status,"), "{rows}");
        let record = reports::manifest(&site.reports(), date);
        let skipped = record["checks"]["not_evaluated"].as_array().unwrap();
        assert!(skipped.is_empty(), "{options:?} {date}: {skipped:#?}");
        for file in ["deposits.csv", "batches.csv", "summary.csv"] {
            for row in reports::table(&site.reports(), date, file) {
                let verdict = row["verdict"].as_str();
                assert!(
                    verdict == "tied" || verdict == "in_transit",
                    "{options:?} {date} {file}: {row:?}"
                );
            }
        }
    }
    let mut wrong = audit::faults(&site.reports(), &served.dates());
    // The smallest worlds have days without any item.
    wrong.extend(
        false_pairs(&served, &site).into_iter().filter(|_| options.transactions_per_day > 9),
    );
    assert!(wrong.is_empty(), "{options:?}:\n{}", wrong.join("\n"));
}
