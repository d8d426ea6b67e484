//! `tieout export`: business dates as a Parquet dataset.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{CliError, Context, ShardArguments, TableArguments};
use crate::exit::Exit;
use crate::export::{Exported, export};
use crate::night::NightError;
use tieout_report::aligned::printable;
use tieout_store::{Store, share};

const EXAMPLES: &str = "\
Examples:
  tieout export --to lake                      every date that the store knows
  tieout export --to lake --date 2026-11-20    this date again

One file per table, date and shard: lake/TABLE/business_date=D/shard=I-of-N/part.parquet.
docs/dataset.md describes every table and column.";

/// Write business dates as a Parquet dataset for an SQL engine
///
/// Records, discrepancies and the state of the listings, in partitions by business date. A partition
/// appears whole or not at all; exporting a date again replaces it. With `[export] dir` every run does
/// so.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArguments {
    /// The folder of the dataset [default: export.dir]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Business dates as run takes them, each reconciled [default: every day that was read]
    #[arg(long, value_name = "DATES", allow_hyphen_values = true)]
    pub date: Option<String>,
    #[command(flatten)]
    pub shard: ShardArguments,
    #[command(flatten)]
    pub table: TableArguments,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    dir: &'a str,
    dates: usize,
    files: usize,
    rows: u64,
    bytes: u64,
}

/// Writes the dataset. A run may be in progress.
///
/// # Errors
/// When no folder is named, there is nothing to export, or a file cannot be written.
pub fn execute(arguments: &ExportArguments, context: &Context) -> Result<Exit, CliError> {
    let mut settings = arguments.shard.settings(context)?;
    let dir = arguments.to.clone().or_else(|| settings.export_dir.clone());
    let dir = dir.ok_or(CliError::ExportNowhere)?;
    let dates = match &arguments.date {
        Some(text) => Some(context.dates(text, &settings)?),
        None => None,
    };
    let store = Store::open_for_reading(&settings.store_path).map_err(NightError::Store)?;
    // The store knows its shard: the merchants are those of the shard, with or without the option.
    match (share::shard(&store).map_err(NightError::Store)?, settings.shard) {
        (Some(shard), None) => settings.take_share(shard),
        (found, Some(wanted)) if found != Some(wanted) => {
            share::claim_share(&store, Some(wanted)).map_err(NightError::Store)?;
        }
        _ => {}
    }
    let exported = export(&store, &settings, &dir, dates.as_deref()).map_err(NightError::Export)?;
    say(&exported, &dir.display().to_string(), arguments.table, context)?;
    Ok(Exit::Done)
}

fn say(
    exported: &Exported,
    dir: &str,
    table: TableArguments,
    context: &Context,
) -> Result<(), CliError> {
    let answer = Answer {
        dir,
        dates: exported.partitions.len(),
        files: exported.partitions.iter().map(|partition| partition.tables.len()).sum(),
        rows: exported.rows(),
        bytes: exported.bytes(),
    };
    if table.json {
        return context.print_json(&answer);
    }
    let dates = match answer.dates {
        1 => "1 date".to_owned(),
        count => format!("{count} dates"),
    };
    let text = format!(
        "{dates} exported to {}: {} files, {} rows, {} bytes\n",
        printable(dir),
        answer.files,
        answer.rows,
        answer.bytes
    );
    context.print(text.as_bytes())
}
