//! Records that stay under watch until they are settled: disputes, card transactions on hold,
//! unhandled returns, and days that no run has read.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::Connection;
use tieout_sandbox::{Kind, WorldOptions};

use crate::harness::gateway::{self, Rule};
use crate::harness::{Served, Site, clean, day, reports};

fn number(site: &Site, sql: &str) -> i64 {
    Connection::open(site.store()).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn with_disputes(seed: u64) -> WorldOptions {
    WorldOptions { kinds: vec![Kind::Disputes], ..clean(seed, "2026-11-02", "2026-11-11", 4, 40) }
}

/// The requests of each night below `/v1/disputes`.
fn asked_by_night(served: &Served, site: &Site, rule: Rule) -> BTreeMap<NaiveDate, Vec<String>> {
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, rule);
    let behind = served.site_behind(&gateway.base);
    std::fs::copy(behind.path().join("tieout.toml"), site.path().join("tieout.toml")).unwrap();
    let (mut asked, mut before) = (BTreeMap::new(), 0);
    for date in served.dates() {
        site.run_date(date);
        let seen = gateway.seen();
        let paths = seen[before..].iter().map(|exchange| exchange.path.clone());
        asked.insert(date, paths.filter(|path| path.starts_with("/v1/disputes")).collect());
        before = seen.len();
    }
    asked
}

#[test]
fn disputes_are_read_once_a_date_and_each_undecided_one_again() {
    let served = Served::new(&with_disputes(301));
    let site = served.site();
    let asked = asked_by_night(&served, &site, Box::new(|_| None));
    let first = served.world.options().from;
    for (date, paths) in &asked {
        let listings = paths.iter().filter(|path| path.contains("?date="));
        // The first night asks whether the key has them, and for the 120 days before.
        assert_eq!(listings.count(), if *date == first { 122 } else { 1 }, "{date}");
        let mut statuses: Vec<&String> =
            paths.iter().filter(|path| path.ends_with("/statuses")).collect();
        let count = statuses.len();
        statuses.sort();
        statuses.dedup();
        assert_eq!(statuses.len(), count, "{date}: each once");
    }
    let disputes = number(&site, "select count(*) from dispute");
    assert!(disputes > 0);
    let known = "select count(distinct dispute_id) from dispute_status";
    assert_eq!(number(&site, known), disputes, "each has a status");
    let last = asked.values().next_back().unwrap();
    let statuses = last.iter().filter(|path| path.ends_with("/statuses")).count();
    assert!(i64::try_from(statuses).unwrap() < disputes, "decided ones are left alone");
    let kept =
        "select count(*) from dispute where card_last4 is not null and length(card_last4) > 4";
    assert_eq!(number(&site, kept), 0);
}

/// The checks that the disputes themselves are for, and the adjustments that they may explain.
const NEED_DISPUTES: [&str; 3] =
    ["DISPUTE_OPEN", "DISPUTED_AND_REFUNDED", "DEPOSIT_ADJUSTMENT_MISMATCH"];

/// The tables of every date, with `disputed_amount` empty: it is unknown without the disputes.
fn without_disputed(site: &Site) -> reports::Files {
    let mut found = reports::tables(&site.reports());
    for (name, content) in &mut found {
        if !name.ends_with("deposits.csv") {
            continue;
        }
        let mut reader = csv::Reader::from_reader(content.as_slice());
        let header = reader.headers().unwrap().clone();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        for row in reader.records() {
            let row = row.unwrap();
            let cells = header.iter().zip(&row);
            writer
                .write_record(
                    cells.map(|(name, cell)| if name == "disputed_amount" { "" } else { cell }),
                )
                .unwrap();
        }
        *content = writer.into_inner().unwrap();
    }
    found
}

#[test]
fn whatever_the_disputes_answer_no_other_check_is_partial() {
    let served = Served::new(&clean(302, "2026-11-02", "2026-11-04", 3, 30));
    let expected = served.site();
    for date in served.dates() {
        expected.run_date(date).expect(0);
    }
    let problem = |status: u16| (status, format!(r#"{{"title":"No","status":{status}}}"#));
    let answers = [
        problem(403),
        problem(404),
        problem(500),
        (200, "<html>nonsense</html>".to_owned()),
        (200, r#"{"data":{"disputeId":"x"}}"#.to_owned()),
    ];
    for answer in answers {
        let status = answer.0;
        let rule: Rule =
            Box::new(move |path| path.starts_with("/v1/disputes").then(|| answer.clone()));
        let upstream = Some(served.sandbox.base_url());
        let gateway = gateway::start(&served.runtime, upstream, rule);
        let site = served.site_behind(&gateway.base);
        let what = format!("disputes answer {status}");
        for date in served.dates() {
            let ended = site.run_date(date);
            let record = reports::manifest(&site.reports(), date);
            let skipped = record["checks"]["not_evaluated"].as_array().unwrap();
            // A key without such an operation lacks nothing; a failed listing is reported.
            let is_lacking = status != 403 && status != 404 && !skipped.is_empty();
            let only =
                |entry: &serde_json::Value| NEED_DISPUTES.iter().any(|c| entry["code"] == *c);
            assert!(skipped.iter().all(only), "{what}: {skipped:#?}");
            assert!(is_lacking || skipped.is_empty(), "{what}: {skipped:#?}");
            ended.expect(if is_lacking { 4 } else { 0 });
        }
        reports::assert_same(&without_disputed(&expected), &without_disputed(&site), &what);
    }
}

#[test]
fn what_is_on_hold_is_read_again_by_batch_until_it_is_paid() {
    let options =
        WorldOptions { kinds: vec![Kind::Holds], ..clean(303, "2026-11-02", "2026-11-20", 4, 40) };
    let served = Served::linked(&options);
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, Box::new(|_| None));
    let site = served.site_behind(&gateway.base);
    for date in served.dates() {
        site.run_date(date);
    }
    assert!(number(&site, "select count(*) from card_transaction where status is not null") > 0);
    let held = number(
        &site,
        "select count(*) from standing_transaction where standing in ('held', 'held_30')",
    );
    let again = gateway.seen();
    let again =
        again.iter().filter(|one| one.path.starts_with("/v1/transactions?batchId=")).count();
    assert!(held == 0 || again > 0, "{held} on hold, {again} readings");
    let differing = include_str!("../../crates/store/sql/evidence/wrong_totals.sql");
    assert_eq!(number(&site, &format!("select count(*) from ({differing})")), 0);
}

#[test]
fn days_that_no_run_has_read_are_read_for_merchants_with_a_ledger() {
    // Friday, and Monday after a weekend without a run.
    let served = Served::new(&clean(304, "2026-11-05", "2026-11-09", 3, 30));
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, Box::new(|_| None));
    let site = served.site_with_books_behind(&gateway.base);
    for date in ["2026-11-05", "2026-11-06", "2026-11-09"] {
        site.run_date(day(date));
    }
    let complete = |date: &str, resource: &str| {
        number(
            &site,
            &format!(
                "select count(*) from listing inner join reading using (reading_id) \
                 where resource = '{resource}' and selector = 'date' \
                 and business_date = '{date}' and verdict = 'complete'"
            ),
        )
    };
    for date in ["2026-11-07", "2026-11-08"] {
        assert_eq!(complete(date, "authorizations"), 1, "{date}");
        assert_eq!(complete(date, "batches"), 1, "{date}");
    }
}
