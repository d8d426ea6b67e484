//! Reads the ledger files of the merchants into the store. An unreadable file is noted with the
//! reason, and a row that cannot be understood is left out: neither stops a run.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::sync_channel;

use crate::ImportError;
use crate::files::{Fingerprint, files_of};
use crate::ledger;
use crate::ledger::{LedgerError, Looked};
use tieout_config::{LedgerSettings, Merchant, Settings};
use tieout_model::{LedgerFile, LedgerRecord};
use tieout_store::{Store, StoreError, ledger_files, ledger_import};

/// An error that ends the reading of one file.
#[derive(Debug, thiserror::Error)]
enum FileError {
    /// The file as a whole is not valid; the run continues without it.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads every file of every ledger that a merchant names, unless the store already has it (by its
/// size and times, else by its digest), and forgets the files that no longer exist.
///
/// # Errors
/// When the store cannot be read or written.
pub fn import_books(
    settings: &Settings,
    configuration_digest: &str,
    store: &mut Store,
) -> Result<(), ImportError> {
    let mut kept = BTreeSet::new();
    for ledger in &settings.ledgers {
        let is_named = settings
            .merchants
            .iter()
            .any(|merchant| merchant.ledger.as_ref() == Some(&ledger.name));
        if is_named {
            import_ledger(settings, configuration_digest, store, ledger, &mut kept)?;
        }
    }
    ledger_files::keep(store, &kept)?;
    Ok(())
}

fn import_ledger(
    settings: &Settings,
    configuration_digest: &str,
    store: &mut Store,
    ledger: &LedgerSettings,
    kept: &mut BTreeSet<(String, String)>,
) -> Result<(), ImportError> {
    let files = match files_of(&ledger.path) {
        Ok(files) => files,
        Err(error) => {
            let pattern = ledger.path.display().to_string();
            note_unreadable(store, ledger, &pattern, &error.into())?;
            kept.insert((ledger.name.clone(), pattern));
            return Ok(());
        }
    };
    for path in files {
        let name = path.display().to_string();
        match import_file(settings, configuration_digest, store, ledger, (&path, &name)) {
            Ok(()) => {}
            Err(FileError::Ledger(error)) => note_unreadable(store, ledger, &name, &error)?,
            Err(FileError::Store(error)) => return Err(error.into()),
        }
        kept.insert((ledger.name.clone(), name));
    }
    Ok(())
}

fn import_file(
    settings: &Settings,
    configuration_digest: &str,
    store: &mut Store,
    ledger: &LedgerSettings,
    (path, name): (&Path, &str),
) -> Result<(), FileError> {
    let held = (ledger.name.as_str(), name, configuration_digest);
    let seen = Fingerprint::of(path).map_err(LedgerError::from)?.to_text();
    if let Some(seen) = &seen
        && ledger_files::has_seen(store, held, seen)?
    {
        return Ok(());
    }
    let looked = Looked::at(path)?;
    if ledger_files::has(store, held, looked.sha256())? {
        return Ok(ledger_files::note_seen(store, &ledger.name, name, seen.as_deref())?);
    }
    let mut import = ledger_import::begin(store, &ledger.name, name)?;
    let file = read_beside(settings, ledger, path, looked, |record| import.add(record))?;
    import.finish(&file, configuration_digest, seen.as_deref())?;
    if file.quarantined_rows > 0 {
        tracing::warn!(
            ledger = ledger.name,
            rows = file.quarantined_rows,
            "{name}: {} rows were left out; tieout ledger check shows each",
            file.quarantined_rows
        );
    }
    tracing::info!(
        ledger = ledger.name,
        stage = "ledger",
        rows = file.record_rows,
        "{name}: {} records",
        file.record_rows
    );
    Ok(())
}

/// The records that pass from the thread that reads a file to the one that keeps them at once, and
/// how many of these parcels wait.
const PARCEL: usize = 500;
const PARCELS: usize = 4;

/// Reads a file in a thread of its own, while this one keeps its records.
fn read_beside(
    settings: &Settings,
    ledger: &LedgerSettings,
    path: &Path,
    looked: Looked,
    mut keep: impl FnMut(&LedgerRecord) -> Result<(), StoreError>,
) -> Result<LedgerFile, FileError> {
    // All merchants: a row of another shard's merchant is valid, and read by that shard.
    let merchants: Vec<Merchant> = settings.all_merchants().cloned().collect();
    let (sender, parcels) = sync_channel::<Vec<LedgerRecord>>(PARCELS);
    // Ends early with the fault of the file, or without one where the store refused a record.
    let read = || -> Result<LedgerFile, Option<LedgerError>> {
        let mut parcel = Vec::with_capacity(PARCEL);
        let file = ledger::read_looked(path, looked, ledger, &merchants, |record| {
            if settings.elsewhere.contains_key(&record.merchant_id) {
                return Ok(());
            }
            parcel.push(record);
            if parcel.len() < PARCEL {
                return Ok(());
            }
            let full = std::mem::replace(&mut parcel, Vec::with_capacity(PARCEL));
            sender.send(full).map_err(|_| None)
        })?;
        sender.send(parcel).map_err(|_| None)?;
        drop(sender);
        Ok(file)
    };
    std::thread::scope(|scope| {
        let reading = scope.spawn(read);
        let kept = parcels.iter().flatten().try_for_each(|record| keep(&record));
        // A thread that still reads ends with its next parcel.
        drop(parcels);
        let file = reading.join().unwrap_or_else(|panic| resume_unwind(panic));
        kept?;
        file.map_err(|fault| fault.map_or(StoreError::WriterStopped.into(), FileError::from))
    })
}

fn note_unreadable(
    store: &mut Store,
    ledger: &LedgerSettings,
    path: &str,
    error: &LedgerError,
) -> Result<(), StoreError> {
    tracing::warn!(ledger = ledger.name, "{error}");
    ledger_files::note_unreadable(store, &ledger.name, path, &reason(error))
}

/// The error and its causes in one line; the remedy is only logged.
fn reason(error: &LedgerError) -> String {
    let mut text = error.to_string().lines().next().unwrap_or_default().to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
