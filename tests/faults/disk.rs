//! Power cuts and bad disks, drawn from seeds. A night and a sign-off are recorded once, call by call,
//! by strace; a seed cuts the record anywhere and keeps any part of the writes without a sync, sector
//! by sector. Other seeds flip bits of a store, or have the n-th sync of a real night fail.
//!
//! Required: the next run comes to the same reports and `verify` agrees, or the damage is named;
//! and the head that `close` has printed stands in the audit trail.

mod image;
mod trace;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;

use crate::child::tail;
use crate::harness::{Ended, Served, Site, clean, day, reports};
use image::Image;
use trace::Call;

/// Seeds that share a record.
const SEEDS_OF_RECORD: u64 = 50;

/// The recorded commands of a site: a night, and the sign-off of the date before.
fn script(first: &str) -> String {
    format!(
        "\"$tieout\" run --date {first}..2026-11-04 -q && \
         exec \"$tieout\" close 2026-11-03 --by Anna"
    )
}

const CALLS: &str = "trace=openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,mkdir";

/// A night, call by call.
struct Record {
    served: Served,
    /// The first date of the run.
    first: &'static str,
    before: reports::Files,
    calls: Vec<Call>,
    after: reports::Files,
    tables: reports::Files,
    /// The output of `close`, and the number of calls before it.
    head: String,
    told: usize,
}

/// A number from a seed.
pub struct Dice(u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }
}

/// Whether calls can be recorded here.
pub fn is_possible() -> bool {
    let probe = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    probe.is_ok_and(|probe| probe.status.success())
}

/// Plays the seed through; panics with the broken promise.
pub fn run(seed: u64) {
    let record = record(seed / SEEDS_OF_RECORD);
    let mut dice = Dice(seed);
    match seed % 10 {
        0..6 => cut(record, &mut dice),
        6 | 7 => flip(record, &mut dice),
        _ => fail(record, &mut dice),
    }
}

/// The record of that number, made once.
fn record(number: u64) -> &'static Record {
    static RECORDS: Mutex<BTreeMap<u64, &'static Record>> = Mutex::new(BTreeMap::new());
    let mut records = RECORDS.lock().unwrap();
    records.entry(number).or_insert_with(|| Box::leak(Box::new(recorded(number))))
}

fn recorded(number: u64) -> Record {
    let served = Served::new(&clean(number + 1, "2026-11-02", "2026-11-04", 2, 8));
    let site = served.site();
    // Of every second record the first night is the one that is recorded.
    let first = if number % 2 == 0 { "2026-11-04" } else { "2026-11-02" };
    if number % 2 == 0 {
        site.run_range(day("2026-11-02"), day("2026-11-03")).expect(0);
    }
    let before = reports::files(site.path());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls");
    let options = ["-f", "-qq", "-y", "-xx", "-s", "33554432", "--seccomp-bpf", "-e", CALLS, "-o"];
    let ended =
        traced(&site, &options, log.to_str().unwrap(), &["sh", "-c", &script(first)]).expect(0);
    let head = ended.stdout.lines().find_map(|line| line.strip_prefix("head of the audit trail: "));
    let head = head.unwrap().to_owned();
    let calls = trace::read(&std::fs::read_to_string(log).unwrap(), site.path());
    let is_told = |call: &Call| matches!(call, Call::Said(text) if text.contains(&head));
    let told = calls.iter().position(is_told).unwrap();
    let (after, tables) = (reports::files(site.path()), tables(&site));
    // Without a cut, the record gives the files that are there.
    let whole = Image::of(&before, &calls, None).files();
    assert_eq!(whole.get("tieout.db"), after.get("tieout.db"), "the record is not whole");
    let is_report = |(name, _): &(&String, &Vec<u8>)| name.starts_with("reports/");
    assert!(whole.iter().filter(is_report).eq(after.iter().filter(is_report)), "no whole record");
    Record { served, first, before, calls, after, tables, head, told }
}

/// The tables of the dates; those of a period say who has closed them by then.
fn tables(site: &Site) -> reports::Files {
    let mut tables = reports::tables(&site.reports());
    tables.retain(|name, _| !name.starts_with("periods"));
    tables
}

fn lay_out(files: &reports::Files, folder: &std::path::Path) {
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

/// The program of the site under strace.
fn traced(site: &Site, options: &[&str], log: &str, command: &[&str]) -> Ended {
    let program = site.command(&[]);
    let mut strace = Command::new("strace");
    strace.args(options).arg(log).args(command).current_dir(site.path());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    strace.env("tieout", program.get_program()).stdin(std::process::Stdio::null());
    Ended::from(strace.output().unwrap())
}

fn site_of(record: &Record, files: &reports::Files) -> Site {
    let site = record.served.site();
    lay_out(files, site.path());
    site
}

/// The run after the trouble; `None` where it names the damage, or `verify` does.
fn next(record: &Record, site: &Site, names: bool) -> Option<()> {
    let ended = site.run(&["run", "--date", &format!("{}..2026-11-04", record.first)]);
    let is_named = |ended: &Ended| {
        let said = format!("{}{}", ended.stdout, ended.stderr).to_lowercase();
        let words = ["damaged", "altered", "malformed", "not a database", "cannot", "disk i/o"];
        let more = ["agree", "holds \"", "was interrupted", "is none", "is not"];
        words.iter().chain(&more).any(|word| said.contains(word))
    };
    if names && ended.code != Some(0) && is_named(&ended) {
        return None;
    }
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, tail(&ended.stderr));
    let verified = site.run(&["verify", "reports"]);
    if names && verified.code != Some(0) && is_named(&verified) {
        return None;
    }
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
    reports::assert_same(&record.tables, &tables(site), "the next run");
    Some(())
}

/// The power goes after some call, and with it the writes without a sync.
fn cut(record: &Record, dice: &mut Dice) {
    // The syncs are where it matters: every second cut falls near one.
    let syncs: Vec<usize> =
        (0..record.calls.len()).filter(|at| record.calls[*at].is_sync()).collect();
    let at = match dice.roll(2) {
        0 => dice.roll(record.calls.len() + 1),
        _ => (syncs[dice.roll(syncs.len())] + dice.roll(4)).saturating_sub(1),
    };
    let at = at.min(record.calls.len());
    let files = Image::of(&record.before, &record.calls[..at], Some(dice)).files();
    let site = site_of(record, &files);
    next(record, &site, false).unwrap();
    if at > record.told {
        site.run(&["verify", "reports", "--head", &record.head]).expect(0);
    }
}

/// A few bits of the store are other than they were written.
fn flip(record: &Record, dice: &mut Dice) {
    let mut files = record.after.clone();
    let store = files.get_mut("tieout.db").unwrap();
    for _ in 0..=dice.roll(3) {
        let place = dice.roll(store.len());
        store[place] ^= 1 << dice.roll(8);
    }
    let site = site_of(record, &files);
    next(record, &site, true);
}

/// The n-th sync of a thread fails, once.
fn fail(record: &Record, dice: &mut Dice) {
    let site = site_of(record, &record.before);
    let inject = format!("inject=fsync,fdatasync:error=EIO:when={}", dice.roll(24) + 1);
    let options = ["-f", "-qq", "-e", "trace=fsync,fdatasync", "-e", &inject, "-o"];
    let ended = traced(&site, &options, "/dev/null", &["sh", "-c", &script(record.first)]);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    let is_said = said.contains("os error 5") || said.contains("disk I/O error");
    assert!(ended.code == Some(0) || is_said, "{said}");
    next(record, &site, false).unwrap();
}
