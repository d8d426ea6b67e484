//! Brings the dataset up to date after a run, where `[export] dir` names one.

use super::{Run, RunResult, in_one_line};
use crate::export::export_run;
use tieout_read::api::Api;
use tieout_store::Store;

/// Exports the dates of the run. They are reconciled and reported by then: a failed export makes
/// the run partial and undoes nothing. The next run writes the missing dates.
pub(super) fn bring_up_to_date(run: &Run<'_>, store: &Store, result: &mut RunResult) {
    let Some(dir) = &run.settings.export_dir else { return };
    let done = result.dates.iter().filter(|date| date.error.is_none());
    let dates: Vec<_> = done.map(|date| date.business_date).collect();
    if dates.is_empty() {
        return;
    }
    let read = |listing: &_, number, json: &[u8]| Api::read_evidence(listing, number, json);
    match export_run(store, &read, run.settings, dir, &dates) {
        Ok(exported) => tracing::info!(
            stage = "export",
            partitions = exported.partitions.len(),
            rows = exported.rows(),
            "dataset written"
        ),
        Err(error) => {
            result.is_dataset_behind = true;
            let hint = error.hint().map_or_else(String::new, |hint| format!("; hint: {hint}"));
            tracing::error!(
                stage = "export",
                "the dataset {} was not written: {}{hint}",
                dir.display(),
                in_one_line(&error)
            );
        }
    }
}
