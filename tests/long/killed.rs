//! A killed run leaves whole files or none, and the next one resumes: stored pages are not read
//! again, and the result is that of an undisturbed run. Several kills of one run, with faults as
//! well, are drawn in `../faults`.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tieout_sandbox::WorldOptions;

use crate::harness::{Served, Site, clean, gateway, reports, rounds};

/// Long enough that a kill falls between answers.
const DELAY_MS: u64 = 5;

/// No run of these worlds takes longer, by far.
const PATIENCE: Duration = Duration::from_secs(60);

fn world() -> WorldOptions {
    let plants = ["DEPOSIT_NET_MISMATCH", "BATCH_SALES_MISMATCH", "PAYMENT_NOT_SETTLED"];
    let plants = plants.map(str::to_owned).to_vec();
    WorldOptions { plants, ..clean(51, "2026-11-03", "2026-11-06", 4, 200) }
}

fn run(site: &Site, served: &Served) -> std::process::Command {
    let options = served.world.options();
    let mut command =
        site.command(&["run", "--date", &format!("{}..{}", options.from, options.to)]);
    // Few at once, so that much work is left at any moment.
    command.env("TIEOUT_API__MAX_IN_FLIGHT", "4").env("TIEOUT_API__PAGE_SIZE", "20");
    command
}

/// Starts a run and kills it once `is_time` holds; false when it ended before.
fn kill_when(site: &Site, served: &Served, is_time: impl Fn() -> bool) -> bool {
    kill_when_running(&mut run(site, served), is_time)
}

