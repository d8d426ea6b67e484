//! What a night costs in a store of two years, against the same night in a young one: the program
//! over a sandbox world, each run in a process of its own. Prints medians; it asserts nothing.
//!
//! ```text
//! cargo bench --bench aged                                    # 730 dates, 100,000 discrepancies
//! cargo bench --bench aged -- --days 100 --past 10k --runs 3 --books
//! ```
//!
//! The old store is really run, date after date, with planted discrepancies that stay open; what
//! was found and settled since is written beside it, in the shape that nights give it: new, open
//! for some days, then cleared or accepted, with its act in the audit trail. The young store knows
//! the fortnight before the measured date, which is what a night looks back at.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and fails loudly"
)]

mod program;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use chrono::{Days, NaiveDate};
use tieout::store::{Act, NewAct, Store};

use program::{Cost, Server, reads_from, tieout, watch};

/// The date that is measured, a Wednesday.
const DATE: &str = "2026-11-18";
const NOW: &str = "2026-12-01T12:00:00Z";
/// Days that the young store knows: more than a night looks back at.
const YOUNG_DAYS: u64 = 14;
/// One in so many past discrepancies was accepted by a person; the others cleared by themselves.
const ACCEPTED_IN: u32 = 30;

struct Plan {
    days: u64,
    merchants: u32,
    per_day: u32,
    past: u32,
    /// How often each of the planted codes stands in the world.
    plants: usize,
    runs: usize,
    books: bool,
}

/// Of one kind of store: what its night came to.
#[derive(Clone, Copy, Default)]
struct Night {
    wall_ms: u64,
    cost: Cost,
    stages_ms: [u64; 3],
    records: u64,
    open: u64,
}

