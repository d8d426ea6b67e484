//! `tieout close` and `tieout reopen`: signing a business date off, and taking that back.

use clap::Args;

use super::discrepancies::confirmation;
use super::{CliError, Context};
use crate::exit::Exit;
use crate::night;
use crate::night::{Run, Said};

const CLOSE_EXAMPLES: &str = "\
Examples:
  tieout close 2026-11-20 --by \"Anna Example\"
  tieout close 2026-11-20 --by Anna --force --note \"terminal 1234001 was replaced that day\"";

/// Sign off a business date: its files say so, and never change again
///
/// Refused while the date is stale or not evaluated in full, unless forced with a note. What is
/// found in it later is reported on the next open date, with "prior period" in the explanation.
/// With `[sign_off] people = 2` the first person prepares the date, and a second one closes it.
#[derive(Clone, Debug, Args)]
#[command(after_help = CLOSE_EXAMPLES)]
pub struct CloseArguments {
    /// The business date
    #[arg(value_name = "DATE")]
    pub date: String,
    /// Who signs it off
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// A note; required with --force
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub note: String,
    /// Sign it off although it is stale or not evaluated in full
    #[arg(long, requires = "note")]
    pub force: bool,
}

/// Take the sign-off of a business date back
#[derive(Clone, Debug, Args)]
pub struct ReopenDateArguments {
    /// The business date
    #[arg(value_name = "DATE")]
    pub date: String,
    /// Who takes it back
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: String,
}

/// Signs the date off.
///
/// # Errors
/// When it cannot be signed off, or who and why are not said.
pub fn close(arguments: &CloseArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let date = context.date("DATE", &arguments.date, &settings)?;
    let said = Said { by: &arguments.by, note: &arguments.note };
    let run = Run::new(&settings, context.clock)?;
    let row = night::close(&run, date, said, arguments.force)?;
    context.print(confirmation(&row).as_bytes())?;
    Ok(Exit::Done)
}

/// Takes the sign-off back.
///
/// # Errors
/// When the date is not signed off, or who and why are not said.
pub fn reopen(arguments: &ReopenDateArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let date = context.date("DATE", &arguments.date, &settings)?;
    let said = Said { by: &arguments.by, note: &arguments.note };
    let run = Run::new(&settings, context.clock)?;
    let row = night::reopen_date(&run, date, said)?;
    context.print(confirmation(&row).as_bytes())?;
    Ok(Exit::Done)
}
