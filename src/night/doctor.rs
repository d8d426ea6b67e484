//! Checks that this machine is ready for the night. Each probe does one step of the night once and
//! reports its findings; none changes anything that affects a run.

mod banks;
mod evidence;
mod files;
mod merchants;
mod probe;
mod service;
mod tolerances;

use evidence::is_open_to_others;

use std::path::Path;

use crate::exit::Exit;
use crate::night::Lock;
use crate::night::LockError;
use crate::night::notify;
use crate::night::schedule::Firings;
use tieout_config::{ApiKeySource, Settings};
use tieout_model::clock::Clock;
use tieout_read::api::check_key;
use tieout_report::aligned::counted;
use tieout_report::atomic;
use tieout_store::{Store, days, shared_file_system};

pub use probe::{Probe, State};

/// With less space than this a night may fail in the middle.
const LOW_SPACE_BYTES: u64 = 2 * 1024 * 1024 * 1024;
const NO_SPACE_BYTES: u64 = 200 * 1024 * 1024;

/// Runs every probe, in the order in which a run needs them. With `sends_notices` the receivers of
/// notices are sent a test.
pub async fn examine(settings: &Settings, clock: Clock, sends_notices: bool) -> Vec<Probe> {
    let mut probes = vec![merchants(settings), key(settings)];
    probes.extend(service::probes(settings, clock).await);
    probes.push(schedule(settings, clock));
    probes.push(store(settings));
    probes.extend(evidence::probes(settings));
    probes.extend(file_system(&settings.store_path));
    probes.push(lock(settings));
    probes.push(folder("reports", &settings.reports.dir));
    if let Some(path) = &settings.notify.metrics_file {
        probes.push(metrics_folder(path));
    }
    probes.push(space(&settings.store_path));
    probes.extend(files::probes(settings));
    if sends_notices {
        probes.extend(notices(settings).await);
    }
    probes
}

/// Checks that the webhook and the heartbeat accept a test. A failure here never fails a night.
async fn notices(settings: &Settings) -> Vec<Probe> {
    let sent = notify::test(&settings.notify).await;
    if sent.is_empty() {
        let hint = "set webhook_url or heartbeat_url under [notify]";
        return vec![Probe::warning("notices", "no receiver is configured", hint)];
    }
    let probe = |(name, sent): (&'static str, Result<(), String>)| match sent {
        Ok(()) => Probe::ok(name, "took a test"),
        Err(error) => Probe::warning(name, error, "check the address under [notify]"),
    };
    sent.into_iter().map(probe).collect()
}

/// The exit code of the most severe failure.
pub fn exit(probes: &[Probe]) -> Exit {
    let exits: Vec<Exit> = probes.iter().map(|probe| probe.exit).collect();
    Exit::first_that_applies(&exits)
}

fn merchants(settings: &Settings) -> Probe {
    const NAME: &str = "configuration";
    let total = settings.merchants.len();
    if total == 0 {
        let hint = "name every merchant with its terminals under [[merchants]]";
        return Probe::warning(NAME, "no merchants; bank transfers cannot be read", hint);
    }
    let ledgers = settings.merchants.iter().filter(|one| one.ledger.is_some()).count();
    let banks = settings.merchants.iter().filter(|one| one.bank.is_some()).count();
    let terminals: usize = settings.merchants.iter().map(|one| one.terminals.len()).sum();
    let found = format!(
        "{}, {} with a ledger, {} with a bank, {}",
        counted(total, "merchant", "merchants"),
        ledgers,
        banks,
        counted(terminals, "terminal", "terminals")
    );
    Probe::ok(NAME, found)
}

fn key(settings: &Settings) -> Probe {
    const NAME: &str = "api key";
    match &settings.api.api_key {
        None => Probe::failed(
            NAME,
            "none is configured",
            Some("set api_key_file under [api], or the variable TIEOUT_API_KEY".to_owned()),
        )
        .with_exit(Exit::Usage),
        Some(ApiKeySource::Environment(_)) => Probe::ok(NAME, "from TIEOUT_API_KEY"),
        Some(ApiKeySource::File(path)) => {
            let shown = path.display().to_string();
            if let Err(error) = check_key(&ApiKeySource::File(path.clone())) {
                let hint = error.hint().map(str::to_owned);
                return Probe::failed(NAME, error.to_string(), hint).with_exit(Exit::Usage);
            }
            if is_open_to_others(path) {
                let hint = "let its owner alone read it: chmod 600";
                return Probe::warning(NAME, format!("{shown} can be read by others"), hint);
            }
            Probe::ok(NAME, shown)
        }
    }
}

