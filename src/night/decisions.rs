//! What a person decides about a discrepancy: accepting it, and taking that back. Each decision is
//! a row of the audit trail and nothing else; the reconciliation reads it there.

use chrono::{Days, NaiveDate};

use super::NightError;
use super::decision_error::DecisionError;
use super::lock::Lock;
use tieout_config::Settings;
use tieout_model::clock::Clock;
use tieout_model::{Discrepancy, DiscrepancyStatus};
use tieout_store::{Act, AuditRow, DayOutcome, NewAct, Store};

/// Who decides, and why.
#[derive(Clone, Copy, Debug)]
pub struct Said<'text> {
    pub by: &'text str,
    pub note: &'text str,
}

pub(super) fn said(
    option: &'static str,
    expected: &'static str,
    text: &str,
) -> Result<(), DecisionError> {
    if text.trim().is_empty() {
        return Err(DecisionError::Unsaid { option, expected });
    }
    Ok(())
}

impl Said<'_> {
    pub(super) fn check(&self) -> Result<(), DecisionError> {
        said("--by", "the name of the person who decides", self.by)?;
        said("--note", "the reason", self.note)
    }
}

/// Accepts an open discrepancy, until a date or until it is taken back.
///
/// # Errors
/// When there is no such open discrepancy, or who and why are not said.
pub fn accept(
    settings: &Settings,
    clock: Clock,
    id: &str,
    said: Said<'_>,
    until: Option<NaiveDate>,
) -> Result<AuditRow, NightError> {
    said.check()?;
    let (_lock, mut store) = open_for_decisions(settings)?;
    let newest = newest_discrepancy(&store, id)?;
    let row = &newest;
    if !newest.is_carried {
        let (id, date) = (row.discrepancy_id.clone(), row.business_date);
        return Err(DecisionError::NotCarried { id, date }.into());
    }
    if row.status == DiscrepancyStatus::Cleared {
        let (id, date) = (row.discrepancy_id.clone(), row.business_date);
        return Err(DecisionError::NotOpen { id, date }.into());
    }
    let first = counts_from(settings, clock, &store)?;
    if let Some(until) = until.filter(|until| *until < first) {
        return Err(DecisionError::TooEarly { until, first }.into());
    }
    let act = NewAct {
        act: Act::Accept,
        subject: &row.discrepancy_id,
        business_date: first,
        until,
        who: said.by.trim(),
        note: said.note.trim(),
    };
    Ok(store.record_act(&act, clock.now())?)
}

/// Takes an acceptance back.
///
/// # Errors
/// When the discrepancy is not accepted, or who and why are not said.
pub fn reopen(
    settings: &Settings,
    clock: Clock,
    id: &str,
    said: Said<'_>,
) -> Result<AuditRow, NightError> {
    said.check()?;
    let (_lock, mut store) = open_for_decisions(settings)?;
    let id = newest_discrepancy(&store, id)?.discrepancy_id;
    let first = counts_from(settings, clock, &store)?;
    if !store.is_accepted(&id, first)? {
        return Err(DecisionError::NotAccepted { id }.into());
    }
    let act = NewAct {
        act: Act::Reopen,
        subject: &id,
        business_date: first,
        until: None,
        who: said.by.trim(),
        note: said.note.trim(),
    };
    Ok(store.record_act(&act, clock.now())?)
}

pub(super) fn open_for_decisions(settings: &Settings) -> Result<(Lock, Store), NightError> {
    // Reading first: a decision about nothing leaves no store behind.
    drop(Store::open_for_reading(&settings.store_path)?);
    let lock = Lock::acquire(&settings.store_path)?;
    Ok((lock, Store::open(&settings.store_path)?))
}

/// The first business date that is reconciled after it was said: what is reported by then
/// stays as it was known, and nothing that comes is reported as if nobody had spoken.
fn counts_from(settings: &Settings, clock: Clock, store: &Store) -> Result<NaiveDate, NightError> {
    let today = clock.today(settings.time_zone);
    let next = store.latest_reconciled()?.and_then(|latest| latest.checked_add_days(Days::new(1)));
    Ok(next.map_or(today, |next| next.min(today)))
}

/// The newest row of the discrepancy with that id, or with the only id that begins so.
///
/// # Errors
/// When there is none, or several begin so.
pub fn newest_discrepancy(store: &Store, id: &str) -> Result<Discrepancy, NightError> {
    let mut ids = store.ids_like(id)?;
    match (ids.pop(), ids.is_empty()) {
        (Some(only), true) => store
            .newest_row(&only)?
            .ok_or_else(|| DecisionError::UnknownId { id: id.to_owned() }.into()),
        (Some(_), false) => Err(DecisionError::SeveralIds { id: id.to_owned() }.into()),
        (None, _) => Err(DecisionError::UnknownId { id: id.to_owned() }.into()),
    }
}

/// Keeps what was found in a closed date for the next open one. Answers with what the date
/// came to when it was closed: that is what its files say for ever.
pub(crate) fn keep_closed(
    store: &mut Store,
    date: NaiveDate,
    judged: DayOutcome,
) -> Result<DayOutcome, NightError> {
    let frozen = store.outcome(date)?.ok_or(NightError::NeverReconciled { business_date: date })?;
    let is_known = |stored: &Discrepancy| {
        frozen.discrepancies.iter().chain(&frozen.accepted).any(|known| {
            known.discrepancy_id == stored.discrepancy_id
                && known.status != DiscrepancyStatus::Cleared
        })
    };
    let late: Vec<Discrepancy> = judged
        .discrepancies
        .into_iter()
        .filter(|stored| stored.status != DiscrepancyStatus::Cleared)
        .filter(|stored| !is_known(stored))
        .collect();
    let kept = store.keep_prior_findings(date, &late)?;
    tracing::info!(
        business_date = %date,
        stage = "reconcile",
        late = kept,
        "{date}: closed, so its files stay as they are"
    );
    Ok(frozen)
}
