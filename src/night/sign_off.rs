//! Signing a business date off, and taking that back: a row of the audit trail, which the files of
//! the date then show.

use chrono::NaiveDate;

use super::decision_error::DecisionError;
use super::decisions::{Said, open_for_decisions, said};
use super::reports::{self, Timing};
use super::{NightError, Run};
use tieout_model::NotEvaluated;
use tieout_model::clock::machine_now;
use tieout_report::{self as report, MANIFEST_FILE};
use tieout_store::{Act, AuditRow, DayOutcome, NewAct, Store, share};

/// Signs a date off: its files say so, and never change again. Where two people are asked for, the
/// first only prepares it. One that is not evaluated in full only with `is_forced` and a reason.
///
/// # Errors
/// When the date is not there to be closed, who and why are not said, or its files cannot be
/// written.
pub fn close(
    run: &Run<'_>,
    date: NaiveDate,
    by: Said<'_>,
    is_forced: bool,
) -> Result<AuditRow, NightError> {
    said("--by", "the name of the person who decides", by.by)?;
    if is_forced {
        said("--note", "the reason", by.note)?;
    }
    let (_lock, mut store) = open_for_decisions(run.settings)?;
    let outcome = store.outcome(date)?.ok_or(DecisionError::NeverReconciled { date })?;
    if store.is_closed(date)? {
        return Err(DecisionError::ClosedAlready { date }.into());
    }
    let is_stale = store.day(date)?.is_some_and(|day| day.is_stale);
    if is_stale && !is_forced {
        return Err(DecisionError::Stale { date }.into());
    }
    let checks = outcome.not_evaluated.iter().filter(|one| !is_undecided(one, &outcome)).count();
    if checks > 0 && !is_forced {
        return Err(DecisionError::NotEvaluated { date, checks }.into());
    }
    let act = match run.settings.sign_off_people {
        2 => match store.sign_off(date)?.prepared {
            Some(first) if is_same_person(&first.who, by.by) => {
                return Err(DecisionError::SamePerson { date, who: first.who }.into());
            }
            Some(_) => Act::Close,
            None => Act::Prepare,
        },
        _ => Act::Close,
    };
    let row = decide_date(run, &mut store, act, date, by)?;
    show(run, &mut store, date)?;
    Ok(row)
}

fn is_same_person(one: &str, other: &str) -> bool {
    let name = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    name(one) == name(other)
}

/// Whether a check is missing for one bank transfer alone of which the processor does not say what
/// becomes of it: it stands in transit with its status, and no later run of the date can say more.
fn is_undecided(check: &NotEvaluated, outcome: &DayOutcome) -> bool {
    outcome.in_transit.iter().any(|row| {
        matches!(row.kind.as_str(), "payment" | "refund")
            && row.due_date.is_none()
            && row.merchant_id == check.merchant_id
            && row.id == check.scope
    })
}

/// Takes a sign-off back. The date is stale then: what was found in it while it was closed
/// belongs into its own files.
///
/// # Errors
/// When the date is not closed, who and why are not said, or its files cannot be written.
pub fn reopen_date(run: &Run<'_>, date: NaiveDate, by: Said<'_>) -> Result<AuditRow, NightError> {
    by.check()?;
    let (_lock, mut store) = open_for_decisions(run.settings)?;
    if !store.is_closed(date)? {
        return Err(DecisionError::NotClosed { date }.into());
    }
    let row = decide_date(run, &mut store, Act::ReopenDate, date, by)?;
    store.mark_stale_from(date)?;
    show(run, &mut store, date)?;
    Ok(row)
}

fn decide_date(
    run: &Run<'_>,
    store: &mut Store,
    act: Act,
    date: NaiveDate,
    by: Said<'_>,
) -> Result<AuditRow, NightError> {
    let act = NewAct {
        act,
        subject: &date.to_string(),
        business_date: date,
        until: None,
        who: by.by.trim(),
        note: by.note.trim(),
    };
    Ok(store.record_act(&act, run.clock.now())?)
}

/// Writes the files of the date once more, so that page, workbook and manifest say who has signed
/// it off. A date of which nothing was written says it when its report is.
fn show(run: &Run<'_>, store: &mut Store, date: NaiveDate) -> Result<(), NightError> {
    let mut settings = run.settings.clone();
    if let Some(shard) = share::shard(store)? {
        // What a shard reports is not the whole, whose files stand in the folder itself.
        settings.reports.dir = settings.reports.dir.join(shard.folder());
    }
    let run = &Run::new(&settings, run.clock)?;
    let settings = &settings.reports;
    if !settings.dir.join(date.to_string()).join(MANIFEST_FILE).exists() {
        return Ok(());
    }
    let mut write = || -> Result<(), NightError> {
        let outcome = store.outcome(date)?;
        let outcome = outcome.ok_or(NightError::NeverReconciled { business_date: date })?;
        reports::write(run, store, date, &outcome, &Timing::begin(machine_now()))?;
        report::write_index(&settings.dir, &settings.formats)?;
        Ok(())
    };
    let unshown = |source| NightError::NotShown { business_date: date, source: Box::new(source) };
    write().map_err(unshown)
}
