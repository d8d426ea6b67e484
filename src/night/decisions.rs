//! Decisions of a person about discrepancies: accepting them, and reopening them. Each decision is
//! only a row of the audit trail, from which the reconciliation reads it. Several are decided
//! together or not at all.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};

use super::NightError;
use super::decision_error::DecisionError;
use super::lock::Lock;
use super::said::Said;
use tieout_config::Settings;
use tieout_model::clock::Clock;
use tieout_model::{Discrepancy, DiscrepancyStatus};
use tieout_store::{
    Act, AuditRow, DayOutcome, NewAct, Store, days, decisions, discrepancies, prior_findings,
    results, trail, withdrawn,
};

/// An accepted discrepancy.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub row: AuditRow,
    /// The acceptance that was in force before.
    pub before: Option<AuditRow>,
}

/// Accepts open discrepancies, until a date or until they are reopened. An acceptance replaces an
/// earlier one of the same discrepancy.
///
/// # Errors
/// When an id is not an open discrepancy, or the person or the reason is missing. None is accepted
/// then.
pub fn accept(
    settings: &Settings,
    clock: Clock,
    ids: &[String],
    said: Said<'_>,
    until: Option<NaiveDate>,
) -> Result<Vec<Accepted>, NightError> {
    let (who, note) = said.whole()?;
    let (_lock, store) = open_for_decisions(settings)?;
    let ids = open_ids(&store, ids)?;
    let first = counts_from(settings, clock, &store)?;
    if let Some(until) = until.filter(|until| *until < first) {
        return Err(DecisionError::TooEarly { until, first }.into());
    }
    let before = ids.iter().map(|id| acceptance(&store, id, first));
    let before = before.collect::<Result<Vec<_>, NightError>>()?;
    let acts = ids.iter().map(|id| NewAct {
        act: Act::Accept,
        subject: id,
        business_date: first,
        until,
        who: &who,
        note: &note,
        assigned: None,
    });
    let rows = trail::record_all(&store, &acts.collect::<Vec<_>>(), clock.now())?;
    Ok(rows.into_iter().zip(before).map(|(row, before)| Accepted { row, before }).collect())
}

/// The acceptance of a discrepancy in force on `date`.
fn acceptance(store: &Store, id: &str, date: NaiveDate) -> Result<Option<AuditRow>, NightError> {
    if !decisions::is_accepted(store, id, date)? {
        return Ok(None);
    }
    last_act(store, id, Act::Accept)
}

/// The newest act of a kind about a subject.
pub(super) fn last_act(
    store: &Store,
    subject: &str,
    act: Act,
) -> Result<Option<AuditRow>, NightError> {
    Ok(trail::acts_about(store, subject)?.into_iter().rfind(|row| row.act == act.as_str()))
}

/// Revokes acceptances.
///
/// # Errors
/// When a discrepancy is not accepted, or the person or the reason is missing. None is revoked
/// then.
pub fn reopen(
    settings: &Settings,
    clock: Clock,
    ids: &[String],
    said: Said<'_>,
) -> Result<Vec<AuditRow>, NightError> {
    let (who, note) = said.whole()?;
    let (_lock, store) = open_for_decisions(settings)?;
    let ids = whole_ids(&store, ids)?;
    let first = counts_from(settings, clock, &store)?;
    for id in &ids {
        if !decisions::is_accepted(&store, id, first)? {
            return Err(DecisionError::NotAccepted { id: id.clone() }.into());
        }
    }
    let acts = ids.iter().map(|id| NewAct {
        act: Act::Reopen,
        subject: id,
        business_date: first,
        until: None,
        who: &who,
        note: &note,
        assigned: None,
    });
    Ok(trail::record_all(&store, &acts.collect::<Vec<_>>(), clock.now())?)
}

pub(super) fn open_for_decisions(settings: &Settings) -> Result<(Lock, Store), NightError> {
    // Opened for reading first, so that a decision about nothing does not create a store.
    drop(Store::open_for_reading(&settings.store_path)?);
    let lock = Lock::acquire(&settings.store_path)?;
    Ok((lock, Store::open(&settings.store_path)?))
}

/// The first business date that is reconciled after the decision. Earlier reports keep their state,
/// and every later one takes the decision into account.
pub(super) fn counts_from(
    settings: &Settings,
    clock: Clock,
    store: &Store,
) -> Result<NaiveDate, NightError> {
    let today = clock.today(settings.time_zone);
    let next =
        days::latest_reconciled(store)?.and_then(|latest| latest.checked_add_days(Days::new(1)));
    Ok(next.map_or(today, |next| next.min(today)))
}

/// The whole ids of the discrepancies that are open and carried, each once.
pub(super) fn open_ids(store: &Store, ids: &[String]) -> Result<Vec<String>, NightError> {
    let ids = whole_ids(store, ids)?;
    for id in &ids {
        let Some(newest) = discrepancies::newest(store, id)? else {
            return Err(withdrawn(store, id)?.into());
        };
        let (id, date) = (id.clone(), newest.business_date);
        if !newest.is_carried {
            return Err(DecisionError::NotCarried { id, date }.into());
        }
        if newest.status == DiscrepancyStatus::Cleared {
            return Err(DecisionError::NotOpen { id, date }.into());
        }
    }
    Ok(ids)
}

/// Why a discrepancy that is on no date any more is not open.
fn withdrawn(store: &Store, id: &str) -> Result<DecisionError, NightError> {
    let id = id.to_owned();
    Ok(match withdrawn::of(store, &id)?.pop() {
        Some(gone) => {
            let (date, run) = (gone.last.business_date, gone.withdrawn_at);
            DecisionError::Withdrawn { id, date, run }
        }
        None => DecisionError::UnknownId { id },
    })
}

fn whole_ids(store: &Store, ids: &[String]) -> Result<Vec<String>, NightError> {
    let mut seen = BTreeSet::new();
    let mut whole = Vec::new();
    for id in ids {
        let id = whole_id(store, id)?;
        if seen.insert(id.clone()) {
            whole.push(id);
        }
    }
    Ok(whole)
}

/// The id, or the only one that begins with `id`.
///
/// # Errors
/// When no id or several ids begin with `id`.
pub fn whole_id(store: &Store, id: &str) -> Result<String, NightError> {
    let mut ids = discrepancies::ids_like(store, id)?;
    match (ids.pop(), ids.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => Err(DecisionError::SeveralIds { id: id.to_owned() }.into()),
        (None, _) => Err(DecisionError::UnknownId { id: id.to_owned() }.into()),
    }
}

/// Keeps the new findings of a closed date for the next open one. Returns the outcome of the date
/// as it was closed, which its files show permanently.
pub(crate) fn keep_closed(
    store: &mut Store,
    date: NaiveDate,
    judged: DayOutcome,
) -> Result<DayOutcome, NightError> {
    let frozen =
        results::of_day(store, date)?.ok_or(NightError::NeverReconciled { business_date: date })?;
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
    let kept = prior_findings::keep(store, date, &late)?;
    tracing::info!(
        business_date = %date,
        stage = "reconcile",
        late = kept,
        "{date}: closed, so its files stay as they are"
    );
    Ok(frozen)
}
