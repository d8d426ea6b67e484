//! A key that may ask which deposit holds a transaction: the links are exact, and in a clean world
//! they change nothing.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use tieout::cli::{Found, grade};
use tieout_sandbox::{WorldOptions, plant_codes};

use crate::harness::gateway::{self, Answer, Rewrite, Rule};
use crate::harness::{Ended, Served, Site, clean, day, reports, rounds};

/// Plants in batch headers, which a deposit repeats: with links the deposit is compared with the
/// transactions and differs as well. The key of a world speaks of a run without links.
const HEADERS: [&str; 3] =
    ["BATCH_SALES_MISMATCH", "BATCH_RETURNS_MISMATCH", "BATCH_COUNT_MISMATCH"];

fn tables(site: &Site) -> reports::Files {
    reports::tables(&site.reports())
}

/// The same without held, settled elsewhere and withdrawn transactions, which only a key with
/// `/transactions` knows: columns counted from the last.
fn without_states(mut tables: reports::Files) -> reports::Files {
    for (name, content) in &mut tables {
        let unknown = match name.rsplit('/').next() {
            Some("batches.csv") => 0..3,
            Some("summary.csv") => 3..4,
            _ => continue,
        };
        let text = String::from_utf8_lossy(content);
        let lines = text.lines().map(|line| {
            let mut cells: Vec<&str> = line.rsplit(',').collect();
            cells.drain(unknown.clone());
            cells.join(",") + "\n"
        });
        *content = lines.collect::<String>().into_bytes();
    }
    tables
}

fn run(served: &Served) -> Site {
    let site = served.site();
    let options = served.world.options();
    site.run_range(options.from, options.to).expect(0);
    site
}

fn linked_listings(site: &Site, served: &Served) -> usize {
    let last = *served.dates().last().unwrap();
    let record = reports::manifest(&site.reports(), last);
    let listings = record["listings"].as_array().unwrap();
    listings.iter().filter(|listing| listing["resource"] == "transactions").count()
}

#[test]
fn change_nothing_where_nothing_is_wrong() {
    for seed in rounds(61..64) {
        let options = clean(seed, "2026-11-03", "2026-11-09", 6, 60);
        let (with, without) = (Served::linked(&options), Served::new(&options));
        let (linked, plain) = (run(&with), run(&without));
        let [plain_tables, linked_tables] =
            [&plain, &linked].map(|site| without_states(tables(site)));
        reports::assert_same(&plain_tables, &linked_tables, &format!("seed {seed}"));
        assert!(linked_listings(&linked, &with) > 0 && linked_listings(&plain, &without) == 0);
    }
}

#[test]
fn ask_for_no_batches_twice_in_a_night_and_for_no_links_of_days_that_are_paid() {
    let served = Served::linked(&clean(60, "2026-11-03", "2026-11-10", 3, 20));
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start(&served.runtime, upstream, Box::new(|_| None));
    let site = served.site_behind(&gateway.base);
    let (mut before, mut early) = (0, BTreeSet::new());
    for date in served.dates() {
        site.run_date(date).expect(0);
        let seen = gateway.seen();
        let mut asked = BTreeSet::new();
        for exchange in &seen[before..] {
            let is_new = asked.insert(exchange.path.as_str());
            let is_about_batches = exchange.path.starts_with("/v1/batches?");
            assert!(is_new || !is_about_batches, "{date}: {} is asked for twice", exchange.path);
            if let Some(query) = exchange.path.strip_prefix("/v1/transactions?date=") {
                // Two banking days and a weekend: older days have their deposits. Days before the
                // start that the first dates may be linked to are read once.
                let (asked_day, first) = (day(&query[..10]), served.world.options().from);
                let is_early = asked_day < first && early.insert(asked_day);
                let age = (date - asked_day).num_days();
                assert!(age <= if is_early { 8 } else { 4 }, "{date}: {}", exchange.path);
            }
        }
        before = seen.len();
    }
}

#[test]
fn give_the_same_bytes_for_a_range_and_day_by_day() {
    let codes: Vec<String> = plant_codes().into_iter().map(str::to_owned).collect();
    for seed in rounds([65, 66]) {
        let options = WorldOptions {
            plants: codes.clone(),
            ..clean(seed, "2026-11-02", "2026-11-08", 6, 40)
        };
        let served = Served::linked(&options);
        let range = run(&served);
        let nightly = served.site();
        for date in served.dates() {
            nightly.run_date(date).expect(0);
        }
        let mut expected = tables(&range);
        expected.retain(|name, _| !name.starts_with("periods"));
        reports::assert_same(&expected, &tables(&nightly), &format!("seed {seed}"));
    }
}

