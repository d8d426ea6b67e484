//! `tieout run`: the nightly job.

use clap::Args;

use super::{CliError, Context, DateArguments, ShardArguments, TableArguments, stages};
use crate::exit::Exit;
use crate::night::Stages;

const EXAMPLES: &str = "\
Examples:
  tieout run                                  yesterday
  tieout run --date 2026-11-20 --fail-on error
  tieout run --date -7d..yesterday            the last seven days, oldest first
  tieout run --date 2026-10 --out /srv/recon  a whole month, into another folder";

/// Fetch, reconcile and report: the nightly job
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArguments {
    #[command(flatten)]
    pub dates: DateArguments,
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
    let dates = context.dates(&arguments.dates.date, &settings)?;
    stages::execute(context, &settings, &dates, Stages::ALL, arguments.table)
}
