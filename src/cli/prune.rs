//! `tieout prune`: removes old evidence.

use chrono::{Days, NaiveDate};
use clap::Args;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::Lock;
use crate::night::NightError;
use tieout_store::{Store, retention};

const PRUNE_EXAMPLES: &str = "\
Examples:
  tieout prune --older-than 400d --dry-run      the pages to remove
  tieout prune --older-than 400d --by \"Anna Example\"
  tieout prune --older-than 2025-01-01";

/// Remove page bodies past an age
///
/// Never removes a discrepancy, a record, a decision, or the evidence of an open discrepancy.
/// The audit trail records the removal, so that verify can distinguish it from damage.
#[derive(Clone, Debug, Args)]
#[command(after_help = PRUNE_EXAMPLES)]
pub struct PruneArguments {
    /// Days, as 400d, or the first business date whose pages stay
    #[arg(long, value_name = "AGE")]
    pub older_than: String,
    /// Print the pages that would be removed, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Who decides
    #[arg(long, value_name = "WHO", default_value = "tieout")]
    pub by: String,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Removes old pages.
///
/// # Errors
/// When the age is invalid, there is no store, or a run is in progress.
pub fn execute(arguments: &PruneArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let today = context.clock.today(settings.time_zone);
    let before = first_kept(&arguments.older_than, today)
        .ok_or_else(|| CliError::Age { text: arguments.older_than.clone() })?;
    if arguments.by.trim().is_empty() {
        return Err(CliError::Age { text: "--by without a name".to_owned() });
    }
    let reading = Store::open_for_reading(&settings.store_path).map_err(NightError::Store)?;
    let pruned = if arguments.dry_run {
        retention::prunable(&reading, before).map_err(NightError::Store)?
    } else {
        drop(reading);
        let _lock = Lock::acquire(&settings.store_path).map_err(NightError::Lock)?;
        let mut store = Store::open(&settings.store_path).map_err(NightError::Store)?;
        retention::prune(&mut store, before, arguments.by.trim(), context.clock.now())
            .map_err(NightError::Store)?
    };
    if arguments.table.json {
        context.print_json(&pruned)?;
        return Ok(Exit::Done);
    }
    let verb = if arguments.dry_run { "would be removed" } else { "removed" };
    let kept = match pruned.kept {
        0 => String::new(),
        kept => format!("; {kept} older ones stay as the evidence of open discrepancies"),
    };
    let text = format!(
        "{} pages ({} bytes) read for dates before {before} {verb}{kept}\n",
        pruned.pages, pruned.bytes
    );
    context.print(text.as_bytes())?;
    Ok(Exit::Done)
}

fn first_kept(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u64>().ok());
    match days {
        // Pages read for today or later are never old.
        Some(days) => today.checked_sub_days(Days::new(days)),
        None => text.parse().ok().filter(|date| *date <= today),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_an_age_in_days_or_a_date() {
        let today: NaiveDate = "2026-11-21".parse().unwrap();
        let kept = |text| first_kept(text, today).map(|date| date.to_string());
        assert_eq!(kept("20d").as_deref(), Some("2026-11-01"));
        assert_eq!(kept("2026-01-01").as_deref(), Some("2026-01-01"));
        for wrong in ["", "d", "-1d", "20", "2026-02-30", "2026-11-22", "1y"] {
            assert_eq!(kept(wrong), None, "{wrong}");
        }
    }
}
