//! The reason why a command ended early, with its exit code and remedy.

use std::io;
use std::path::PathBuf;

#[cfg(feature = "sandbox")]
use tieout_sandbox::{SandboxError, WorldError};

use crate::exit::Exit;
use crate::limit;
use crate::night::NightError;
use crate::night::discover::DiscoverError;
use tieout_config::ConfigError;
use tieout_import::files::FileError;
use tieout_import::ledger::LedgerError;
use tieout_model::ShardError;
use tieout_model::clock::ClockError;
use tieout_model::dates::DateError;
use tieout_report::ReportError;

/// An error that ends the program.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    #[error("{} exists already; init never replaces a file", file.display())]
    ConfigExists { file: PathBuf },
    #[error("cannot write {}", file.display())]
    ConfigFile { file: PathBuf, source: io::Error },
    #[error(transparent)]
    Clock(#[from] ClockError),
    #[error("--date: {0}")]
    Date(DateError),
    #[error("{option}: expected one business date, found {found}")]
    OneDate { option: &'static str, found: usize },
    #[error(
        "--older-than: expected days such as 400d, or a date that is not in the future, found \"{text}\""
    )]
    Age { text: String },
    #[error("{}: the copies cannot be read", path.display())]
    Copies {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{}: the older copy cannot be removed", path.display())]
    OldCopy {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{} exists already; a backup never overwrites a file", file.display())]
    BackupExists { file: PathBuf },
    #[error("--min-amount: expected an amount such as 100 or 12.50, found \"{text}\"")]
    Amount { text: String },
    #[error("--code: expected the code of a check, found \"{text}\"")]
    UnknownCode { text: String },
    #[error("--merchant: expected the MID of a configured merchant, found \"{text}\"")]
    UnknownMerchant { text: String },
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Night(#[from] NightError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("--ledger: expected the name of a configured ledger, found \"{name}\"")]
    LedgerUnknown { name: String, known: Vec<String> },
    #[error("--ledger: expected a name, as several ledgers are configured, found nothing")]
    LedgerNotNamed { known: Vec<String> },
    #[error("--bank: expected the name of a configured bank, found \"{name}\"")]
    BankUnknown { name: String, known: Vec<String> },
    #[error("--bank: expected a name, as several banks are configured, found nothing")]
    BankNotNamed { known: Vec<String> },
    #[cfg(feature = "sandbox")]
    #[error(transparent)]
    World(#[from] WorldError),
    #[cfg(feature = "sandbox")]
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("--to: expected the folder of the dataset, as the configuration names none")]
    ExportNowhere,
    #[error("--shard: {0}")]
    Shard(#[from] ShardError),
    #[error("--shard: no [[merchants]] are configured")]
    ShardOfNothing,
    #[error("cannot search for the stores of the shards")]
    Stores(#[source] FileError),
    #[error("--health: cannot listen on {address}")]
    Health { address: std::net::SocketAddr, source: io::Error },
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
    #[error("cannot write the manual pages into {}", folder.display())]
    ManualPages { folder: PathBuf, source: io::Error },
}

impl CliError {
    /// The exit code for the error.
    pub fn exit(&self) -> Exit {
        match self {
            // The options of a world come from the command line.
            Self::Config(_)
            | Self::ConfigExists { .. }
            | Self::Clock(_)
            | Self::Date(_)
            | Self::OneDate { .. }
            | Self::Amount { .. }
            | Self::UnknownCode { .. }
            | Self::UnknownMerchant { .. }
            | Self::Age { .. }
            | Self::BackupExists { .. }
            | Self::LedgerUnknown { .. }
            | Self::LedgerNotNamed { .. }
            | Self::BankUnknown { .. }
            | Self::BankNotNamed { .. }
            | Self::Shard(_)
            | Self::ShardOfNothing
            | Self::ExportNowhere
            | Self::Stores(_) => Exit::Usage,
            #[cfg(feature = "sandbox")]
            Self::World(_) => Exit::Usage,
            #[cfg(feature = "sandbox")]
            Self::Sandbox(_) => Exit::Failed,
            Self::Night(error) => error.exit(),
            Self::Discover(error) => error.exit(),
            Self::Report(_)
            | Self::ConfigFile { .. }
            | Self::Ledger(_)
            | Self::Copies { .. }
            | Self::OldCopy { .. }
            | Self::Health { .. }
            | Self::Runtime(_)
            | Self::Output(_)
            | Self::ManualPages { .. } => Exit::Failed,
        }
    }

    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        self.own_hint().or_else(|| limit::remedy(self).map(str::to_owned))
    }

    fn own_hint(&self) -> Option<String> {
        match self {
            Self::ExportNowhere => Some("name it, as in --to lake, or set [export] dir".to_owned()),
            Self::Config(error) => error.hint(),
            Self::Date(error) => error.hint(),
            Self::Report(error) => error.hint(),
            Self::ConfigExists { .. } => {
                Some("move it away, or name another file with --config".to_owned())
            }
            Self::ConfigFile { source, .. }
            | Self::Copies { cause: source, .. }
            | Self::OldCopy { cause: source, .. } => {
                let remedy = limit::remedy(source).unwrap_or("check the folder and its owner");
                Some(remedy.to_owned())
            }
            Self::Clock(_) => Some("unset it to use this machine's clock".to_owned()),
            Self::Night(error) => error.hint(),
            Self::Discover(error) => error.hint(),
            Self::LedgerUnknown { known, .. } | Self::LedgerNotNamed { known } => {
                Some(match known.as_slice() {
                    [] => "the configuration has no [[ledgers]]".to_owned(),
                    names => format!("configured are {}", names.join(", ")),
                })
            }
            Self::BankUnknown { known, .. } | Self::BankNotNamed { known } => {
                Some(match known.as_slice() {
                    [] => "the configuration has no [[banks]]".to_owned(),
                    names => format!("configured are {}", names.join(", ")),
                })
            }
            Self::Shard(_) => {
                Some("write 1/4, or /4 where JOB_COMPLETION_INDEX has the number".to_owned())
            }
            Self::ShardOfNothing => Some("name the merchants in the configuration".to_owned()),
            Self::Health { .. } => {
                Some("another program may use the port; choose another".to_owned())
            }
            Self::Stores(_) => Some("check the folder and its owner".to_owned()),
            Self::UnknownCode { .. } => Some("tieout checks lists the codes".to_owned()),
            Self::UnknownMerchant { .. } => {
                Some("[[merchants]] in the configuration lists the ids".to_owned())
            }
            #[cfg(feature = "sandbox")]
            Self::World(_) | Self::Sandbox(_) => None,
            // The message itself holds the remedy of a ledger file, with its place.
            Self::Ledger(_)
            | Self::OneDate { .. }
            | Self::Amount { .. }
            | Self::Age { .. }
            | Self::BackupExists { .. }
            | Self::Runtime(_)
            | Self::Output(_)
            | Self::ManualPages { .. } => None,
        }
    }
}
