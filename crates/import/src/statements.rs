//! Reads the bank statements of the merchants into the store. An unreadable file is noted with the
//! reason, and a line that cannot be understood is left out: neither stops a run.

use std::collections::BTreeSet;
use std::path::Path;

use crate::ImportError;
use crate::bank;
use crate::bank::{BankError, CheckedStatement, Surroundings};
use crate::files::files_of;
use tieout_config::{BankSettings, Settings};
use tieout_model::{MerchantId, OtherCredit};
use tieout_store::{Store, StoreError, banks};

/// An error that ends the reading of one file.
#[derive(Debug, thiserror::Error)]
enum FileError {
    /// The file as a whole is not valid; the run continues without it.
    #[error(transparent)]
    Bank(#[from] BankError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads every file of every bank section that a merchant names, unless the store already has it,
/// and forgets the files that no longer exist.
///
/// # Errors
/// When the store cannot be read or written.
pub fn import_statements(
    settings: &Settings,
    configuration_digest: &str,
    store: &mut Store,
) -> Result<(), ImportError> {
    let mut kept = BTreeSet::new();
    for bank in &settings.banks {
        if !settings.merchants_of_bank(bank).is_empty() {
            import_bank(settings, configuration_digest, store, bank, &mut kept)?;
        }
    }
    banks::keep_files(store, &kept)?;
    Ok(())
}

fn import_bank(
    settings: &Settings,
    configuration_digest: &str,
    store: &mut Store,
    bank: &BankSettings,
    kept: &mut BTreeSet<(String, String)>,
) -> Result<(), ImportError> {
    let files = match files_of(&bank.path) {
        Ok(files) => files,
        Err(error) => {
            let pattern = bank.path.display().to_string();
            note_unreadable(store, bank, &pattern, &error.into())?;
            kept.insert((bank.name.clone(), pattern));
            return Ok(());
        }
    };
    for path in files {
        let name = path.display().to_string();
        match import_statement(settings, configuration_digest, store, bank, (&path, &name)) {
            Ok(()) => {}
            Err(FileError::Bank(error)) => note_unreadable(store, bank, &name, &error)?,
            Err(FileError::Store(error)) => return Err(error.into()),
        }
        kept.insert((bank.name.clone(), name));
    }
    Ok(())
}

fn import_statement(
    settings: &Settings,
    configuration_digest: &str,
    store: &mut Store,
    bank: &BankSettings,
    (path, name): (&Path, &str),
) -> Result<(), FileError> {
    let sha256 = bank::digest_of(path)?;
    if banks::has_file(store, &bank.name, name, &sha256, configuration_digest)? {
        return Ok(());
    }
    let file = check(settings, bank, path)?.into_file();
    banks::save_file(store, &bank.name, name, &file, configuration_digest)?;
    if file.quarantined_lines > 0 {
        tracing::warn!(
            bank = bank.name,
            rows = file.quarantined_lines,
            "{name}: {} lines were left out",
            file.quarantined_lines
        );
    }
    tracing::info!(
        bank = bank.name,
        stage = "bank",
        rows = file.lines.len(),
        "{name}: {} of {} lines are the processor's",
        file.lines.len(),
        file.lines.len() as u64 + file.other_lines
    );
    Ok(())
}

fn check(
    settings: &Settings,
    bank: &BankSettings,
    path: &Path,
) -> Result<CheckedStatement, BankError> {
    let merchants = settings.merchants_of_bank(bank);
    let ids: Vec<&MerchantId> = merchants.iter().map(|merchant| &merchant.id).collect();
    let mut currencies = merchants.iter().map(|merchant| merchant.currency);
    let first = currencies.next().flatten();
    let currency = first.filter(|first| currencies.all(|other| other == Some(*first)));
    let time_zone = merchants.first().map(|merchant| merchant.time_zone);
    bank::check_file(path, bank, Surroundings { currency, time_zone, merchant_ids: &ids })
}

/// The credits on the statements of a bank that do not name the processor, read from the files:
/// their texts may name customers, so the store holds none of them. Files that cannot be read give
/// none; reading them into the store says why.
pub fn other_credits(settings: &Settings, bank: &BankSettings) -> Vec<OtherCredit> {
    let files = files_of(&bank.path).unwrap_or_default();
    let checked = files.iter().filter_map(|path| check(settings, bank, path).ok());
    let lines = checked.flat_map(|statement| statement.lines);
    let others = lines.filter(|one| !one.is_of_processor && one.line.amount.0 > 0);
    others
        .map(|one| OtherCredit {
            date: one.line.date,
            amount: one.line.amount,
            currency: one.line.currency,
            text: one.text,
        })
        .collect()
}

fn note_unreadable(
    store: &mut Store,
    bank: &BankSettings,
    path: &str,
    error: &BankError,
) -> Result<(), StoreError> {
    tracing::warn!(bank = bank.name, "{error}");
    let mut reason = error.to_string().lines().next().unwrap_or_default().to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        reason = format!("{reason}: {error}");
        cause = error.source();
    }
    banks::note_unreadable(store, &bank.name, path, &reason)
}
