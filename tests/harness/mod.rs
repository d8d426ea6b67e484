//! Shared by the suites: a folder in which the program runs as in a shell, and a world that is
//! served on loopback. Judges nothing; the suites hold the assertions.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

pub mod daemon;
pub mod gateway;
#[cfg(target_os = "linux")]
pub mod machine;
pub mod page;
pub mod reports;
pub mod workbook;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use chrono::{Days, NaiveDate};
use tempfile::TempDir;
use tieout::night::{Run, RunResult, Stages, execute};
use tieout_config::{Settings, Sources};
use tieout_model::clock::Clock;
use tieout_sandbox::{
    API_KEY, AnswerKey, Kind, RunningSandbox, ServeOptions, World, WorldOptions, serve,
};
use tokio::runtime::Runtime;

/// Days between the last date of a world and the clock.
const DAYS_LATER: u64 = 14;

/// A date from its text.
pub fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// The dates from `from` to `to`, both included.
pub fn dates(from: NaiveDate, to: NaiveDate) -> Vec<NaiveDate> {
    from.iter_days().take_while(|date| *date <= to).collect()
}

/// Whether a change is tested (`.ci/run`), by a few of the worlds that a release is tested with
/// (`.ci/all`).
fn is_few() -> bool {
    std::env::var_os("CI_FEW").is_some()
}

/// The rounds of a suite: all of them, or the first two where few are enough.
pub fn rounds<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().take(if is_few() { 2 } else { usize::MAX })
}

/// The seeds that the variable names, as `3` or `1..20`, both ends included; the first of `default` where
/// few are enough.
pub fn seeds(variable: &str, default: &str) -> std::ops::RangeInclusive<u64> {
    let named = std::env::var(variable);
    let is_first = named.is_err() && is_few();
    let text = named.unwrap_or_else(|_| default.to_owned());
    let (first, last) = text.split_once("..").unwrap_or((&text, &text));
    let first = first.parse().unwrap();
    first..=if is_first { first } else { last.parse().unwrap() }
}

/// A world without plants.
pub fn clean(seed: u64, from: &str, to: &str, merchants: u32, volume: u32) -> WorldOptions {
    WorldOptions {
        seed,
        from: day(from),
        to: day(to),
        merchants,
        transactions_per_day: volume,
        plants: Vec::new(),
        kinds: Vec::new(),
        lateness: None,
    }
}

/// The same world with all kinds of life that tie out for a key without `/transactions`.
pub fn lively(options: WorldOptions) -> WorldOptions {
    WorldOptions { kinds: Kind::clean_for(false), ..options }
}

/// A world on loopback, until it is dropped.
pub struct Served {
    pub world: Arc<World>,
    pub key: AnswerKey,
    pub runtime: Runtime,
    pub sandbox: RunningSandbox,
}

impl Served {
    /// Generates and serves a world.
    pub fn new(options: &WorldOptions) -> Self {
        Self::slow(options, 0)
    }

    /// The same with answers that take `delay_ms` at least.
    pub fn slow(options: &WorldOptions, delay_ms: u64) -> Self {
        let serving = ServeOptions { delay_ms, transactions: false, ..ServeOptions::default() };
        Self::serving(options, serving)
    }

    /// The same for a key that may ask which deposit holds a transaction.
    pub fn linked(options: &WorldOptions) -> Self {
        Self::serving(options, ServeOptions { transactions: true, ..ServeOptions::default() })
    }

    /// The same over https, with a certificate from an unknown authority.
    pub fn secured(options: &WorldOptions) -> Self {
        let serving = ServeOptions { tls: true, transactions: false, ..ServeOptions::default() };
        Self::serving(options, serving)
    }

    /// The same with a service of its own options.
    pub fn serving(options: &WorldOptions, serving: ServeOptions) -> Self {
        let (world, key) =
            World::generate(options).unwrap_or_else(|error| panic!("world {options:?}: {error}"));
        let world = Arc::new(world);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let sandbox = runtime.block_on(serve(Arc::clone(&world), serving)).unwrap();
        Self { world, key, runtime, sandbox }
    }

    /// The same world at the same address, by a service of other options.
    pub fn again(self, serving: ServeOptions) -> Self {
        let Self { world, key, runtime, sandbox } = self;
        let address = sandbox.address;
        let sandbox = runtime.block_on(async {
            sandbox.stop().await;
            serve(Arc::clone(&world), ServeOptions { address, ..serving }).await.unwrap()
        });
        Self { world, key, runtime, sandbox }
    }

