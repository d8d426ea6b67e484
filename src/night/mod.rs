//! The night's work: fetch, reconcile, report, in order, for one date after the other.
//! Knows neither SQL nor HTTP; it asks the store, the API client and the checks.

mod decisions;
pub mod doctor;
mod lock;
mod merge;
pub mod notify;
mod period;
mod reports;
pub mod schedule;
mod verify;
pub mod whole;

use std::collections::BTreeMap;
use std::time::Instant;

use chrono::NaiveDate;

use crate::clock::{Clock, machine_now};
use crate::config::Settings;
use crate::exit::Exit;
use crate::import::ImportError;
use crate::import::books::import_books;
use crate::import::statements::import_statements;
use crate::judge::reconcile::{self, Reconciled};
use crate::judge::{JudgeError, Registry, Rules, record, registry_for};
use crate::model::{DiscrepancyStatus, Severity};
use crate::read::api::Api;
use crate::read::{Fetcher, ReadError, fetch_dates};
use crate::report::{self, ReportError};
use crate::stop::Stop;
use crate::store::{DayOutcome, Store, StoreError};

pub use decisions::{DecisionError, Said, newest_discrepancy};
pub use lock::{Lock, LockError};
pub use merge::{MergeError, Shards};
pub use reports::Timing;
pub use verify::{Verified, VerifyError, verify};

/// What stops a run, or one date of it.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Judge(JudgeError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Decision(#[from] DecisionError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error("{business_date} was never fetched")]
    NeverFetched { business_date: NaiveDate },
    #[error("{business_date} was never reconciled")]
    NeverReconciled { business_date: NaiveDate },
    #[error("stopped, as it was asked to")]
    Stopped,
    #[error("schedule: {0}")]
    Schedule(String),
    #[error("conservation: {0}")]
    NotConserved(String),
}

/// What the store, the reading or the date itself is to blame for keeps its own kind.
impl From<JudgeError> for JobError {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Store(error) => Self::Store(error),
            JudgeError::Read(error) => Self::Read(error),
            JudgeError::NeverFetched { business_date } => Self::NeverFetched { business_date },
            JudgeError::NotConserved(problem) => Self::NotConserved(problem),
            other => Self::Judge(other),
        }
    }
}

impl JobError {
    /// The exit code that it stands for.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Read(ReadError::Api(error)) if error.is_refusal() => Exit::Refused,
            Self::Read(ReadError::Api(error)) if error.is_configuration() => Exit::Usage,
            Self::Read(ReadError::NothingRead { is_refusal: true, .. }) => Exit::Refused,
            Self::Lock(LockError::Held { .. }) => Exit::Locked,
            Self::Decision(_)
            | Self::Schedule(_)
            | Self::Verify(VerifyError::NoReports { .. })
            | Self::Judge(JudgeError::Custom { .. })
            | Self::Store(StoreError::OtherShare { .. } | StoreError::Foreign { .. }) => {
                Exit::Usage
            }
            Self::Merge(error) if error.is_usage() => Exit::Usage,
            Self::Read(_)
            | Self::Import(_)
            | Self::Store(_)
            | Self::Judge(_)
            | Self::Report(_)
            | Self::Lock(_)
            | Self::Verify(_)
            | Self::Merge(_)
            | Self::NeverFetched { .. }
            | Self::NeverReconciled { .. }
            | Self::Stopped
            | Self::NotConserved(_) => Exit::Failed,
        }
    }

    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read(error) => error.hint(),
            Self::Import(error) => error.hint(),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::NeverFetched { business_date } => {
                Some(format!("run it first: tieout run --date {business_date}"))
            }
            Self::NeverReconciled { business_date } => {
                Some(format!("run it first: tieout reconcile --date {business_date}"))
            }
            Self::Lock(error) => Some(error.hint()),
            Self::Decision(error) => error.hint(),
            Self::Merge(error) => error.hint(),
            Self::Verify(_) => {
                Some("name a report folder, such as reports/2026-11-20, or reports".to_owned())
            }
            Self::Report(error) => error.hint(),
            Self::Judge(JudgeError::Custom { .. }) => Some(
                "mend the file or take it out of the folder; sql/README.md says what a check is"
                    .to_owned(),
            ),
            Self::Stopped => {
                Some("the next run goes on at the last page that was committed".to_owned())
            }
            Self::Judge(_) | Self::NotConserved(_) | Self::Schedule(_) => None,
        }
    }
}

/// Everything that the stages share.
pub struct Job<'run> {
    pub settings: &'run Settings,
    pub clock: Clock,
    pub registry: Registry,
    pub configuration_digest: String,
    /// Looked at between pages and between dates.
    pub stop: Stop,
}

