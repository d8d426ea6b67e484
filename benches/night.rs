//! How long a night takes: the program over a sandbox world, each in a process of its own, so
//! that neither the server's time nor its memory counts. Prints medians; it asserts nothing.
//!
//! ```text
//! cargo bench --bench night -- 10k 100k        # authorizations on the date; also 1m
//! cargo bench --bench night -- 100k --runs 5 --delay-ms 50
//! ```
//!
//! The eight dates before the measured one are run first, unmeasured: an ordinary night finds them in
//! its store, reads one date of authorizations and looks back at a week. Books and statements are
//! those of the world. The processor time and the peak memory come from /proc, so elsewhere than
//! on Linux they are left out.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and fails loudly"
)]

mod program;

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

use program::{Cost, Server, reads_from, tieout, watch};

/// The first date of the world: more than a week before the measured one.
const FIRST: &str = "2026-11-10";
/// The last one before it, a Tuesday: groups of one batch date fall due on the day after it.
const DAY_BEFORE: &str = "2026-11-17";
/// The date that is measured.
const DATE: &str = "2026-11-18";
/// About 200 batches a date: most merchants submit one, some two, a few none.
const MERCHANTS: &str = "180";
/// The moment that the clock of every process shows.
const NOW: &str = "2026-12-01T12:00:00Z";

/// The command line.
struct Plan {
    sizes: Vec<u64>,
    runs: usize,
    delay_ms: u64,
}

/// The measures of one night; milliseconds and records.
#[derive(Clone, Copy, Default)]
struct Night {
    wall_ms: u64,
    cost: Cost,
    fetch_ms: u64,
    reconcile_ms: u64,
    report_ms: u64,
    records: u64,
}

fn main() {
    let plan = plan(std::env::args().skip(1));
    let folder = std::env::temp_dir().join(format!("tieout-night-{}", std::process::id()));
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "size", "records", "wall ms", "cpu ms", "peak MiB", "fetch", "reconcile", "report"
    );
    for size in plan.sizes {
        std::fs::create_dir_all(&folder).unwrap();
        let mut options = world(size);
        options.extend(["--delay-ms".to_owned(), plan.delay_ms.to_string()]);
        let server = Server::start(NOW, &options);
        let bench = Bench { folder: folder.clone(), address: server.address.clone(), size };
        bench.prepare();
        let nights: Vec<Night> = (0..plan.runs).map(|_| bench.night()).collect();
        let median = |field: fn(&Night) -> u64| {
            let mut values: Vec<u64> = nights.iter().map(field).collect();
            values.sort_unstable();
            values[values.len() / 2]
        };
        println!(
            "{size:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
            median(|night| night.records),
            median(|night| night.wall_ms),
            median(|night| night.cost.cpu_ms),
            median(|night| night.cost.peak_kib / 1_024),
            median(|night| night.fetch_ms),
            median(|night| night.reconcile_ms),
            median(|night| night.report_ms),
        );
        drop(server);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

fn plan(arguments: impl Iterator<Item = String>) -> Plan {
    let mut plan = Plan { sizes: Vec::new(), runs: 5, delay_ms: 0 };
    let mut arguments = arguments.filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => plan.runs = arguments.next().unwrap().parse().unwrap(),
            "--delay-ms" => plan.delay_ms = arguments.next().unwrap().parse().unwrap(),
            size => plan.sizes.push(number(size)),
        }
    }
    if plan.sizes.is_empty() {
        plan.sizes = vec![10_000, 100_000];
    }
    plan
}

fn number(text: &str) -> u64 {
    let unit = if text.ends_with('k') {
        1_000
    } else if text.ends_with('m') {
        1_000_000
    } else {
        1
    };
    text.trim_end_matches(['k', 'm']).parse::<u64>().unwrap() * unit
}

fn world(per_day: u64) -> Vec<String> {
    let size = per_day.to_string();
    ["--seed", "7", "--from", FIRST, "--to", DATE, "--merchants", MERCHANTS]
        .into_iter()
        .chain(["--transactions-per-day", size.as_str()])
        .map(str::to_owned)
        .collect()
}

struct Bench {
    folder: PathBuf,
    address: String,
    size: u64,
}

impl Bench {
    /// Writes the configuration and the books, and runs the dates before.
    fn prepare(&self) {
        let mut command = tieout(NOW);
        command.args(["sandbox", "generate", "--out"]).arg(&self.folder);
        let status = command.args(world(self.size)).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "the configuration could not be written");
        let before = format!("{FIRST}..{DAY_BEFORE}");
        self.run(&self.folder.join("before.db"), &before).wait().unwrap();
    }

    fn run(&self, store: &Path, date: &str) -> Child {
        let mut command = tieout(NOW);
        reads_from(&mut command, &self.address)
            .args(["run", "--no-progress", "-q", "--date", date])
            .arg("--config")
            .arg(self.folder.join("tieout.toml"))
            .arg("--db")
            .arg(store)
            .arg("--out")
            .arg(self.folder.join("reports"))
            .stdout(Stdio::null());
        command.spawn().unwrap()
    }

    fn night(&self) -> Night {
        let store = self.folder.join("night.db");
        for suffix in ["-wal", "-shm"] {
            // They are there only when a run was killed.
            let _ = std::fs::remove_file(self.folder.join(format!("night.db{suffix}")));
        }
        std::fs::copy(self.folder.join("before.db"), &store).unwrap();
        let began = Instant::now();
        let mut child = self.run(&store, DATE);
        let mut night = Night { cost: watch(child.id()), ..Night::default() };
        let status = child.wait().unwrap();
        night.wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap();
        assert!(status.success(), "the night ended with {status}");
        let record =
            std::fs::read(self.folder.join("reports").join(DATE).join("run.json")).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        let stage = |name: &str| record["stages"][name]["duration_ms"].as_u64().unwrap_or_default();
        night.fetch_ms = stage("fetch");
        night.reconcile_ms = stage("reconcile");
        // The run record is written within the report: the rest of the time is the report's.
        night.report_ms = night.wall_ms.saturating_sub(night.fetch_ms + night.reconcile_ms);
        night.records = record["records"]["received"]["count"].as_u64().unwrap_or_default();
        night
    }
}
