//! `tieout config`: every key with its value and where that comes from.

use clap::Args;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use tieout_report::aligned::{AlignedTable, Side, Styled};

const EXAMPLES: &str = "\
Examples:
  tieout config
  TIEOUT_API__PAGE_SIZE=50 tieout config --json";

/// Show every key with its value and where it comes from; secrets are hidden
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConfigArguments {
    #[command(flatten)]
    pub table: TableArguments,
}

/// Prints the settings.
///
/// # Errors
/// When the configuration has faults.
pub fn execute(arguments: ConfigArguments, context: &Context) -> Result<Exit, CliError> {
    let values = context.effective()?;
    if arguments.table.json {
        context.print_json(&values)?;
        return Ok(Exit::Done);
    }
    let mut table =
        AlignedTable::new(&[("key", Side::Left), ("value", Side::Left), ("from", Side::Left)]);
    for value in &values {
        table.push(vec![
            Styled::from(&value.key),
            Styled::from(&value.value),
            Styled::from(&value.source),
        ]);
    }
    context.print(table.render("", context.is_coloured()).as_bytes())?;
    Ok(Exit::Done)
}
