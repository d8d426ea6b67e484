//! Addresses of services: encrypted, except to this machine itself. A notice's address may
//! carry a secret in its path and is never shown.

use std::net::IpAddr;

use reqwest::Url;

use super::error::ConfigError;
use super::tree::{Table, quote};

/// The base address of the API or of its token service, without a trailing slash.
pub(super) fn of_api(table: &Table, name: &str) -> Result<Option<String>, ConfigError> {
    let checked = checked(table, "api", name, quote)?;
    let Some(url) = checked else { return Ok(None) };
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused(table, "api", name, "a URL without ? and #", quote));
    }
    Ok(Some(url.as_str().trim_end_matches('/').to_owned()))
}

/// The address of a webhook or heartbeat.
pub(super) fn of_notice(table: &Table, name: &str) -> Result<Option<String>, ConfigError> {
    let hidden = |_: &str| "something else (not shown, it may hold a secret)".to_owned();
    Ok(checked(table, "notify", name, hidden)?.map(Into::into))
}

fn checked(
    table: &Table,
    section: &str,
    name: &str,
    show: impl Fn(&str) -> String,
) -> Result<Option<Url>, ConfigError> {
    let Some((text, _)) = table.text(name) else { return Ok(None) };
    let Ok(url) = Url::parse(text) else {
        return Err(refused(table, section, name, "an https:// URL", show));
    };
    if !url.username().is_empty() || url.password().is_some() {
        let hidden = |_: &str| "one with them (not shown)".to_owned();
        return Err(refused(table, section, name, "a URL without user and password", hidden));
    }
    match url.scheme() {
        "https" => Ok(Some(url)),
        "http" if is_loopback(&url) => Ok(Some(url)),
        "http" => {
            let expected = "https:// (plain http:// to loopback addresses only)";
            Err(refused(table, section, name, expected, show))
        }
        _ => Err(refused(table, section, name, "an https:// URL", show)),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn refused(
    table: &Table,
    section: &str,
    name: &str,
    expected: &str,
    show: impl Fn(&str) -> String,
) -> ConfigError {
    let key = format!("{section}.{name}");
    match table.text(name) {
        Some((text, place)) => ConfigError::Value {
            place: place.clone(),
            key,
            expected: expected.to_owned(),
            found: show(text),
            hint: None,
        },
        None => unreachable!("{key} was read before it was refused"),
    }
}
