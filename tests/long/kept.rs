//! Nights resume from the books of an earlier date, with the result of matching all records again:
//! over life with its discrepancies, when a date is run again, and when books of an old day change.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who adds to a ledger")]

use chrono::{Days, NaiveDate};
use tieout_sandbox::{Kind, ServeOptions, WorldOptions, plants_of_a_week};

use crate::harness::{Served, Site, clean};
use crate::kinds::seeds;

/// The number of merchants that could resume, as `reconcile --afresh` prints it; panics when one of
/// them gets another result.
#[track_caller]
fn gone_on(site: &Site, date: NaiveDate) -> u64 {
    let date = date.to_string();
    let ended = site.run(&["reconcile", "--afresh", "--date", &date, "--log-format", "json"]);
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
        // Of four merchants on six nights nearly all: records that are read again unchanged affect
        // no merchant.
        assert!(sum > 22, "seed {seed}: {sum}");
        // The books of an old day change, and those of the last one.
        for (line, date) in [(2, dates[dates.len() - 1]), (40, dates[dates.len() - 2])] {
            let found = std::fs::read_dir(site.path().join("ledger")).unwrap();
            let found = found.map(|file| file.unwrap().path());
            for file in found.filter(|file| file.extension().is_some_and(|ext| ext == "csv")) {
                // Bytes, as the encoding may be any.
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

/// The cost of each date of a backfill, in instructions of the store's virtual machine.
fn work_of_each_date(site: &Site, from: NaiveDate, to: NaiveDate) -> Vec<u64> {
    let range = format!("{from}..{to}");
    let ended = site.run(&["run", "--date", &range, "--log-format", "json", "-v"]);
    assert!(ended.code < Some(4), "{}", ended.stderr);
    let said = ended.stderr.lines().filter(|line| line.contains("\"work\""));
    said.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line.get("work").unwrap_or(&line["fields"]["work"]).as_u64().unwrap())
        .collect()
}

/// The cost of a date depends on new and open records, not on the past: once the look-back (110
/// days with a Canadian merchant) is full, further weeks change little. Medians, as a record from
/// before the start can be named like an item of months later, and then that night matches all
/// records.
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
    // It is not flat: the rules that look further back cost a sixth more after five weeks. The
    // bound prevents growth until the statement that reads all records is found.
    assert!(late * 100 <= early * 120, "{early} and later {late}: {work:?}");
}