fn main() {
    let plan = plan(std::env::args().skip(1));
    let folder = std::env::temp_dir().join(format!("tieout-aged-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let bench = Bench::new(plan, folder.clone());
    let began = Instant::now();
    bench.build("young", YOUNG_DAYS);
    bench.build("old", bench.plan.days);
    let past = bench.age(&folder.join("old.db"));
    let mib = std::fs::metadata(folder.join("old.db")).unwrap().len() / (1024 * 1024);
    println!(
        "the old store: {} dates, {past} settled discrepancies, {mib} MiB, built in {} s",
        bench.plan.days,
        began.elapsed().as_secs()
    );
    println!(
        "{:>6} {:>8} {:>6} {:>8} {:>8} {:>9} {:>8} {:>10} {:>8}",
        "store", "records", "open", "wall ms", "cpu ms", "peak MiB", "fetch", "reconcile", "report"
    );
    // One after the other in turns, so that what else the machine does meets both.
    let mut nights = [Vec::new(), Vec::new()];
    for _ in 0..bench.plan.runs {
        for (nights, name) in nights.iter_mut().zip(["young", "old"]) {
            nights.push(bench.night(name));
        }
    }
    let [young, old] = nights.map(|nights| median(&nights));
    for (name, night) in [("young", young), ("old", old)] {
        let [fetch, reconcile, report] = night.stages_ms;
        println!(
            "{name:>6} {:>8} {:>6} {:>8} {:>8} {:>9} {fetch:>8} {reconcile:>10} {report:>8}",
            night.records,
            night.open,
            night.wall_ms,
            night.cost.cpu_ms,
            night.cost.peak_kib / 1_024,
        );
    }
    let percent = |old: u64, young: u64| old * 100 / young.max(1);
    println!(
        "old for young, percent: wall {}, processor {}, peak {}",
        percent(old.wall_ms, young.wall_ms),
        percent(old.cost.cpu_ms, young.cost.cpu_ms),
        percent(old.cost.peak_kib, young.cost.peak_kib),
    );
    drop(bench);
    if std::env::var_os("KEEP").is_none() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

fn plan(arguments: impl Iterator<Item = String>) -> Plan {
    let mut plan = Plan {
        days: 730,
        merchants: 10,
        per_day: 300,
        past: 100_000,
        plants: 2,
        runs: 5,
        books: false,
    };
    let mut arguments = arguments.filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let text = arguments.next().unwrap();
            let unit = if text.ends_with('k') { 1_000 } else { 1 };
            text.trim_end_matches('k').parse::<u32>().unwrap() * unit
        };
        match argument.as_str() {
            "--days" => plan.days = number().into(),
            "--merchants" => plan.merchants = number(),
            "--per-day" => plan.per_day = number(),
            "--past" => plan.past = number(),
            "--plants" => plan.plants = usize::try_from(number()).unwrap(),
            "--runs" => plan.runs = usize::try_from(number()).unwrap(),
            "--books" => plan.books = true,
            other => panic!("{other} is no option"),
        }
    }
    plan
}

fn median(nights: &[Night]) -> Night {
    let of = |field: &dyn Fn(&Night) -> u64| {
        let mut values: Vec<u64> = nights.iter().map(field).collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    Night {
        wall_ms: of(&|night| night.wall_ms),
        cost: Cost {
            cpu_ms: of(&|night| night.cost.cpu_ms),
            peak_kib: of(&|night| night.cost.peak_kib),
        },
        stages_ms: [0, 1, 2].map(|stage| of(&|night| night.stages_ms[stage])),
        records: of(&|night| night.records),
        open: of(&|night| night.open),
    }
}

struct Bench {
    plan: Plan,
    folder: PathBuf,
    server: Server,
}

impl Bench {
    fn new(plan: Plan, folder: PathBuf) -> Self {
        let plants: Vec<&str> = tieout_sandbox::plant_codes()
            .into_iter()
            // They need books, or statements; an unknown merchant is no record of a date.
            .filter(|code| !code.contains("LEDGER") && !code.contains("BANK"))
            .filter(|code| {
                !["UNKNOWN_MERCHANT", "MISSING_AT_PROCESSOR", "AMBIGUOUS_MATCH"].contains(code)
                    && !["AMOUNT_MISMATCH", "CURRENCY_MISMATCH", "STATUS_MISMATCH"].contains(code)
            })
            .collect();
        let plants = vec![plants.join(","); plan.plants].join(",");
        let from = day(DATE) - Days::new(plan.days);
        let mut world: Vec<String> = [
            ("--seed", "7".to_owned()),
            ("--from", from.to_string()),
            ("--to", DATE.to_owned()),
            ("--merchants", plan.merchants.to_string()),
            ("--transactions-per-day", plan.per_day.to_string()),
        ]
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect();
        if !plants.is_empty() {
            world.extend(["--plant".to_owned(), plants]);
        }
        let mut generate = tieout(NOW);
        generate.args(["sandbox", "generate", "--out"]).arg(&folder).args(&world);
        let status = generate.stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "the world could not be written");
        let configuration = folder.join("tieout.toml");
        if !plan.books {
            without_books(&configuration);
        }
        Self { plan, folder, server: Server::start(NOW, &world) }
    }

    /// Runs the `days` before the measured date into a new store.
    fn build(&self, name: &str, days: u64) {
        let store = self.folder.join(format!("{name}.db"));
        let from = day(DATE) - Days::new(days);
        let to = day(DATE) - Days::new(1);
        let mut run = self.run(name, &store, &format!("{from}..{to}"));
        let status = run.env("TIEOUT_REPORTS__FORMATS", "csv").status().unwrap();
        assert!(status.success(), "the nights before ended with {status}");
    }

    /// Writes the discrepancies of the past into the store, and answers how many it holds.
    fn age(&self, path: &Path) -> i64 {
        let mut store = Store::open(path).unwrap();
        let from = day(DATE) - Days::new(self.plan.days);
        // Whatever began three weeks before the measured date at the latest is settled by then.
        let span = self.plan.days.saturating_sub(21);
        let written = store.connection().execute(
            SETTLED,
            (
                i64::from(self.plan.past),
                from.to_string(),
                i64::try_from(span).unwrap(),
                ACCEPTED_IN,
            ),
        );
        assert!(written.unwrap() > 0 || self.plan.past == 0);
        let accepted: Vec<(String, NaiveDate)> = store
            .connection()
            .prepare(
                "select discrepancy_id, business_date from discrepancy_day \
                 where status = 'accepted' order by business_date, discrepancy_id",
            )
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, day(&row.get::<_, String>(1)?))))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for (index, (id, date)) in accepted.iter().enumerate() {
            let act = NewAct {
                act: Act::Accept,
                subject: id,
                business_date: *date,
                // Some hold for ever, some for a while that is not over.
                until: (index % 2 == 0).then(|| day(DATE) + Days::new(30)),
                who: "Anna Example",
                note: "waived",
            };
            store.record_act(&act, NOW.parse().unwrap()).unwrap();
        }
        store.connection().execute_batch("pragma wal_checkpoint(truncate)").unwrap();
        store
            .connection()
            .query_row(
                "select count(distinct discrepancy_id) from discrepancy_day \
                 where status in ('cleared', 'accepted')",
                [],
                |row| row.get(0),
            )
            .unwrap()
    }

    /// Each store has its own folder of reports: a store that is not there is not begun anew beside
    /// those of another.
    fn run(&self, name: &str, store: &Path, date: &str) -> std::process::Command {
        let mut command = tieout(NOW);
        reads_from(&mut command, &self.server.address)
            .args(["run", "--no-progress", "-q", "--date", date])
            .arg("--config")
            .arg(self.folder.join("tieout.toml"))
            .arg("--db")
            .arg(store)
            .arg("--out")
            .arg(self.reports(name))
            .stdout(Stdio::null());
        command
    }

    fn reports(&self, name: &str) -> PathBuf {
        self.folder.join(format!("reports-{name}"))
    }

    fn night(&self, name: &str) -> Night {
        let store = self.folder.join("night.db");
        for suffix in ["-wal", "-shm"] {
            // They are there only when a run was killed.
            let _ = std::fs::remove_file(self.folder.join(format!("night.db{suffix}")));
        }
        std::fs::copy(self.folder.join(format!("{name}.db")), &store).unwrap();
        // Else the night would wait until the copy, which is large, is on disk.
        std::fs::File::open(&store).unwrap().sync_all().unwrap();
        let began = Instant::now();
        let mut child = self.run(name, &store, DATE).spawn().unwrap();
        let cost = watch(child.id());
        let status = child.wait().unwrap();
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap();
        assert!(status.success(), "the night ended with {status}");
        let record = self.reports(name).join(DATE).join("run.json");
        let record: serde_json::Value =
            serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        let stage = |name: &str| record["stages"][name]["duration_ms"].as_u64().unwrap_or_default();
        let (fetch, reconcile) = (stage("fetch"), stage("reconcile"));
        Night {
            wall_ms,
            cost,
            stages_ms: [fetch, reconcile, wall_ms.saturating_sub(fetch + reconcile)],
            records: record["records"]["received"]["count"].as_u64().unwrap_or_default(),
            open: record["discrepancies"]["closing"]["count"].as_u64().unwrap_or_default(),
        }
    }
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Lets the configuration compare the processor with itself alone.
fn without_books(configuration: &Path) {
    let text = std::fs::read_to_string(configuration).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    table.remove("ledgers");
    table.remove("banks");
    for merchant in table["merchants"].as_array_mut().unwrap() {
        let merchant = merchant.as_table_mut().unwrap();
        merchant.remove("ledger");
        merchant.remove("bank");
    }
    atomically(configuration, &toml::to_string(&table).unwrap());
}

#[expect(clippy::disallowed_methods, reason = "a configuration that nobody reads meanwhile")]
fn atomically(path: &Path, content: &str) {
    std::fs::write(path, content).unwrap();
}

const SETTLED: &str = include_str!("aged.sql");
