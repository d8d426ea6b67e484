//! The run on one screen: the lock, the store, the imported files, the API, then date after date.

use std::collections::BTreeMap;
use std::time::Instant;

use chrono::{Days, NaiveDate};

use super::dataset;
use super::date::{self, Night};
use super::lock::Lock;
use super::notify::Notice;
use super::period::report_period;
use super::reports::{Reporter, Timing, write_index};
use super::run_result::Kept;
use super::{DateResult, NightError, Run, RunResult, Stages, notices, sign_off, unfinished};
use crate::telemetry;
use tieout_config::Settings;
use tieout_import::books::import_books;
use tieout_import::statements::import_statements;
use tieout_judge::is_look_back_off;
use tieout_model::Severity;
use tieout_model::clock::machine_now;
use tieout_read::api::Api;
use tieout_read::{Fetcher, ReadError, begin_dates, fetch_dates};
use tieout_report::MANIFEST_FILE;
use tieout_store::{Store, days, newest, results, returns, share, stamp, trail};

/// Dates that are fetched side by side before the first of them is judged. The listings of later
/// dates do not change its verdict; fetching more dates ahead would only use memory.
const DATES_AHEAD: usize = 8;

/// Runs the stages over `dates`, oldest first. A date that fails does not stop the others.
///
/// # Errors
/// Errors that concern every date: of the store, the lock, or the configuration of the API.
pub async fn execute(
    run: &Run<'_>,
    dates: &[NaiveDate],
    stages: Stages,
) -> Result<RunResult, NightError> {
    let result = tokio::select! {
        result = to_the_end(run, dates, stages) => result,
        () = run.stop.settled() => Err(NightError::Stopped),
    };
    telemetry::count_repeats();
    result
}

/// Runs the stages over `dates` and returns the result with its notice, which the caller sends.
pub async fn whole_night(
    run: &Run<'_>,
    dates: &[NaiveDate],
    stages: Stages,
    fail_on: Option<Severity>,
) -> (Result<RunResult, NightError>, Notice) {
    let started = machine_now();
    let mut result = execute(run, dates, stages).await;
    if let (true, Ok(done)) = (stages.stale, &mut result)
        && let Err(error) = refresh_after(run, done).await
    {
        result = Err(error);
    }
    let notice = match &result {
        Ok(result) => notices::of(result, fail_on, started),
        Err(error) => notices::failed(error, started),
    };
    (result, notice)
}

async fn refresh_after(run: &Run<'_>, done: &mut RunResult) -> Result<(), NightError> {
    let Some(refreshed) = refresh_stale(run).await? else { return Ok(()) };
    done.dates.extend(refreshed.dates);
    done.dates.sort_by_key(|date| date.business_date);
    done.is_dataset_behind |= refreshed.is_dataset_behind;
    (done.store, done.kept, done.missed) = (refreshed.store, refreshed.kept, refreshed.missed);
    Ok(())
}

/// Reconciles and reports, from the store, the dates that older dates have made stale; `None` when
/// no date is stale.
///
/// # Errors
/// As `execute`.
pub async fn refresh_stale(run: &Run<'_>) -> Result<Option<RunResult>, NightError> {
    let stale = stale_dates(run.settings)?;
    if stale.is_empty() {
        return Ok(None);
    }
    let stages = Stages { reconcile: true, report: true, ..Stages::NONE };
    execute(run, &stale, stages).await.map(Some)
}

/// `named`, preceded by the dates of the last `schedule.catch_up_days` that were never reconciled,
/// from the first reconciled date on.
///
/// # Errors
/// When the store cannot be read.
pub fn with_missed(settings: &Settings, named: &[NaiveDate]) -> Result<Vec<NaiveDate>, NightError> {
    let (Some(first_named), true) = (named.first(), settings.store_path.is_file()) else {
        return Ok(named.to_vec());
    };
    let reconciled = days::reconciled(&Store::open(&settings.store_path)?)?;
    let since = caught_up_from(settings, reconciled.first(), *first_named);
    let before = since.iter_days().take_while(|date| date < first_named);
    let mut dates: Vec<NaiveDate> = before.filter(|date| !reconciled.contains(date)).collect();
    if let (Some(first), Some(last)) = (dates.first(), dates.last()) {
        tracing::warn!("{} missed from {first} to {last}: run now", counted(dates.len()));
    }
    dates.extend(named);
    Ok(dates)
}