fn schedule(settings: &Settings, clock: Clock) -> Probe {
    const NAME: &str = "schedule";
    let zone = settings.time_zone;
    let next = Firings::new(&settings.schedule.cron, zone)
        .ok()
        .and_then(|firings| firings.after(clock.now()));
    match next {
        Some(next) => Probe::ok(
            NAME,
            format!("{} next at {}", settings.schedule.date, next.with_timezone(&zone)),
        ),
        None => Probe::warning(
            NAME,
            format!("\"{}\" never fires again", settings.schedule.cron),
            "set schedule.cron, for example \"0 30 5 * * *\"",
        ),
    }
}

fn store(settings: &Settings) -> Probe {
    const NAME: &str = "store";
    let path = &settings.store_path;
    let shown = path.display();
    if !path.exists() {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder(NAME, parent.unwrap_or(Path::new(".")));
        return match folder.state {
            State::Ok => Probe::ok(NAME, format!("{shown} will be created")),
            _ => folder,
        };
    }
    match Store::open_for_reading(path).and_then(|store| days::all(&store)) {
        Ok(days) => {
            let stale = days.iter().filter(|day| day.is_stale).count();
            let found = format!("{shown}, {} dates, {stale} stale", days.len());
            if stale > 0 {
                return Probe::warning(NAME, found, "run tieout reconcile --stale");
            }
            Probe::ok(NAME, found)
        }
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            Probe::failed(NAME, crate::night::in_one_line(&error), hint)
        }
    }
}

/// A note about a store on a file system that other machines can mount.
fn file_system(store: &Path) -> Option<Probe> {
    let name = shared_file_system(store)?;
    let found = format!(
        "the store lies on {name}: one process at a time has it open, and status, verify or backup \
         during a run ends with 1; a local disk is faster"
    );
    Some(Probe::ok("file system", found))
}

fn lock(settings: &Settings) -> Probe {
    const NAME: &str = "lock";
    // Taking the lock would create a folder and a file for a store whose path may be wrong.
    if !settings.store_path.exists() {
        return Probe::ok(NAME, "not held, as there is no store yet");
    }
    match Lock::acquire(&settings.store_path) {
        Ok(_) => Probe::ok(NAME, "no run is in progress"),
        Err(error @ LockError::Held { .. }) => {
            Probe::warning(NAME, error.to_string(), "nothing, if that is the nightly run")
        }
        Err(error) => Probe::failed(NAME, crate::night::in_one_line(&error), Some(error.hint())),
    }
}

/// Checks that the folder of the metrics file exists. A run does not create it, since no collector
/// would read from a new folder.
fn metrics_folder(path: &Path) -> Probe {
    const NAME: &str = "metrics file";
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    if parent.is_dir() {
        let mut probe = folder(NAME, parent);
        // The units of the package make the file system read-only, even for the folder's owner.
        let unit = format!("; a systemd unit also needs ReadWritePaths={}", parent.display());
        probe.hint = probe.hint.map(|hint| hint + &unit);
        return probe;
    }
    let hint = "make it, and let the node exporter collect from it";
    Probe::warning(NAME, format!("{} is not a folder", parent.display()), hint)
}

/// Checks that a file can be written into `path`, or into its nearest existing parent.
fn folder(name: &'static str, path: &Path) -> Probe {
    const TRIAL: &str = ".tieout-doctor";
    let existing = path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    if !existing.is_dir() {
        let found = format!("{} is a file and no folder", existing.display());
        return Probe::failed(name, found, Some("move it away, or set another path".to_owned()));
    }
    let trial = existing.join(TRIAL);
    match atomic::write_file(&trial, b"") {
        Ok(()) => {
            // Otherwise an empty file would be left behind.
            let _ = std::fs::remove_file(&trial);
            Probe::ok(name, path.display().to_string())
        }
        Err(error) => Probe::failed(
            name,
            crate::night::in_one_line(&error),
            Some(format!("let this user write into {}, or set another path", existing.display())),
        ),
    }
}

#[cfg(unix)]
fn space(store: &Path) -> Probe {
    const NAME: &str = "disk";
    let existing = store.ancestors().skip(1).find(|folder| folder.is_dir());
    let existing = existing.unwrap_or(Path::new("."));
    let free = match rustix::fs::statvfs(existing) {
        Ok(facts) => facts.f_bavail.saturating_mul(facts.f_frsize),
        Err(error) => {
            let found = format!("cannot ask for the free space: {error}");
            return Probe::warning(NAME, found, "check the volume of the store");
        }
    };
    let found = format!("{} MiB free beside the store", free / (1024 * 1024));
    if free < NO_SPACE_BYTES {
        return Probe::failed(NAME, found, Some("make room".to_owned()));
    }
    if free < LOW_SPACE_BYTES {
        return Probe::warning(NAME, found, "make room, or prune old page bodies");
    }
    Probe::ok(NAME, found)
}

#[cfg(not(unix))]
fn space(_: &Path) -> Probe {
    Probe::ok("disk", "not examined on this system")
}
