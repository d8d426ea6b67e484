//! A quarter of nights under one `tieout schedule` on a machine that lives: the process is killed, stopped
//! and down for nights, the clock is set in both directions, the service is dead for three days and
//! the disk is full for a week. It leaves the files of undisturbed nights, and its memory does not
//! grow. `DAEMON_SEEDS=0..10` draws more quarters.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use serde_json::Value;
use tieout::night::schedule::Firings;
use tieout_sandbox::WorldOptions;

use crate::dice::Dice;
use crate::harness::daemon::{Scheduled, dates_of, wait_until};
use crate::harness::gateway::{self, RunningGateway};
use crate::harness::machine::Machine;
use crate::harness::{self, Ended, Served, Site, clean, reports};

const CRON: &str = "0 30 1 * * *";
const ZONE: chrono_tz::Tz = chrono_tz::America::New_York;

/// A change of the clocks in spring, and one in autumn.
const QUARTERS: [(&str, &str); 2] = [("2026-01-19", "2026-04-19"), ("2026-09-01", "2026-11-30")];

#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// Killed or asked to end in the middle of a night, and started again.
    Ended(&'static str),
    /// Killed, and down for so many nights.
    Down(u64),
    /// The clock is set back after a night, and forward again.
    Back(i64),
    /// The clock runs so many nights ahead, and is set back.
    Ahead(u64),
    /// The service is dead for so many nights.
    Dead(u64),
    /// The disk is full for so many nights.
    Full(u64),
    /// The same, and in the middle the process is killed.
    FullAndKilled(u64),
}

impl Trouble {
    /// The troubles of a quarter.
    fn all(is_few: bool) -> Vec<Self> {
        use Trouble::{Ahead, Back, Dead, Down, Ended, Full, FullAndKilled};
        let once = [
            Ended("KILL"),
            Ended("TERM"),
            Down(2),
            Back(1),
            Back(4),
            Ahead(2),
            Dead(3),
            Full(7),
            FullAndKilled(3),
        ];
        let more =
            [Ended("KILL"), Ended("KILL"), Ended("TERM"), Down(1), Down(4), Back(30), Ahead(1)];
        let count = if is_few { 0 } else { more.len() };
        once.into_iter().chain(more.into_iter().take(count)).collect()
    }
}

/// The machine, the service, and the schedule that is up on it.
struct Life<'s> {
    served: &'s Served,
    gateway: RunningGateway,
    is_dead: Arc<AtomicBool>,
    site: Site,
    machine: Machine,
    firings: Firings,
    daemon: Option<Scheduled>,
    lives: u32,
    /// The next date to be run.
    next: NaiveDate,
}

