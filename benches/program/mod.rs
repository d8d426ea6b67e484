//! The program in processes of its own, as benchmarks start, serve and watch it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Linux counts processor time in hundredths of a second for every program.
const TICK_MS: u64 = 10;
/// Short against the shortest night, long against the cost of looking.
const LOOK_EVERY: Duration = Duration::from_millis(4);

/// The program with a fixed clock.
pub fn tieout(now: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tieout"));
    command.env("TIEOUT_NOW", now).env("TIEOUT_API_KEY", "sandbox-key");
    command
}

/// Lets a command that reads from a server at `address` read as fast as it can.
pub fn reads_from<'c>(command: &'c mut Command, address: &str) -> &'c mut Command {
    command
        .env("TIEOUT_API__BASE_URL", format!("{address}/v1"))
        .env("TIEOUT_API__AUTH_URL", address)
        .env("TIEOUT_API__REQUESTS_PER_SECOND", "0")
        .env("TIEOUT_API__PAGE_SIZE", "100")
        .env("TIEOUT_API__MAX_IN_FLIGHT", "16")
}

/// The sandbox, until it is dropped.
pub struct Server {
    process: Child,
    pub address: String,
}

impl Server {
    /// Starts `tieout sandbox serve` with `world`, the options that describe the world.
    pub fn start(now: &str, world: &[String]) -> Self {
        let mut command = tieout(now);
        command.args(["sandbox", "serve", "--listen", "127.0.0.1:0"]).args(world);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
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

/// The cost of a process.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub cpu_ms: u64,
    pub peak_kib: u64,
}

/// Samples a process until it ends, without waiting for it: before the wait, its processor
/// time can still be read. Its memory is released at the end, hence the samples. Returns zeros on
/// systems other than Linux.
pub fn watch(process: u32) -> Cost {
    let mut cost = Cost::default();
    let folder = PathBuf::from(format!("/proc/{process}"));
    while let Ok(state) = std::fs::read_to_string(folder.join("stat")) {
        // The name in parentheses may hold anything; the state comes after it.
        let fields: Vec<&str> =
            state.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok());
        cost.cpu_ms = (ticks(11).unwrap_or(0) + ticks(12).unwrap_or(0)) * TICK_MS;
        if fields.first() == Some(&"Z") {
            break;
        }
        let memory = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
        let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|line| line.split_whitespace().next()?.parse().ok());
        cost.peak_kib = cost.peak_kib.max(peak.unwrap_or(0));
        std::thread::sleep(LOOK_EVERY);
    }
    cost
}
