//! The same data gives the same bytes: run again, in a range, day by day, or out of order.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use rusqlite::Connection;
use tieout_sandbox::{WorldOptions, plant_codes};

use crate::audit;
use crate::dice::Dice;
use crate::harness::{Served, Site, clean, reports, rounds};
use crate::shifting::Shifting;

fn all_planted(seed: u64) -> WorldOptions {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", 4, 30) }
}

fn in_one_go(served: &Served) -> Site {
    let site = served.site_with_books();
    let options = served.world.options();
    site.run_range(options.from, options.to).expect(0);
    site
}

fn day_by_day(served: &Served, dates: &[NaiveDate]) -> Site {
    let site = served.site_with_books();
    for date in dates {
        let ended = site.run_date(*date);
        // If an earlier date was not run, checks that depend on it are not evaluated yet.
        assert!(matches!(ended.code, Some(0 | 4)), "{ended:#?}");
    }
    site
}

/// The files of the dates without the manifests: those also count the records of one run, and a
/// range receives shared records once. The report of a period is written by `report` alone.
fn tables(site: &Site) -> reports::Files {
    let mut files = reports::files(&site.reports());
    // The index lists the periods.
    let is_left_out = |name: &str| name.ends_with("run.json") || name == "index.html";
    files.retain(|name, _| !is_left_out(name) && !name.starts_with("periods/"));
    files
}

/// The results in the manifests, as text to compare.
fn results(site: &Site, dates: &[NaiveDate]) -> reports::Files {
    dates
        .iter()
        .map(|date| {
            let record = reports::manifest(&site.reports(), *date);
            let kept =
                ["discrepancies", "checks", "items", "ledger", "files", "configuration_digest"]
                    .map(|key| format!("{key}: {:#}", record[key]));
            (date.to_string(), kept.join("\n").into_bytes())
        })
        .collect()
}

#[track_caller]
fn assert_same_results(left: &Site, right: &Site, dates: &[NaiveDate], about: &str) {
    reports::assert_same(&tables(left), &tables(right), about);
    reports::assert_same(&results(left, dates), &results(right, dates), about);
}

#[test]
fn gives_the_same_bytes_in_two_runs_over_the_same_data() {
    for seed in rounds([11, 12]) {
        let served = Served::new(&all_planted(seed));
        let (first, second) = (in_one_go(&served), in_one_go(&served));
        reports::assert_same(
            &reports::comparable_however_fetched(&first.reports()),
            &reports::comparable_however_fetched(&second.reports()),
            &format!("seed {seed}, two folders"),
        );
    }
}

#[test]
fn changes_nothing_when_it_is_run_again() {
    let served = Served::new(&all_planted(13));
    let site = in_one_go(&served);
    let before = (tables(&site), results(&site, &served.dates()));
    let options = served.world.options();
    let range = format!("{}..{}", options.from, options.to);
    let whole = reports::comparable(&site.reports());
    site.run(&["run", "--date", &range]).expect(0);
    reports::assert_same(&whole, &reports::comparable(&site.reports()), "with its manifests");
    for stages in [&["reconcile", "report"][..], &["fetch", "reconcile", "report"]] {
        for stage in stages {
            site.run(&[stage, "--date", &range]).expect(0);
        }
        reports::assert_same(&before.0, &tables(&site), &format!("{stages:?}"));
        reports::assert_same(&before.1, &results(&site, &served.dates()), &format!("{stages:?}"));
    }
}

#[test]
fn gives_the_same_bytes_stage_by_stage() {
    let served = Served::new(&all_planted(14));
    let whole = in_one_go(&served);
    let staged = served.site_with_books();
    let range = format!("{}..{}", served.world.options().from, served.world.options().to);
    for stage in ["fetch", "reconcile", "report"] {
        staged.run(&[stage, "--date", &range]).expect(0);
    }
    assert_same_results(&whole, &staged, &served.dates(), "fetch, reconcile, report");
}

#[test]
fn gives_the_same_bytes_for_a_range_and_day_by_day() {
    for seed in rounds([21, 22, 23]) {
        let served = Served::new(&all_planted(seed));
        let whole = in_one_go(&served);
        let nightly = day_by_day(&served, &served.dates());
        let wrong = audit::faults(&nightly.reports(), &served.dates());
        assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
        assert_same_results(&whole, &nightly, &served.dates(), &format!("seed {seed}"));
    }
}

