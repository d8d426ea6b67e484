//! `tieout fetch`: the first stage of the job.

use clap::Args;

use super::{CliError, Context, DateArguments, ShardArguments, TableArguments, stages};
use crate::exit::Exit;
use crate::night::Stages;

const EXAMPLES: &str = "\
Examples:
  tieout fetch --date 2026-11-20
  tieout fetch --date 2026-11-01..2026-11-07";

/// Read the listings that the dates need from the API into the store
///
/// The first stage of `tieout run`. The records behind open discrepancies and differences are read
/// again for the later stages, which do not use the API. No report changes.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FetchArguments {
    #[command(flatten)]
    pub dates: DateArguments,
    #[command(flatten)]
    pub shard: ShardArguments,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Fetches the dates.
///
/// # Errors
/// When the settings or the dates are wrong.
pub fn execute(arguments: &FetchArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = arguments.shard.settings(context)?;
    let dates = context.dates(&arguments.dates.date, &settings)?;
    let stages = Stages { fetch: true, ..Stages::NONE };
    stages::execute(context, &settings, &dates, stages, arguments.table)
}
