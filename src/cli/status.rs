//! `tieout status`: what the store knows of each business date.

use clap::Args;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::NightError;
use crate::report::aligned::{AlignedTable, Colour, Side, Styled, printable};
use crate::store::{DayState, NewestDay, Store};

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

/// Prints the status. Works while a run is going on.
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
    let mut days = store.days().map_err(NightError::Store)?;
    if let Some(wanted) = wanted {
        days.retain(|day| wanted.contains(&day.business_date));
    }
    if arguments.table.json {
        context.print_json(&days)?;
    } else {
        let files = store.newest_days().map_err(NightError::Store)?;
        let text = render(&days, context.is_coloured()) + &newest(&files, context.is_coloured());
        context.print(text.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// How far the files of each ledger and bank reach; nothing without any.
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

fn render(days: &[DayState], is_coloured: bool) -> String {
    use Side::{Left, Right};
    let mut table = AlignedTable::new(&[
        ("date", Left),
        ("state", Left),
        ("listings", Right),
        ("incomplete", Right),
        ("not evaluated", Right),
        ("errors", Right),
        ("warnings", Right),
        ("info", Right),
        ("last run", Left),
    ]);
    for day in days {
        let count = |count: i64| Styled::from(count.to_string());
        table.push(vec![
            Styled::from(day.business_date.to_string()),
            state(day),
            count(day.complete_listings + day.incomplete_listings),
            count(day.incomplete_listings),
            count(day.not_evaluated),
            count(day.errors),
            count(day.warnings),
            count(day.notes),
            Styled::from(day.last_run.as_deref().unwrap_or("never")),
        ]);
    }
    let mut text = table.render("", is_coloured);
    for day in days.iter().filter(|day| !day.incomplete.is_empty()) {
        text.push_str(&incomplete(day));
    }
    text
}

/// The listings of a date that are not complete, a line each with the reason.
fn incomplete(day: &DayState) -> String {
    let mut lines = vec![format!("\n{}: not complete\n", day.business_date)];
    for listing in day.incomplete.iter().take(MAX_LISTED) {
        // The error names the listing and the page.
        lines.push(format!("  {}\n", printable(&listing.error)));
    }
    if let Some(more) = day.incomplete.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        lines.push(format!("  … and {more} more in --json\n"));
    }
    lines.concat()
}

fn state(day: &DayState) -> Styled {
    match day {
        DayState { is_closed: true, .. } => Styled::new("closed", Colour::Green),
        DayState { is_stale: true, .. } => Styled::new("stale", Colour::Yellow),
        DayState { is_reconciled: true, is_complete: true, .. } => {
            Styled::new("reconciled", Colour::Green)
        }
        DayState { is_reconciled: true, .. } => Styled::new("reconciled in part", Colour::Yellow),
        DayState { is_fetched: true, .. } => Styled::new("fetched", Colour::Blue),
        DayState { .. } => Styled::new("interrupted", Colour::Red),
    }
}