    /// The business dates of the world.
    pub fn dates(&self) -> Vec<NaiveDate> {
        dates(self.world.options().from, self.world.options().to)
    }

    /// A folder with the configuration of this world, and nothing else yet.
    pub fn site(&self) -> Site {
        self.site_behind(&self.sandbox.base_url())
    }

    /// The same with another address in front of the world.
    pub fn site_behind(&self, base: &str) -> Site {
        Site::new(&self.world.configuration(base), self.world.options().to)
    }

    /// A folder with all files of this world: its configuration, and the merchants' own books.
    pub fn site_with_books(&self) -> Site {
        self.site_with_books_behind(&self.sandbox.base_url())
    }

    /// The same with another address in front of the world.
    pub fn site_with_books_behind(&self, base: &str) -> Site {
        let site = Site { folder: tempfile::tempdir().unwrap(), last: self.world.options().to };
        for file in self.world.files(base) {
            let path = site.path().join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file.content).unwrap();
        }
        site
    }

    /// Runs the job inside this process, so that its rows can be compared with the key.
    pub fn job(&self, site: &Site) -> RunResult {
        let settings = site.settings();
        let run = Run::new(&settings, site.clock()).unwrap();
        self.runtime.block_on(execute(&run, &self.dates(), Stages::ALL)).unwrap()
    }
}

/// A folder with `tieout.toml`, the store and the reports, and a fixed clock.
pub struct Site {
    folder: TempDir,
    last: NaiveDate,
}

impl Drop for Site {
    /// With `KEEP` in the environment the folder of a test that fails stays.
    #[expect(clippy::print_stderr, reason = "whoever asks for the folder looks for it")]
    fn drop(&mut self) {
        if std::thread::panicking() && std::env::var_os("KEEP").is_some() {
            eprintln!("kept: {}", self.path().display());
            self.folder.disable_cleanup(true);
        }
    }
}

impl Site {
    /// A folder with this configuration; the clock shows two weeks after `last`.
    pub fn new(configuration: &str, last: NaiveDate) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tieout.toml"), configuration).unwrap();
        Self { folder, last }
    }

    /// Puts another store in the place of its own.
    pub fn restore(&self, store: &Path) {
        for suffix in ["-wal", "-shm"] {
            let mut name = self.store().into_os_string();
            name.push(suffix);
            // They exist only while a process has the store open.
            let _ = std::fs::remove_file(name);
        }
        std::fs::copy(store, self.store()).unwrap();
    }

    /// A folder without anything.
    pub fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), last: day("2026-11-08") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn store(&self) -> PathBuf {
        self.path().join("tieout.db")
    }

    pub fn reports(&self) -> PathBuf {
        self.path().join("reports")
    }

    fn now(&self) -> String {
        let later = self.last.checked_add_days(Days::new(DAYS_LATER)).unwrap();
        format!("{later}T12:00:00Z")
    }

    pub fn clock(&self) -> Clock {
        Clock::read(Some(&self.now())).unwrap()
    }

    /// The program in this folder; its environment holds only the key, the clock, and no limit of
    /// requests.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tieout"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TIEOUT_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .env_remove("SSL_CERT_FILE")
            .current_dir(self.path())
            .env("TIEOUT_NOW", self.now())
            .env("TIEOUT_API_KEY", API_KEY)
            .env("TIEOUT_API__REQUESTS_PER_SECOND", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    /// `tieout run` over a range of dates.
    pub fn run_range(&self, from: NaiveDate, to: NaiveDate) -> Ended {
        self.run(&["run", "--date", &format!("{from}..{to}")])
    }

    /// `tieout run` of one date.
    pub fn run_date(&self, date: NaiveDate) -> Ended {
        self.run(&["run", "--date", &date.to_string()])
    }

    /// The settings as a run inside this process sees them.
    pub fn settings(&self) -> Settings {
        let environment: BTreeMap<String, String> =
            [("TIEOUT_API_KEY", API_KEY), ("TIEOUT_API__REQUESTS_PER_SECOND", "0")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into();
        let sources = Sources {
            config_file: Some(self.path().join("tieout.toml")),
            environment,
            db: None,
            out: None,
        };
        Settings::load(&sources, &[]).unwrap()
    }
}

/// How the program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ended {
    /// Fails with the whole output unless the program ended with `code`.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }
}
