//! `tieout run`: the nightly job.

use clap::Args;

use super::{CliError, Context, ShardArguments, TableArguments, stages};
use crate::exit::Exit;
use crate::night::{Again, Stages, again, with_missed};

const EXAMPLES: &str = "\
Examples:
  tieout run                                  yesterday, and dates that were missed
  tieout run --again                          later in the day: only dates done in part
  tieout run --date 2026-11-20 --fail-on error
  tieout run --date -7d..yesterday            the last seven days, oldest first
  tieout run --date 2026-10 --out /srv/recon  a whole month, into another folder";

/// Fetch, reconcile and report: the nightly job
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArguments {
    /// Business dates: 2026-11-20, 2026-11-01..2026-11-07, 2026-11, today, yesterday,
    /// -7d..yesterday, or several of these with commas [default: yesterday, and the dates
    /// before it that were never reconciled, as far back as the configuration catches up]
    #[arg(long, value_name = "DATES", allow_hyphen_values = true)]
    pub date: Option<String>,
    /// Only those of the last dates that never ran, or that were done in part because of a listing
    /// or a file that may be there by now; nothing where there is none
    #[arg(long, conflicts_with = "date")]
    pub again: bool,
    #[command(flatten)]
    pub shard: ShardArguments,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Runs the job over the dates.
///
/// # Errors
/// When the settings or the dates are wrong; a date that fails does not stop the others.
pub fn execute(arguments: &RunArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = arguments.shard.settings(context)?;
    let Some(date) = &arguments.date else {
        let named = context.dates("yesterday", &settings)?;
        if let (true, Some(last)) = (arguments.again, named.last()) {
            let Again { dates, stages } = again(&settings, *last)?;
            if dates.is_empty() {
                tracing::info!("nothing is left to run again");
                return Ok(Exit::Done);
            }
            return stages::execute(context, &settings, &dates, stages, arguments.table);
        }
        let dates = with_missed(&settings, &named)?;
        return stages::execute(context, &settings, &dates, Stages::NIGHT, arguments.table);
    };
    let dates = context.dates(date, &settings)?;
    stages::execute(context, &settings, &dates, Stages::ALL, arguments.table)
}
