//! The part of a judged date that a run keeps: its notice, and the data for the exit code.

use chrono::NaiveDate;

use super::Run;
use super::notify::DateNotice;
use super::reports::{Timing, date_report};
use tieout_config::{ReportFormat, Settings};
use tieout_judge::run_record;
use tieout_model::clock::machine_now;
use tieout_model::{DiscrepancyStatus, Severity};
use tieout_report::PAGE_FILE;
use tieout_store::DayOutcome;

/// The part of a judged date that a run keeps; the rest is in the store.
#[derive(Debug)]
pub struct DateLine {
    pub(super) notice: DateNotice,
    pub(super) is_partial: bool,
    /// The highest severity of the open discrepancies.
    pub(super) worst: Option<Severity>,
}

impl DateLine {
    /// The parts of `outcome` to keep.
    pub(super) fn of(run: &Run<'_>, date: NaiveDate, outcome: &DayOutcome) -> Self {
        let open = outcome.discrepancies.iter();
        let open = open.filter(|stored| stored.status != DiscrepancyStatus::Cleared);
        let report = date_report(run, date, outcome, &Timing::begin(machine_now()));
        Self {
            notice: DateNotice { page: page_of(run.settings, date), ..DateNotice::of(&report) },
            is_partial: run_record::is_partial(outcome),
            worst: open.map(|stored| stored.severity).max(),
        }
    }
}

/// The address of a date's page, when `notify.reports_url` is configured.
fn page_of(settings: &Settings, date: NaiveDate) -> Option<String> {
    let base = settings.notify.reports_url.as_deref()?;
    let has_pages = settings.reports.formats.contains(&ReportFormat::Html);
    has_pages.then(|| format!("{}/{date}/{PAGE_FILE}", base.trim_end_matches('/')))
}
