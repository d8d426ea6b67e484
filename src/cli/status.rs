//! `tieout status`: the state of each business date in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use chrono::NaiveDate;
use clap::Args;
use serde::{Serialize, Serializer};

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::NightError;
use tieout_judge::{Registry, registry_for};
use tieout_model::Verdict;
use tieout_model::money::grouped;
use tieout_report::aligned::{AlignedTable, Colour, Side, Styled, counted, printable, wrapped};
use tieout_report::terminal::verdict_cell;
use tieout_store::{
    DateFinality, DayState, IncompleteListing, NewestDay, Store, WithdrawnId, days, finality,
    newest, withdrawn,
};

const EXAMPLES: &str = "\
Examples:
  tieout status
  tieout status --date -30d..yesterday --json";

/// The table names at most this many listings of a date; the JSON has all.
const MAX_LISTED: usize = 20;

/// Show listings, verdicts, open discrepancies and the last run of each business date
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StatusArguments {
    /// Business dates, as `tieout run` takes them [default: every date in the store]
    #[arg(long, value_name = "DATES", allow_hyphen_values = true)]
    pub date: Option<String>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// A business date as it is printed.
#[derive(Debug, Serialize)]
struct StatusDay {
    #[serde(flatten)]
    day: DayState,
    #[serde(flatten)]
    finality: DateFinality,
    /// The verdict by new discrepancies alone.
    #[serde(serialize_with = "word")]
    own_verdict: Option<Verdict>,
    /// Dates before and after it ran, but it did not.
    is_missed: bool,
    /// The ids that reruns of the date withdrew.
    withdrawn: Vec<WithdrawnId>,
}

/// Prints the status. Works during a run.
///
/// # Errors
/// When the settings or the dates are wrong, or there is no store yet.
pub fn execute(arguments: &StatusArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let wanted = match &arguments.date {
        Some(text) => Some(context.dates(text, &settings)?),
        None => None,
    };
    let store = Store::open_for_reading(&settings.store_path).map_err(NightError::Store)?;
    let mut days = days::all(&store).map_err(NightError::Store)?;
    let missed = days::missed(&store).map_err(NightError::Store)?;
    let missed: BTreeSet<NaiveDate> = missed.into_iter().collect();
    let known: BTreeSet<NaiveDate> = days.iter().map(|day| day.business_date).collect();
    let absent = missed.difference(&known);
    days.extend(absent.map(|date| DayState { business_date: *date, ..DayState::default() }));
    days.sort_by_key(|day| day.business_date);
    if let Some(wanted) = wanted {
        days.retain(|day| wanted.contains(&day.business_date));
    }
    // The dates can be shown even if one of the user's own checks is wrong.
    let registry = registry_for(&settings).or_else(|_| Registry::built_in());
    let registry = registry.map_err(NightError::from)?;
    let holds = |code: &str| registry.says(code, |check| !check.is_final_without);
    let mut finality = finality::by_date(&store, holds).map_err(NightError::Store)?;
    let withdrawn = withdrawn::ids(&store).map_err(NightError::Store)?;
    let of = |date: NaiveDate| -> Vec<WithdrawnId> {
        withdrawn.iter().filter(|gone| gone.business_date == date).cloned().collect()
    };
    let days: Vec<StatusDay> = days
        .into_iter()
        .map(|day| StatusDay {
            own_verdict: own_verdict(&day, &registry),
            withdrawn: of(day.business_date),
            is_missed: missed.contains(&day.business_date),
            finality: finality.remove(&day.business_date).unwrap_or_default(),
            day,
        })
        .collect();
    if arguments.table.json {
        context.print_json(&days)?;
    } else {
        let files = newest::days(&store).map_err(NightError::Store)?;
        let mut text = render(&days, context.is_coloured());
        if arguments.date.is_none() {
            text.push_str(&not_run_since(&days, context.clock.today(settings.time_zone)));
        }
        text.push_str(&newest(&files, context.is_coloured()));
        context.print(text.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// What says that no date has run since the newest one; empty when the day before `today` has.
fn not_run_since(days: &[StatusDay], today: NaiveDate) -> String {
    let done = days.iter().filter(|one| one.day.is_reconciled);
    let last = done.map(|one| one.day.business_date).max();
    let Some((last, yesterday)) = last.zip(today.pred_opt()) else { return String::new() };
    match last.succ_opt() {
        Some(next) if next == yesterday => format!("\n{next} has not run yet.\n"),
        Some(next) if next < yesterday => {
            format!("\nNot run yet: {next} to {yesterday}, yesterday.\n")
        }
        _ => String::new(),
    }
}

/// The last day covered by the files of each ledger and bank; empty without any.
fn newest(files: &[NewestDay], is_coloured: bool) -> String {
    use Side::Left;
    if files.is_empty() {
        return String::new();
    }
    let mut table = AlignedTable::new(&[("files of", Left), ("name", Left), ("newest day", Left)]);
    for file in files {
        let name = printable(&file.name);
        table.push(vec![file.kind.into(), name.as_str().into(), file.day.to_string().into()]);
    }
    format!("\n{}", table.render("", is_coloured))
}

fn render(days: &[StatusDay], is_coloured: bool) -> String {
    use Side::{Below, Left, Right};
    let mut table = AlignedTable::new(&[
        ("date", Left),
        ("state", Left),
        ("errors", Right),
        ("warnings", Right),
        ("info", Right),
        ("listings", Right),
        ("last run", Left),
        ("", Below),
    ]);
    for one in days {
        let StatusDay { day, finality, .. } = one;
        let count = |count: i64| Styled::from(grouped(&count.to_string()));
        let last_run = day.last_run.as_deref().map_or_else(|| "never".to_owned(), to_the_minute);
        table.push(vec![
            Styled::from(day.business_date.to_string()),
            state(one),
            count(day.errors),
            count(day.warnings),
            count(day.notes),
            Styled::from(listings(day)),
            Styled::from(last_run),
            Styled::from(below(day, finality)),
        ]);
    }
    let mut text = table.render("", is_coloured);
    for one in days {
        if !one.day.incomplete.is_empty() {
            text.push_str(&incomplete(&one.day));
        }
        text.push_str(&withdrawn(one));
    }
    text
}

/// `2026-11-22 00:00Z` of `2026-11-22T00:00:12Z`.
fn to_the_minute(moment: &str) -> String {
    moment
        .get(..16)
        .map_or_else(|| moment.to_owned(), |text| format!("{}Z", text.replace('T', " ")))
}

/// The number of listings, and of complete ones if not all are.
fn listings(day: &DayState) -> String {
    let all = day.complete_listings + day.incomplete_listings;
    match day.incomplete_listings {
        0 => grouped(&all.to_string()),
        _ => format!("{} of {all}", day.complete_listings),
    }
}

/// The checks that could not be evaluated, and since when the date is final or the cause that keeps
/// it open.
fn below(day: &DayState, finality: &DateFinality) -> String {
    let gaps = u64::try_from(day.not_evaluated).unwrap_or_default();
    let gaps = (gaps > 0).then(|| format!("{} not evaluated", counted(gaps, "check", "checks")));
    let late = day.has_late_records.then(|| "records came after it ran".to_owned());
    let words = Some(final_words(finality)).filter(|words| !words.is_empty());
    gaps.into_iter().chain(late).chain(words).collect::<Vec<_>>().join("; ")
}

/// The discrepancies that reruns of a date withdrew; empty without any.
fn withdrawn(one: &StatusDay) -> String {
    if one.withdrawn.is_empty() {
        return String::new();
    }
    let mut lines = vec![format!("\n{}: withdrawn by a later run\n", one.day.business_date)];
    for gone in one.withdrawn.iter().take(MAX_LISTED) {
        let WithdrawnId { discrepancy_id, code, withdrawn_at, .. } = gone;
        lines
            .push(wrapped(&format!("{discrepancy_id} {code}, by the run of {withdrawn_at}"), "  "));
    }
    lines.extend(more(one.withdrawn.len()));
    lines.concat()
}

/// The line that counts the items beyond `MAX_LISTED`.
fn more(count: usize) -> Option<String> {
    let more = count.checked_sub(MAX_LISTED).filter(|more| *more > 0)?;
    Some(format!("  … and {more} more in --json\n"))
}

/// `final since 2026-11-09`, or `waits for 2 batches by 2026-11-10, 1 discrepancy (2 merchants)`;
/// empty for a date that was not reconciled.
fn final_words(finality: &DateFinality) -> String {
    let DateFinality { final_since, waits_for } = finality;
    if let Some(date) = final_since {
        return format!("final since {date}");
    }
    let Some(waits) = waits_for else { return String::new() };
    let some =
        |number: u64, one: &str, many: &str| (number > 0).then(|| counted(number, one, many));
    let mut parts: Vec<String> = [
        some(waits.batches, "batch", "batches"),
        some(waits.bank_transfers, "bank transfer", "bank transfers"),
        some(waits.on_hold, "transaction on hold", "transactions on hold"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some((last, due)) = parts.last_mut().zip(waits.due_by) {
        let _ = write!(last, " by {due}");
    }
    parts.extend(some(waits.discrepancies, "discrepancy", "discrepancies"));
    let merchants = some(waits.merchants.len() as u64, "merchant", "merchants");
    match (parts.is_empty(), merchants) {
        (false, Some(merchants)) => format!("waits for {} ({merchants})", parts.join(", ")),
        (false, None) => format!("waits for {}", parts.join(", ")),
        // The results do not name these one by one.
        (true, Some(merchants)) => format!("waits for bank, books or a reading of {merchants}"),
        (true, None) => "waits for a later date".to_owned(),
    }
}

/// The incomplete listings of a date, by reason: listings with one cause share a line.
fn incomplete(day: &DayState) -> String {
    let mut by_cause: Vec<(String, Vec<&IncompleteListing>)> = Vec::new();
    for listing in &day.incomplete {
        let cause = cause_of(listing);
        match by_cause.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, listings)) => listings.push(listing),
            None => by_cause.push((cause, vec![listing])),
        }
    }
    let mut lines = vec![format!("\n{}: not complete\n", day.business_date)];
    for (cause, listings) in by_cause.iter().take(MAX_LISTED) {
        let line = match listings[..] {
            [only] => only.error.clone(),
            _ => format!("{}: {cause}", named(listings)),
        };
        lines.push(wrapped(&printable(&line), "  "));
    }
    lines.extend(more(by_cause.len()));
    lines.concat()
}

/// The reason, without the listing and the page, which precede it in the error.
fn cause_of(listing: &IncompleteListing) -> String {
    let about = listing.error.split_once(": ");
    let is_own = |about: &str| about.starts_with(&listing.resource);
    match about {
        Some((about, cause)) if is_own(about) => cause.to_owned(),
        _ => listing.error.clone(),
    }
}

/// `3 listings of batches, 12 of bank-transfer-payments`.
fn named(listings: &[&IncompleteListing]) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for listing in listings {
        *counts.entry(&listing.resource).or_default() += 1;
    }
    let part = |(at, (resource, count)): (usize, (&&str, &u64))| match at {
        0 => format!("{} of {resource}", counted(*count, "listing", "listings")),
        _ => format!("{count} of {resource}"),
    };
    counts.iter().enumerate().map(part).collect::<Vec<_>>().join(", ")
}

/// Signed off or to be run again, else the verdict by new discrepancies alone: another column shows
/// those carried from earlier dates.
fn state(StatusDay { day, own_verdict, is_missed, .. }: &StatusDay) -> Styled {
    match own_verdict {
        _ if day.is_closed => Styled::from("closed"),
        _ if day.is_stale => Styled::new("stale", Colour::Yellow),
        Some(verdict) => verdict_cell(*verdict),
        None if day.is_fetched => Styled::new("fetched", Colour::Blue),
        None if day.last_run.is_none() && *is_missed => Styled::new("not run", Colour::Red),
        None => Styled::new("interrupted", Colour::Red),
    }
}

/// As on the page; empty for a date that was not reconciled.
fn own_verdict(day: &DayState, registry: &Registry) -> Option<Verdict> {
    let decides = |code: &String| !registry.says(code, |check| !check.decides_verdict);
    Some(match day {
        DayState { is_reconciled: false, .. } => return None,
        DayState { is_complete: false, .. } => Verdict::NotEvaluated,
        DayState { new_codes, .. } if new_codes.iter().any(decides) => Verdict::Discrepancy,
        DayState { is_moving: true, .. } => Verdict::InTransit,
        DayState { .. } => Verdict::Tied,
    })
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn word<S: Serializer>(verdict: &Option<Verdict>, serializer: S) -> Result<S::Ok, S::Error> {
    verdict.map(Verdict::as_str).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_store::WaitsFor;

    #[test]
    fn says_a_cause_once() {
        let listing = |resource: &str, error: &str| IncompleteListing {
            resource: resource.to_owned(),
            selector: "date".to_owned(),
            scope: String::new(),
            date: "2026-11-20".to_owned(),
            error: error.to_owned(),
        };
        let one = listing("batches", "batches by date 2026-11-20, page 1: host is unreachable");
        let two =
            listing("ach-deposits", "ach-deposits by date 2026-11-20, page 1: host is unreachable");
        let other = listing("batches", "batches by date 2026-11-20, page 2: answered 500");
        assert_eq!(cause_of(&one), "host is unreachable");
        assert_eq!(cause_of(&two), cause_of(&one));
        assert_eq!(cause_of(&other), "answered 500");
        assert_eq!(named(&[&one, &two, &other]), "1 listing of ach-deposits, 2 of batches");
    }

    #[test]
    fn says_since_when_a_date_is_final_or_what_it_waits_for() {
        let day = |text: &str| text.parse().ok();
        let waits = WaitsFor { merchants: vec!["1".into()], ..WaitsFor::default() };
        let in_transit = WaitsFor {
            batches: 2,
            bank_transfers: 1,
            due_by: day("2026-11-10"),
            discrepancies: 1,
            ..waits.clone()
        };
        let undated = WaitsFor { on_hold: 2, merchants: Vec::new(), ..waits.clone() };
        let open = |waits: WaitsFor| DateFinality { final_since: None, waits_for: Some(waits) };
        let cases = [
            (
                DateFinality { final_since: day("2026-11-09"), waits_for: None },
                "final since 2026-11-09",
            ),
            (
                open(in_transit),
                "waits for 2 batches, 1 bank transfer by 2026-11-10, 1 discrepancy (1 merchant)",
            ),
            (open(undated), "waits for 2 transactions on hold"),
            (open(waits), "waits for bank, books or a reading of 1 merchant"),
            (DateFinality::default(), ""),
        ];
        for (finality, words) in cases {
            assert_eq!(final_words(&finality), words);
        }
    }
}