impl<'s> Life<'s> {
    fn begin(served: &'s Served) -> Self {
        let is_dead = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&is_dead);
        let dead = move |_: &str| {
            let is_dead = asked.load(Ordering::Relaxed);
            is_dead.then(|| (503, "{\"title\": \"down\"}".to_owned()))
        };
        let upstream = Some(served.sandbox.base_url());
        let gateway = gateway::start(&served.runtime, upstream, Box::new(dead));
        let site = served.site_behind(&gateway.base);
        let next = served.world.options().from;
        let firings = Firings::new(CRON, ZONE).unwrap();
        let evening = next.and_hms_opt(22, 0, 0).unwrap().and_utc();
        let machine = Machine::new(site.path(), evening);
        let mut life =
            Self { served, gateway, is_dead, site, machine, firings, daemon: None, lives: 0, next };
        life.start();
        life
    }

    fn command(&self) -> Command {
        let mut command = self.site.command(&["schedule", "--health", "127.0.0.1:0"]);
        as_configured(&mut command);
        self.machine.hold(&mut command);
        command
    }

    fn start(&mut self) {
        let command = self.command();
        self.lives += 1;
        let daemon =
            Scheduled::start(command, self.site.path().join(format!("log-{}", self.lives)));
        daemon.wait_for("it is ready", |status| status["is_ready"] == true);
        self.daemon = Some(daemon);
    }

    fn daemon(&self) -> &Scheduled {
        self.daemon.as_ref().unwrap()
    }

    fn end(&mut self, signal: &str) {
        self.daemon.take().unwrap().end(signal);
    }

    /// The moment at which a date is named.
    fn firing(&self, date: NaiveDate) -> DateTime<Utc> {
        let midnight = date.succ_opt().unwrap().and_hms_opt(0, 0, 0).unwrap();
        self.firings.after(midnight.and_local_timezone(ZONE).earliest().unwrap().to_utc()).unwrap()
    }

    /// Lets so many nights begin.
    fn fire(&mut self, nights: u64) -> Vec<NaiveDate> {
        let dates: Vec<NaiveDate> =
            self.next.iter_days().take(usize::try_from(nights).unwrap()).collect();
        for date in &dates {
            let moment = self.firing(*date);
            self.machine.pass_to(moment);
            std::thread::sleep(std::time::Duration::from_millis(60));
        }
        self.next = self.next.checked_add_days(Days::new(nights)).unwrap();
        dates
    }

    /// Waits until nothing is left to do and the last run had these dates in it.
    #[track_caller]
    fn is_done(&self, dates: &[NaiveDate], than: &Value) -> Value {
        let named: Vec<String> = dates.iter().map(ToString::to_string).collect();
        self.daemon().wait_for(&format!("{named:?}"), |status| {
            let done = dates_of(status);
            status["pending"] == Value::Array(Vec::new())
                && status["last_run"] != than["last_run"]
                && named.iter().all(|date| done.contains(&date.as_str()))
        })
    }

    fn night(&mut self) {
        let before = self.daemon().status();
        let dates = self.fire(1);
        self.is_done(&dates, &before);
        // Some hours in which there is nothing to do.
        self.machine.pass(TimeDelta::hours(5));
    }

    fn suffer(&mut self, trouble: Trouble, dice: &mut Dice) {
        match trouble {
            Trouble::Ended(signal) => {
                let before = self.served.sandbox.requests();
                let wanted = before + 1 + dice.roll(25) as u64;
                let status = self.daemon().status();
                let dates = self.fire(1);
                wait_until("some requests", || {
                    self.served.sandbox.requests() >= wanted
                        || self.daemon().status()["last_run"] != status["last_run"]
                });
                self.end(signal);
                self.start();
                // Where it had been done before, there is nothing to do.
                let named = dates[0].to_string();
                self.daemon()
                    .wait_for(&named, |status| status["pending"] == Value::Array(Vec::new()));
            }
            Trouble::Down(nights) => {
                self.end("KILL");
                let dates = self.fire(nights);
                self.start();
                self.is_done(&dates, &Value::Null);
            }
            Trouble::Back(hours) => {
                self.night_and_clock(TimeDelta::hours(-hours));
            }
            Trouble::Ahead(nights) => {
                let ahead = self.firing(self.next + Days::new(nights - 1)) - self.machine.now();
                let before = self.daemon().status();
                self.machine.set_by(ahead);
                self.machine.pass(TimeDelta::minutes(1));
                let dates: Vec<_> =
                    self.next.iter_days().take(usize::try_from(nights).unwrap()).collect();
                self.is_done(&dates, &before);
                self.set_by(-ahead);
                // Each again in its time.
                for _ in 0..nights {
                    self.night();
                }
            }
            Trouble::Dead(nights) => {
                self.is_dead.store(true, Ordering::Relaxed);
                let dates = self.fire(nights);
                self.daemon()
                    .wait_for("a failure", |status| status["last_run"]["outcome"] == "failed");
                self.machine.pass(TimeDelta::minutes(6));
                self.is_dead.store(false, Ordering::Relaxed);
                self.recover(&dates);
            }
            Trouble::Full(nights) => {
                self.machine.fill_disk(true);
                let dates = self.fire(nights);
                self.machine.fill_disk(false);
                self.recover(&dates);
            }
            Trouble::FullAndKilled(nights) => {
                self.machine.fill_disk(true);
                let mut dates = self.fire(nights / 2);
                self.end("KILL");
                // It says so, and waits for its supervisor to start it again.
                let ended = Ended::from(self.command().output().unwrap()).expect(1);
                assert!(ended.stderr.contains("free space"), "{}", ended.stderr);
                dates.extend(self.fire(nights - nights / 2));
                self.machine.fill_disk(false);
                self.start();
                self.is_done(&dates, &Value::Null);
            }
        }
    }

    /// Lets a wait for the next try pass.
    fn recover(&mut self, dates: &[NaiveDate]) {
        let before = self.daemon().status();
        self.machine.pass(TimeDelta::hours(3));
        self.is_done(dates, &before);
    }

    /// A night, after which the clock is set back for some hours.
    fn night_and_clock(&mut self, back: TimeDelta) {
        let before = self.daemon().status();
        let dates = self.fire(1);
        let done = self.is_done(&dates, &before);
        self.set_by(back);
        let moment = self.firing(dates[0]);
        if self.machine.now() < moment {
            self.machine.pass_to(moment);
            self.is_done(&dates, &done);
        }
        self.set_by(-back);
        // Nights that the clock has jumped over are run at once.
        let mut passed = Vec::new();
        while self.firing(self.next) <= self.machine.now() {
            passed.push(self.next);
            self.next = self.next.succ_opt().unwrap();
        }
        if !passed.is_empty() {
            self.is_done(&passed, &done);
        }
    }

    /// Sets the clock, and waits until the schedule has looked at it.
    fn set_by(&mut self, time: TimeDelta) {
        self.machine.set_by(time);
        self.machine.pass(TimeDelta::minutes(1));
        let next = self.firings.after(self.machine.now()).unwrap();
        self.daemon().wait_for("a look at the clock", |status| {
            status["next_firing"].as_str().and_then(|text| text.parse().ok()) == Some(next)
        });
    }

    /// The resident memory of the process in KiB.
    fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.daemon().child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }
}

