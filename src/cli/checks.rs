//! `tieout checks`: every check, its meaning and its remedy.

use clap::Args;
use serde::Serialize;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::NightError;
use tieout_judge::Check;
use tieout_judge::{Registry, registry_for};
use tieout_report::aligned::wrapped;

const EXAMPLES: &str = "\
Examples:
  tieout checks
  tieout checks --json

A check's severity is changed, or the check turned off, under [checks] in the configuration.";

/// List every check: code, severity, meaning, next step
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ChecksArguments {
    #[command(flatten)]
    pub table: TableArguments,
}

/// A check as `--json` prints it.
#[derive(Serialize)]
struct CheckLine {
    code: String,
    severity: &'static str,
    subject: String,
    meaning: String,
    action: String,
}

/// Prints the checks.
///
/// # Errors
/// When they cannot be printed.
pub fn execute(arguments: ChecksArguments, context: &Context) -> Result<Exit, CliError> {
    let registry = match context.settings() {
        Ok(settings) => registry_for(&settings),
        // The built-in checks can be listed even if the configuration is wrong.
        Err(CliError::Config(_)) => Registry::built_in(),
        Err(error) => return Err(error),
    };
    let registry = registry.map_err(NightError::from)?;
    if arguments.table.json {
        let lines: Vec<CheckLine> = registry.iter().map(line).collect();
        context.print_json(&lines)?;
    } else {
        context.print(render(&registry).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn line(check: &Check) -> CheckLine {
    CheckLine {
        code: check.code.clone(),
        severity: check.severity.as_str(),
        subject: check.subject.clone(),
        meaning: check.means.clone(),
        action: check.action.clone(),
    }
}

fn render(registry: &Registry) -> String {
    let block = |check: &Check| {
        let Check { code, means, action, .. } = check;
        let (means, action) = (wrapped(means, "    "), wrapped(&format!("Do: {action}"), "    "));
        format!("{code}  {}\n{means}{action}", check.severity.as_str())
    };
    registry.iter().map(block).collect::<Vec<_>>().join("\n")
}
