//! A run over a range of dates: how far it fetches ahead, the requests that it makes once, and the
//! records that it keeps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use chrono::{Days, NaiveDate};
use rusqlite::Connection;
use tieout_sandbox::{WorldOptions, plant_codes};

use crate::harness::{Served, clean, day, gateway, reports};

fn planted(seed: u64, to: &str) -> Served {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    Served::new(&WorldOptions { plants, ..clean(seed, "2026-11-02", to, 4, 4) })
}

/// Whether the path asks for one bank transfer by its id.
fn is_by_id(path: &str) -> bool {
    let (place, _) = path.rsplit_once('/').unwrap_or_default();
    ["/v1/bank-transfer-payments", "/v1/bank-transfer-refunds"].contains(&place)
}

#[test]
fn a_bank_transfer_that_is_open_is_asked_for_once_in_a_run() {
    let served = planted(331, "2026-11-11");
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, Box::new(|_| None));
    let site = served.site_behind(&gateway.base);
    site.run_range(day("2026-11-02"), day("2026-11-11")).expect(0);
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for exchange in gateway.seen() {
        *asked.entry(exchange.path).or_default() += 1;
    }
    let by_id = asked.iter().filter(|(path, _)| is_by_id(path));
    let often: Vec<_> = by_id.clone().filter(|(_, times)| **times > 2).collect();
    assert!(by_id.count() > 3, "{asked:?}");
    assert!(often.is_empty(), "read first, and once more: {often:?}");
}

#[test]
fn keeps_of_a_run_record_what_no_table_says() {
    let served = planted(332, "2026-11-08");
    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-08")).expect(0);
    let number = |sql: &str| -> i64 {
        Connection::open(site.store()).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let repeated = "select count(*) from run_record cross join reading \
                    where reading.digest <> '' and instr(content, reading.digest) > 0";
    assert_eq!(number(repeated), 0, "what a reading says stands in its row alone");
    let longest = number("select max(length(content)) from run_record");
    assert!(longest < 8_000, "{longest} bytes for a date");
    let folder = site.reports();
    let written = reports::files(&folder);
    // A record read back from the store has its original content.
    site.run(&["report", "--date", "2026-11-02..2026-11-08"]).expect(0);
    site.run(&["verify", "reports"]).expect(0);
    let stated = |content: &[u8]| -> (serde_json::Value, serde_json::Value) {
        let record: serde_json::Value = serde_json::from_slice(content).unwrap();
        (record["listings"].clone(), record["checks"].clone())
    };
    let again = reports::files(&folder);
    let records = written.iter().filter(|(name, _)| name.contains("2026-11-0"));
    let mut compared = 0;
    for (name, content) in records.filter(|(name, _)| name.ends_with("run.json")) {
        assert_eq!(stated(content), stated(&again[name]), "{name}");
        compared += 1;
    }
    assert_eq!(compared, 7);
}

#[test]
fn fetches_eight_dates_ahead_at_the_most() {
    let served = Served::new(&clean(333, "2026-11-02", "2026-11-19", 2, 4));
    let reports: Arc<OnceLock<PathBuf>> = Arc::default();
    let (seen, early) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let rule = {
        let (reports, seen, early) = (Arc::clone(&reports), Arc::clone(&seen), Arc::clone(&early));
        move |path: &str| {
            let text = path.strip_prefix("/v1/batches?date=")?.get(..10)?;
            let date: NaiveDate = text.parse().ok()?;
            if date >= day("2026-11-02") + Days::new(9) {
                let before = (date - Days::new(9)).to_string();
                let is_there = reports.get()?.join(before).exists();
                seen.fetch_add(1, Ordering::Relaxed);
                early.fetch_add(usize::from(!is_there), Ordering::Relaxed);
            }
            None
        }
    };
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, Box::new(rule));
    let site = served.site_behind(&gateway.base);
    reports.set(site.reports()).unwrap();
    site.run_range(day("2026-11-02"), day("2026-11-19")).expect(0);
    assert!(seen.load(Ordering::Relaxed) > 8);
    assert_eq!(early.load(Ordering::Relaxed), 0, "a date was fetched before one nine dates older");
}
