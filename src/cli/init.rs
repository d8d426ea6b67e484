//! `tieout init`: a commented configuration to begin with, on request with the merchants that the
//! API lists.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{CliError, Context, stages};
use crate::exit::Exit;
use crate::night::discover::{DEFAULT_DAYS, absolute, configuration, discover, quoted};
use tieout_config::{DEFAULT_FILE, Filled, Settings, template, without_file};
use tieout_report::aligned::printable;

const EXAMPLES: &str = "\
Examples:
  tieout init
  tieout init --config /etc/tieout/tieout.toml --db /var/lib/tieout/tieout.db
  tieout init --discover --base-url https://api.example.com/v1 \\
      --auth-url https://identity.example.com --api-key-file /run/secrets/api_key

--discover reads the deposits and batches of the last days and the terminals of each merchant. The
addresses and the key may also come from the environment (TIEOUT_API__BASE_URL,
TIEOUT_API__AUTH_URL, TIEOUT_API_KEY). It ends with 4 when a listing could not be read; the file is
written all the same and names the listing.";

/// Write a commented configuration with every key, its default and its meaning
///
/// Writes tieout.toml, or the file that --config names. Never replaces a file.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InitArguments {
    /// Ask the API which merchants the key sees, and write them with their terminals
    #[arg(long)]
    pub discover: bool,
    /// Address of the API, for --discover
    #[arg(long, value_name = "URL", requires = "discover")]
    pub base_url: Option<String>,
    /// Address that the key is sent to, for --discover
    #[arg(long, value_name = "URL", requires = "discover")]
    pub auth_url: Option<String>,
    /// File that holds the API key, for --discover
    #[arg(long, value_name = "FILE", requires = "discover")]
    pub api_key_file: Option<PathBuf>,
    /// How many days to read
    #[arg(
        long, value_name = "NUMBER", requires = "discover", default_value_t = DEFAULT_DAYS,
        value_parser = clap::value_parser!(u64).range(1..=75)
    )]
    pub days: u64,
    /// The last of these days [default: today]
    #[arg(long, value_name = "DATE", requires = "discover")]
    pub date: Option<String>,
}

/// Writes the file.
///
/// # Errors
/// When it exists already or cannot be written, or when the API lists no merchant.
pub fn execute(arguments: &InitArguments, context: &Context) -> Result<Exit, CliError> {
    let file = context.global.config.as_deref().unwrap_or(Path::new(DEFAULT_FILE));
    if file.symlink_metadata().is_ok() {
        return Err(CliError::ConfigExists { file: file.to_owned() });
    }
    if arguments.discover {
        return discovered(arguments, context, file);
    }
    write(file, &template(&Filled { values: places(context), ..Filled::default() }))?;
    context.print(
        format!(
            "wrote {}: set base_url, auth_url and the API key, name your merchants (or let init \
             --discover do it), then run tieout doctor\n",
            printable(&file.display().to_string())
        )
        .as_bytes(),
    )?;
    Ok(Exit::Done)
}

fn discovered(arguments: &InitArguments, context: &Context, file: &Path) -> Result<Exit, CliError> {
    let settings = settings(arguments, context)?;
    let last = match &arguments.date {
        Some(text) => context.date("--date", text, &settings)?,
        None => context.clock.today(settings.time_zone),
    };
    let found = stages::runtime()?.block_on(discover(&settings, last, arguments.days))?;
    let sets_zone = context.environment.get("TIEOUT_TIME_ZONE").is_some_and(|it| !it.is_empty());
    let written = configuration(&settings, &found, sets_zone, places(context), context.clock.now());
    write(file, &written.text)?;
    let mut lines = vec![
        format!("wrote {}\n", printable(&file.display().to_string())),
        format!("  {}\n", written.learnt),
    ];
    lines.extend(written.missing.iter().map(|line| format!("  {}\n", printable(line))));
    lines.push("next: tieout doctor, then tieout run\n".to_owned());
    context.print(lines.concat().as_bytes())?;
    Ok(if found.failures.is_empty() { Exit::Done } else { Exit::Partial })
}

/// The settings of flags and environment; there is no file yet.
fn settings(arguments: &InitArguments, context: &Context) -> Result<Settings, CliError> {
    let key_file = arguments.api_key_file.as_ref().map(|path| path.display().to_string());
    // A file named on the command line takes precedence over a key in the environment.
    let no_key = key_file.as_ref().map(|_| "");
    let set = [
        ("TIEOUT_API__BASE_URL", arguments.base_url.as_deref()),
        ("TIEOUT_API__AUTH_URL", arguments.auth_url.as_deref()),
        ("TIEOUT_API__API_KEY_FILE", key_file.as_deref()),
        ("TIEOUT_API_KEY", no_key),
    ];
    Ok(without_file(&context.environment, &set)?)
}

/// The store and the reports that the command line names: a service, and the people beside it, then need
/// the file alone.
fn places(context: &Context) -> BTreeMap<&'static str, String> {
    let (db, out) = (context.global.db.as_deref(), context.global.out.as_deref());
    let named = [("store.path", db), ("reports.dir", out)];
    named.into_iter().filter_map(|(key, path)| Some((key, quoted(&absolute(path?))))).collect()
}

fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::AlreadyExists => CliError::ConfigExists { file: file.to_owned() },
        _ => CliError::ConfigFile { file: file.to_owned(), source },
    };
    let mut created =
        std::fs::OpenOptions::new().write(true).create_new(true).open(file).map_err(failed)?;
    created.write_all(text.as_bytes()).map_err(failed)
}
