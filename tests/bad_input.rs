//! Bad input of every kind: an error in one line that names the thing, the remedy if there is one,
//! the exit code that applies, and nothing lost or half written.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::fs::File;

use crate::harness::gateway::{self, Rule};
use crate::harness::reports;
use crate::harness::{Ended, Served, Site, clean, day};
use rusqlite::Connection;
use serde_json::Value;

const DATE: &str = "2026-11-04";

fn served() -> Served {
    Served::new(&clean(71, "2026-11-03", "2026-11-05", 3, 20))
}

/// Standard error must consist of `error:` and `hint:` lines; the first must contain `what`.
#[track_caller]
fn assert_says(ended: &Ended, code: i32, what: &str, remedy: &str) {
    let said = &ended.stderr;
    assert_eq!(ended.code, Some(code), "{said}\n{}", ended.stdout);
    let first = said.lines().next().unwrap_or_default();
    assert!(first.starts_with("error: ") && first.contains(what), "{said}");
    let hint = said.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_default();
    assert!(hint.contains(remedy), "expected the hint to name {remedy:?}:\n{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(ended.stdout.is_empty(), "{}", ended.stdout);
}

#[test]
fn refuses_dates_that_name_none_before_anything_is_done() {
    let site = served().site();
    let cases = [
        ("2026-02-30", "2026-02-30 does not exist", ""),
        ("tomorrow", "\"tomorrow\" is not a date", "2026-11-01..2026-11-07"),
        ("2026-11-05..2026-11-03", "runs backwards", "2026-11-03..2026-11-05"),
        ("2026-12-24", "reaches into the future", "the last date that can be run is 2026-11-19"),
        ("2026-11-04,,2026-11-05", "--date", ""),
        ("", "--date", ""),
    ];
    for (date, what, remedy) in cases {
        for command in ["run", "fetch", "reconcile", "report"] {
            assert_says(&site.run(&[command, "--date", date]), 2, what, remedy);
        }
    }
    assert!(!site.store().exists() && !site.reports().exists());
}

#[test]
fn refuses_a_configuration_that_it_does_not_understand_and_says_where() {
    let address =
        "[api]\nbase_url = \"https://example.com/v1\"\nauth_url = \"https://example.com\"\n";
    let cases = [
        ("[api]\npage_sise = 10\n", "tieout.toml:2: unknown key", ""),
        ("[checks]\nFUNDS_HOLD = \"off\"\n", "nearest known one is FUNDS_HELD", "tieout checks"),
        ("time_zone = \"Europe/Atlantis\"\n", "tieout.toml:1: time_zone", ""),
        ("[api\n", "tieout.toml:1: not valid TOML", ""),
        ("[api]\nbase_url = \"http://example.com/v1\"\n", "tieout.toml:2: api.base_url", ""),
        ("[api]\nbase_url = \"http://127.0.0.1.example.com\"\n", "api.base_url", ""),
        ("[api]\napi_key = \"k\"\n", "must not hold an API key", "TIEOUT_API_KEY"),
        ("[api]\npage_size = 101\n", "page_size", ""),
        ("[settlement]\npayout_days = -1\n", "payout_days", ""),
        ("[[merchants]]\nid = \"1\"\ncurrency = \"XXQ\"\n", "tieout.toml:3", ""),
        ("[[merchants]]\nid = \"1\"\n[[merchants]]\nid = \"1\"\n", "merchant 1", ""),
    ];
    for (text, what, remedy) in cases {
        let site = Site::new(text, day("2026-11-08"));
        assert_says(&site.run(&["run", "--date", DATE]), 2, what, remedy);
        assert!(!site.store().exists(), "{text}");
    }
    let site = Site::new(address, day("2026-11-08"));
    let run = |name: &str, value: &str| {
        let mut command = site.command(&["run", "--date", DATE]);
        Ended::from(command.env(name, value).output().unwrap())
    };
    assert_says(&run("TIEOUT_API__BASEURL", "x"), 2, "TIEOUT_API__BASEURL", "TIEOUT_");
    assert_says(&run("TIEOUT_NOW", "noon"), 2, "TIEOUT_NOW", "");
    assert!(!site.store().exists());
}

#[test]
fn refuses_to_start_without_a_key_and_without_an_address() {
    let served = served();
    let site = served.site();
    let mut command = site.command(&["run", "--date", DATE]);
    let ended = Ended::from(command.env_remove("TIEOUT_API_KEY").output().unwrap());
    assert_says(&ended, 2, "api_key_file is not configured", "TIEOUT_API_KEY");
    let empty = Site::empty();
    assert_says(&empty.run(&["run", "--date", DATE]), 2, "base_url is not configured", "base_url");
    let missing = Site::new("[api]\napi_key_file = \"key\"\n", day("2026-11-08"));
    let mut command = missing.command(&["run", "--date", DATE]);
    let ended = Ended::from(command.env_remove("TIEOUT_API_KEY").output().unwrap());
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert_eq!(served.sandbox.requests(), 0);
}

#[test]
fn says_that_the_key_is_refused() {
    let served = served();
    let site = served.site();
    let mut command = site.command(&["run", "--date", DATE]);
    let ended = Ended::from(command.env("TIEOUT_API_KEY", "another-key").output().unwrap());
    assert_says(&ended, 5, "the api key was refused with status 401", "revoked");
    assert!(!ended.stderr.contains("another-key"), "{}", ended.stderr);
    assert!(!site.reports().exists());
}

#[test]
fn says_which_host_is_unreachable() {
    let served = served();
    // The listener is closed, so its port refuses connections.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let site = served.site_behind(&format!("http://127.0.0.1:{port}"));
    let mut command = site.command(&["run", "--date", DATE]);
    let ended = Ended::from(command.env("TIEOUT_API__MAX_ATTEMPTS", "1").output().unwrap());
    assert_says(&ended, 1, &format!("127.0.0.1:{port} is unreachable"), "network");
    assert!(!site.reports().exists());
}

#[test]
fn refuses_a_store_of_a_newer_program_or_from_before_the_first_release() {
    let served = served();
    let site = served.site();
    site.run_date(day(DATE)).expect(0);
    let before = reports::comparable(&site.reports());
    let connection = Connection::open(site.store()).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    for command in ["run", "fetch", "reconcile", "report"] {
        let ended = site.run(&[command, "--date", DATE]);
        assert_says(&ended, 1, "has schema version 999", "newer");
        assert!(ended.stderr.contains("tieout.db"), "{}", ended.stderr);
    }
    assert_says(&site.run(&["status"]), 1, "has schema version 999", "newer");
    reports::assert_same(&before, &reports::comparable(&site.reports()), "a newer store");
    let connection = Connection::open(site.store()).unwrap();
    connection.execute_batch("pragma application_id = 0; pragma user_version = 19").unwrap();
    drop(connection);
    for command in ["run", "status"] {
        let ended = site.run(&[command]);
        assert_says(&ended, 2, "before its first release", "run again into a new store");
    }
}

#[test]
fn refuses_a_store_that_is_no_database() {
    let site = served().site();
    std::fs::write(site.store(), "these are my holiday pictures, and not a database at all")
        .unwrap();
    assert_says(&site.run(&["run", "--date", DATE]), 1, "tieout.db", "");
    let kept = std::fs::read_to_string(site.store()).unwrap();
    assert!(kept.starts_with("these are my holiday pictures"));
}

#[test]
fn ends_with_6_while_another_run_holds_the_lock() {
    let served = served();
    let site = served.site();
    let lock = File::create(site.path().join("tieout.db.lock")).unwrap();
    lock.try_lock().unwrap();
    for command in ["run", "fetch", "reconcile"] {
        let ended = site.run(&[command, "--date", DATE]);
        assert_says(&ended, 6, "another run holds the lock", "wait");
    }
    assert_eq!(served.sandbox.requests(), 0);
    drop(lock);
    site.run_date(day(DATE)).expect(0);
}

#[test]
fn says_which_report_folder_cannot_be_written_and_keeps_what_was_fetched() {
    let served = served();
    let site = served.site();
    // A file in the way blocks every user; permissions would not stop an administrator.
    std::fs::write(site.reports(), "in the way").unwrap();
    let ended = site.run_date(day(DATE));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("reports"), "{}", ended.stderr);
    assert_eq!(std::fs::read_to_string(site.reports()).unwrap(), "in the way");
    std::fs::remove_file(site.reports()).unwrap();
    let asked = served.sandbox.requests();
    site.run(&["report", "--date", DATE]).expect(0);
    assert_eq!(served.sandbox.requests(), asked);
    // The eleven files of the date, and the index beside its folder.
    assert_eq!(reports::files(&site.reports()).len(), 12);
}

