//! Every fault of the configuration: one line, its place and a remedy. Never shows the value of a
//! key that may hold a secret.

use std::fmt;
use std::path::PathBuf;

/// Where a setting stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of the configuration file, counted from one.
    File { path: PathBuf, line: usize },
    /// An environment variable, by its whole name.
    Variable(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Variable(name) => formatter.write_str(name),
        }
    }
}

/// Why the settings cannot be resolved. Nothing has been read or written by then.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration file {}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the configuration file {} is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{place}: not valid TOML: {message}")]
    Syntax { place: Place, message: String },
    #[error("{place}: unknown key {key}, the nearest known one is {nearest}")]
    UnknownKey { place: Place, key: String, nearest: String },
    #[error("{place}: unknown check {code}, the nearest known one is {nearest}")]
    UnknownCheck { place: Place, code: String, nearest: String },
    #[error("unknown environment variable {name}, the nearest known one is {nearest}")]
    UnknownVariable { name: String, nearest: String },
    #[error("{place}: {key} expects {expected}, found {found}")]
    Value { place: Place, key: String, expected: String, found: String, hint: Option<Box<str>> },
    #[error("{place}: {key} is required and missing")]
    Missing { place: Place, key: String },
    #[error("{place}: the configuration must not hold an API key ({key})")]
    ApiKeyInConfiguration { place: Place, key: String },
    #[error("TIEOUT_API_KEY expects visible ASCII characters, found something else")]
    ApiKeyCharacters,
    #[error("{place}: merchant {id} is configured twice")]
    DuplicateMerchant { place: Place, id: String },
    #[error("{place}: terminal {terminal} stands under merchant {merchant} and under {other}")]
    SharedTerminal { place: Place, terminal: String, merchant: String, other: String },
    #[error("{place}: ledger {name} is defined twice")]
    DuplicateLedger { place: Place, name: String },
    #[error("{place}: merchant {merchant} names ledger {ledger}, which is not defined")]
    UnknownLedger { place: Place, merchant: String, ledger: String, nearest: Option<String> },
}

impl ConfigError {
    /// What to do about it, when there is more to say than the message does.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => Some(
                "name another file with --config, or leave it out to use tieout.toml".to_owned(),
            ),
            // The parser says this of a word without quotes, the usual slip.
            Self::Syntax { message, .. } => message
                .contains("quoted")
                .then(|| "write text in double quotes: key = \"value\"".to_owned()),
            Self::UnknownCheck { .. } => Some("`tieout checks` lists every code".to_owned()),
            Self::UnknownVariable { .. } => Some(
                "TIEOUT_ and the key's path in upper case, joined with two underscores: \
                 TIEOUT_API__BASE_URL"
                    .to_owned(),
            ),
            Self::Value { hint, .. } => hint.as_deref().map(str::to_owned),
            Self::ApiKeyInConfiguration { .. } => Some(
                "put it into the file that api.api_key_file names, or into TIEOUT_API_KEY, and \
                 have it replaced, because it was written down"
                    .to_owned(),
            ),
            Self::ApiKeyCharacters => {
                Some("look for a line break or a quote that was copied with it".to_owned())
            }
            Self::SharedTerminal { .. } => {
                Some("a processing terminal belongs to one merchant".to_owned())
            }
            Self::UnknownLedger { nearest: Some(nearest), .. } => {
                Some(format!("the nearest defined one is {nearest}"))
            }
            Self::UnknownLedger { ledger, nearest: None, .. } => {
                Some(format!("add [[ledgers]] with name = \"{ledger}\""))
            }
            Self::TooLarge { .. }
            | Self::UnknownKey { .. }
            | Self::Missing { .. }
            | Self::DuplicateMerchant { .. }
            | Self::DuplicateLedger { .. } => None,
        }
    }
}
