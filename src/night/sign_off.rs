//! Signing business dates off, and reopening them: rows of the audit trail, which the files of the
//! dates then show.

use chrono::NaiveDate;

use super::decision_error::DecisionError;
use super::decisions::{last_act, open_for_decisions};
use super::reports;
use super::said::{NAME, REASON, Said, required};
use super::{NightError, Run, in_one_line};
use tieout_config::Settings;
use tieout_model::{Discrepancy, DiscrepancyStatus, NotEvaluated, Severity};
use tieout_report::aligned::counted;
use tieout_report::{MANIFEST_FILE, open_errors};
use tieout_store::{
    Act, AuditRow, DayOutcome, NewAct, Store, days, results, share, sign_off, trail,
};

/// The result of signing dates off.
#[derive(Clone, Debug)]
pub struct SignedDates {
    pub signed: Vec<Signed>,
    /// The dates that were closed before; nothing of them changes.
    pub closed_before: Vec<NaiveDate>,
}

/// A date that was signed off.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The row added to the audit trail, or the existing row when the date's files did not show it
    /// yet.
    pub row: AuditRow,
    /// The errors that are open on the date.
    pub errors: Vec<Discrepancy>,
}

/// Signs dates off, all of them or none, but for those that are closed already: their files show it
/// and never change again. Where two people are required, the first one only prepares the dates. A
/// stale date, or one that was not evaluated in full, needs `is_forced`. A reason is required with
/// `is_forced` and while errors are open. After an interrupted sign-off the files are written.
///
/// # Errors
/// When a date cannot be closed, all of them are closed already, the person or the reason is
/// missing, or files cannot be written.
/// In the last case every sign-off is in the audit trail, and reporting a date or closing it again
/// writes its files.
pub fn close(
    run: &Run<'_>,
    dates: &[NaiveDate],
    by: Said<'_>,
    is_forced: bool,
) -> Result<SignedDates, NightError> {
    let who = required("--by", &NAME, by.by)?;
    let note = match by.note {
        Some(note) => required("--note", &REASON, note)?,
        None if is_forced => by.whole()?.1,
        None => String::new(),
    };
    let (_lock, mut store) = open_for_decisions(run.settings)?;
    finish(run, &mut store, dates)?;
    let (mut plans, mut closed_before) = (Vec::new(), Vec::new());
    for date in dates {
        match plan(run, &store, *date, (&who, &note), is_forced)? {
            Some(plan) => plans.push(plan),
            None => closed_before.push(*date),
        }
    }
    if let ([], [date, ..]) = (plans.as_slice(), closed_before.as_slice()) {
        return Err(DecisionError::ClosedAlready { date: *date }.into());
    }
    let subjects: Vec<String> = plans.iter().map(|plan| plan.date.to_string()).collect();
    let acts = plans.iter().zip(&subjects).filter_map(|(plan, subject)| {
        let act = plan.act?;
        Some(NewAct {
            act,
            subject,
            business_date: plan.date,
            until: None,
            who: &who,
            note: &note,
            assigned: None,
        })
    });
    let acts: Vec<NewAct<'_>> = acts.collect();
    let mut rows = trail::record_all(&store, &acts, run.clock.now())?.into_iter();
    let mut signed = Vec::new();
    let mut shown = Vec::new();
    for Plan { date, act, errors } in plans {
        let row = match act {
            Some(_) => rows.next(),
            None => last_act(&store, &date.to_string(), Act::Close)?,
        };
        signed.extend(row.map(|row| Signed { row, errors }));
        // A failure for the files of one date does not prevent writing those of the others.
        shown.push(show(run, &mut store, date));
    }
    shown.into_iter().collect::<Result<(), NightError>>()?;
    Ok(SignedDates { signed, closed_before })
}

/// The planned sign-off of a date.
struct Plan {
    date: NaiveDate,
    /// `None` when the audit trail already has the sign-off and only the files do not show it.
    act: Option<Act>,
    errors: Vec<Discrepancy>,
}

/// `None` for a date that is closed already.
fn plan(
    run: &Run<'_>,
    store: &Store,
    date: NaiveDate,
    (who, note): (&str, &str),
    is_forced: bool,
) -> Result<Option<Plan>, NightError> {
    let outcome = results::held(store, date)?.ok_or(DecisionError::NeverReconciled { date })?;
    let is_error = |row: &Discrepancy| {
        row.severity == Severity::Error && row.status != DiscrepancyStatus::Cleared
    };
    let errors: Vec<Discrepancy> =
        outcome.discrepancies.iter().filter(|row| is_error(row)).cloned().collect();
    if sign_off::is_closed(store, date)? {
        let folder = settings_of(run, store)?.reports.dir.join(date.to_string());
        let is_shown = reports::is_final(store, &folder, date, &sign_off::of(store, date)?)?;
        if is_shown || !folder.join(MANIFEST_FILE).exists() {
            return Ok(None);
        }
        return Ok(Some(Plan { date, act: None, errors }));
    }
    let is_behind = days::of_date(store, date)?.is_some_and(|day| day.is_behind());
    if is_behind && !is_forced {
        return Err(DecisionError::Stale { date }.into());
    }
    let checks = outcome.not_evaluated.iter().filter(|one| !is_undecided(one, &outcome)).count();
    if checks > 0 && !is_forced {
        return Err(DecisionError::NotEvaluated { date, checks }.into());
    }
    if !errors.is_empty() && note.is_empty() {
        return Err(DecisionError::ErrorsOpen { date, open: open_in_words(&errors) }.into());
    }
    let act = match run.settings.sign_off_people {
        2 => match sign_off::of(store, date)?.prepared {
            Some(first) if is_same_person(&first.who, who) => {
                return Err(DecisionError::SamePerson { date, who: first.who }.into());
            }
            Some(_) => Act::Close,
            None => Act::Prepare,
        },
        _ => Act::Close,
    };
    Ok(Some(Plan { date, act: Some(act), errors }))
}