#[test]
fn find_what_is_planted_and_nothing_else() {
    let plants: Vec<String> = plant_codes()
        .into_iter()
        .filter(|code| !HEADERS.contains(code))
        .map(str::to_owned)
        .collect();
    for seed in rounds([67, 68]) {
        let options = WorldOptions {
            plants: plants.clone(),
            ..clean(seed, "2026-11-02", "2026-11-08", 6, 40)
        };
        let served = Served::linked(&options);
        let site = served.site_with_books();
        let result = served.job(&site);
        let mut found: Vec<Found> = Vec::new();
        for date in &result.dates {
            let outcome = result.outcome(date.business_date).unwrap().unwrap();
            assert!(outcome.not_evaluated.is_empty(), "seed {seed}: {:?}", outcome.not_evaluated);
            found.push((date.business_date, outcome.discrepancies));
        }
        let wrong = grade(&served.key, &found);
        assert!(wrong.is_empty(), "seed {seed}:\n{}", wrong.join("\n"));
    }
}

/// The disturbed night, after an undisturbed one and before another.
const NIGHT: &str = "2026-11-04";

fn planted(seed: u64) -> WorldOptions {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-06", 6, 40) }
}

/// Runs the dates before the night well, and the night behind `rule` and `rewrite`.
fn night_behind(served: &Served, rule: Rule, rewrite: Rewrite) -> (Site, Ended) {
    let site = served.site();
    for date in ["2026-11-02", "2026-11-03"] {
        site.run_date(day(date)).expect(0);
    }
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start_rewriting(&served.runtime, upstream, rule, rewrite);
    let mut command = site.command(&["run", "--date", NIGHT]);
    command
        .env("TIEOUT_API__BASE_URL", format!("{}/v1", gateway.base))
        .env("TIEOUT_API__PAGE_SIZE", "5")
        .env("TIEOUT_API__MAX_ATTEMPTS", "1");
    let ended = Ended::from(command.output().unwrap());
    (site, ended)
}

/// Code, merchant and id of the night's discrepancies with that status.
fn found(site: &Site, status: &str) -> BTreeSet<[String; 3]> {
    reports::table(&site.reports(), day(NIGHT), "discrepancies.csv")
        .into_iter()
        .filter(|row| row["status"] == status)
        .map(|row| ["code", "merchant_id", "discrepancy_id"].map(|column| row[column].clone()))
        .collect()
}

