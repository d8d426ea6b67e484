//! Every fault of the configuration: one line, its place and a remedy. Never shows the value of a
//! key that may hold a secret.

use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

use tieout_model::MerchantId;

/// The place of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of the configuration file, counted from one.
    File { path: PathBuf, line: usize },
    /// An environment variable, by its whole name.
    Variable(String),
    /// The default of a key that nothing sets.
    Default,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Variable(name) => formatter.write_str(name),
            Self::Default => formatter.write_str("default"),
        }
    }
}

/// The reason why the settings cannot be resolved. At this point nothing has been read or written.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration file {}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the configuration file {} is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("the configuration has {} faults", .0.len())]
    Several(Vec<ConfigError>),
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
    DuplicateMerchant { place: Place, id: MerchantId },
    #[error("{place}: terminal {terminal} is listed for merchants {merchant} and {other}")]
    SharedTerminal { place: Place, terminal: String, merchant: MerchantId, other: MerchantId },
    #[error("{place}: ledger {name} is defined twice")]
    DuplicateLedger { place: Place, name: String },
    #[error("{place}: merchant {merchant} names ledger {ledger}, which is not defined")]
    UnknownLedger { place: Place, merchant: MerchantId, ledger: String, nearest: Option<String> },
}

/// Faults that are collected, so that a person sees all of them at once.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<ConfigError>);

impl Faults {
    /// The value, or `None` for a fault, which is collected.
    pub fn note<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|fault| self.add(fault)).ok()
    }

    /// Keeps a fault.
    pub fn add(&mut self, fault: ConfigError) {
        self.0.push(fault);
    }

    /// Removes the faults about missing values.
    pub fn forget_missing(&mut self) {
        self.0.retain(|fault| !matches!(fault, ConfigError::Missing { .. }));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value` if it exists and there is no fault; else all faults.
    pub fn or_value<T>(mut self, value: Option<T>) -> Result<T, ConfigError> {
        match (value, self.0.len()) {
            (Some(value), 0) => Ok(value),
            (_, 1) => Err(self.0.remove(0)),
            _ => Err(ConfigError::Several(self.0)),
        }
    }
}

impl ConfigError {
    /// The faults one by one.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Several(faults) => faults,
            single => std::slice::from_ref(single),
        }
    }

    /// The remedy, when the message does not already state it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { source, .. } if source.kind() == ErrorKind::PermissionDenied => Some(
                "run this as the user of the service, such as sudo -u tieout tieout status, or name \
                 another file with --config"
                    .to_owned(),
            ),
            Self::Unreadable { .. } => Some(
                "name another file with --config, or leave it out to use tieout.toml".to_owned(),
            ),
            // The parser's message for a word without quotes, the most common slip.
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
            Self::Several(_)
            | Self::TooLarge { .. }
            | Self::UnknownKey { .. }
            | Self::Missing { .. }
            | Self::DuplicateMerchant { .. }
            | Self::DuplicateLedger { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_user_is_for_that_user_to_read() {
        let hint = |kind: ErrorKind| {
            let (path, source) = (PathBuf::from("/etc/tieout/tieout.toml"), kind.into());
            ConfigError::Unreadable { path, source }.hint().unwrap()
        };
        assert!(hint(ErrorKind::PermissionDenied).contains("as the user of the service"));
        assert!(!hint(ErrorKind::NotFound).contains("as the user"));
    }
}
