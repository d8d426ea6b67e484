//! A week of nights under `tieout schedule`, with all events of a week, leaves the result of seven
//! clean runs.

use std::process::Command;

use serde_json::Value;
use tieout_sandbox::ServeOptions;

use crate::harness::daemon::{Scheduled, dates_of, wait_until};
use crate::harness::{Ended, Served, Site, clean, dates, day, gateway, reports};

const FROM: &str = "2026-10-28";
const TO: &str = "2026-11-03";

/// Starts the schedule at this moment of its clock.
fn start(site: &Site, now: &str, change: impl Fn(&mut Command)) -> Scheduled {
    let mut command = site.command(&["schedule", "--health", "127.0.0.1:0"]);
    command
        .env("TIEOUT_NOW", now)
        .env("TIEOUT_TIME_ZONE", "America/New_York")
        .env("TIEOUT_SCHEDULE__CRON", "0 30 1 * * *")
        .env("TIEOUT_API__MAX_ATTEMPTS", "1")
        .env("TIEOUT_API__PAGE_SIZE", "20");
    change(&mut command);
    Scheduled::start(command, site.path().join(format!("log-{}", now.replace(':', ""))))
}

/// The outcome of its last run; empty before there was one.
fn outcome(night: &Scheduled) -> String {
    night.status()["last_run"]["outcome"].as_str().unwrap_or_default().to_owned()
}

fn served() -> Served {
    let plants = ["DEPOSIT_NET_MISMATCH", "BATCH_COUNT_MISMATCH", "PAYMENT_NOT_SETTLED"];
    let plants = plants.map(str::to_owned).to_vec();
    let options = tieout_sandbox::WorldOptions { plants, ..clean(61, FROM, TO, 3, 60) };
    Served::slow(&options, 1)
}

fn clean_runs(served: &Served) -> Site {
    let site = served.site();
    for date in dates(day(FROM), day(TO)) {
        let mut command = site.command(&["run", "--date", &date.to_string()]);
        command.env("TIEOUT_TIME_ZONE", "America/New_York").env("TIEOUT_API__PAGE_SIZE", "20");
        Ended::from(command.output().unwrap()).expect(0);
    }
    site
}