/// Codes named in a refusal; the others are counted.
const NAMED_CODES: usize = 5;

/// `31 errors are open (9 STATUS_MISMATCH, 4 MISSING_IN_LEDGER, and 18 others)`.
fn open_in_words(errors: &[Discrepancy]) -> String {
    let by_code = open_errors(errors);
    let named = by_code.iter().take(NAMED_CODES);
    let mut parts: Vec<String> = named.map(|one| format!("{} {}", one.count, one.code)).collect();
    let rest: u64 = by_code.iter().skip(NAMED_CODES).map(|one| one.count).sum();
    if rest > 0 {
        parts.push(format!("and {}", counted(rest, "other", "others")));
    }
    let are = if errors.len() == 1 { "is" } else { "are" };
    let count = counted(errors.len() as u64, "error", "errors");
    format!("{count} {are} open ({})", parts.join(", "))
}

fn is_same_person(one: &str, other: &str) -> bool {
    let name = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    name(one) == name(other)
}

/// Checks that an entry concerns only one bank transfer whose outcome the processor has not
/// decided. The transfer is shown in transit with its status, and no later run of the date can find
/// out more.
fn is_undecided(check: &NotEvaluated, outcome: &DayOutcome) -> bool {
    outcome.in_transit.iter().any(|row| {
        matches!(row.kind.as_str(), "payment" | "refund")
            && row.due_date.is_none()
            && row.merchant_id == check.merchant_id
            && row.id == check.scope
    })
}

/// Reopens a signed-off date. The date becomes stale: findings that were kept while it was closed
/// belong into its own files.
///
/// # Errors
/// When the date is not closed, the person or the reason is missing, or its files cannot be
/// written.
pub fn reopen_date(run: &Run<'_>, date: NaiveDate, by: Said<'_>) -> Result<AuditRow, NightError> {
    let (who, note) = by.whole()?;
    let (_lock, mut store) = open_for_decisions(run.settings)?;
    if !sign_off::is_closed(&store, date)? {
        return Err(DecisionError::NotClosed { date }.into());
    }
    let act = NewAct {
        act: Act::ReopenDate,
        subject: &date.to_string(),
        business_date: date,
        until: None,
        who: &who,
        note: &note,
        assigned: None,
    };
    let now = run.clock.now();
    let row = trail::record(&store, &act, now)?;
    // It writes a table, as a run does.
    trail::begin_run(&store, &[], now)?;
    days::mark_stale_from(&store, date)?;
    trail::end_run(&store, now)?;
    show(run, &mut store, date)?;
    Ok(row)
}

/// Writes the files of dates whose sign-off was interrupted, except `others`. A failure is logged
/// and stops nothing else.
pub(super) fn finish(
    run: &Run<'_>,
    store: &mut Store,
    others: &[NaiveDate],
) -> Result<(), NightError> {
    let mut dates = sign_off::interrupted(store)?;
    dates.retain(|date| !others.contains(date));
    for date in dates {
        if let Err(error) = show(run, store, date) {
            tracing::error!(business_date = %date, "{}", in_one_line(&error));
        }
    }
    Ok(())
}

/// The settings with the folder of the reports. A shard has a folder of its own, since the reports
/// of all merchants are in the main folder.
fn settings_of(run: &Run<'_>, store: &Store) -> Result<Settings, NightError> {
    let mut settings = run.settings.clone();
    let is_of_shard = run.settings.shard.is_some();
    if let Some(shard) = share::shard(store)?.filter(|_| !is_of_shard) {
        settings.reports.dir = settings.reports.dir.join(shard.folder());
    }
    Ok(settings)
}

/// Writes the files of the date once more, so that page, workbook and manifest show its sign-off. A
/// date without files shows it when its report is written.
fn show(run: &Run<'_>, store: &mut Store, date: NaiveDate) -> Result<(), NightError> {
    let settings = settings_of(run, store)?;
    let run = &Run::new(&settings, run.clock)?;
    let settings = &settings.reports;
    if !settings.dir.join(date.to_string()).join(MANIFEST_FILE).exists() {
        return Ok(());
    }
    let mut write = || -> Result<(), NightError> {
        let outcome = results::held(store, date)?;
        let outcome = outcome.ok_or(NightError::NeverReconciled { business_date: date })?;
        reports::write(run, store, date, &outcome)?;
        reports::write_index(run, &days::missed(store)?)
    };
    let unshown = |source| NightError::NotShown { business_date: date, source: Box::new(source) };
    write().map_err(unshown)
}
