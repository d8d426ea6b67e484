//! `tieout report`: the last stage of the job.

use clap::Args;

use super::{CliError, Context, DateArguments, ShardArguments, TableArguments, stages};
use crate::exit::Exit;
use crate::night::Stages;

const EXAMPLES: &str = "\
Examples:
  tieout report --date 2026-11-20
  tieout report --date 2026-11 --out /tmp/november";

/// Write the reports of reconciled dates
///
/// The last stage of `tieout run`. The same data gives the same bytes. Several dates in a row
/// also get one set of files over all of them, in `periods/<first>..<last>/`: a page, a
/// workbook and tables by day and by merchant, with trends and return rates.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    #[command(flatten)]
    pub dates: DateArguments,
    #[command(flatten)]
    pub shard: ShardArguments,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Writes the reports of the dates.
///
/// # Errors
/// When the settings or the dates are wrong, or a file cannot be written.
pub fn execute(arguments: &ReportArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = arguments.shard.settings(context)?;
    let dates = context.dates(&arguments.dates.date, &settings)?;
    let stages = Stages { report: true, period: true, ..Stages::NONE };
    stages::execute(context, &settings, &dates, stages, arguments.table)
}