/// The earliest date to catch up before `last`: `schedule.catch_up_days` before it, but not before
/// the first reconciled date.
pub(super) fn caught_up_from(
    settings: &Settings,
    first: Option<&NaiveDate>,
    last: NaiveDate,
) -> NaiveDate {
    let reach = Days::new(settings.schedule.catch_up_days.into());
    let since = last.checked_sub_days(reach).unwrap_or(last);
    first.map_or(last, |first| since.max(*first))
}

fn counted(dates: usize) -> String {
    if dates == 1 { "1 date was".to_owned() } else { format!("{dates} dates were") }
}

/// The dates whose files show less than the store knows, and all after the first of them: an older
/// date ran later, or records of it were listed later.
///
/// # Errors
/// When the store cannot be read.
pub fn behind_dates(settings: &Settings) -> Result<Vec<NaiveDate>, NightError> {
    let days = days::all(&Store::open(&settings.store_path)?)?.into_iter();
    let reconciled = days.filter(|day| day.is_reconciled);
    let since = reconciled.skip_while(|day| !day.is_behind());
    Ok(since.filter(|day| day.is_stale || !day.is_closed).map(|day| day.business_date).collect())
}

/// The dates that became stale when an older date ran later.
///
/// # Errors
/// When the store cannot be read.
fn stale_dates(settings: &Settings) -> Result<Vec<NaiveDate>, NightError> {
    let store = Store::open(&settings.store_path)?;
    Ok(days::all(&store)?
        .into_iter()
        .filter(|day| day.is_stale)
        .map(|day| day.business_date)
        .collect())
}

async fn to_the_end(
    run: &Run<'_>,
    dates: &[NaiveDate],
    stages: Stages,
) -> Result<RunResult, NightError> {
    let settings = run.settings;
    // Errors of the configuration show before anything is changed.
    let api = stages.fetch.then(|| Api::new(&settings.api, run.stop.clone()));
    let api = api.transpose().map_err(ReadError::from)?;
    let reads = stages.fetch || stages.reconcile;
    let lock = reads.then(|| Lock::acquire(&settings.store_path)).transpose()?;
    let mut store = open(settings, stages)?;
    if reads {
        begin(run, &mut store, dates, stages)?;
    }
    let fetcher = match api {
        Some(api) => Some(begin_fetch(run, api, &store, dates).await?),
        None => None,
    };
    let mut result = RunResult::default();
    let mut reporter = Reporter::default();
    let plan = Plan { dates, stages, latest_open: latest_open(&store, dates)? };
    for window in dates.chunks(DATES_AHEAD) {
        let done = side_by_side(run, &mut store, fetcher.as_ref(), &plan, window, &mut reporter);
        match done.await {
            Ok(done) => result.dates.extend(done),
            Err(error) => return Err(reason(fetcher, error)),
        }
    }
    let mut failed = reporter.end();
    for done in &mut result.dates {
        match failed.remove(&done.business_date) {
            Some(error) if error.ends_the_run() => return Err(reason(fetcher, error)),
            Some(error) => *done = DateResult::failed(done.business_date, error),
            None => {}
        }
    }
    if let Some(fetcher) = fetcher {
        result.requests = fetcher.finish()?;
    }
    let is_any_done = result.dates.iter().any(|date| date.error.is_none());
    if stages.period && is_any_done {
        result.period = report_period(run, &store, dates)?;
    }
    if stages.report {
        // The index lists dates and periods: it is written once, after all of them.
        write_index(run, &days::missed(&store)?)?;
    }
    if stages.reconcile {
        dataset::bring_up_to_date(run, &store, &mut result);
    }
    if reads {
        trail::end_run(&store, run.clock.now())?;
    }
    result.files = newest::days(&store)?;
    result.missed = days::missed(&store)?.len() as u64;
    result.store = Some(stamp::of(&store)?);
    result.kept = Kept(Some(Box::new(move |date| Ok(results::of_day(&store, date)?))));
    drop(lock);
    Ok(result)
}

/// Opens the store; makes one where there may be none yet.
fn open(settings: &Settings, stages: Stages) -> Result<Store, NightError> {
    Store::refuse_to_begin_anew(&settings.store_path, &settings.reports.dir, MANIFEST_FILE)?;
    if !stages.fetch {
        // Without an earlier fetch no store is created.
        Store::refuse_without(&settings.store_path)?;
    }
    let store = Store::open(&settings.store_path)?;
    share::claim_share(&store, settings.shard)?;
    Ok(store)
}