#[test]
fn a_week_with_kills_an_outage_and_a_change_of_the_clocks_is_a_week_of_clean_runs() {
    let served = served();
    let expected = clean_runs(&served);
    let outage = gateway::start(
        &served.runtime,
        None,
        Box::new(|_| Some((503, "{\"title\": \"down\"}".to_owned()))),
    );
    let site = served.site();
    let unchanged = |_: &mut Command| {};
    // 28 October: nothing was ever run; the first firing names it. 01:30 is 05:30 UTC.
    let night = start(&site, "2026-10-29T05:29:59Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["dates"][0]["business_date"], FROM);
    assert_eq!(status["pending"], Value::Array(Vec::new()));
    assert!(night.ask("/metrics").unwrap().contains("tieout_last_run_exit_code 0"));
    assert_eq!(night.ask("/ready").unwrap(), "ready\n");
    night.end("TERM");
    // 29 October: killed in the middle, started again soon after.
    let before = served.sandbox.requests();
    let night = start(&site, "2026-10-30T05:29:59Z", unchanged);
    wait_until("some requests", || served.sandbox.requests() > before + 15);
    night.end("KILL");
    let night = start(&site, "2026-10-30T05:31:00Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["dates"][0]["business_date"], "2026-10-29");
    night.end("TERM");
    // 30 October: the API is down all night.
    let night = start(&site, "2026-10-31T05:29:59Z", |command| {
        command.env("TIEOUT_API__BASE_URL", &outage.base);
    });
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["outcome"], "failed", "{status}");
    assert_eq!(status["pending"][0], "2026-10-30");
    night.end("TERM");
    // 31 October is the night in which 01:30 comes twice; the date before is caught up.
    let night = start(&site, "2026-11-01T05:30:01Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(dates_of(&status), ["2026-10-30", "2026-10-31"]);
    night.end("TERM");
    let night = start(&site, "2026-11-01T06:29:58Z", unchanged);
    std::thread::sleep(std::time::Duration::from_secs(4));
    let second = night.status();
    assert!(second["last_run"].is_null(), "01:30 fired twice: {second}");
    night.end("TERM");
    // Down for two nights, and then all three are done.
    let night = start(&site, "2026-11-04T11:00:00Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["dates"].as_array().unwrap().len(), 3);
    night.end("TERM");
    reports::assert_same(
        &reports::without_the_clock(&expected.reports()),
        &reports::without_the_clock(&site.reports()),
        "the week",
    );
}

#[test]
fn begins_after_what_a_person_has_run_by_hand() {
    let served = served();
    let site = served.site();
    site.run_range(day(FROM), day("2026-10-30")).expect(0);
    let night = start(&site, "2026-11-02T12:00:00Z", |_| {});
    let status = night.wait_for_a_run();
    assert_eq!(dates_of(&status), ["2026-10-31", "2026-11-01"]);
    night.end("TERM");
}

#[test]
fn does_nothing_before_its_time_and_ends_at_once_when_asked() {
    let served = served();
    let site = served.site();
    let before = served.sandbox.requests();
    let night = start(&site, "2026-10-29T12:00:00Z", |_| {});
    wait_until("it is ready", || night.ask("/ready").is_some_and(|text| text == "ready\n"));
    assert_eq!(night.ask("/live").unwrap(), "live\n");
    night.end("TERM");
    assert_eq!(served.sandbox.requests(), before);
}

#[test]
fn does_not_begin_what_can_never_be_done() {
    let served = served();
    for (variable, value, named) in [
        ("TIEOUT_API_KEY", "", "api_key_file"),
        ("TIEOUT_SCHEDULE__CRON", "0 0 2 30 2 *", "schedule.cron"),
    ] {
        let site = served.site();
        let mut command = site.command(&["schedule"]);
        let ended = Ended::from(command.env(variable, value).output().unwrap()).expect(2);
        assert!(ended.stderr.contains(named), "{}", ended.stderr);
        assert!(!site.store().exists());
    }
}

#[test]
fn is_not_ready_while_the_store_cannot_be_read() {
    let served = served();
    let site = served.site();
    let night = start(&site, "2026-10-29T12:00:00Z", |_| {});
    let answers = |text: &str| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        night.ask("/ready").is_some_and(|answer| answer == text)
    };
    wait_until("it is ready", || answers("ready\n"));
    let (store, aside) = (site.store(), site.path().join("aside.db"));
    std::fs::rename(&store, &aside).unwrap();
    std::fs::create_dir(&store).unwrap();
    // It looks every twenty seconds.
    wait_until("it is not ready", || answers("the store cannot be read\n"));
    assert_eq!(night.ask("/live").unwrap(), "live\n");
    std::fs::remove_dir(&store).unwrap();
    std::fs::rename(&aside, &store).unwrap();
    wait_until("it is ready again", || answers("ready\n"));
    night.end("TERM");
}

#[test]
fn two_schedules_do_not_run_at_once() {
    let served = Served::slow(&clean(62, FROM, FROM, 2, 200), 20);
    let site = served.site();
    let first = start(&site, "2026-10-29T05:29:59Z", |_| {});
    let second = start(&site, "2026-10-29T05:29:58Z", |_| {});
    let mut outcomes = Vec::new();
    wait_until("one of them is done", || {
        outcomes = [&first, &second].map(outcome).to_vec();
        outcomes.contains(&"done".to_owned())
    });
    // The other one was refused the lock, or came when there was nothing left to do.
    let others = ["done", "locked", ""].map(str::to_owned);
    assert!(outcomes.iter().all(|outcome| others.contains(outcome)), "{outcomes:?}");
    assert_ne!(outcomes[0], outcomes[1]);
    first.end("TERM");
    second.end("TERM");
}

/// A clock two days ahead has dates run for which the service lists nothing yet: they are run again
/// in their time.
#[test]
fn what_was_run_by_a_clock_ahead_is_run_again_in_its_time() {
    let serving = |moment: &str| ServeOptions {
        now: Some(moment.parse().unwrap()),
        transactions: false,
        ..ServeOptions::default()
    };
    let options = clean(61, FROM, "2026-10-31", 3, 60);
    let mut served = Served::serving(&options, serving("2026-10-30T05:30:00Z"));
    let site = served.site();
    site.run_date(day(FROM)).expect(0);
    // By a right clock the 29th alone has ended.
    let night = start(&site, "2026-11-01T05:31:00Z", |_| {});
    let status = night.wait_for("three dates", |status| dates_of(status).len() == 3);
    assert_eq!(status["pending"], Value::Array(Vec::new()));
    night.end("TERM");
    for (morning, date) in [("2026-10-31", "2026-10-30"), ("2026-11-01", "2026-10-31")] {
        served = served.again(serving(&format!("{morning}T05:30:00Z")));
        let night = start(&site, &format!("{morning}T05:28:00Z"), |_| {});
        let status = night.wait_for("a look", |status| status["is_ready"] == true);
        assert!(status["last_run"].is_null() && status["pending"] == Value::Array(Vec::new()));
        night.end("TERM");
        let night = start(&site, &format!("{morning}T05:29:59Z"), |_| {});
        assert_eq!(dates_of(&night.wait_for_a_run()), [date]);
        night.end("TERM");
    }
    let whole = served.site();
    whole.run_range(day(FROM), day("2026-10-31")).expect(0);
    let tables = [&whole, &site].map(|site| reports::tables(&site.reports()));
    reports::assert_same(&tables[0], &tables[1], "a clock ahead");
}
