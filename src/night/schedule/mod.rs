//! Stays up and runs the night whenever the cron expression fires. Dates that were missed while it
//! was down, or that failed, run at the next opportunity. Its whole state is in the store, so that
//! a kill at any moment loses nothing.

mod firing;
mod health;

use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDate, Utc};

pub use firing::Firings;
pub use health::{Health, serve as serve_health};

use super::again::{Again, again_for_files};
use super::notices;
use super::{
    LockError, NightError, Run, RunResult, Stages, in_one_line, refresh_stale, whole_night,
};
use crate::night::notify;
use tieout_config::Settings;
use tieout_import::files::Seen;
use tieout_model::Severity;
use tieout_model::clock::Clock;
use tieout_model::dates;
use tieout_read::ReadError;
use tieout_read::api::Api;
use tieout_read::stop::Stop;
use tieout_store::{Store, days, schedule};

/// The clock is read at least this often, as it may be set while the program sleeps.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);
/// Wait after a night that left dates undone; doubled each time until the next firing.
const FIRST_RETRY: Duration = Duration::from_secs(5 * 60);
const LONGEST_RETRY: Duration = Duration::from_secs(2 * 60 * 60);
/// Wait while another run has the lock, which usually ends soon.
const LOCKED_RETRY: Duration = Duration::from_secs(60);
/// Firings examined after a long time down, at most. With a night a day this is 27 years.
const MAX_FIRINGS: usize = 10_000;

/// A clock that continues from `TIEOUT_NOW`, or the machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock {
    start: Clock,
    began: Instant,
}

impl RunningClock {
    /// Starts the clock now.
    pub fn from(start: Clock) -> Self {
        Self { start, began: Instant::now() }
    }

    /// The current time of the clock.
    pub fn read(&self) -> Clock {
        self.start.after(self.began.elapsed())
    }
}

/// The schedule.
pub struct Scheduler<'run> {
    pub settings: &'run Settings,
    pub clock: RunningClock,
    pub fail_on: Option<Severity>,
    pub stop: Stop,
    pub health: Health,
    firings: Firings,
}

/// The wait and the time of the next retry.
struct Retry {
    wait: Duration,
    at: Option<Instant>,
}

/// The books and statements, for the dates that lack one.
#[derive(Default)]
struct Files {
    /// As the last look found them: a file that is being written is left alone.
    looked: Seen,
    /// As the last run found them.
    tried: Option<Seen>,
}

impl<'run> Scheduler<'run> {
    /// # Errors
    /// When the cron expression is not valid.
    pub fn new(
        settings: &'run Settings,
        clock: Clock,
        fail_on: Option<Severity>,
        stop: Stop,
    ) -> Result<Self, NightError> {
        let firings = Firings::new(&settings.schedule.cron, settings.time_zone)
            .map_err(|error| NightError::Schedule(error.to_string()))?;
        let health = Health::default();
        Ok(Self { settings, clock: RunningClock::from(clock), fail_on, stop, health, firings })
    }

    /// Runs until it is asked to stop. A failed night is notified and retried.
    ///
    /// # Errors
    /// When the API is not configured, the cron expression never fires, or the store cannot be
    /// opened at the start. These are errors of the configuration, and the person who started the
    /// program can still see them.
    pub async fn run(&self) -> Result<(), NightError> {
        Api::new(&self.settings.api, self.stop.clone()).map_err(ReadError::from)?;
        if self.firings.after(self.clock.read().now()).is_none() {
            let cron = &self.settings.schedule.cron;
            return Err(NightError::Schedule(format!(
                "schedule.cron: expected future moments, found {cron}, which names none"
            )));
        }
        let mut store = Store::open(&self.settings.store_path)?;
        self.begin(&mut store)?;
        let run = Run::new(self.settings, self.clock.read())?;
        if let Some(newest) = notices::of_newest(&run, &store, self.fail_on)? {
            self.health.recall(&newest);
        }
        drop(store);
        let mut retry = Retry { wait: FIRST_RETRY, at: None };
        let mut files = Files::default();
        while !self.stop.is_requested() {
            match self.look() {
                Ok(true) => retry = Retry { wait: FIRST_RETRY, at: None },
                Ok(false) => {}
                Err(error) => {
                    self.health.unreadable();
                    tracing::error!("the schedule cannot go on: {}", in_one_line(&error));
                }
            }
            if self.is_due(&retry) {
                files.tried = Some(self.files());
                self.night(&mut retry).await;
            } else if self.has_come(&mut files) {
                self.with_files(&mut files).await;
            }
            self.rest(&retry).await;
        }
        tracing::info!(stage = "schedule", "stopped");
        Ok(())
    }