/// Notes that the run begins, imports the files of others, and finishes what runs left that were
/// interrupted.
fn begin(
    run: &Run<'_>,
    store: &mut Store,
    dates: &[NaiveDate],
    stages: Stages,
) -> Result<(), NightError> {
    let unfinished = trail::unfinished_runs(store)?;
    trail::begin_run(store, if stages.report { dates } else { &[] }, run.clock.now())?;
    // Fetching needs them as well: the books name bank transfers that are looked up.
    import_books(run.settings, &run.configuration_digest, store)?;
    import_statements(run.settings, &run.configuration_digest, store)?;
    if stages.report {
        sign_off::finish(run, store, &[])?;
        let others = unfinished.into_iter().filter(|date| !dates.contains(date));
        unfinished::finish(run, store, &others.collect());
    }
    Ok(())
}

/// The data that all dates of a run share.
struct Plan<'d> {
    dates: &'d [NaiveDate],
    stages: Stages,
    /// The date that reports the findings of closed dates.
    latest_open: Option<NaiveDate>,
}

/// Fetches a few dates together and then judges them one after the other.
async fn side_by_side(
    run: &Run<'_>,
    store: &mut Store,
    fetcher: Option<&Fetcher<'_>>,
    plan: &Plan<'_>,
    window: &[NaiveDate],
    reporter: &mut Reporter,
) -> Result<Vec<DateResult>, NightError> {
    let Plan { dates, stages, latest_open } = *plan;
    let mut read = match fetcher {
        Some(fetcher) => fetch(fetcher, store, dates, window).await?,
        None => Fetched::default(),
    };
    let mut results = Vec::new();
    for &date in window {
        let done = if let Some(error) = read.failed.remove(&date) {
            Err(error.into())
        } else {
            let timing = read.timing.clone();
            let timing = timing.unwrap_or_else(|| Timing::begin(machine_now()));
            let night = Night { date, stages, takes_waiting: latest_open == Some(date) };
            date::run(run, store, fetcher, night, timing, reporter).await
        };
        results.push(match done {
            Err(error) if error.ends_the_run() => return Err(error),
            done => done.unwrap_or_else(|error| DateResult::failed(date, error)),
        });
        if let Some(fetcher) = fetcher {
            fetcher.forget(date).await?;
        }
    }
    Ok(results)
}

/// The result of fetching a few dates together.
#[derive(Default)]
struct Fetched {
    /// Dates for which nothing could be read.
    failed: BTreeMap<NaiveDate, ReadError>,
    timing: Option<Timing>,
}

async fn begin_fetch<'a>(
    run: &Run<'a>,
    api: Api,
    store: &Store,
    dates: &[NaiveDate],
) -> Result<Fetcher<'a>, NightError> {
    // Without a token nothing can be read: one error now is better than one for each listing.
    api.authorize().await.map_err(ReadError::from)?;
    let fetcher = Fetcher::start(api, run.settings, store, dates, run.clock.now())?
        .looking_back(!is_look_back_off(run.settings));
    match begin_dates(&fetcher, dates).await {
        Ok(()) => Ok(fetcher),
        Err(error) => Err(reason(Some(fetcher), error.into())),
    }
}

async fn fetch(
    fetcher: &Fetcher<'_>,
    store: &Store,
    dates: &[NaiveDate],
    window: &[NaiveDate],
) -> Result<Fetched, NightError> {
    let (started, began) = (machine_now(), Instant::now());
    let failed = fetch_dates(fetcher, window).await?;
    if let Some(last) = dates.iter().max() {
        returns::note_undated(store, *last)?;
    }
    let timing = Timing::begin(started).with("fetch", began.elapsed());
    Ok(Fetched { failed, timing: Some(timing) })
}

/// The error, or the reason why the writer stopped where the error states only that it stopped.
fn reason(fetcher: Option<Fetcher<'_>>, error: NightError) -> NightError {
    match (error, fetcher) {
        (NightError::Store(error) | NightError::Read(ReadError::Store(error)), Some(fetcher)) => {
            NightError::Store(fetcher.reason(error))
        }
        (error, _) => error,
    }
}

fn latest_open(store: &Store, dates: &[NaiveDate]) -> Result<Option<NaiveDate>, NightError> {
    let mut latest = None;
    for &date in dates {
        if !tieout_store::sign_off::is_closed(store, date)? {
            latest = latest.max(Some(date));
        }
    }
    Ok(latest)
}
