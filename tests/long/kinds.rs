//! Clean worlds hold the ordinary events of settlement, kind by kind and all at once, and stay
//! clean: for a key without `/transactions`, with it, and night by night over a service that lists
//! some records late. `WORLD_SEEDS=1..100` runs more worlds, `WORLD_KINDS=tips,holds` only these
//! kinds.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use tieout::night::{Run, RunResult, Stages, execute};
use tieout_model::clock::Clock;
use tieout_model::{Discrepancy, DiscrepancyStatus, Severity};
use tieout_sandbox::{Kind, ServeOptions, WorldOptions, plants_of_a_week};
use tieout_store::{Store, days};

use crate::harness::{self, Served, Site, clean, reports};

/// Seeds of a run without `WORLD_SEEDS`.
const SEEDS: &str = "1..2";

/// Ranges with weekends, month ends and the holidays of both countries.
const RANGES: [(&str, &str); 6] = [
    ("2026-11-02", "2026-11-11"),
    ("2026-11-23", "2026-12-02"),
    ("2026-12-21", "2027-01-05"),
    ("2026-10-08", "2026-10-16"),
    ("2026-09-28", "2026-10-07"),
    ("2027-03-22", "2027-04-02"),
];

/// The seeds of the worlds that are looked at.
pub fn seeds() -> std::ops::RangeInclusive<u64> {
    harness::seeds("WORLD_SEEDS", SEEDS)
}

fn kinds(has_transactions: bool) -> Vec<Kind> {
    let Ok(text) = std::env::var("WORLD_KINDS") else { return Kind::clean_for(has_transactions) };
    let kinds = text.split(',').map(|name| Kind::find(name).unwrap());
    kinds.filter(|kind| has_transactions || !kind.needs_transactions()).collect()
}

fn options(seed: u64, merchants: u32, kinds: &[Kind]) -> WorldOptions {
    let (from, to) = RANGES[usize::try_from(seed).unwrap() % RANGES.len()];
    WorldOptions { kinds: kinds.to_vec(), ..clean(seed, from, to, merchants, 10 * merchants) }
}

fn serving(has_transactions: bool) -> ServeOptions {
    ServeOptions { transactions: has_transactions, ..ServeOptions::default() }
}

/// Discrepancies, checks not evaluated and sums that do not tie in the reports of a run, a line
/// each.
fn faults(site: &Site, result: &RunResult) -> Vec<String> {
    let mut wrong = Vec::new();
    for date in &result.dates {
        let day = date.business_date;
        wrong.extend(date.error.as_ref().map(|error| format!("{day}: {error}")));
        let Some(outcome) = result.outcome(day).unwrap() else { continue };
        // An open one was reported on its first day.
        let is_new = |row: &&Discrepancy| row.status == DiscrepancyStatus::New;
        for row in outcome.discrepancies.iter().filter(is_new) {
            wrong.push(format!("{day}: {} {}", row.code, row.explanation));
        }
        for entry in &outcome.not_evaluated {
            let (code, merchant, reason) = (&entry.code, &entry.merchant_id, &entry.reason);
            wrong.push(format!("{day}: not evaluated: {code} {merchant} {reason}"));
        }
        if wrong.is_empty() {
            wrong.extend(untied(site, day));
        }
    }
    wrong
}

/// Rows of a date's tables that neither tie nor wait.
fn untied(site: &Site, date: NaiveDate) -> Vec<String> {
    let files = ["deposits.csv", "batches.csv", "summary.csv"];
    let rows = files.into_iter().flat_map(|file| {
        let rows = reports::table(&site.reports(), date, file);
        rows.into_iter().map(move |row| (file, row))
    });
    rows.filter(|(_, row)| !["tied", "in_transit"].contains(&row["verdict"].as_str()))
        .map(|(file, row)| format!("{date} {file}: {row:?}"))
        .collect()
}

/// One run over all dates of a world.
fn range(options: &WorldOptions, has_transactions: bool) -> Vec<String> {
    let served = Served::serving(options, serving(has_transactions));
    let site = served.site_with_books();
    faults(&site, &served.job(&site))
}

