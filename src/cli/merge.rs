//! `tieout merge`: one set of reports from the stores of the shards.

use std::path::PathBuf;

use clap::Args;

use super::{CliError, Context, TableArguments, stages};
use crate::exit::Exit;
use crate::night::{Run, Shards, merge};
use tieout_import::files::files_of;

const EXAMPLES: &str = "\
Examples:
  tieout merge shard-1.db shard-2.db --out reports
  tieout merge /data/shard-*.db --date yesterday

Every shard must be named: if one is missing, it is reported and nothing is written.";

/// Join the stores of all shards into one set of reports
///
/// The results of --shard 1/N to N/N are reported as those of one run. The stores are read and not
/// changed.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArguments {
    /// The stores of all shards, in any order; * and ? match as in a shell
    #[arg(value_name = "SHARD.db", required = true)]
    pub stores: Vec<PathBuf>,
    /// Business dates as run takes them [default: every date that a shard has reconciled]
    #[arg(long, value_name = "DATES", allow_hyphen_values = true)]
    pub date: Option<String>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Joins the shards.
///
/// # Errors
/// When a shard is missing, or a file cannot be written; a date that cannot be joined does not
/// stop the others.
pub fn execute(arguments: &MergeArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let dates = match &arguments.date {
        Some(text) => Some(context.dates(text, &settings)?),
        None => None,
    };
    let run = Run::new(&settings, context.clock)?;
    let shards = Shards::open(&stores(&arguments.stores)?)?;
    let result = merge(&run, shards, dates)?;
    stages::conclude(context, &run, result, arguments.table)
}

/// Expands patterns where no shell has done it. A pattern without a match stays, so that the
/// error names it.
fn stores(named: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut stores = Vec::new();
    for path in named {
        let found = files_of(path).map_err(CliError::Stores)?;
        if found.is_empty() {
            stores.push(path.clone());
        } else {
            stores.extend(found);
        }
    }
    Ok(stores)
}
