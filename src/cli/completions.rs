//! `tieout completions`: a completion script for a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use super::{CliError, Context};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  tieout completions bash > /etc/bash_completion.d/tieout
  tieout completions zsh > \"${fpath[1]}/_tieout\"";

/// Print a completion script for a shell
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: Shell,
}

/// Prints the script for `command`.
///
/// # Errors
/// When it cannot be printed.
pub fn execute(
    arguments: CompletionsArguments,
    mut command: Command,
    context: &Context,
) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "tieout", &mut script);
    context.print(&script)?;
    Ok(Exit::Done)
}