/// The same night by night.
fn nightly(options: &WorldOptions, has_transactions: bool) -> Vec<String> {
    let (site, nights) = nights(options, has_transactions);
    nights.iter().flat_map(|night| faults(&site, night)).collect()
}

/// A run for each date of a world, each over a service in the state of that night.
fn nights(options: &WorldOptions, has_transactions: bool) -> (Site, Vec<RunResult>) {
    let morning = |date: NaiveDate| {
        let next = date.checked_add_days(Days::new(1)).unwrap();
        next.and_hms_opt(9, 0, 0).unwrap().and_utc()
    };
    let at = |date| ServeOptions { now: Some(morning(date)), ..serving(has_transactions) };
    let mut served = Served::serving(options, at(options.from));
    let site = served.site_with_books();
    let settings = site.settings();
    let mut nights = Vec::new();
    for date in served.dates() {
        served = served.again(at(date));
        let run = Run::new(&settings, Clock::at(morning(date))).unwrap();
        nights.push(served.runtime.block_on(execute(&run, &[date], Stages::ALL)).unwrap());
    }
    (site, nights)
}

/// The open discrepancies after the last date of a run: id, code and figures.
fn open(result: &RunResult) -> BTreeSet<(String, String, Option<i64>, Option<i64>)> {
    let last = result.dates.last().unwrap().business_date;
    let outcome = result.outcome(last).unwrap().unwrap();
    let rows = outcome.discrepancies.iter();
    rows.filter(|row| row.is_carried && row.status != DiscrepancyStatus::Cleared)
        .map(|row| (row.discrepancy_id.clone(), row.code.clone(), row.expected, row.actual))
        .collect()
}

