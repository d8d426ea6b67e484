//! `tieout man`: the manual pages.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;

use super::{CliError, Context};
use crate::exit::Exit;
use tieout_report::atomic;

const EXAMPLES: &str = "\
Examples:
  tieout man | man -l -
  tieout man --dir /usr/local/share/man/man1";

/// Print the manual page, or write one for every command
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ManArguments {
    /// Write a page for every command into this folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Prints or writes the pages of `command`.
///
/// # Errors
/// When they cannot be printed or written.
pub fn execute(
    arguments: &ManArguments,
    command: Command,
    context: &Context,
) -> Result<Exit, CliError> {
    if let Some(folder) = &arguments.dir {
        atomic::create_folder(folder)?;
        clap_mangen::generate_to(command, folder)
            .map_err(|source| CliError::ManualPages { folder: folder.clone(), source })?;
    } else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map_err(CliError::Output)?;
        context.print(&page)?;
    }
    Ok(Exit::Done)
}
