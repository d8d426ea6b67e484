//! How the payments API is reached. Secrets are wrapped so that they cannot be printed.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::{ConfigError, Faults};
use super::fields::path;
use super::tree::Table;
use super::web_address;

/// How to reach the payments API.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Without a trailing slash; `None` when nothing configures it (only `demo` and the
    /// commands that need no API get along without).
    pub base_url: Option<String>,
    pub auth_url: Option<String>,
    pub api_key: Option<ApiKeySource>,
    pub page_size: u32,
    pub max_in_flight: usize,
    /// 0 = no limit.
    pub requests_per_second: u32,
    pub timeout_seconds: u64,
    pub max_attempts: u32,
    pub transactions: TransactionsMode,
}

/// The source of the API key; read on each use, so that a rotated file takes effect.
#[derive(Clone, Debug)]
pub enum ApiKeySource {
    File(PathBuf),
    Environment(Secret),
}

/// A text that never reaches a log, an error or a file.
#[derive(Clone)]
pub struct Secret(zeroize::Zeroizing<String>);

impl Secret {
    /// Wraps `text`.
    pub fn new(text: String) -> Self {
        Self(zeroize::Zeroizing::new(text))
    }

    /// The text itself; only for the header that carries it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

/// Whether `/transactions` is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionsMode {
    Auto,
    Off,
}

pub(super) fn api(
    table: &Table,
    (folder, api_key): (&Path, Option<&str>),
    faults: &mut Faults,
) -> ApiSettings {
    let from_environment = match api_key.map(str::trim) {
        Some(key) if !key.chars().all(|c| c.is_ascii_graphic()) => {
            faults.add(ConfigError::ApiKeyCharacters);
            None
        }
        key => key.map(|key| ApiKeySource::Environment(Secret::new(key.to_owned()))),
    };
    let from_file = || path(table, "api_key_file", folder).map(ApiKeySource::File);
    ApiSettings {
        base_url: faults.note(web_address::of_api(table, "base_url")).flatten(),
        auth_url: faults.note(web_address::of_api(table, "auth_url")).flatten(),
        api_key: from_environment.or_else(from_file),
        page_size: table.number("page_size"),
        max_in_flight: table.number("max_in_flight"),
        requests_per_second: table.number("requests_per_second"),
        timeout_seconds: table.number("timeout_seconds"),
        max_attempts: table.number("max_attempts"),
        transactions: match table.word("transactions") {
            Some("off") => TransactionsMode::Off,
            _ => TransactionsMode::Auto,
        },
    }
}