/// The worlds of `worlds` in which `run` finds anything, with the findings.
#[track_caller]
fn assert_clean(
    worlds: impl Iterator<Item = WorldOptions>,
    run: impl Fn(&WorldOptions) -> Vec<String>,
) {
    let mut wrong = Vec::new();
    for options in worlds {
        let found = run(&options);
        if !found.is_empty() {
            let names: Vec<&str> = options.kinds.iter().map(|kind| kind.name()).collect();
            let (seed, names) = (options.seed, names.join(","));
            wrong.push(format!("seed {seed}, {names}:\n  {}", found.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{} worlds:\n{}", wrong.len(), wrong.join("\n"));
}

/// The errors of a run without the key `terminals`. Checks that bank transfers could explain are
/// not evaluated then; transactions settled elsewhere or on hold are owed no more than with it.
fn errors_without_terminals(options: &WorldOptions, has_transactions: bool) -> Vec<String> {
    let served = Served::serving(options, serving(has_transactions));
    let site = served.site_with_books();
    let path = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let is_kept = |line: &&str| !line.starts_with("terminals = ");
    let kept: Vec<&str> = text.lines().filter(is_kept).collect();
    assert!(kept.len() < text.lines().count(), "the configuration names no terminals");
    std::fs::write(&path, kept.join("\n")).unwrap();
    let result = served.job(&site);
    let dates = result.dates.iter();
    let outcomes = dates.filter_map(|date| result.outcome(date.business_date).unwrap());
    outcomes
        .flat_map(|outcome| outcome.discrepancies)
        .filter(|row| row.status == DiscrepancyStatus::New && row.severity == Severity::Error)
        .map(|row| format!("{}: {} {}", row.business_date, row.code, row.explanation))
        .collect()
}

#[test]
fn terminals_that_are_not_named_bring_no_error() {
    for has_transactions in [true, false] {
        let kinds = kinds(has_transactions);
        let worlds = seeds().map(|seed| options(seed, 6, &kinds));
        assert_clean(worlds, |world| errors_without_terminals(world, has_transactions));
    }
}

#[test]
fn all_kinds_at_once_are_clean() {
    let kinds = kinds(false);
    assert_clean(seeds().map(|seed| options(seed, 6, &kinds)), |world| range(world, false));
}

#[test]
fn all_kinds_at_once_are_clean_for_a_key_with_transactions() {
    let kinds = kinds(true);
    assert_clean(seeds().map(|seed| options(seed, 6, &kinds)), |world| range(world, true));
}

#[test]
fn all_kinds_at_once_are_clean_night_by_night() {
    let kinds = kinds(true);
    assert_clean(seeds().map(|seed| options(seed, 6, &kinds)), |world| nightly(world, true));
}

#[test]
fn each_kind_alone_is_clean() {
    let mut kinds = kinds(true);
    if std::env::var_os("WORLD_KINDS").is_none() {
        kinds.extend(Kind::NAMED);
    }
    let worlds =
        kinds.into_iter().flat_map(|kind| seeds().map(move |seed| options(seed, 4, &[kind])));
    assert_clean(worlds, |world| {
        let needs = world.kinds.iter().any(|kind| kind.needs_transactions());
        range(world, needs)
    });
}

/// A world with plants and every kind in it.
fn planted(seed: u64) -> WorldOptions {
    let plants = plants_of_a_week().into_iter().map(str::to_owned).collect();
    let world = clean(seed, "2026-11-02", "2026-11-10", 24, 120);
    WorldOptions { plants, kinds: kinds(false), ..world }
}

/// Runs the nights of a world, and a backfill after the last of them: both leave the same open.
/// Returns the sites of both.
#[track_caller]
fn assert_nights_are_a_backfill(world: &WorldOptions) -> (Site, Site) {
    let served = Served::serving(world, serving(false));
    let site = served.site_with_books();
    let backfill = open(&served.job(&site));
    let (nightly, nights) = nights(world, false);
    let nights = open(nights.last().unwrap());
    let seed = world.seed;
    assert!(!backfill.is_empty(), "seed {seed}");
    let (more, less): (Vec<_>, Vec<_>) =
        (nights.difference(&backfill).collect(), backfill.difference(&nights).collect());
    assert_eq!((more, less), (Vec::new(), Vec::new()), "seed {seed}");
    (nightly, site)
}

#[test]
fn nights_leave_open_what_a_backfill_leaves_open() {
    for seed in seeds() {
        assert_nights_are_a_backfill(&planted(seed));
    }
}

/// The rows of a table on each date, without verdicts: a status is undated, and known as of the night.
fn figures(site: &Site, name: &str) -> BTreeSet<(String, Vec<(String, String)>)> {
    let mut rows = BTreeSet::new();
    for (path, content) in reports::tables(&site.reports()) {
        if path.ends_with(name) {
            let mut reader = csv::Reader::from_reader(content.as_slice());
            let headers = reader.headers().unwrap().clone();
            rows.extend(reader.records().map(Result::unwrap).map(|row| {
                let cells = headers.iter().zip(&row).filter(|cell| !cell.0.contains("verdict"));
                let owned = cells.map(|(header, cell)| (header.to_owned(), cell.to_owned()));
                (path.clone(), owned.collect())
            }));
        }
    }
    rows
}

/// Batches, authorizations, deposits with their fees and settled bank transfers come days after
/// their date, each at random, while it is read again. The dates that missed them are told, and
/// brought up to date show what the backfill shows.
#[test]
fn nights_leave_open_what_a_backfill_leaves_open_whatever_comes_late() {
    for seed in seeds() {
        let world = WorldOptions { lateness: Some(seed), ..planted(seed) };
        let (nightly, backfill) = assert_nights_are_a_backfill(&world);
        let behind = || {
            let days = days::all(&Store::open(&nightly.store()).unwrap()).unwrap();
            days.into_iter().filter(|day| day.has_late_records).count()
        };
        assert!(behind() > 0, "seed {seed}: nothing came late");
        nightly.run(&["reconcile", "--stale"]).expect(0);
        assert_eq!(behind(), 0, "seed {seed}");
        for name in ["deposits.csv", "batches.csv"] {
            assert_eq!(figures(&nightly, name), figures(&backfill, name), "seed {seed}");
        }
    }
}
