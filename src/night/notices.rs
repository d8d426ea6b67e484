//! The notice of a run: how it ended, and the outcome of each date.

use chrono::{DateTime, Utc};

use super::error::in_one_line;
use super::notify::{DateNotice, Notice};
use super::{NightError, RunResult};
use tieout_model::Severity;
use tieout_model::clock::machine_now;

/// The notice of a run that failed as a whole.
pub(super) fn failed(error: &NightError, started: DateTime<Utc>) -> Notice {
    let mut notice = Notice::new(error.exit(), started, machine_now());
    notice.error = Some(in_one_line(error));
    notice.titled()
}

/// The notice of a run that ended.
pub(super) fn of(result: &RunResult, fail_on: Option<Severity>, started: DateTime<Utc>) -> Notice {
    let mut notice = Notice::new(result.exit(fail_on), started, machine_now());
    notice.requests = result.requests;
    notice.files.clone_from(&result.files);
    notice.missed = Some(result.missed);
    notice.store.clone_from(&result.store);
    for date in &result.dates {
        notice.dates.extend(match (&date.error, &date.line) {
            (Some(error), _) => Some(DateNotice::failed(date.business_date, in_one_line(error))),
            (None, line) => line.as_ref().map(|line| line.notice.clone()),
        });
    }
    notice.titled()
}
