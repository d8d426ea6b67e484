//! The job against a service that misbehaves, and against being killed, drawn from seeds.
//!
//! ```text
//! cargo test --test faults                      # a few seeds
//! cargo test --release --test faults -- --seeds 1000
//! cargo test --test faults -- --seed 37         # one again
//! cargo test --test faults -- --seed 37 --nightly
//! cargo test --release --test faults -- --disk --seeds 1000    # power cuts and bad disks
//! KEEP=1 cargo test --test faults -- --seed 37  # and its folders stay when it fails
//! ```
//!
//! Each seed draws a world, a combination of faults, how often they strike, the size of a page, the
//! number of requests at once, and when the run is killed. With `--nightly` there are more dates,
//! and each is a run of its own, like a cron job; with some seeds every second night is
//! undisturbed, or only the bad dates are run again at the end and `reconcile --stale` updates the
//! others.
//!
//! Required: reports identical to those of an undisturbed run, or a run that states which checks it
//! could not evaluate, reports nothing that the undisturbed one does not report, and omits nothing
//! without saying so. No other host ever sees a request, a token or the key.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::print_stdout, reason = "a test with its own command line")]
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

#[path = "../harness/mod.rs"]
#[allow(dead_code, reason = "each suite uses its part")]
mod harness;

mod canary;
mod child;
mod disk;
mod judge;
mod night;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use scenario::Scenario;

/// Enough that every fault is met in most runs, few enough for every commit.
const SEEDS: u64 = 10;

/// Seeds that once found a mistake; they run as well unless the command line names the first seed.
const TELLING_SEEDS: [u64; 24] = [
    47, 85, 118, 125, 143, 152, 161, 182, 231, 525, 596, 635, 834, 914, 922, 1057, 1155, 2135,
    2234, 3230, 3273, 4128, 4444, 4953,
];

/// The same for seeds that are played night by night.
const TELLING_NIGHTS: [u64; 5] = [45, 187, 920, 998, 1_784];

/// The seeds with undisturbed nights in between, with bad ones run again alone, and with both.
const KINDS_OF_NIGHTS: [u64; 3] = [5, 6, 2];

/// Nights at once: they wait more than they work.
const JOBS: usize = 4;

/// The command line.
struct Plan {
    /// Whether it is the disk that misbehaves, and not the service.
    is_disk: bool,
    /// Seeds, and whether each date is a run of its own.
    seeds: Vec<(u64, bool)>,
    jobs: usize,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("faults: test");
        return ExitCode::SUCCESS;
    }
    let plan = plan(&arguments);
    if plan.is_disk && !disk::is_possible() {
        println!("faults: power cuts are not tested, as strace cannot trace here");
        return ExitCode::SUCCESS;
    }
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(seed, is_nightly)) = plan.seeds.get(place) else { return };
                    let played = match plan.is_disk {
                        true => said(seed, " --disk", &"", || disk::run(seed)),
                        false => run(seed, is_nightly),
                    };
                    if let Err(failure) = played {
                        println!("{failure}");
                        failures.lock().unwrap().push(seed);
                    } else if (place + 1).is_multiple_of(100) {
                        println!("{} seeds", place + 1);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("faults: {} seeds, {} failed {failures:?}", plan.seeds.len(), failures.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(seed: u64, is_nightly: bool) -> Result<(), String> {
    let scenario = Scenario::draw(seed, is_nightly);
    let nightly = if is_nightly { " --nightly" } else { "" };
    said(seed, nightly, &scenario, || night::run(&scenario))
}

/// Plays a seed; returns the broken promise with the command that plays it again.
fn said(
    seed: u64,
    flag: &str,
    scenario: &dyn std::fmt::Debug,
    play: impl FnOnce(),
) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(play)).map_err(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_default();
        format!("seed {seed} failed; again with: --seed {seed}{flag}\n{scenario:#?}\n{said}\n")
    })
}

/// Other arguments, such as those that `cargo test` hands to every suite, change nothing.
fn plan(arguments: &[String]) -> Plan {
    let number = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1)?.parse::<u64>().ok()
    };
    let in_environment =
        std::env::var("TIEOUT_FAULT_SEEDS").ok().and_then(|text| text.parse().ok());
    let jobs = number("--jobs").and_then(|jobs| usize::try_from(jobs).ok());
    let first = number("--seed").or(number("--from"));
    let count =
        number("--seed").map(|_| 1).or(number("--seeds")).or(in_environment).unwrap_or(SEEDS);
    let begin = first.unwrap_or(1);
    let is_nightly = arguments.iter().any(|argument| argument == "--nightly");
    let drawn = begin..begin.saturating_add(count);
    let is_disk = arguments.iter().any(|argument| argument == "--disk");
    let mut seeds: Vec<(u64, bool)> = drawn.map(|seed| (seed, is_nightly)).collect();
    if first.is_none() && !is_disk {
        let told = TELLING_SEEDS.map(|seed| (seed, false)).into_iter();
        let nights = TELLING_NIGHTS.into_iter().chain(KINDS_OF_NIGHTS);
        let told = told.chain(nights.map(|seed| (seed, true)));
        seeds.extend(
            told.filter(|(seed, nightly)| *seed >= begin + count || *nightly != is_nightly),
        );
    }
    Plan { is_disk, seeds, jobs: jobs.unwrap_or(JOBS) }
}