/// The same with any command.
pub fn kill_when_running(command: &mut std::process::Command, is_time: impl Fn() -> bool) -> bool {
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !is_time() {
        assert!(began.elapsed() < PATIENCE, "the run does not get there");
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

/// A number that the store knows; 0 before there is a store.
fn stored(site: &Site, sql: &str) -> u64 {
    if !site.store().exists() {
        return 0;
    }
    let connection = Connection::open(site.store()).unwrap();
    let number: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap_or(0);
    u64::try_from(number).unwrap()
}

fn stored_pages(site: &Site) -> u64 {
    stored(site, "select count(*) from page")
}

fn is_fetching(site: &Site) -> bool {
    stored(site, "select count(*) from business_day where fetch_state = 'fetching'") == 4
}

/// A killed run must leave whole files: a file with its final name has its content.
fn assert_nothing_is_half_written(site: &Site, whole: &Site, about: &str) {
    let expected = reports::files(&whole.reports());
    for (name, content) in reports::files(&site.reports()) {
        if name.ends_with("run.json") {
            let record: Result<serde_json::Value, _> = serde_json::from_slice(&content);
            assert!(record.is_ok(), "{about}: {name} is half written");
        } else if let Some(expected) = expected.get(&name) {
            assert!(content == *expected, "{about}: {name} is half written");
        }
    }
}

#[test]
fn goes_on_where_a_killed_run_was_and_reads_no_page_twice() {
    let served = Served::slow(&world(), DELAY_MS);
    let undisturbed = served.site();
    let before = served.sandbox.requests();
    crate::harness::Ended::from(run(&undisturbed, &served).output().unwrap()).expect(0);
    let requests = served.sandbox.requests() - before;
    let whole = reports::comparable_however_fetched(&undisturbed.reports());
    for percent in rounds([35, 85, 1, 10, 60, 97]) {
        let about = format!("killed after {percent} % of {requests} requests");
        let site = served.site();
        let start = served.sandbox.requests();
        let wanted = start + requests * percent / 100;
        kill_when(&site, &served, || served.sandbox.requests() >= wanted);
        assert_nothing_is_half_written(&site, &undisturbed, &about);
        let (stored, was_fetching) = (stored_pages(&site), is_fetching(&site));
        let second = served.sandbox.requests();
        let ended = crate::harness::Ended::from(run(&site, &served).output().unwrap()).expect(0);
        let needed = served.sandbox.requests() - second;
        if was_fetching {
            assert!(
                needed + stored <= requests + 4,
                "{about}: {stored} pages were stored, and {needed} requests were made\n{}",
                ended.stderr
            );
        }
        reports::assert_same(&whole, &reports::comparable_however_fetched(&site.reports()), &about);
    }
}

/// The cursor of a path or a link.
fn cursor(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("after=")?;
    Some(rest.chars().take_while(char::is_ascii_alphanumeric).collect())
}

#[test]
fn begins_anew_where_the_service_has_forgotten_its_cursors() {
    let served = Served::slow(&world(), DELAY_MS);
    let known: Arc<Mutex<HashSet<String>>> = Arc::default();
    let (asked, given) = (Arc::clone(&known), Arc::clone(&known));
    let rule = Box::new(move |path: &str| {
        let is_known = cursor(path).is_none_or(|cursor| asked.lock().unwrap().contains(&cursor));
        (!is_known).then(|| (400, r#"{"title":"Bad request","status":400}"#.to_owned()))
    });
    let remember = Box::new(move |_: &str, answer: gateway::Answer| {
        given.lock().unwrap().extend(cursor(&answer.1));
        answer
    });
    let upstream = Some(served.sandbox.base_url());
    let gateway = gateway::start_rewriting(&served.runtime, upstream, rule, remember);
    let undisturbed = served.site_behind(&gateway.base);
    crate::harness::Ended::from(run(&undisturbed, &served).output().unwrap()).expect(0);
    let requests = gateway.seen().len();
    let whole = reports::comparable_however_fetched(&undisturbed.reports());
    let mut refused = 0;
    for percent in [30, 60, 20, 40, 50, 70] {
        let about = format!("killed after {percent} % of {requests} requests");
        let site = served.site_behind(&gateway.base);
        known.lock().unwrap().clear();
        let wanted = gateway.seen().len() + requests * percent / 100;
        assert!(kill_when(&site, &served, || gateway.seen().len() >= wanted), "{about}");
        known.lock().unwrap().clear();
        let second = gateway.seen().len();
        crate::harness::Ended::from(run(&site, &served).output().unwrap()).expect(0);
        let seen = gateway.seen();
        let is_refused = |seen: &&gateway::Exchange| seen.body.contains("Bad request");
        refused += seen.iter().skip(second).filter(is_refused).count();
        reports::assert_same(&whole, &reports::comparable_however_fetched(&site.reports()), &about);
        site.run(&["verify", "reports"]).expect(0);
    }
    assert!(refused > 0, "no cursor was forgotten");
}

/// The stages of a night at which it is killed, recognized by the store or the report folder.
fn is_at(stage: &str, site: &Site) -> bool {
    let days = |condition: &str| {
        stored(site, &format!("select count(*) from business_day where {condition}"))
    };
    match stage {
        "fetch, begun" => stored_pages(site) > 3,
        "fetch, half of it" => stored_pages(site) > 100,
        "fetch, one date is fetched" => days("fetch_state = 'fetched'") >= 1,
        "fetch, every date is fetched" => days("fetch_state = 'fetched'") == 4,
        "reconcile, one date" => days("reconciled") >= 1,
        "reconcile, three dates" => days("reconciled") >= 3,
        "report, of the first date" => !reports::files(&site.reports()).is_empty(),
        "report, of the last date" => site.reports().join("2026-11-06").exists(),
        _ => unreachable!("{stage}"),
    }
}

#[test]
fn writes_the_same_run_record_as_a_run_that_was_not_killed() {
    let served = Served::slow(&world(), DELAY_MS);
    let undisturbed = served.site();
    crate::harness::Ended::from(run(&undisturbed, &served).output().unwrap()).expect(0);
    let whole = reports::comparable(&undisturbed.reports());
    let mut kills = 0;
    for stage in [
        "fetch, begun",
        "fetch, half of it",
        "fetch, one date is fetched",
        "fetch, every date is fetched",
        "reconcile, one date",
        "reconcile, three dates",
        "report, of the first date",
        "report, of the last date",
    ] {
        let site = served.site();
        let was_killed = kill_when(&site, &served, || is_at(stage, &site));
        assert_nothing_is_half_written(&site, &undisturbed, stage);
        crate::harness::Ended::from(run(&site, &served).output().unwrap()).expect(0);
        kills += u32::from(was_killed);
        let about = format!("{stage}, killed: {was_killed}");
        reports::assert_same(&whole, &reports::comparable(&site.reports()), &about);
    }
    assert!(kills >= 6, "a run ended before it was killed: {kills} kills");
}
