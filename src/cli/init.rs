//! `tieout init`: a commented configuration to begin with.

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use clap::Args;

use super::{CliError, Context};
use crate::config::{DEFAULT_FILE, template};
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  tieout init
  tieout init --config /etc/tieout/tieout.toml";

/// Write a commented configuration with every key, its default and its meaning
///
/// Writes tieout.toml, or the file that --config names. Never replaces a file.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InitArguments {}

/// Writes the file.
///
/// # Errors
/// When it exists already or cannot be written.
pub fn execute(_: InitArguments, context: &Context) -> Result<Exit, CliError> {
    let file = context.global.config.as_deref().unwrap_or(Path::new(DEFAULT_FILE));
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::AlreadyExists => CliError::ConfigExists { file: file.to_owned() },
        _ => CliError::ConfigFile { file: file.to_owned(), source },
    };
    let mut created =
        std::fs::OpenOptions::new().write(true).create_new(true).open(file).map_err(failed)?;
    created.write_all(template().as_bytes()).map_err(failed)?;
    context.print(
        format!(
            "wrote {}: set base_url, auth_url and the API key, name your merchants, then run \
             tieout doctor\n",
            crate::report::aligned::printable(&file.display().to_string())
        )
        .as_bytes(),
    )?;
    Ok(Exit::Done)
}
