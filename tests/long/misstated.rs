//! A service that states every deposit and every fee wrongly the first time it is asked: what is
//! asked again comes out as it is, whichever date the run begins with.

use std::collections::BTreeSet;
use std::sync::Mutex;

use chrono::Days;
use serde_json::Value;

use crate::harness::gateway::{self, Answer};
use crate::harness::{Ended, Served, clean, reports};

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
    for seed in 40..42 {
        let options = clean(seed, "2026-06-24", "2026-07-02", 5, 30);
        for served in [Served::new(&options), Served::linked(&options)] {
            for from in [0, 5, 6] {
                assert_is_read_again(&served, from);
            }
        }
    }
}
