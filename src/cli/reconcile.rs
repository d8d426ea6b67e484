//! `tieout reconcile`: the second stage of the job.

use clap::Args;

use super::{CliError, Context, DateArguments, ShardArguments, TableArguments, stages};
use crate::exit::Exit;
use crate::night::{Stages, behind_dates};

const EXAMPLES: &str = "\
Examples:
  tieout reconcile --date 2026-11-20
  tieout reconcile --stale      after an older date was run later, or records came late";

/// Evaluate the checks for the dates from the store
///
/// The second stage of `tieout run`. Does not use the API, so that it can be repeated after a
/// change of the ledger or the configuration.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReconcileArguments {
    #[command(flatten)]
    pub dates: DateArguments,
    /// Reconcile again every date since the first that an older date was run after, or whose records
    /// were listed after it was run
    #[arg(long, conflicts_with = "date")]
    pub stale: bool,
    /// Match the books of all dates again, and compare the result with that of resuming
    #[arg(long)]
    pub afresh: bool,
    #[command(flatten)]
    pub shard: ShardArguments,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Reconciles the dates.
///
/// # Errors
/// When the settings or the dates are wrong.
pub fn execute(arguments: &ReconcileArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = arguments.shard.settings(context)?;
    let stages = Stages { reconcile: true, afresh: arguments.afresh, ..Stages::NONE };
    if arguments.stale {
        // The files of a stale date are out of date: they are rewritten.
        let dates = behind_dates(&settings)?;
        let stages = Stages { report: true, ..stages };
        return stages::execute(context, &settings, &dates, stages, arguments.table);
    }
    let dates = context.dates(&arguments.dates.date, &settings)?;
    stages::execute(context, &settings, &dates, stages, arguments.table)
}
