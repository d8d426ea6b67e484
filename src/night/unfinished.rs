//! What a run leaves that was killed: dates that it had reconciled and whose files do not show it yet.
//! The next run that reports writes these files.

use std::collections::BTreeSet;
use std::path::Path;

use chrono::NaiveDate;

use super::decisions::last_act;
use super::reports::{self, is_signed};
use super::{NightError, Run, in_one_line};
use tieout_model::RunRecord;
use tieout_model::digest::sha256_hex;
use tieout_report::{MANIFEST_FILE, atomic};
use tieout_store::{Act, Store, results, seal};

/// Writes the files of those of the dates that a killed run has reconciled and not reported. What
/// hinders that hinders nothing else, and is logged.
pub(super) fn finish(run: &Run<'_>, store: &mut Store, dates: &BTreeSet<NaiveDate>) {
    for date in dates {
        if let Err(error) = finish_date(run, store, *date) {
            tracing::error!(business_date = %date, "{}", in_one_line(&error));
        }
    }
}

fn finish_date(run: &Run<'_>, store: &mut Store, date: NaiveDate) -> Result<(), NightError> {
    let folder = run.settings.reports.dir.join(date.to_string());
    if is_shown(store, &folder, date)? && is_signed(run, &folder, MANIFEST_FILE)? {
        return Ok(());
    }
    let Some(outcome) = results::held(store, date)? else { return Ok(()) };
    tracing::info!(business_date = %date, "{date}: an earlier run was interrupted");
    reports::write(run, store, date, &outcome)
}

/// Whether the folder holds the files of what the date came to last, as the audit trail knows them.
fn is_shown(store: &Store, folder: &Path, date: NaiveDate) -> Result<bool, NightError> {
    let Ok(bytes) = atomic::read(&folder.join(MANIFEST_FILE)) else { return Ok(false) };
    let Ok(manifest) = serde_json::from_slice::<RunRecord>(&bytes) else { return Ok(false) };
    let noted = last_act(store, &date.to_string(), Act::Report)?;
    let is_noted = noted.is_some_and(|act| act.note == sha256_hex(&bytes));
    let is_of_results = seal::sealed(store, date)? == Some(manifest.results_digest);
    let is_whole = |(name, digest): (&String, &String)| {
        atomic::read(&folder.join(name)).is_ok_and(|content| sha256_hex(&content) == *digest)
    };
    Ok(is_noted && is_of_results && manifest.files.iter().all(is_whole))
}
