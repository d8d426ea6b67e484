//! Addresses of services: encrypted, except to this machine itself. A notice's address may
//! carry a secret in its path and is never shown.

use std::net::IpAddr;

use reqwest::Url;

use super::error::{ConfigError, Place};
use super::tree::{Table, quote};

/// The base address of the API or of its token service, without a trailing slash.
pub(super) fn of_api(table: &Table, name: &str) -> Result<Option<String>, ConfigError> {
    let Some(address) = Address::read(table, "api", name, true) else { return Ok(None) };
    let url = address.checked()?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(address.refused("a URL without ? and #"));
    }
    Ok(Some(url.as_str().trim_end_matches('/').to_owned()))
}

/// The address of a webhook or heartbeat.
pub(super) fn of_notice(table: &Table, name: &str) -> Result<Option<String>, ConfigError> {
    let Some(address) = Address::read(table, "notify", name, false) else { return Ok(None) };
    Ok(Some(address.checked()?.into()))
}

/// An address as it is configured.
struct Address<'a> {
    text: &'a str,
    place: &'a Place,
    key: String,
    is_shown: bool,
}

impl<'a> Address<'a> {
    fn read(table: &'a Table, section: &str, name: &str, is_shown: bool) -> Option<Self> {
        let (text, place) = table.text(name)?;
        // Text before an @ may be a password.
        let is_shown = is_shown && !text.contains('@');
        Some(Self { text, place, key: format!("{section}.{name}"), is_shown })
    }

    fn checked(&self) -> Result<Url, ConfigError> {
        let Ok(url) = Url::parse(self.text) else {
            return Err(self.refused("an https:// URL"));
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.refused("a URL without user and password"));
        }
        match url.scheme() {
            "https" => Ok(url),
            "http" if is_loopback(&url) => Ok(url),
            "http" => Err(self.refused("https:// (plain http:// to loopback addresses only)")),
            _ => Err(self.refused("an https:// URL")),
        }
    }

    fn refused(&self, expected: &str) -> ConfigError {
        ConfigError::Value {
            place: self.place.clone(),
            key: self.key.clone(),
            expected: expected.to_owned(),
            found: if self.is_shown { quote(self.text) } else { "another (not shown)".to_owned() },
            hint: None,
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