/// Which stages a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    pub fetch: bool,
    pub reconcile: bool,
    pub report: bool,
}

/// What became of one date.
#[derive(Debug)]
pub struct DateResult {
    pub business_date: NaiveDate,
    /// `None` after `fetch` alone.
    pub outcome: Option<DayOutcome>,
    pub error: Option<JobError>,
    /// Listings of the date that are not complete.
    pub incomplete: Vec<String>,
    pub folder: Option<std::path::PathBuf>,
}

/// What became of a run.
#[derive(Debug, Default)]
pub struct RunResult {
    pub dates: Vec<DateResult>,
    pub requests: u64,
}

impl RunResult {
    /// The exit code of the whole run.
    pub fn exit(&self, fail_on: Option<Severity>) -> Exit {
        let is_any_done = self.dates.iter().any(|date| date.error.is_none());
        let mut outcomes = Vec::new();
        for date in &self.dates {
            match &date.error {
                // One date that fails does not make the others undone.
                Some(_) if is_any_done => outcomes.push(Exit::Partial),
                Some(error) => outcomes.push(error.exit()),
                None => outcomes.extend(exits_of(date, fail_on)),
            }
        }
        Exit::first_that_applies(&outcomes)
    }
}

fn exits_of(date: &DateResult, fail_on: Option<Severity>) -> Vec<Exit> {
    let mut outcomes = Vec::new();
    let Some(outcome) = &date.outcome else {
        if !date.incomplete.is_empty() {
            outcomes.push(Exit::Partial);
        }
        return outcomes;
    };
    if record::is_partial(outcome) {
        outcomes.push(Exit::Partial);
    }
    if let Some(level) = fail_on {
        let fails = outcome
            .discrepancies
            .iter()
            .any(|stored| stored.status != DiscrepancyStatus::Cleared && stored.severity >= level);
        if fails {
            outcomes.push(Exit::Discrepancies);
        }
    }
    outcomes
}

/// One date of a run.
#[derive(Clone, Copy)]
struct Night {
    date: NaiveDate,
    stages: Stages,
    /// Whether it reports what was found in closed dates: the latest open date of the run.
    takes_waiting: bool,
}

fn latest_open(store: &Store, dates: &[NaiveDate]) -> Result<Option<NaiveDate>, JobError> {
    let mut latest = None;
    for &date in dates {
        if !store.is_closed(date)? {
            latest = latest.max(Some(date));
        }
    }
    Ok(latest)
}

impl<'run> Job<'run> {
    /// A job with these settings.
    ///
    /// # Errors
    /// When a check file is not understood.
    pub fn new(settings: &'run Settings, clock: Clock) -> Result<Self, JobError> {
        let registry = registry_for(settings)?;
        let configuration_digest = registry.digest_with(&settings.digest());
        Ok(Self { settings, clock, registry, configuration_digest, stop: Stop::default() })
    }

