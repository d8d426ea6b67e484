//! The notice of a run: how it ended, and the outcome of each date.

use chrono::{DateTime, Utc};

use super::error::in_one_line;
use super::notify::{DateNotice, Notice};
use super::{DateLine, DateResult, NightError, Run, RunResult};
use tieout_model::Severity;
use tieout_model::clock::machine_now;
use tieout_store::{Store, days, newest, results};

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

/// The notice of the newest reconciled date as the store knows it, without how long its run took or
/// what it asked; `None` without any.
pub(super) fn of_newest(
    run: &Run<'_>,
    store: &Store,
    fail_on: Option<Severity>,
) -> Result<Option<Notice>, NightError> {
    let Some(date) = days::latest_reconciled(store)? else { return Ok(None) };
    let (state, outcome) = (days::of_date(store, date)?, results::held(store, date)?);
    let last_run = state.and_then(|day| day.last_run?.parse().ok());
    let Some((ended, outcome)) = last_run.zip(outcome) else { return Ok(None) };
    let newest = DateResult {
        business_date: date,
        line: Some(DateLine::of(run, date, &outcome)),
        error: None,
        incomplete: Vec::new(),
        folder: None,
    };
    let result = RunResult {
        dates: vec![newest],
        files: newest::days(store)?,
        missed: days::missed(store)?.len() as u64,
        ..RunResult::default()
    };
    Ok(Some(Notice { ended, ..of(&result, fail_on, ended) }))
}
