//! Planted discrepancies are found, no more and no fewer; worlds without any are clean.

use tieout::cli::{Found, grade};
use tieout_sandbox::{Expected, WorldOptions, newer_plants, plant_codes, plants_of_a_week};

use crate::audit;
use crate::harness::{Served, Site, clean, lively, reports};
use crate::kinds::seeds;

/// What `expected` says less what a run over the world finds, as lines; none is perfect.
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
        let Some(outcome) = &date.outcome else { continue };
        // What is not evaluated for want of terminals is the plant.
        let is_said = |merchant: &str| {
            let unnamed = |entry: &Expected| entry.code == "TERMINALS_NOT_NAMED";
            served.key.expected.iter().any(|one| unnamed(one) && one.merchant_id == merchant)
        };
        let skipped = outcome.not_evaluated.iter().filter(|entry| !is_said(&entry.merchant_id));
        wrong.extend(skipped.map(|entry| {
            format!(
                "{}: not evaluated: {} {} {} {}",
                date.business_date, entry.code, entry.merchant_id, entry.scope, entry.reason
            )
        }));
        let rows = outcome.discrepancies.clone();
        found.push((date.business_date, rows));
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
fn assert_graded(options: &WorldOptions) {
    let wrong = faults(options);
    assert!(wrong.is_empty(), "{options:?}:\n{}", wrong.join("\n"));
}

fn planted(mut options: WorldOptions, codes: &[&str]) -> WorldOptions {
    options.plants = codes.iter().map(ToString::to_string).collect();
    options
}

/// Ranges of about a week: quiet ones, over month ends, and over the holidays of both
/// countries, where due dates are far from their batches.
const WEEKS: [(&str, &str); 8] = [
    ("2026-11-02", "2026-11-08"),
    ("2026-11-23", "2026-12-02"),
    ("2026-12-21", "2027-01-05"),
    ("2026-10-08", "2026-10-16"),
    ("2026-09-28", "2026-10-07"),
    ("2027-03-22", "2027-04-02"),
    ("2027-06-28", "2027-07-08"),
    ("2028-02-25", "2028-03-04"),
];

#[test]
fn finds_all_that_is_planted_and_nothing_else() {
    for (seed, (from, to)) in (1..).zip(WEEKS) {
        assert_graded(&planted(clean(seed, from, to, 4, 60), &plant_codes()));
    }
}

#[test]
fn finds_all_that_is_planted_whatever_the_seed() {
    for seed in 100..116 {
        let merchants = 3 + u32::try_from(seed % 4).unwrap();
        let options = clean(seed, "2026-11-02", "2026-11-08", merchants, 40);
        assert_graded(&planted(options, &plant_codes()));
    }
}

#[test]
fn finds_each_code_alone() {
    for (seed, code) in (200..).zip(plant_codes()) {
        assert_graded(&planted(clean(seed, "2026-11-02", "2026-11-08", 3, 20), &[code]));
    }
}

#[test]
fn finds_each_newer_plant_alone() {
    for (seed, name) in (800..).zip(newer_plants()) {
        assert_graded(&planted(clean(seed, "2026-11-02", "2026-11-15", 9, 40), &[name]));
    }
}

/// `WORLD_SEEDS=1..20` looks at more worlds, `WORLD_PLANTS=A,B` plants these alone.
#[test]
fn finds_what_is_planted_among_all_kinds() {
    let plants = std::env::var("WORLD_PLANTS").unwrap_or_else(|_| plants_of_a_week().join(","));
    let plants: Vec<&str> = plants.split(',').filter(|name| !name.is_empty()).collect();
    for seed in seeds() {
        let world = clean(seed, "2026-11-02", "2026-11-08", 24, 200);
        assert_graded(&planted(lively(world), &plants));
    }
}

#[test]
fn finds_the_same_code_planted_twice() {
    for (seed, code) in (300..).zip(plant_codes()) {
        assert_graded(&planted(clean(seed, "2026-11-02", "2026-11-11", 4, 20), &[code, code]));
    }
}

/// A clean world in the eyes of a shell: exit 0, tables with a header and no rows, nothing
/// left unevaluated, and what ties is said to tie.
fn assert_clean(options: &WorldOptions) {
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

#[test]
fn finds_nothing_where_nothing_is_planted_over_holidays_and_month_ends() {
    for (seed, (from, to)) in (400..).zip(WEEKS) {
        assert_clean(&lively(clean(seed, from, to, 4, 40)));
    }
}

#[test]
fn finds_nothing_where_nothing_is_planted_whatever_the_merchants_and_volumes() {
    for (seed, merchants) in (500..).zip([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]) {
        let volume = [1, 3, 10, 40, 400][usize::try_from(seed % 5).unwrap()];
        assert_clean(&lively(clean(seed, "2026-11-05", "2026-11-10", merchants, volume)));
    }
}

#[test]
fn finds_nothing_in_single_days_of_any_kind() {
    // A Sunday, a Monday after a long weekend, Christmas Eve, a leap day, New Year.
    let days = ["2026-11-08", "2026-10-13", "2026-12-24", "2028-02-29", "2027-01-01"];
    for (seed, day) in (600..).zip(days) {
        assert_clean(&lively(clean(seed, day, day, 3, 30)));
    }
}