    /// What every date is judged by.
    fn rules(&self) -> Rules<'_> {
        Rules {
            settings: self.settings,
            registry: &self.registry,
            configuration_digest: &self.configuration_digest,
            today: self.clock.today(self.settings.time_zone),
        }
    }

    /// Runs the stages over `dates`, oldest first. A date that fails does not stop the others.
    ///
    /// # Errors
    /// What concerns every date: the store, the lock, the configuration of the API.
    pub async fn run(&self, dates: &[NaiveDate], stages: Stages) -> Result<RunResult, JobError> {
        tokio::select! {
            result = self.run_to_the_end(dates, stages) => result,
            () = self.stop.settled() => Err(JobError::Stopped),
        }
    }

    async fn run_to_the_end(
        &self,
        dates: &[NaiveDate],
        stages: Stages,
    ) -> Result<RunResult, JobError> {
        // What is wrong with the configuration shows before anything is touched.
        let api = stages.fetch.then(|| Api::new(&self.settings.api, self.stop.clone()));
        let api = api.transpose().map_err(ReadError::from)?;
        let lock = if stages.fetch || stages.reconcile {
            Some(Lock::acquire(&self.settings.store_path)?)
        } else {
            None
        };
        let mut store = Store::open(&self.settings.store_path)?;
        store.claim_share(self.settings.shard)?;
        // Also what is only fetched: the books name bank transfers that are looked up.
        if stages.fetch || stages.reconcile {
            import_books(self.settings, &self.configuration_digest, &mut store)?;
            import_statements(self.settings, &self.configuration_digest, &mut store)?;
        }
        let mut timings: BTreeMap<NaiveDate, Timing> = BTreeMap::new();
        let mut failed: BTreeMap<NaiveDate, JobError> = BTreeMap::new();
        let mut fetcher = None;
        if let Some(api) = api {
            // Without a token nothing can be read: better one error now than one a listing.
            api.authorize().await.map_err(ReadError::from)?;
            let (started, began) = (machine_now(), Instant::now());
            let ready = Fetcher::start(api, self.settings, &store, dates, self.clock.now())?;
            let unread = fetch_dates(&ready, dates).await?;
            failed.extend(unread.into_iter().map(|(date, error)| (date, error.into())));
            for date in dates {
                timings.insert(*date, Timing::begin(started).with("fetch", began.elapsed()));
            }
            fetcher = Some(ready);
        }
        let mut result = RunResult::default();
        let latest_open = latest_open(&store, dates)?;
        for &date in dates {
            let timing = timings.remove(&date).unwrap_or_else(|| Timing::begin(machine_now()));
            let done = if let Some(error) = failed.remove(&date) {
                Err(error)
            } else {
                let night = Night { date, stages, takes_waiting: latest_open == Some(date) };
                self.date(&mut store, fetcher.as_ref(), night, timing).await
            };
            result.dates.push(match done {
                Ok(done) => done,
                Err(error @ (JobError::Store(_) | JobError::Read(ReadError::Store(_)))) => {
                    return Err(error);
                }
                Err(error) => DateResult {
                    business_date: date,
                    outcome: None,
                    error: Some(error),
                    incomplete: Vec::new(),
                    folder: None,
                },
            });
        }
        if let Some(fetcher) = fetcher {
            result.requests = fetcher.finish()?;
        }
        drop(lock);
        Ok(result)
    }

    async fn date(
        &self,
        store: &mut Store,
        fetcher: Option<&Fetcher<'run>>,
        night: Night,
        mut timing: Timing,
    ) -> Result<DateResult, JobError> {
        let Night { date, stages, .. } = night;
        let is_closed = store.is_closed(date)?;
        let mut outcome = None;
        if stages.reconcile {
            let began = Instant::now();
            outcome = Some(self.reconcile_and_keep(store, fetcher, night, is_closed).await?);
            timing = timing.with("reconcile", began.elapsed());
        }
        if let Some(fetcher) = fetcher {
            if !stages.reconcile {
                reconcile::confirm(&self.rules(), store, fetcher, date).await?;
            }
            fetcher.end_date(store, date)?;
        }
        let mut folder = None;
        if stages.report {
            let judged = match outcome.take() {
                Some(judged) => judged,
                None => {
                    store.outcome(date)?.ok_or(JobError::NeverReconciled { business_date: date })?
                }
            };
            folder = Some(self.report(store, date, &judged, &timing)?);
            outcome = Some(judged);
        }
        let incomplete = fetcher.map(|fetcher| fetcher.incomplete(date)).unwrap_or_default();
        Ok(DateResult { business_date: date, outcome, error: None, incomplete, folder })
    }

    async fn reconcile_and_keep(
        &self,
        store: &mut Store,
        fetcher: Option<&Fetcher<'run>>,
        night: Night,
        is_closed: bool,
    ) -> Result<DayOutcome, JobError> {
        let date = night.date;
        let takes_waiting = night.takes_waiting && !is_closed;
        let Reconciled { mut outcome, mut matches, priors } =
            reconcile::reconcile(&self.rules(), store, fetcher, date, takes_waiting).await?;
        if is_closed {
            return decisions::keep_closed(store, date, outcome);
        }
        report::sort_matches(&mut matches);
        let now = self.clock.now();
        outcome.results_digest =
            store.save_outcome(date, &outcome, &matches, &self.configuration_digest, now)?;
        drop(matches);
        store.note_reported(date, &priors)?;
        store.forget_prior_findings(date)?;
        tracing::info!(
            business_date = %date,
            stage = "reconcile",
            discrepancies = outcome.discrepancies.len(),
            not_evaluated = outcome.not_evaluated.len(),
            "{date}: reconciled"
        );
        Ok(outcome)
    }

    /// Brings the dates up to date that an older date, run later, has touched.
    ///
    /// # Errors
    /// As [`Job::run`].
    pub fn stale_dates(&self) -> Result<Vec<NaiveDate>, JobError> {
        let store = Store::open(&self.settings.store_path)?;
        Ok(store
            .days()?
            .into_iter()
            .filter(|day| day.is_stale)
            .map(|day| day.business_date)
            .collect())
    }
}
