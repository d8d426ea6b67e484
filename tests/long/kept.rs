//! Nights go on from what was kept of the books of an earlier date, and come to what matching
//! everything afresh comes to: over life with its discrepancies, when a date is run again, and when
//! books of an old day change.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who adds to a ledger")]

use chrono::{Days, NaiveDate};
use tieout_sandbox::{Kind, ServeOptions, WorldOptions, plants_of_a_week};

use crate::harness::{Served, Site, clean};
use crate::kinds::seeds;

/// How many merchants could go on, as `reconcile --afresh` says; panics when one of them comes to
/// another result.
#[track_caller]
fn gone_on(site: &Site, date: NaiveDate) -> u64 {
    let date = date.to_string();
    let ended = site.run(&["reconcile", "--afresh", "--date", &date, "--log-format", "json"]);
    assert!(!ended.stderr.contains("another result"), "{date}: {}", ended.stderr);
    let line = ended.stderr.lines().find(|line| line.contains("\"compared\"")).unwrap();
    let said: serde_json::Value = serde_json::from_str(line).unwrap();
    let find = |name: &str| said.get(name).or_else(|| said["fields"].get(name));
    assert_eq!(find("differing").and_then(serde_json::Value::as_u64), Some(0), "{line}");
    find("compared").and_then(serde_json::Value::as_u64).unwrap()
}

fn morning(date: NaiveDate) -> chrono::DateTime<chrono::Utc> {
    let next = date.checked_add_days(Days::new(1)).unwrap();
    next.and_hms_opt(9, 0, 0).unwrap().and_utc()
}

#[test]
fn what_was_kept_is_what_everything_afresh_comes_to() {
    for seed in seeds() {
        let plants = plants_of_a_week().into_iter().map(str::to_owned).collect();
        let kinds = Kind::clean_for(false);
        let world = clean(seed, "2026-10-05", "2026-11-10", 4, 24);
        let world = WorldOptions { plants, kinds, ..world };
        let at = |date| ServeOptions {
            now: Some(morning(date)),
            transactions: false,
            ..ServeOptions::default()
        };
        let mut served = Served::serving(&world, at(world.from));
        let site = served.site_with_books();
        let dates = served.dates();
        let mut sum = 0;
        for (count, &date) in (1..).zip(&dates) {
            served = served.again(at(date));
            assert!(site.run_date(date).code < Some(4));
            // An older date is run again now and then.
            if count % 9 == 0 {
                assert!(site.run_date(dates[count - 4]).code < Some(4));
            }
            if count > 24 && count % 2 == 0 {
                sum += gone_on(&site, date);
            }
        }
        // Of four merchants on six nights nearly all: what is read again and says the same moves nobody.
        assert!(sum > 22, "seed {seed}: {sum}");
        // The books of an old day change, and those of the last one.
        for (line, date) in [(2, dates[dates.len() - 1]), (40, dates[dates.len() - 2])] {
            let found = std::fs::read_dir(site.path().join("ledger")).unwrap();
            let found = found.map(|file| file.unwrap().path());
            for file in found.filter(|file| file.extension().is_some_and(|ext| ext == "csv")) {
                // In whatever encoding.
                let mut text = std::fs::read(&file).unwrap();
                let row = text.split(|byte| *byte == b'\n').nth(line).unwrap_or_default().to_vec();
                text.extend_from_slice(&row);
                text.push(b'\n');
                std::fs::write(&file, text).unwrap();
            }
            let ended = site.run(&["reconcile", "--date", &date.to_string()]);
            assert!(ended.code <= Some(4), "{}", ended.stderr);
            gone_on(&site, date);
        }
    }
}

/// What each date of a backfill cost, in the instructions of the store's machine.
fn work_of_each_date(site: &Site, from: NaiveDate, to: NaiveDate) -> Vec<u64> {
    let range = format!("{from}..{to}");
    let ended = site.run(&["run", "--date", &range, "--log-format", "json", "-v"]);
    assert!(ended.code < Some(4), "{}", ended.stderr);
    let said = ended.stderr.lines().filter(|line| line.contains("\"work\""));
    said.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line.get("work").unwrap_or(&line["fields"]["work"]).as_u64().unwrap())
        .collect()
}

/// A date costs what is new and open, and not what lies behind it: once the look-back (110 days beside
/// a Canadian merchant) is full, weeks more change little. Medians, as a record from before the start
/// can be named like an item of months later, and then that night matches everything.
#[test]
fn a_date_costs_as_much_after_five_months_as_after_four() {
    let world = clean(5, "2026-06-01", "2026-11-06", 3, 60);
    let served = Served::new(&WorldOptions { kinds: Kind::clean_for(false), ..world });
    let site = served.site_with_books();
    let work = work_of_each_date(&site, served.world.options().from, served.world.options().to);
    let median = |days: &[u64]| {
        let mut days = days.to_vec();
        days.sort_unstable();
        days[days.len() / 2]
    };
    let (early, late) = (median(&work[126..140]), median(&work[work.len() - 14..]));
    // It is not flat: the rules that look further back cost a sixth more after five weeks. The bound
    // keeps that from growing until the statement that reads everything is found.
    assert!(late * 100 <= early * 120, "{early} and later {late}: {work:?}");
}
