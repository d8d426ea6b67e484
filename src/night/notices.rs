//! The notice of a run: how it ended, and what became of each date.

use chrono::{DateTime, NaiveDate, Utc};

use super::error::in_one_line;
use super::notify::{DateNotice, Notice};
use super::reports::{Timing, date_report};
use super::{NightError, Run, RunResult};
use tieout_config::{ReportFormat, Settings};
use tieout_model::Severity;
use tieout_model::clock::machine_now;
use tieout_report::PAGE_FILE;

/// The notice of a run that failed as a whole.
pub(super) fn failed(error: &NightError, started: DateTime<Utc>) -> Notice {
    let mut notice = Notice::new(error.exit(), started, machine_now());
    notice.error = Some(in_one_line(error));
    notice.titled()
}

/// Where people read the page of a date, when the configuration says where the reports are opened.
fn page_of(settings: &Settings, date: NaiveDate) -> Option<String> {
    let base = settings.notify.reports_url.as_deref()?;
    let has_pages = settings.reports.formats.contains(&ReportFormat::Html);
    has_pages.then(|| format!("{}/{date}/{PAGE_FILE}", base.trim_end_matches('/')))
}

/// The notice of a run that ended.
pub(super) fn of(
    run: &Run<'_>,
    result: &RunResult,
    fail_on: Option<Severity>,
    started: DateTime<Utc>,
) -> Notice {
    let mut notice = Notice::new(result.exit(fail_on), started, machine_now());
    notice.requests = result.requests;
    notice.files.clone_from(&result.files);
    notice.store.clone_from(&result.store);
    for date in &result.dates {
        let told = match (&date.error, &date.outcome) {
            (Some(error), _) => DateNotice::failed(date.business_date, in_one_line(error)),
            (None, Some(outcome)) => {
                let timing = Timing::begin(started);
                let report = date_report(run, date.business_date, outcome, &timing);
                let page = page_of(run.settings, date.business_date);
                DateNotice { page, ..DateNotice::of(&report) }
            }
            (None, None) => continue,
        };
        notice.dates.push(told);
    }
    notice.titled()
}
