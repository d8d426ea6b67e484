//! A longer backfill takes no more memory: a finished date leaves one line.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use chrono::{Days, NaiveDate};
use tieout_sandbox::{WorldOptions, plant_codes};

use crate::harness::{Served, Site, clean, day};

/// Memory for eighty dates more: page caches that fill up, and a line of each date. Keeping their
/// findings would take three times as much.
const MORE_KIB: u64 = 12 * 1024;

/// The peak memory of a run over the dates, as the kernel counts it.
fn peak_kib(site: &Site, first: NaiveDate, dates: u64) -> u64 {
    let range = format!("{first}..{}", first + Days::new(dates - 1));
    let mut command = site.command(&["run", "-q", "--date", &range]);
    let mut run = command.stdout(Stdio::null()).spawn().unwrap();
    let status = Path::new("/proc").join(run.id().to_string()).join("status");
    let mut peak = 0;
    while run.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(number.unwrap_or(0));
        sleep(Duration::from_millis(5));
    }
    assert!(peak > 0, "the kernel says nothing of {range}");
    peak
}

#[test]
#[cfg(target_os = "linux")]
fn the_memory_of_a_backfill_does_not_grow_with_its_dates() {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let options = WorldOptions { plants, ..clean(341, "2026-08-01", "2026-11-06", 4, 30) };
    let served = Served::new(&options);
    let first = day("2026-08-01");
    let (short, long) = (served.site(), served.site());
    let short = peak_kib(&short, first, 17);
    let long = peak_kib(&long, first, 97);
    assert!(long < short + MORE_KIB, "{short} KiB for 17 dates, {long} KiB for 97");
}
