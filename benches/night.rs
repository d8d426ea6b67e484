//! How long a night takes: the program over a sandbox world, each in a process of its own, so
//! that neither the server's time nor its memory counts. Prints medians; it asserts nothing.
//!
//! ```text
//! cargo bench --bench night -- 10k 100k        # authorizations on the date; also 1m
//! cargo bench --bench night -- 100k --runs 5 --delay-ms 50
//! ```
//!
//! The date before the measured one is run first, unmeasured: an ordinary night finds the
//! day before in its store and reads one date of authorizations. The processor time and the
//! peak memory come from /proc, so elsewhere than on Linux they are left out.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and fails loudly"
)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A Tuesday: groups of one batch date fall due on the day after it.
const DAY_BEFORE: &str = "2026-11-17";
/// The date that is measured.
const DATE: &str = "2026-11-18";
/// About 200 batches a date: most merchants submit one, some two, a few none.
const MERCHANTS: &str = "180";
/// Linux counts processor time in hundredths of a second for every program.
const TICK_MS: u64 = 10;
/// Short against the shortest night, long against what looking costs.
const LOOK_EVERY: Duration = Duration::from_millis(4);

/// What is asked for on the command line.
struct Plan {
    sizes: Vec<u64>,
    runs: usize,
    delay_ms: u64,
}

/// What one night came to; milliseconds, KiB and records.
#[derive(Clone, Copy, Default)]
struct Night {
    wall_ms: u64,
    cpu_ms: u64,
    peak_kib: u64,
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
        let server = Server::start(size, plan.delay_ms);
        let bench = Bench { folder: folder.clone(), address: server.address.clone() };
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
            median(|night| night.cpu_ms),
            median(|night| night.peak_kib / 1_024),
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

fn tieout() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tieout"));
    command.env("TIEOUT_NOW", "2026-12-01T12:00:00Z").env("TIEOUT_API_KEY", "sandbox-key");
    command
}

fn world(command: &mut Command, per_day: u64) -> &mut Command {
    command
        .args(["--seed", "7", "--from", DAY_BEFORE, "--to", DATE, "--merchants", MERCHANTS])
        .args(["--transactions-per-day", &per_day.to_string()])
}

/// The sandbox, until it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(size: u64, delay_ms: u64) -> Self {
        let mut command = tieout();
        command.args(["sandbox", "serve", "--listen", "127.0.0.1:0"]);
        command.args(["--delay-ms", &delay_ms.to_string()]);
        let mut process = world(&mut command, size).stdout(Stdio::piped()).spawn().unwrap();
        let mut greeting = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut greeting).unwrap();
        let address = greeting.trim().trim_start_matches("serving on ").to_owned();
        Self { process, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

struct Bench {
    folder: PathBuf,
    address: String,
}

impl Bench {
    /// Writes the configuration, and runs the day before.
    fn prepare(&self) {
        let mut command = tieout();
        command.args(["sandbox", "generate", "--out"]).arg(&self.folder);
        // Merchants and terminals are the same in every size.
        let status = world(&mut command, 1).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "the configuration could not be written");
        self.run(&self.folder.join("before.db"), DAY_BEFORE).wait().unwrap();
    }

    fn run(&self, store: &Path, date: &str) -> Child {
        let mut command = tieout();
        command
            .args(["run", "--no-progress", "-q", "--date", date])
            .arg("--config")
            .arg(self.folder.join("tieout.toml"))
            .arg("--db")
            .arg(store)
            .arg("--out")
            .arg(self.folder.join("reports"))
            .env("TIEOUT_API__BASE_URL", format!("{}/v1", self.address))
            .env("TIEOUT_API__AUTH_URL", &self.address)
            .env("TIEOUT_API__REQUESTS_PER_SECOND", "0")
            .env("TIEOUT_API__PAGE_SIZE", "100")
            .env("TIEOUT_API__MAX_IN_FLIGHT", "16")
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
        let mut night = watch(child.id());
        let status = child.wait().unwrap();
        night.wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap();
        assert!(status.success(), "the night ended with {status}");
        let record =
            std::fs::read(self.folder.join("reports").join(DATE).join("run.json")).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        let stage = |name: &str| record["stages"][name]["duration_ms"].as_u64().unwrap_or_default();
        night.fetch_ms = stage("fetch");
        night.reconcile_ms = stage("reconcile");
        // The run record is written within the report: what is left of the time is its own.
        night.report_ms = night.wall_ms.saturating_sub(night.fetch_ms + night.reconcile_ms);
        night.records = record["records"]["received"]["count"].as_u64().unwrap_or_default();
        night
    }
}

/// Looks at a process until it ends, and leaves it to be waited for: until then its processor
/// time can still be read. Its memory is gone by then, hence the looking.
fn watch(process: u32) -> Night {
    let mut night = Night::default();
    let folder = PathBuf::from(format!("/proc/{process}"));
    while let Ok(state) = std::fs::read_to_string(folder.join("stat")) {
        // The name in parentheses may hold anything; the state comes after it.
        let fields: Vec<&str> =
            state.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok());
        night.cpu_ms = (ticks(11).unwrap_or(0) + ticks(12).unwrap_or(0)) * TICK_MS;
        if fields.first() == Some(&"Z") {
            break;
        }
        let memory = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
        let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|line| line.split_whitespace().next()?.parse().ok());
        night.peak_kib = night.peak_kib.max(peak.unwrap_or(0));
        std::thread::sleep(LOOK_EVERY);
    }
    night
}