    /// Sets the moment after which firings count: the day after the newest one in the store, so
    /// that missed firings are caught up, or now for an empty store.
    fn begin(&self, store: &mut Store) -> Result<(), NightError> {
        if schedule::last_firing(store)?.is_some() {
            return Ok(());
        }
        let now = self.clock.read().now();
        let days = days::all(store)?;
        let reconciled: BTreeSet<NaiveDate> =
            days.iter().filter(|day| day.is_reconciled).map(|day| day.business_date).collect();
        let after_newest = reconciled.last().and_then(|date| {
            let midnight = date.succ_opt()?.and_time(chrono::NaiveTime::MIN);
            midnight.and_local_timezone(self.settings.time_zone).earliest()
        });
        let since = after_newest.map_or(now, |moment| moment.to_utc().min(now));
        // Firings whose dates were already run by hand.
        let done = self
            .firings
            .between(since, now)
            .take(MAX_FIRINGS)
            .take_while(|moment| self.named(*moment).iter().all(|date| reconciled.contains(date)))
            .last();
        let since = done.unwrap_or(since);
        schedule::save_firing(store, since, &[])?;
        Ok(())
    }

    /// Saves the firings since the last look; returns whether there are any.
    fn look(&self) -> Result<bool, NightError> {
        let mut store = Store::open(&self.settings.store_path)?;
        let now = self.clock.read().now();
        let last = schedule::last_firing(&store)?.unwrap_or(now);
        if now < last && schedule::undo_dates_after(&store, now)? > 0 {
            tracing::warn!(
                "the clock was set back behind {last}: its dates run again in their time"
            );
        }
        let fired: Vec<DateTime<Utc>> = self.firings.between(last, now).take(MAX_FIRINGS).collect();
        for moment in &fired {
            schedule::save_firing(&mut store, *moment, &self.named(*moment))?;
        }
        self.health.pending(schedule::pending_dates(&store, now)?);
        self.health.next(self.firings.after(now));
        Ok(!fired.is_empty())
    }

    /// The dates that the configuration names for a firing at that moment.
    fn named(&self, moment: DateTime<Utc>) -> Vec<NaiveDate> {
        let today = Clock::at(moment).today(self.settings.time_zone);
        dates::parse(&self.settings.schedule.date, today).unwrap_or_else(|error| {
            tracing::error!("schedule.date names no dates at {moment}: {error}");
            Vec::new()
        })
    }

    fn is_due(&self, retry: &Retry) -> bool {
        !self.stop.is_requested()
            && !self.health.has_nothing_to_do()
            && retry.at.is_none_or(|at| Instant::now() >= at)
    }

    /// Runs the pending dates, refreshes the dates that they have made stale, and notifies.
    async fn night(&self, retry: &mut Retry) {
        let pending = self.health.begin_run();
        let (settled, is_locked) = self.run_dates(&pending, Stages::ALL).await;
        retry.at = match settled {
            Ok(true) => None,
            Ok(false) | Err(_) => {
                Some(Instant::now() + if is_locked { LOCKED_RETRY } else { retry.wait })
            }
        };
        retry.wait = (retry.wait * 2).min(LONGEST_RETRY);
    }