/// The night reports and clears nothing wrongly, and states each check that it could not evaluate;
/// run again without faults, every file is as expected.
#[track_caller]
fn assert_says_what_it_could_not_evaluate(served: &Served, site: &Site, ended: &Ended, how: &str) {
    assert_eq!(ended.code, Some(4), "{how}: {}", ended.stderr);
    let whole = served.site();
    for date in ["2026-11-02", "2026-11-03", NIGHT] {
        whole.run_date(day(date)).expect(0);
    }
    for status in ["new", "cleared"] {
        let (said, true_ones) = (found(site, status), found(&whole, status));
        let more: Vec<_> = said.difference(&true_ones).collect();
        assert!(more.is_empty(), "{how}: {status} without ground: {more:?}");
    }
    let record = reports::manifest(&site.reports(), day(NIGHT));
    let faulty: Vec<&serde_json::Value> = record["listings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|listing| listing["verdict"] != "complete")
        .collect();
    assert!(!faulty.is_empty() && faulty.iter().all(|one| one["resource"] == "transactions"));
    let skipped = record["checks"]["not_evaluated"].as_array().unwrap();
    let blind = |code: &str, merchant: &str| {
        skipped.iter().any(|entry| {
            entry["code"] == code
                && entry["merchant_id"].as_str().is_none_or(|one| one == merchant)
                && entry["reason"].as_str().unwrap().contains("transactions")
        })
    };
    let mut silent = found(&whole, "new");
    silent.retain(|row| !found(site, "new").contains(row) && !blind(&row[0], &row[1]));
    assert!(silent.is_empty(), "{how}: left out without a word: {silent:?}\n{skipped:#?}");
    for code in ["DEPOSIT_SALES_MISMATCH", "DEPOSIT_RETURNS_MISMATCH", "DEPOSIT_COUNT_MISMATCH"] {
        assert!(skipped.iter().any(|entry| entry["code"] == code), "{how}: {code} {skipped:#?}");
    }
    site.run_date(day(NIGHT)).expect(0);
    reports::assert_same(&tables(&whole), &tables(site), how);
}

fn is_linked(path: &str) -> bool {
    path.starts_with("/v1/transactions?") && path.contains(NIGHT)
}

fn problem(status: u16) -> Answer {
    (status, format!(r#"{{"type":"about:blank","title":"No","status":{status}}}"#))
}

#[test]
fn accuse_nobody_while_the_transactions_of_the_night_do_not_come() {
    let served = Served::linked(&planted(69));
    let rule = Box::new(|path: &str| is_linked(path).then(|| problem(500)));
    let (site, ended) = night_behind(&served, rule, Box::new(|_, answer| answer));
    assert_says_what_it_could_not_evaluate(&served, &site, &ended, "500 on every page");
}

#[test]
fn accuse_nobody_when_the_transactions_of_the_night_break_off() {
    let served = Served::linked(&planted(70));
    let is_later = |path: &str| is_linked(path) && path.contains("after=");
    let rule = Box::new(move |path: &str| is_later(path).then(|| problem(503)));
    let (site, ended) = night_behind(&served, rule, Box::new(|_, answer| answer));
    assert_says_what_it_could_not_evaluate(&served, &site, &ended, "503 after the first page");

    // A page that announces more, without a next link.
    let served = Served::linked(&planted(71));
    let rewrite = Box::new(|path: &str, (status, body): Answer| {
        let body = if is_linked(path) { body.replace("\"next\"", "\"nest\"") } else { body };
        (status, body)
    });
    let (site, ended) = night_behind(&served, Box::new(|_| None), rewrite);
    assert_says_what_it_could_not_evaluate(&served, &site, &ended, "no next link");
}

#[test]
fn are_done_without_where_the_key_has_them_not() {
    let (with, without) = (Served::linked(&planted(72)), Served::new(&planted(72)));
    let expected = run(&without);
    for status in [403, 404] {
        let rule: Rule =
            Box::new(move |path| path.starts_with("/v1/transactions").then(|| problem(status)));
        let upstream = Some(with.sandbox.base_url());
        let gateway = gateway::start(&with.runtime, upstream, rule);
        let site = with.site_behind(&gateway.base);
        let options = with.world.options();
        let ended = site.run_range(options.from, options.to).expect(0);
        assert!(!ended.stderr.contains("WARN"), "{status}: {}", ended.stderr);
        reports::assert_same(&tables(&expected), &tables(&site), &format!("status {status}"));
    }
}

/// A link is made when a deposit is paid: an earlier run may have read a day before the start
/// without it, and no later run may rely on that listing. A link that exists stays.
#[test]
fn are_asked_for_again_as_long_as_no_deposit_holds_them() {
    let served = Served::linked(&clean(73, "2026-11-02", "2026-11-06", 3, 40));
    let upstream = || Some(served.sandbox.base_url());
    let (runtime, rule) = (&served.runtime, || -> Rule { Box::new(|_| None) });
    let unmade = Box::new(|path: &str, (status, body): Answer| {
        let is_about_links = path.starts_with("/v1/transactions?");
        (status, if is_about_links { body.replace("achDepositId", "noDepositId") } else { body })
    });
    let before = gateway::start_rewriting(runtime, upstream(), rule(), unmade);
    let after = gateway::start(runtime, upstream(), rule());
    let site = served.site();
    // The days before the night that the run through `gateway` requested.
    let asked = |gateway: &gateway::RunningGateway| -> BTreeSet<NaiveDate> {
        let seen = gateway.seen().len();
        let mut command = site.command(&["run", "--date", NIGHT]);
        command
            .env("TIEOUT_API__BASE_URL", format!("{}/v1", gateway.base))
            // A look-back would read them as well.
            .env("TIEOUT_SETTLEMENT__RESTATED_DAYS", "0");
        Ended::from(command.output().unwrap()).expect(0);
        let seen = gateway.seen().split_off(seen);
        let paths = seen.iter().map(|exchange| exchange.path.as_str());
        let days = paths.filter_map(|path| path.strip_prefix("/v1/transactions?date="));
        days.map(|query| day(&query[..10])).filter(|asked| *asked < day(NIGHT)).collect()
    };
    let first = asked(&before);
    assert!(first.contains(&day("2026-11-02")), "{first:?}");
    assert_eq!(asked(&after), first);
    // This service knows them from the beginning.
    assert_eq!(asked(&after), BTreeSet::new());
}
