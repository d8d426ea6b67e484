//! `tieout checks`: every check, what it means and what to do about it.

use clap::Args;
use serde::Serialize;

use super::check_catalogue::{CATALOGUE, CheckDescription};
use super::{CliError, Context, TableArguments};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  tieout checks
  tieout checks --json

A check's severity is changed, or the check turned off, under [checks] in the configuration.";

/// List every check: code, severity, what it means, what to do
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ChecksArguments {
    #[command(flatten)]
    pub table: TableArguments,
}

/// A check as `--json` prints it.
#[derive(Serialize)]
struct CheckLine {
    code: &'static str,
    severity: &'static str,
    meaning: &'static str,
    action: &'static str,
}

/// Prints the checks.
///
/// # Errors
/// When they cannot be printed.
pub fn execute(arguments: ChecksArguments, context: &Context) -> Result<Exit, CliError> {
    if arguments.table.json {
        let lines: Vec<CheckLine> = CATALOGUE.iter().map(line).collect();
        context.print_json(&lines)?;
    } else {
        context.print(render().as_bytes())?;
    }
    Ok(Exit::Done)
}

fn line(check: &CheckDescription) -> CheckLine {
    CheckLine {
        code: check.code,
        severity: check.severity.as_str(),
        meaning: check.meaning,
        action: check.action,
    }
}

fn render() -> String {
    let block = |check: &CheckDescription| {
        let CheckDescription { code, severity, meaning, action } = check;
        format!("{code}  {}\n    {meaning}\n    Do: {action}\n", severity.as_str())
    };
    CATALOGUE.iter().map(block).collect::<Vec<_>>().join("\n")
}
