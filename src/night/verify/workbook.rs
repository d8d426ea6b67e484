//! Explains an altered workbook by its changed cells: a person may have typed into it, or saved it
//! with another program. The report is written once more into a temporary folder, and the found
//! workbook is compared with it only if the new one has the digest of the manifest.

use std::path::Path;

use chrono::NaiveDate;

use super::cells::{Differences, differences};
use crate::night::period;
use crate::night::reports::{StoredMatches, Timing, date_report};
use crate::night::{NightError, Run};
use tieout_config::ReportFormat;
use tieout_import::open_workbook;
use tieout_model::RunRecord;
use tieout_report::aligned::counted;
use tieout_report::{self as report, WORKBOOK_FILE, WrittenFiles};
use tieout_store::{Store, results};

/// The report that the workbook belongs to.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    Date(&'a RunRecord),
    /// The dates of a period, in order.
    Period(&'a [NaiveDate]),
}

/// Describes the changes to the workbook in `folder`; `None` when it cannot be read as a workbook
/// any more, or when the store now gives another workbook than the manifest names.
///
/// # Errors
/// When the store cannot be read.
pub(super) fn explain(
    run: &Run<'_>,
    store: &Store,
    subject: Subject<'_>,
    folder: &Path,
    digest: &str,
) -> Result<Option<Vec<String>>, NightError> {
    let Ok(mut found) = open_workbook(&folder.join(WORKBOOK_FILE)) else { return Ok(None) };
    // Without a temporary folder the workbook stays unexplained.
    let Ok(own) = tempfile::tempdir() else { return Ok(None) };
    let Some(written) = write(run, store, subject, own.path())? else { return Ok(None) };
    if written.files.get(WORKBOOK_FILE).is_none_or(|found| found != digest) {
        return Ok(None);
    }
    let Ok(mut written) = open_workbook(&written.folder.join(WORKBOOK_FILE)) else {
        return Ok(None);
    };
    Ok(differences(&mut found, &mut written).ok().map(|found| told(&found)))
}

/// Writes the workbook of the subject as `report` does.
fn write(
    run: &Run<'_>,
    store: &Store,
    subject: Subject<'_>,
    own: &Path,
) -> Result<Option<WrittenFiles>, NightError> {
    let formats = [ReportFormat::Xlsx].into();
    let written = match subject {
        Subject::Date(manifest) => {
            let date = manifest.business_date;
            let Some(outcome) = results::of_day(store, date)? else { return Ok(None) };
            let timing = Timing::begin(manifest.started);
            let mut report = date_report(run, date, &outcome, &timing);
            // The run record comes from the manifest, so that checks and people are shown as they
            // were.
            report.run = manifest.clone();
            let matches = StoredMatches { store, date };
            report::write_date(own, &report, &matches, &formats)
        }
        Subject::Period(dates) => {
            let Some(report) = period::period(run, store, dates)? else { return Ok(None) };
            report::write_period(own, &report, &formats)
        }
    };
    // A workbook that cannot be written into the temporary folder cannot be compared.
    Ok(written.ok())
}

fn told(found: &Differences) -> Vec<String> {
    if found.count == 0 {
        return vec![format!(
            "{WORKBOOK_FILE} was saved again by another program, or its looks were changed: every \
             cell is as the report has it"
        )];
    }
    let places = counted(found.count, "place differs", "places differ");
    let mut told = vec![format!(
        "{WORKBOOK_FILE} was edited, or saved again by another program: {places} from the report, \
         which the store still holds unchanged"
    )];
    told.extend(found.shown.iter().map(|one| format!("{WORKBOOK_FILE}: {one}")));
    let others = found.count - found.shown.len() as u64;
    if others > 0 {
        told.push(format!("{WORKBOOK_FILE}: and {others} more"));
    }
    told
}
