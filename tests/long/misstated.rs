//! A service that misstates every deposit and every fee on the first request: figures that are read
//! again come out right, whichever date the run begins with.

use std::collections::BTreeSet;
use std::sync::Mutex;

use chrono::{Days, NaiveDate};
use serde_json::Value;
use tieout_sandbox::WorldOptions;

use crate::harness::gateway::{self, Answer};
use crate::harness::{Ended, Served, clean, reports, rounds};

/// Adds to the first amount of every record of `body`.
fn misstate(amount: &str, body: &str) -> String {
    let mut page: Value = serde_json::from_str(body).unwrap();
    for record in page["data"].as_array_mut().into_iter().flatten() {
        if let Some(stated) = record[amount].as_i64() {
            record[amount] = (stated + 700).into();
        }
    }
    page.to_string()
}

/// Runs from `from` on: with the world as it is, and with the first answers misstated.
#[track_caller]
fn assert_is_read_again(served: &Served, from: u64) {
    let options = served.world.options();
    let first = options.from + Days::new(from);
    let (expected, site) = (served.site(), served.site());
    expected.run_range(first, options.to).expect(0);
    let asked = Mutex::new(BTreeSet::new());
    let rewrite = move |path: &str, (status, body): Answer| {
        let amount = match path {
            _ if path.starts_with("/v1/ach-deposits?") => "netAmount",
            _ if path.contains("achDepositId=") => "amount",
            _ => return (status, body),
        };
        let is_first = asked.lock().unwrap().insert(path.to_owned());
        let body = if is_first && status == 200 { misstate(amount, &body) } else { body };
        (status, body)
    };
    let upstream = Some(served.sandbox.base_url());
    let rule = Box::new(|_: &str| None);
    let gateway = gateway::start_rewriting(&served.runtime, upstream, rule, Box::new(rewrite));
    let range = format!("{first}..{}", options.to);
    let mut command = site.command(&["run", "--date", &range]);
    command.env("TIEOUT_API__BASE_URL", format!("{}/v1", gateway.base));
    Ended::from(command.output().unwrap()).expect(0);
    let about = format!("seed {} from {first}", options.seed);
    reports::assert_same(
        &reports::tables(&expected.reports()),
        &reports::tables(&site.reports()),
        &about,
    );
}

#[test]
fn what_is_said_once_and_never_again_is_in_no_report() {
    for seed in rounds(40..42) {
        let options = clean(seed, "2026-06-24", "2026-07-02", 5, 30);
        for served in [Served::new(&options), Served::linked(&options)] {
            for from in [0, 5, 6] {
                assert_is_read_again(&served, from);
            }
        }
    }
}

/// Adds to the total of the card transactions of one merchant.
fn misstate_items(merchant_id: &str, body: &str) -> String {
    let mut page: Value = serde_json::from_str(body).unwrap();
    for record in page["data"].as_array_mut().into_iter().flatten() {
        if record["merchant"]["merchantId"] == merchant_id
            && let Some(stated) = record["transaction"]["amount"].as_i64()
        {
            record["transaction"]["amount"] = (stated + 700).into();
        }
    }
    page.to_string()
}

/// How many merchants' books were matched again, in each round.
fn matched_again(ended: &Ended) -> Vec<u64> {
    let lines = ended.stderr.lines().filter(|line| line.contains("\"matching books again\""));
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| line.get("merchants").unwrap_or(&line["fields"]["merchants"]).as_u64().unwrap())
        .collect()
}

/// The items of the misstated merchant are read once more by batch, and only its books are matched
/// once more. If the second read changes nothing, no books are matched again. A debug build
/// compares each such round with matching all merchants.
#[test]
fn only_the_books_that_a_round_can_have_changed_are_matched_again() {
    for seed in rounds(50..53) {
        let plants = vec!["DEPOSIT_SALES_MISMATCH".to_owned()];
        let options = WorldOptions { plants, ..clean(seed, "2026-06-24", "2026-06-30", 5, 60) };
        for served in [Served::new(&options), Served::linked(&options)] {
            let expected = served.site_with_books();
            let merchant_id = expected.settings().merchants[0].id.to_string();
            let (asked, dates) = (Mutex::new(BTreeSet::new()), served.dates());
            let rewrite = move |path: &str, (status, body): Answer| {
                let is_own = |date: &NaiveDate| path.contains(&format!("date={date}"));
                // Records dated before the first date are in no checked total.
                let is_first = path.starts_with("/v1/authorizations?")
                    && dates.iter().any(is_own)
                    && asked.lock().unwrap().insert(path.to_owned());
                let is_misstated = is_first && status == 200;
                let body = if is_misstated { misstate_items(&merchant_id, &body) } else { body };
                (status, body)
            };
            let upstream = Some(served.sandbox.base_url());
            let rule = Box::new(|_: &str| None);
            let gateway =
                gateway::start_rewriting(&served.runtime, upstream, rule, Box::new(rewrite));
            let site = served.site_with_books_behind(&gateway.base);
            let (mut again, mut as_they_were) = (0, 0);
            for date in served.dates() {
                let date = date.to_string();
                let arguments = ["run", "--date", &date, "-vv", "--log-format", "json"];
                let (said, ended) = (expected.run(&arguments), site.run(&arguments));
                assert_eq!(said.code, ended.code, "{}", ended.stderr);
                for (of, count) in [(&said, &mut as_they_were), (&ended, &mut again)] {
                    let matched = matched_again(of);
                    assert!(matched.iter().all(|merchants| *merchants < 2), "{matched:?}");
                    *count += matched.iter().sum::<u64>();
                }
            }
            let about = format!("seed {seed}");
            assert!(again > 0 && as_they_were == 0, "{about}: {again}, {as_they_were}");
            reports::assert_same(
                &reports::tables(&expected.reports()),
                &reports::tables(&site.reports()),
                &about,
            );
        }
    }
}
