//! Reads the bank statements of the merchants into the store. A file that cannot be read is
//! noted with the reason, and a line that cannot be understood is left out: neither stops a run.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::{BankSettings, Merchant};
use crate::import::bank;
use crate::import::bank::BankError;
use crate::import::files::files_of;
use crate::night::Job;
use crate::night::JobError;
use crate::store::{Store, StoreError};

/// What ends the reading of one file.
enum ImportError {
    /// The file as a whole is wrong; the run goes on without it.
    Bank(BankError),
    Store(StoreError),
}

impl From<BankError> for ImportError {
    fn from(error: BankError) -> Self {
        Self::Bank(error)
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Job<'_> {
    /// The merchants that name this bank section, those of other shards included; none when no
    /// merchant of this run does.
    pub(crate) fn merchants_of_bank(&self, bank: &BankSettings) -> Vec<&Merchant> {
        let names = |merchant: &&Merchant| merchant.bank.as_ref() == Some(&bank.name);
        if !self.settings.merchants.iter().any(|merchant| names(&merchant)) {
            return Vec::new();
        }
        self.settings.all_merchants().filter(names).collect()
    }

    /// Reads every file of every bank section that a merchant names, unless the store holds it
    /// already, and forgets the files that are gone.
    pub(crate) fn import_statements(&self, store: &mut Store) -> Result<(), JobError> {
        let mut kept = BTreeSet::new();
        for bank in &self.settings.banks {
            if !self.merchants_of_bank(bank).is_empty() {
                self.import_bank(store, bank, &mut kept)?;
            }
        }
        store.keep_bank_files(&kept)?;
        Ok(())
    }

    fn import_bank(
        &self,
        store: &mut Store,
        bank: &BankSettings,
        kept: &mut BTreeSet<(String, String)>,
    ) -> Result<(), JobError> {
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
            match self.import_statement(store, bank, &path, &name) {
                Ok(()) => {}
                Err(ImportError::Bank(error)) => note_unreadable(store, bank, &name, &error)?,
                Err(ImportError::Store(error)) => return Err(error.into()),
            }
            kept.insert((bank.name.clone(), name));
        }
        Ok(())
    }

    fn import_statement(
        &self,
        store: &mut Store,
        bank: &BankSettings,
        path: &Path,
        name: &str,
    ) -> Result<(), ImportError> {
        let settings = &self.configuration_digest;
        let sha256 = bank::digest_of(path)?;
        if store.has_bank_file(&bank.name, name, &sha256, settings)? {
            return Ok(());
        }
        let merchants = self.merchants_of_bank(bank);
        let ids: Vec<&str> = merchants.iter().map(|merchant| merchant.id.as_str()).collect();
        let mut currencies = merchants.iter().map(|merchant| merchant.currency);
        let first = currencies.next().flatten();
        let currency = first.filter(|first| currencies.all(|other| other == Some(*first)));
        let file = bank::read_file(path, bank, currency, &ids)?;
        store.save_bank_file(&bank.name, name, &file, settings)?;
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
            "{name}: {} lines of the processor, {} of others",
            file.lines.len(),
            file.other_lines
        );
        Ok(())
    }
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
    store.note_unreadable_bank_file(&bank.name, path, &reason)
}
