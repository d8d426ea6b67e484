//! Shared by `run`, `fetch`, `reconcile` and `report`: a run over the dates, then its summary on
//! standard output.

use std::fmt::Write as _;
use std::path::PathBuf;

use chrono::NaiveDate;
use serde::Serialize;

use super::{CliError, Context, TableArguments, signals};
use crate::exit::Exit;
use crate::night::notify;
use crate::night::{
    DateResult, NightError, Run, RunResult, Stages, Timing, date_report, execute as execute_stages,
    whole_night,
};
use tieout_config::{ReportFormat, Settings};
use tieout_model::clock::machine_now;
use tieout_read::progress;
use tieout_report::aligned::printable;
use tieout_report::terminal::{self, DateSummary, Detail};
use tieout_report::{INDEX_FILE, PAGE_FILE};

/// Runs the stages over the dates and prints the result of each.
pub(super) fn execute(
    context: &Context,
    settings: &Settings,
    dates: &[NaiveDate],
    stages: Stages,
    table: TableArguments,
) -> Result<Exit, CliError> {
    let run = Run::new(settings, context.clock)?;
    let fail_on = context.global.fail_on.map(Into::into);
    if context.shows_progress() {
        progress::show();
    }
    let mut notice = None;
    let result = runtime()?.block_on(async {
        signals::watch(run.stop.clone());
        if stages != Stages::ALL && !stages.stale {
            return execute_stages(&run, dates, stages).await;
        }
        let (result, told) = whole_night(&run, dates, stages, fail_on).await;
        notify::tell(&settings.notify, &told).await;
        notice = Some(told);
        result
    });
    let Some(notice) = notice.filter(|_| table.json) else {
        return conclude(context, &run, result?, table);
    };
    let summaries = match &result {
        Ok(result) => summaries(&run, result)?,
        Err(_) => Vec::new(),
    };
    context.print_json(&Summary { notice: &notice, summaries })?;
    let mut result = result?;
    complain_of_dates(context, &mut result);
    Ok(notice.exit)
}

/// The output of `run --json`: the notice of the run, as sent to a webhook, and each date in full.
#[derive(Serialize)]
struct Summary<'n> {
    #[serde(flatten)]
    notice: &'n notify::Notice,
    summaries: Vec<DateSummary>,
}

/// Prints the results of the dates and the errors of those that failed; returns the exit code.
pub(super) fn conclude(
    context: &Context,
    run: &Run<'_>,
    mut result: RunResult,
    table: TableArguments,
) -> Result<Exit, CliError> {
    let exit = result.exit(context.global.fail_on.map(Into::into));
    // With -q, cron sends mail only when something is wrong.
    if context.global.quiet == 0 || exit != Exit::Done || table.json {
        print(context, run, &result, table)?;
    }
    period(context, &result, table)?;
    complain_of_dates(context, &mut result);
    Ok(exit)
}

/// Prints why dates failed: if several share a cause, the first in full and the others by name.
fn complain_of_dates(context: &Context, result: &mut RunResult) {
    let mut causes: Vec<(String, String, Vec<String>)> = Vec::new();
    for date in &mut result.dates {
        let Some(error) = date.error.take() else { continue };
        let day = date.business_date;
        let described = describe_date(day, &error.into());
        let cause = described.replace(&day.to_string(), "");
        match causes.iter_mut().find(|(known, ..)| *known == cause) {
            Some((_, _, others)) => others.push(day.to_string()),
            None => causes.push((cause, described, Vec::new())),
        }
    }
    for (_, first, others) in causes {
        if !others.is_empty() {
            let dates = others.join(", ");
            context.complain(&format!("error: {dates} failed for the same cause as this date:\n"));
        }
        context.complain(&first);
    }
}

/// The message of a date that failed: its date, its cause, its remedy.
fn describe_date(date: NaiveDate, error: &CliError) -> String {
    let described = super::describe(error, None);
    if described.contains(&date.to_string()) {
        return described;
    }
    described.replacen("error: ", &format!("error: {date}: "), 1)
}

/// The runtime of the commands that use the API. One thread: passing each answer between threads
/// takes longer than reading it.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)
}

/// The runtime of the commands that answer requests while they work themselves.
pub(super) fn serving_runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::Runtime)
}

/// Prints the path of the period's report, if one was written.
pub(super) fn period(
    context: &Context,
    result: &RunResult,
    table: TableArguments,
) -> Result<(), CliError> {
    match &result.period {
        Some(folder) if !table.json => {
            let place = printable(&folder.display().to_string());
            context.print(format!("\nreport of the period: {place}\n").as_bytes())
        }
        _ => Ok(()),
    }
}

/// Prints the summary of every date that was reconciled.
pub(super) fn print(
    context: &Context,
    run: &Run<'_>,
    result: &RunResult,
    table: TableArguments,
) -> Result<(), CliError> {
    if table.json {
        return context.print_json(&summaries(run, result)?);
    }
    let timing = Timing::begin(machine_now());
    let judged = result.dates.iter().filter(|date| date.line.is_some());
    let mut failed = Ok(());
    // One at a time: the summary of a date is large.
    let mut summaries = judged.map_while(|date| {
        summary(run, result, date, &timing).map_err(|error| failed = Err(error)).ok()?
    });
    let detail = if context.global.verbose > 0 { Detail::All } else { Detail::New };
    let mut text = terminal::render(&mut summaries, detail, context.is_coloured());
    drop(summaries);
    failed?;
    if let Some(page) = page_to_open(run.settings, result) {
        let _ = write!(text, "\nopen {}\n", printable(&page.display().to_string()));
    }
    context.print(text.as_bytes())
}

fn summaries(run: &Run<'_>, result: &RunResult) -> Result<Vec<DateSummary>, NightError> {
    let timing = Timing::begin(machine_now());
    let judged = result.dates.iter().filter(|date| date.line.is_some());
    judged.filter_map(|date| summary(run, result, date, &timing).transpose()).collect()
}

/// The summary of a judged date.
fn summary(
    run: &Run<'_>,
    result: &RunResult,
    date: &DateResult,
    timing: &Timing,
) -> Result<Option<DateSummary>, NightError> {
    let Some(outcome) = result.outcome(date.business_date)? else { return Ok(None) };
    let report = date_report(run, date.business_date, &outcome, timing);
    let folder = date.folder.clone().unwrap_or_default();
    Ok(Some(terminal::summarize(&report, &folder)))
}

/// The page to open: of the only date, the index of several, or the folder if no pages are written.
fn page_to_open(settings: &Settings, result: &RunResult) -> Option<PathBuf> {
    let mut folders = result.dates.iter().filter_map(|date| date.folder.as_ref());
    let first = folders.next()?;
    let is_one = folders.next().is_none();
    let has_pages = settings.reports.formats.contains(&ReportFormat::Html);
    Some(match (is_one, has_pages) {
        (true, true) => first.join(PAGE_FILE),
        (true, false) => first.clone(),
        (false, true) => first.parent()?.join(INDEX_FILE),
        (false, false) => first.parent()?.to_owned(),
    })
}