#[test]
fn says_which_stage_is_missing() {
    const OTHER: &str = "2026-01-05";
    let served = served();
    let site = served.site();
    let stages = [("reconcile", "never fetched"), ("report", "never reconciled")];
    let assert_says = |command: &str, words: &[&str]| {
        let ended = site.run(&[command, "--date", OTHER]);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
        }
    };
    for (command, _) in stages {
        assert_says(command, &["it does not exist yet", "hint: "]);
        assert!(!site.store().exists());
    }
    site.run_date(day(DATE)).expect(0);
    for (command, what) in stages {
        assert_says(command, &[what, OTHER, "hint: "]);
    }
}

/// A night in which one resource answers badly, between two undisturbed ones.
struct BadNight {
    /// Manifest and discrepancies of the night.
    record: Value,
    rows: Vec<reports::Row>,
    ended: Ended,
    site: Site,
    served: Served,
}

/// A problem in the API's format.
fn problem(status: u16) -> String {
    format!(r#"{{"type":"about:blank","title":"No","status":{status},"detail":"not tonight"}}"#)
}

/// Runs the 3rd undisturbed, then the 4th with the answers of `rule`.
fn bad_night(rule: Rule) -> BadNight {
    let plants = ["DEPOSIT_NET_MISMATCH", "BATCH_SALES_MISMATCH", "DEPOSIT_SALES_MISMATCH"];
    let served = Served::new(&tieout_sandbox::WorldOptions {
        plants: plants.map(str::to_owned).to_vec(),
        ..clean(72, "2026-11-03", "2026-11-06", 3, 20)
    });
    let site = served.site();
    site.run_date(day("2026-11-03")).expect(0);
    let gateway = gateway::start(&served.runtime, Some(served.sandbox.base_url()), rule);
    let mut command = site.command(&["run", "--date", DATE]);
    let ended = Ended::from(
        command
            .env("TIEOUT_API__BASE_URL", format!("{}/v1", gateway.base))
            .env("TIEOUT_API__MAX_ATTEMPTS", "1")
            .output()
            .unwrap(),
    );
    let (mut record, mut rows) = (Value::Null, Vec::new());
    if site.reports().join(DATE).exists() {
        record = reports::manifest(&site.reports(), day(DATE));
        rows = reports::table(&site.reports(), day(DATE), "discrepancies.csv");
    }
    BadNight { record, rows, ended, site, served }
}

impl BadNight {
    /// The night is partial, states `why` for `resource`, and the checks in `blind` neither report
    /// nor clear anything; another run gives the undisturbed result.
    #[track_caller]
    fn assert_partial(self, resource: &str, why: &str, blind: &[&str]) {
        assert_eq!(self.ended.code, Some(4), "{}", self.ended.stderr);
        let listings = self.record["listings"].as_array().unwrap();
        let faulty: Vec<&Value> =
            listings.iter().filter(|listing| listing["verdict"] != "complete").collect();
        assert!(!faulty.is_empty());
        for listing in faulty {
            let error = listing["error"].as_str().unwrap_or_default();
            assert!(listing["resource"] == resource && error.contains(why), "{listing:#}");
        }
        let skipped = self.record["checks"]["not_evaluated"].as_array().unwrap();
        let named = resource.rsplit('-').next().unwrap();
        for code in blind {
            assert!(
                skipped.iter().any(|entry| {
                    entry["code"] == *code && entry["reason"].as_str().unwrap().contains(named)
                }),
                "{code} should not be evaluated: {skipped:#?}"
            );
            for row in self.rows.iter().filter(|row| row["code"] == *code) {
                assert_eq!(row["status"], "open", "{row:?}");
            }
        }
        self.assert_recovers();
    }

    /// The same dates run again, undisturbed, give the reports of an undisturbed site.
    #[track_caller]
    fn assert_recovers(self) {
        let last = day("2026-11-06");
        self.site.run_range(day(DATE), last).expect(0);
        let undisturbed = self.served.site();
        undisturbed.run_range(day("2026-11-03"), last).expect(0);
        let [mut left, mut right] =
            [&undisturbed, &self.site].map(|site| reports::files(&site.reports()));
        left.retain(|name, _| !name.ends_with("run.json"));
        right.retain(|name, _| !name.ends_with("run.json"));
        reports::assert_same(&left, &right, "after a bad night");
    }
}

/// Answers for listings whose path begins with `resource`.
fn answering(resource: &'static str, status: u16, body: String) -> Rule {
    let (list, single) = (format!("/v1/{resource}?"), format!("/v1/{resource}/"));
    Box::new(move |path| {
        (path.starts_with(&list) || path.starts_with(&single)).then(|| (status, body.clone()))
    })
}

#[test]
fn reports_nothing_from_deposits_that_it_may_not_read() {
    bad_night(answering("ach-deposits", 403, problem(403))).assert_partial(
        "ach-deposits",
        "forbidden with status 403",
        &["DEPOSIT_NET_MISMATCH", "DEPOSIT_SALES_MISMATCH", "BATCH_WITHOUT_DEPOSIT", "FUNDS_HELD"],
    );
}

#[test]
fn reports_nothing_from_batches_that_do_not_come() {
    bad_night(answering("batches", 500, problem(500))).assert_partial(
        "batches",
        "expected status 200, found 500",
        &["BATCH_SALES_MISMATCH", "BATCH_COUNT_MISMATCH", "ITEM_WITHOUT_BATCH"],
    );
}

#[test]
fn reports_nothing_from_authorizations_that_are_no_json() {
    let page = "<html>Your session has expired</html>".to_owned();
    bad_night(answering("authorizations", 200, page)).assert_partial(
        "authorizations",
        "expected JSON",
        &["BATCH_SALES_MISMATCH", "BATCH_COUNT_MISMATCH", "DUPLICATE_TRANSACTION"],
    );
}

#[test]
fn reports_nothing_from_fees_that_are_cut_off() {
    let cut = r#"{"limit":100,"count":2,"hasMore":false,"data":[{"amount":1"#.to_owned();
    bad_night(answering("ach-deposit-fees", 200, cut)).assert_partial(
        "ach-deposit-fees",
        "expected JSON",
        &["DEPOSIT_FEES_MISMATCH", "FEE_WITHOUT_DEPOSIT"],
    );
}

#[test]
fn reports_nothing_from_bank_transfers_that_do_not_come() {
    bad_night(answering("bank-transfer-payments", 503, problem(503))).assert_partial(
        "bank-transfer-payments",
        "found 503",
        &["PAYMENT_NOT_SETTLED", "RETURN_OUTSTANDING", "SETTLED_DESPITE_STATUS"],
    );
}

#[test]
fn fails_when_nothing_can_be_read_and_changes_nothing() {
    let night = bad_night(Box::new(|path| path.starts_with("/v1").then(|| (500, problem(500)))));
    assert_eq!(night.ended.code, Some(1), "{}", night.ended.stderr);
    assert!(night.ended.stderr.contains("nothing was read"), "{}", night.ended.stderr);
    assert_eq!(night.record, Value::Null);
    night.assert_recovers();
}

#[test]
fn says_that_it_is_refused_when_every_listing_is_forbidden() {
    let night = bad_night(Box::new(|path| path.starts_with("/v1").then(|| (403, problem(403)))));
    assert_eq!(night.ended.code, Some(5), "{}", night.ended.stderr);
    assert!(night.ended.stderr.contains("403"), "{}", night.ended.stderr);
    assert!(night.ended.stderr.contains("hint: "), "{}", night.ended.stderr);
    assert_eq!(night.record, Value::Null);
    night.assert_recovers();
}

/// Forwards the batches of the night with one field of the first record changed.
fn spoiled_batches(field: &'static str, value: &'static str) -> Rule {
    let batch = |id: u64| {
        serde_json::json!({
            "batchId": id, "date": DATE, "createdDate": DATE, "lastModifiedDate": DATE,
            "saleAmount": 100, "heldAmount": 0, "returnAmount": 0, "transactionCount": 1,
            "currency": "USD",
            "merchant": {"merchantId": "4525017565", "doingBusinessAs": "Books",
                         "processingAccountId": 7},
            "links": []
        })
    };
    let mut first = batch(900_001);
    first[field] = serde_json::from_str(value).unwrap();
    let page = serde_json::json!({
        "limit": 100, "count": 2, "hasMore": false, "data": [first, batch(900_002)], "links": []
    })
    // The JSON library refuses a number beyond 64 bits, so a text takes its place until here.
    .to_string()
    .replace("\"9e\"", "99999999999999999999");
    Box::new(move |path| {
        let is_batches = path.starts_with("/v1/batches?") && path.contains(DATE);
        is_batches.then(|| (200, page.clone()))
    })
}

#[test]
fn names_the_record_and_the_field_that_cannot_be_true() {
    let cases = [
        ("saleAmount", "\"9e\"", "saleAmount"),
        ("saleAmount", "12.5", "saleAmount"),
        ("saleAmount", "\"much\"", "saleAmount"),
        ("currency", "\"XXQ\"", "currency"),
        ("date", "\"2026-02-30\"", "date"),
        ("batchId", "null", "batchId"),
    ];
    for (field, value, named) in cases {
        let night = bad_night(spoiled_batches(field, value));
        assert_eq!(night.ended.code, Some(4), "{field} {value}: {}", night.ended.stderr);
        let listings = night.record["listings"].as_array().unwrap();
        let listing = listings
            .iter()
            .find(|listing| listing["resource"] == "batches" && listing["date"] == DATE)
            .unwrap();
        let error = listing["error"].as_str().unwrap_or_default();
        assert_eq!(listing["verdict"], "incomplete", "{field} {value}: {listing:#}");
        assert!(error.contains(named), "{field} {value}: {error}");
        if field != "batchId" {
            assert!(error.contains("900001"), "{field} {value}: {error}");
        }
        assert!(
            !night
                .rows
                .iter()
                .any(|row| row["code"].starts_with("BATCH_SALES") && row["status"] == "new")
        );
    }
}

#[test]
fn refuses_a_listing_that_goes_in_circles_or_hides_records() {
    let page = |count: u32, more: bool, link: &str| {
        format!(r#"{{"limit":100,"count":{count},"hasMore":{more},"data":[],"links":[{link}]}}"#)
    };
    let next =
        r#"{"rel":"next","href":"https://elsewhere.example/v1/batches?after=x","method":"get"}"#;
    let cases = [
        (page(0, true, ""), "hasMore is true"),
        (page(0, true, next), "goes in circles"),
        (page(3, false, ""), "count is 3"),
    ];
    for (body, why) in cases {
        bad_night(answering("batches", 200, body)).assert_partial(
            "batches",
            why,
            &["BATCH_SALES_MISMATCH", "ITEM_WITHOUT_BATCH"],
        );
    }
}