fn as_configured(command: &mut Command) {
    command
        .env("TIEOUT_TIME_ZONE", ZONE.name())
        .env("TIEOUT_SCHEDULE__CRON", CRON)
        .env("TIEOUT_API__MAX_ATTEMPTS", "1");
}

fn undisturbed(served: &Served) -> Site {
    let site = served.site();
    for date in served.dates() {
        let mut command = site.command(&["run", "-q", "--date", &date.to_string()]);
        as_configured(&mut command);
        Ended::from(command.output().unwrap()).expect(0);
    }
    site
}

fn world(seed: u64, is_few: bool) -> WorldOptions {
    let (from, to) = QUARTERS[usize::try_from(seed).unwrap() % 2];
    let plants = ["DEPOSIT_NET_MISMATCH", "BATCH_COUNT_MISMATCH", "PAYMENT_NOT_SETTLED"];
    let mut options =
        WorldOptions { plants: plants.map(str::to_owned).to_vec(), ..clean(seed, from, to, 2, 12) };
    if is_few {
        // The change of the clocks is in it.
        options.from = options.from + Days::new(38);
        options.to = options.from + Days::new(36);
    }
    options
}

fn quarter(seed: u64, is_few: bool) {
    let served = Served::slow(&world(seed, is_few), 1);
    let mut dice = Dice::new(seed);
    let mut life = Life::begin(&served);
    let last = served.world.options().to;
    let mut troubles = Trouble::all(is_few);
    life.night();
    while !troubles.is_empty() {
        let trouble = troubles.swap_remove(dice.roll(troubles.len()));
        life.suffer(trouble, &mut dice);
        if dice.one_in(2) {
            life.night();
        }
    }
    let quiet = (last - life.next).num_days() + 1;
    assert!(quiet >= 6, "{quiet} nights are left for the memory");
    let mut memory = Vec::new();
    while life.next <= last {
        life.night();
        memory.push(life.memory());
    }
    let few = memory.len() / 3;
    let (early, late) = (memory[few], memory[memory.len() - 1]);
    assert!(late < early + 4096, "seed {seed}: the memory grows: {memory:?} KiB");
    life.end("TERM");
    life.site.run(&["verify", "reports"]).expect(0);
    let expected = reports::without_the_clock(&undisturbed(&served).reports());
    let found = reports::without_the_clock(&life.site.reports());
    reports::assert_same(&expected, &found, &format!("quarter of seed {seed}"));
    drop(life.gateway);
}

#[test]
fn a_quarter_under_one_schedule_is_a_quarter_of_undisturbed_nights() {
    let is_few = std::env::var_os("CI_FEW").is_some();
    for seed in harness::seeds("DAEMON_SEEDS", "0..1") {
        quarter(seed, is_few);
    }
}

/// A date that lacks a statement runs again when the statement comes, and asks the service for nothing.
#[test]
fn what_lacked_a_file_is_run_again_once_it_has_come() {
    let served = Served::new(&clean(84, "2026-11-02", "2026-11-08", 5, 40));
    let site = served.site_with_books();
    let mut late = served.world.files(&served.sandbox.base_url());
    late.retain(|file| {
        ["bai", "sta"].iter().any(|kind| file.path.ends_with(&format!("/2026-11-04.{kind}")))
    });
    assert!(!late.is_empty());
    for file in &late {
        std::fs::remove_file(site.path().join(&file.path)).unwrap();
    }
    for (date, code) in [("2026-11-02..2026-11-04", 0), ("2026-11-05", 4)] {
        site.run(&["run", "--date", date]).expect(code);
    }
    let mut machine = Machine::new(site.path(), "2026-11-06T14:00:00Z".parse().unwrap());
    let mut command = site.command(&["schedule", "--health", "127.0.0.1:0"]);
    machine.hold(&mut command);
    let daemon = Scheduled::start(command, site.path().join("log"));
    let mut run = |outcome: &str| {
        wait_until(outcome, || {
            machine.pass(TimeDelta::seconds(25));
            std::thread::sleep(std::time::Duration::from_millis(50));
            let status = daemon.status();
            status["last_run"]["outcome"] == outcome && dates_of(&status).contains(&"2026-11-05")
        });
    };
    // Once after the start, and not again while nothing has come.
    run("partial");
    let before = served.sandbox.requests();
    for file in late {
        std::fs::write(site.path().join(&file.path), &file.content).unwrap();
    }
    run("done");
    assert_eq!(served.sandbox.requests(), before);
    daemon.end("TERM");
}