    /// The books and statements present now.
    fn files(&self) -> Seen {
        let ledgers = self.settings.ledgers.iter().map(|ledger| ledger.path.as_path());
        Seen::now(ledgers.chain(self.settings.banks.iter().map(|bank| bank.path.as_path())))
    }

    /// Whether files have come since the last run, and have not changed since the last look.
    fn has_come(&self, files: &mut Files) -> bool {
        let found = self.files();
        let has_come = found == files.looked && files.tried.as_ref() != Some(&found);
        files.looked = found;
        has_come && !self.stop.is_requested()
    }

    /// Runs the dates again that lacked a file alone.
    async fn with_files(&self, files: &mut Files) {
        files.tried = Some(self.files());
        let Ok(Again { dates, stages }) = again_for_files(self.settings) else {
            // The next look names the error.
            return files.tried = None;
        };
        if dates.is_empty() {
            return;
        }
        self.health.begin_run();
        if self.run_dates(&dates, stages).await.0.is_err() {
            files.tried = None;
        }
    }

    /// Runs dates, notes which are done, and sends the notice. Returns whether no named date is left,
    /// and whether another run holds the lock.
    async fn run_dates(
        &self,
        dates: &[NaiveDate],
        stages: Stages,
    ) -> (Result<bool, NightError>, bool) {
        let run = Run::new(self.settings, self.clock.read());
        let (result, notice) = match run {
            Ok(mut run) => {
                run.stop = self.stop.clone();
                whole_night(&run, dates, stages, self.fail_on).await
            }
            Err(error) => {
                let notice = notices::failed(&error, self.clock.read().now());
                (Err(error), notice)
            }
        };
        let is_locked = matches!(&result, Err(NightError::Lock(LockError::Held { .. })));
        let settled = match &result {
            Ok(result) => self.settle(result).await,
            Err(error) => Err(NightError::Schedule(in_one_line(error))),
        };
        if let Err(error) = &settled {
            tracing::error!(
                stage = "schedule",
                "the night could not be done: {}",
                in_one_line(error)
            );
        }
        // A lock of another run needs no notice, nor does a requested stop.
        if !is_locked && !self.stop.is_requested() {
            notify::tell(&self.settings.notify, &notice).await;
        }
        self.health.end_run(notice);
        (settled, is_locked)
    }

    /// Notes which dates are done, and reconciles the later ones that they have made stale. Returns
    /// whether no date is left.
    async fn settle(&self, result: &RunResult) -> Result<bool, NightError> {
        let store = Store::open(&self.settings.store_path)?;
        for date in &result.dates {
            match &date.error {
                None if date.incomplete.is_empty() => {
                    schedule::save_date_done(&store, date.business_date)?;
                }
                None => {}
                Some(error) => tracing::error!(
                    business_date = %date.business_date, "{}: {}", date.business_date, in_one_line(error)
                ),
            }
        }
        let pending = schedule::pending_dates(&store, self.clock.read().now())?;
        self.health.pending(pending.clone());
        drop(store);
        if !self.stop.is_requested() {
            let mut run = Run::new(self.settings, self.clock.read())?;
            run.stop = self.stop.clone();
            refresh_stale(&run).await?;
        }
        Ok(pending.is_empty())
    }

    /// Sleeps until a firing or a retry may be due.
    async fn rest(&self, retry: &Retry) {
        let now = self.clock.read().now();
        let next = self.firings.after(now).and_then(|next| (next - now).to_std().ok());
        let again = retry.at.map(|at| at.saturating_duration_since(Instant::now()));
        let wait = [next, again].into_iter().flatten().min().unwrap_or(LONGEST_SLEEP);
        self.sleep(wait.min(LONGEST_SLEEP)).await;
    }

    async fn sleep(&self, wait: Duration) {
        // Slightly longer, so that the clock is past the firing.
        let nap: std::pin::Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(tokio::time::sleep(wait + Duration::from_millis(5)));
        tokio::select! {
            () = nap => {}
            () = self.stop.requested() => {}
        }
    }
}
