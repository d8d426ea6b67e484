//! A week of nights under `tieout schedule`, with all events of a week, leaves the result of seven
//! clean runs.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::harness::{Ended, Served, Site, clean, dates, day, gateway, reports};

use super::signals::{send, wait_until};

const FROM: &str = "2026-10-28";
const TO: &str = "2026-11-03";

/// A schedule that is up, and where it answers.
struct Scheduled {
    child: Child,
    log: std::path::PathBuf,
}

impl Scheduled {
    /// Starts it at this moment of its clock.
    fn start(site: &Site, now: &str, change: impl Fn(&mut Command)) -> Self {
        let log = site.path().join(format!("log-{}", now.replace(':', "")));
        let mut command = site.command(&["schedule", "--health", "127.0.0.1:0"]);
        command
            .env("TIEOUT_NOW", now)
            .env("TIEOUT_TIME_ZONE", "America/New_York")
            .env("TIEOUT_SCHEDULE__CRON", "0 30 1 * * *")
            .env("TIEOUT_API__MAX_ATTEMPTS", "1")
            .env("TIEOUT_API__PAGE_SIZE", "20")
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).unwrap());
        change(&mut command);
        Self { child: command.spawn().unwrap(), log }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// The answer on `path`; `None` before it listens.
    fn ask(&self, path: &str) -> Option<String> {
        let log = self.log();
        let address = log.split("http://").nth(1)?.split_whitespace().next()?;
        let url = format!("http://{address}{path}");
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { client.get(url).send().await.ok()?.text().await.ok() })
    }

    /// Waits until it has ended a run, with any result.
    fn wait_for_a_run(&self) -> Value {
        let mut status = Value::Null;
        wait_until("a run", || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            status = self
                .ask("/status")
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default();
            !status["last_run"].is_null() && status["is_running"] == false
        });
        status
    }

    /// How its last run ended; empty before there was one.
    fn outcome(&self) -> String {
        let status: Value = self
            .ask("/status")
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        status["last_run"]["outcome"].as_str().unwrap_or_default().to_owned()
    }

    fn end(mut self, signal: &str) {
        send(&self.child, signal);
        let status = self.child.wait().unwrap();
        if signal == "TERM" {
            assert_eq!(status.code(), Some(0), "{}", self.log());
        }
    }
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

/// `run.json` states the substituted clock.
fn without_the_clock(site: &Site) -> reports::Files {
    let mut files = reports::comparable_however_fetched(&site.reports());
    for (name, content) in &mut files {
        if name.ends_with("run.json") {
            let mut record: Value = serde_json::from_slice(content).unwrap();
            record["clock_substitute"] = Value::Null;
            *content = serde_json::to_vec(&record).unwrap();
        }
    }
    files
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
    let night = Scheduled::start(&site, "2026-10-29T05:29:59Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["dates"][0]["business_date"], FROM);
    assert_eq!(status["pending"], Value::Array(Vec::new()));
    assert!(night.ask("/metrics").unwrap().contains("tieout_last_run_exit_code 0"));
    assert_eq!(night.ask("/ready").unwrap(), "ready\n");
    night.end("TERM");
    // 29 October: killed in the middle, started again soon after.
    let before = served.sandbox.requests();
    let night = Scheduled::start(&site, "2026-10-30T05:29:59Z", unchanged);
    wait_until("some requests", || served.sandbox.requests() > before + 15);
    night.end("KILL");
    let night = Scheduled::start(&site, "2026-10-30T05:31:00Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["dates"][0]["business_date"], "2026-10-29");
    night.end("TERM");
    // 30 October: the API is down all night.
    let night = Scheduled::start(&site, "2026-10-31T05:29:59Z", |command| {
        command.env("TIEOUT_API__BASE_URL", &outage.base);
    });
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["outcome"], "failed", "{status}");
    assert_eq!(status["pending"][0], "2026-10-30");
    night.end("TERM");
    // 31 October is the night in which 01:30 comes twice; the date before is caught up.
    let night = Scheduled::start(&site, "2026-11-01T05:30:01Z", unchanged);
    let status = night.wait_for_a_run();
    let named: Vec<&Value> = status["last_run"]["dates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["business_date"])
        .collect();
    assert_eq!(named, ["2026-10-30", "2026-10-31"]);
    night.end("TERM");
    let night = Scheduled::start(&site, "2026-11-01T06:29:58Z", unchanged);
    std::thread::sleep(std::time::Duration::from_secs(4));
    let second: Value = serde_json::from_str(&night.ask("/status").unwrap()).unwrap();
    assert!(second["last_run"].is_null(), "01:30 fired twice: {second}");
    night.end("TERM");
    // Down for two nights, and then all three are done.
    let night = Scheduled::start(&site, "2026-11-04T11:00:00Z", unchanged);
    let status = night.wait_for_a_run();
    assert_eq!(status["last_run"]["dates"].as_array().unwrap().len(), 3);
    night.end("TERM");
    reports::assert_same(&without_the_clock(&expected), &without_the_clock(&site), "the week");
}

#[test]
fn begins_after_what_a_person_has_run_by_hand() {
    let served = served();
    let site = served.site();
    site.run_range(day(FROM), day("2026-10-30")).expect(0);
    let night = Scheduled::start(&site, "2026-11-02T12:00:00Z", |_| {});
    let status = night.wait_for_a_run();
    let named: Vec<&Value> = status["last_run"]["dates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["business_date"])
        .collect();
    assert_eq!(named, ["2026-10-31", "2026-11-01"]);
    night.end("TERM");
}

#[test]
fn does_nothing_before_its_time_and_ends_at_once_when_asked() {
    let served = served();
    let site = served.site();
    let before = served.sandbox.requests();
    let night = Scheduled::start(&site, "2026-10-29T12:00:00Z", |_| {});
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
    let night = Scheduled::start(&site, "2026-10-29T12:00:00Z", |_| {});
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
    let first = Scheduled::start(&site, "2026-10-29T05:29:59Z", |_| {});
    let second = Scheduled::start(&site, "2026-10-29T05:29:58Z", |_| {});
    let mut outcomes = Vec::new();
    wait_until("one of them is done", || {
        outcomes = [&first, &second].map(Scheduled::outcome).to_vec();
        outcomes.contains(&"done".to_owned())
    });
    // The other one was refused the lock, or came when there was nothing left to do.
    let others = ["done", "locked", ""].map(str::to_owned);
    assert!(outcomes.iter().all(|outcome| others.contains(outcome)), "{outcomes:?}");
    assert_ne!(outcomes[0], outcomes[1]);
    first.end("TERM");
    second.end("TERM");
}
