//! One date of a run: reconciles it, keeps its outcome, and writes its reports.

use std::time::Instant;

use chrono::NaiveDate;

use super::decisions::keep_closed;
use super::reports::{Reporter, Timing};
use super::{DateLine, DateResult, NightError, Run, Stages};
use tieout_judge::Afresh;
use tieout_judge::reconcile::{self, Reconciled};
use tieout_read::Fetcher;
use tieout_report as report;
use tieout_store::{DayOutcome, Store, kept_books, prior_findings, results, sign_off};

/// One date of a run.
#[derive(Clone, Copy)]
pub(super) struct Night {
    pub(super) date: NaiveDate,
    pub(super) stages: Stages,
    /// Whether this date reports the findings of closed dates: it is the latest open date of the
    /// run.
    pub(super) takes_waiting: bool,
}

/// Runs the stages after fetching for one date. Its reports are written while the next date is
/// judged.
pub(super) async fn run(
    run: &Run<'_>,
    store: &mut Store,
    fetcher: Option<&Fetcher<'_>>,
    night: Night,
    mut timing: Timing,
    reporter: &mut Reporter,
) -> Result<DateResult, NightError> {
    let Night { date, stages, .. } = night;
    let is_closed = sign_off::is_closed(store, date)?;
    let mut outcome = None;
    if stages.reconcile {
        let began = Instant::now();
        outcome = Some(reconcile_and_keep(run, store, fetcher, night, is_closed).await?);
        timing = timing.with("reconcile", began.elapsed());
    }
    if let Some(fetcher) = fetcher {
        if !stages.reconcile {
            reconcile::confirm(&run.rules(), store, fetcher, date).await?;
        }
        fetcher.end_date(store, date)?;
    }
    let mut folder = None;
    if stages.report {
        let judged = if let Some(judged) = outcome.take() {
            judged
        } else {
            let kept = results::held(store, date)?;
            kept.ok_or(NightError::NeverReconciled { business_date: date })?
        };
        folder = Some(reporter.begin(run, store, date, &judged, &timing)?);
        outcome = Some(judged);
    }
    let incomplete = fetcher.map(|fetcher| fetcher.incomplete(date)).unwrap_or_default();
    let line = outcome.map(|outcome| DateLine::of(run, date, &outcome));
    Ok(DateResult { business_date: date, line, error: None, incomplete, folder })
}

async fn reconcile_and_keep(
    run: &Run<'_>,
    store: &mut Store,
    fetcher: Option<&Fetcher<'_>>,
    night: Night,
    is_closed: bool,
) -> Result<DayOutcome, NightError> {
    let date = night.date;
    let takes_waiting = night.takes_waiting && !is_closed;
    let before = store.work_done();
    let mut rules = run.rules();
    if night.stages.afresh {
        rules.afresh = Afresh::Compared;
    }
    let Reconciled { mut outcome, mut matches, priors, waiting, kept } =
        reconcile::reconcile(&rules, store, fetcher, date, takes_waiting).await?;
    if is_closed {
        return keep_closed(store, date, outcome);
    }
    report::sort_matches(&mut matches);
    let now = run.clock.now();
    outcome.results_digest =
        results::save(store, date, &outcome, &matches, &run.configuration_digest, now)?;
    drop(matches);
    kept_books::keep(store, date, &kept)?;
    prior_findings::note_reported(store, date, &priors)?;
    prior_findings::keep_restated(store, &waiting)?;
    prior_findings::forget(store, date)?;
    tracing::info!(
        business_date = %date,
        stage = "reconcile",
        discrepancies = outcome.discrepancies.len(),
        not_evaluated = outcome.not_evaluated.len(),
        work = store.work_done() - before,
        "{date}: reconciled"
    );
    Ok(outcome)
}
