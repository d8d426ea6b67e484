//! Arguments that several commands take.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::telemetry::LogFormat;
use tieout_model::Severity;

/// Flags that every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArguments {
    /// Configuration file [default: tieout.toml or /etc/tieout/tieout.toml when one exists, else
    /// built-in defaults]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Database file, in place of store.path
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Folder for reports, in place of reports.dir
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// End with 3 when a discrepancy at or above this level is new or open
    #[arg(long, global = true, value_name = "LEVEL")]
    pub fail_on: Option<FailOn>,
    /// Format of log lines
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormatName,
    /// Print more: -v each merchant, all open discrepancies and warnings, and details in the log;
    /// -vv everything
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Print only problems: -q no summary of a run that ends with 0, and warnings in the log; -qq
    /// only errors
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
    /// Show no progress bars, also on a terminal
    #[arg(long, global = true)]
    pub no_progress: bool,
}

/// The levels of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Info,
    Warning,
    Error,
}

impl From<FailOn> for Severity {
    fn from(level: FailOn) -> Self {
        match level {
            FailOn::Info => Self::Info,
            FailOn::Warning => Self::Warning,
            FailOn::Error => Self::Error,
        }
    }
}

/// The words of `--log-format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormatName {
    Text,
    Json,
}

impl From<LogFormatName> for LogFormat {
    fn from(name: LogFormatName) -> Self {
        match name {
            LogFormatName::Text => Self::Text,
            LogFormatName::Json => Self::Json,
        }
    }
}

/// Which business dates a command is about.
#[derive(Clone, Debug, Args)]
pub struct DateArguments {
    /// Business dates: 2026-11-20, 2026-11-01..2026-11-07, 2026-11, today, yesterday,
    /// -7d..yesterday, or several of these with commas
    #[arg(long, value_name = "DATES", default_value = "yesterday", allow_hyphen_values = true)]
    pub date: String,
}

/// How a command prints its table.
#[derive(Clone, Copy, Debug, Args)]
pub struct TableArguments {
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}