#[test]
fn gives_the_same_bytes_in_any_order_once_stale_dates_are_reconciled() {
    let orders: [(u64, [usize; 7]); 4] = [
        (31, [6, 5, 4, 3, 2, 1, 0]),
        (32, [3, 0, 6, 1, 5, 2, 4]),
        (33, [0, 6, 1, 2, 5, 4, 3]),
        (34, [1, 2, 3, 4, 5, 6, 0]),
    ];
    for (seed, order) in rounds(orders) {
        let served = Served::new(&all_planted(seed));
        let dates = served.dates();
        let whole = in_one_go(&served);
        let shuffled: Vec<NaiveDate> = order.iter().map(|&index| dates[index]).collect();
        let site = day_by_day(&served, &shuffled);
        site.run(&["reconcile", "--stale"]).expect(0);
        let again = site.run(&["status", "--json"]).expect(0);
        assert!(!again.stdout.contains("\"is_stale\": true"), "{}", again.stdout);
        assert_same_results(&whole, &site, &dates, &format!("seed {seed}, order {order:?}"));
    }
}

#[test]
fn gives_the_same_bytes_whatever_the_size_of_a_page() {
    let served = Served::new(&all_planted(41));
    let whole = in_one_go(&served);
    let options = served.world.options();
    for size in rounds(["1", "7"]) {
        let site = served.site_with_books();
        let range = format!("{}..{}", options.from, options.to);
        let mut command = site.command(&["run", "--date", &range]);
        let output = command.env("TIEOUT_API__PAGE_SIZE", size).output().unwrap();
        crate::harness::Ended::from(output).expect(0);
        reports::assert_same(&tables(&whole), &tables(&site), &format!("pages of {size}"));
    }
}

/// An authorization of the week before `date` that was read.
fn known_authorization(site: &Site, date: NaiveDate, dice: &mut Dice) -> Option<String> {
    if !site.store().is_file() {
        return None;
    }
    let from = date.checked_sub_days(Days::new(6)).unwrap();
    let store = Connection::open(site.store()).unwrap();
    let sql = "select authorization_id from authorization where transaction_type = 'capture' \
               and preauthorization_minor > 0 and day between ?1 and ?2 order by 1";
    let mut statement = store.prepare(sql).unwrap();
    let days = [from.to_string(), date.pred_opt().unwrap().to_string()];
    let ids = statement.query_map(days, |row| row.get::<_, i64>(0)).unwrap();
    let ids: Vec<String> = ids.map(|id| id.unwrap().to_string()).collect();
    dice.pick(&ids).cloned()
}

/// The captures above their authorizations that the dates report: date, id and figures.
fn exceeding(site: &Site, dates: &[NaiveDate]) -> BTreeSet<[String; 4]> {
    let said = |date: &NaiveDate| {
        let rows = reports::table(&site.reports(), *date, "discrepancies.csv").into_iter();
        let rows = rows.filter(|row| row["code"] == "CAPTURE_EXCEEDS_AUTHORIZATION");
        let date = date.to_string();
        let of = move |row: reports::Row| {
            let [id, expected, actual] =
                ["discrepancy_id", "expected", "actual"].map(|column| row[column].clone());
            [date.clone(), id, expected, actual]
        };
        rows.map(of).collect::<Vec<_>>()
    };
    dates.iter().flat_map(said).collect()
}

#[test]
fn reports_an_excess_on_the_same_date_whichever_date_is_run_again() {
    for seed in rounds(51..54) {
        let served = Served::new(&all_planted(seed));
        let shifting = Shifting::new(&served);
        let site = shifting.site_with_books(&served);
        let (mut dice, dates) = (Dice::new(seed), served.dates());
        for date in &dates {
            if let Some(id) = known_authorization(&site, *date, &mut dice) {
                let name = ("authorizations".to_owned(), id);
                shifting.shift.lock().unwrap().more.insert(name, 1_000_000);
            }
            site.run_date(*date).expect(0);
        }
        let before = exceeding(&site, &dates);
        assert!(before.len() > 2, "seed {seed}: {before:#?}");
        for again in &dates {
            site.run_date(*again).expect(0);
            site.run(&["reconcile", "--stale"]).expect(0);
            assert_eq!(exceeding(&site, &dates), before, "seed {seed}, {again}");
        }
    }
}
