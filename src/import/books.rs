//! Reads the ledger files of the merchants into the store. A file that cannot be read is
//! noted with the reason, and a row that cannot be understood is left out: neither stops a run.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::{LedgerSettings, Merchant};
use crate::import::files::files_of;
use crate::import::ledger;
use crate::import::ledger::LedgerError;
use crate::night::Job;
use crate::night::JobError;
use crate::store::{Store, StoreError};

/// What ends the reading of one file.
enum ImportError {
    /// The file as a whole is wrong; the run goes on without it.
    Ledger(LedgerError),
    Store(StoreError),
}

impl From<LedgerError> for ImportError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Job<'_> {
    /// Reads every file of every ledger that a merchant names, unless the store holds it
    /// already, and forgets the files that are gone.
    pub(crate) fn import_books(&self, store: &mut Store) -> Result<(), JobError> {
        let mut kept = BTreeSet::new();
        for ledger in &self.settings.ledgers {
            let is_named = self
                .settings
                .merchants
                .iter()
                .any(|merchant| merchant.ledger.as_ref() == Some(&ledger.name));
            if is_named {
                self.import_ledger(store, ledger, &mut kept)?;
            }
        }
        store.keep_ledger_files(&kept)?;
        Ok(())
    }

    fn import_ledger(
        &self,
        store: &mut Store,
        ledger: &LedgerSettings,
        kept: &mut BTreeSet<(String, String)>,
    ) -> Result<(), JobError> {
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
            match self.import_file(store, ledger, &path, &name) {
                Ok(()) => {}
                Err(ImportError::Ledger(error)) => note_unreadable(store, ledger, &name, &error)?,
                Err(ImportError::Store(error)) => return Err(error.into()),
            }
            kept.insert((ledger.name.clone(), name));
        }
        Ok(())
    }

    fn import_file(
        &self,
        store: &mut Store,
        ledger: &LedgerSettings,
        path: &Path,
        name: &str,
    ) -> Result<(), ImportError> {
        let sha256 = ledger::digest_of(path)?;
        let settings = &self.configuration_digest;
        if store.has_ledger_file(&ledger.name, name, &sha256, settings)? {
            return Ok(());
        }
        let import = store.begin_ledger_file(&ledger.name, name)?;
        // All of them: a row of another shard's merchant is a good row, and that shard's.
        let merchants: Vec<Merchant> = self.settings.all_merchants().cloned().collect();
        let file = ledger::read_file(path, ledger, &merchants, |record| {
            if self.settings.elsewhere.contains_key(&record.merchant_id) {
                return Ok(());
            }
            import.add(&record).map_err(ImportError::from)
        })?;
        import.finish(&file, settings)?;
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
}

fn note_unreadable(
    store: &mut Store,
    ledger: &LedgerSettings,
    path: &str,
    error: &LedgerError,
) -> Result<(), StoreError> {
    tracing::warn!(ledger = ledger.name, "{error}");
    store.note_unreadable_ledger_file(&ledger.name, path, &reason(error))
}

/// The error and what caused it in one line; the remedy is for the log.
fn reason(error: &LedgerError) -> String {
    let mut text = error.to_string().lines().next().unwrap_or_default().to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
