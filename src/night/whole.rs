//! One night: all stages over the dates, and what is told of it.

use chrono::{DateTime, NaiveDate, Utc};

use crate::clock::machine_now;
use crate::exit::Exit;
use crate::model::Severity;
use crate::night::Job;
use crate::night::JobError;
use crate::night::RunResult;
use crate::night::Stages;
use crate::night::Timing;
use crate::night::notify::DateNotice;
use crate::night::notify::Notice;

/// Fetch, reconcile and report.
pub const ALL_STAGES: Stages = Stages { fetch: true, reconcile: true, report: true };

/// Runs all stages over `dates` and says how it ended; the caller tells who is configured.
pub async fn night(
    job: &Job<'_>,
    dates: &[NaiveDate],
    fail_on: Option<Severity>,
) -> (Result<RunResult, JobError>, Notice) {
    let started = machine_now();
    let result = job.run(dates, ALL_STAGES).await;
    let notice = match &result {
        Ok(result) => notice_of(job, result, fail_on, started),
        Err(error) => failed(error.exit(), &said(error), started),
    };
    (result, notice)
}

/// The notice of a run that could not begin.
pub fn failed(exit: Exit, error: &str, started: DateTime<Utc>) -> Notice {
    let mut notice = Notice::new(exit, started, machine_now());
    notice.error = Some(error.to_owned());
    notice
}

fn notice_of(
    job: &Job<'_>,
    result: &RunResult,
    fail_on: Option<Severity>,
    started: DateTime<Utc>,
) -> Notice {
    let mut notice = Notice::new(result.exit(fail_on), started, machine_now());
    notice.requests = result.requests;
    for date in &result.dates {
        let told = match (&date.error, &date.outcome) {
            (Some(error), _) => DateNotice::failed(date.business_date, said(error)),
            (None, Some(outcome)) => {
                let timing = Timing::begin(started);
                match job.date_report(date.business_date, outcome, &timing) {
                    Ok(report) => DateNotice::of(&report),
                    Err(error) => DateNotice::failed(date.business_date, said(&error)),
                }
            }
            (None, None) => continue,
        };
        notice.dates.push(told);
    }
    notice
}

/// The error with its causes, on one line.
pub fn said(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line
}
