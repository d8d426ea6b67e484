//! The bank statements that merchants name.

use std::path::Path;

use super::error::{ConfigError, Faults};
use super::fields::{identifier, required_path};
use super::table;
use super::tree::{Entry, quote};
use super::{BankFormat, BankSettings};

/// Shorter names would match lines of other originators.
const MIN_ORIGINATOR_CHARACTERS: usize = 3;

/// The defined bank sections, in the order of the file.
pub(super) fn banks(entries: &[Entry], folder: &Path, faults: &mut Faults) -> Vec<BankSettings> {
    let mut banks: Vec<BankSettings> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let bank = faults.note(bank(entry, &format!("banks[{index}]"), folder));
        let Some(bank) = bank else { continue };
        if banks.iter().any(|known| known.name == bank.name) {
            faults.add(ConfigError::Value {
                place: entry.place.clone(),
                key: format!("banks[{index}].name"),
                expected: "a name of its own".to_owned(),
                found: quote(&bank.name),
                hint: None,
            });
        }
        banks.push(bank);
    }
    banks
}

fn bank(entry: &Entry, key: &str, folder: &Path) -> Result<BankSettings, ConfigError> {
    let fields = entry.table();
    let wrong = |field: &str, expected: &str, found: &str| ConfigError::Value {
        place: entry.place.clone(),
        key: format!("{key}.{field}"),
        expected: expected.to_owned(),
        found: quote(found),
        hint: None,
    };
    let account = fields.word("account").map(str::to_owned);
    if let Some(account) = &account
        && !(account.len() == 4 && account.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    {
        // Neither the configuration nor a message may hold a whole account number.
        return Err(wrong("account", "the last four characters of the account", "another text"));
    }
    Ok(BankSettings {
        name: identifier(entry, "name", &format!("{key}.name"))?,
        path: required_path(entry, key, folder)?,
        format: fields.word("format").and_then(BankFormat::from_name),
        originators: originators(entry, key)?,
        account,
        table: table::settings(entry, key)?,
    })
}

fn originators(entry: &Entry, key: &str) -> Result<Vec<String>, ConfigError> {
    let names: Vec<String> = entry
        .table()
        .list("originators")
        .iter()
        .filter_map(Entry::text)
        .map(|(name, _)| name.to_owned())
        .collect();
    let key = format!("{key}.originators");
    if names.is_empty() {
        return Err(ConfigError::Missing { place: entry.place.clone(), key });
    }
    let is_short = |name: &&String| {
        name.chars().filter(|one| one.is_alphanumeric()).count() < MIN_ORIGINATOR_CHARACTERS
    };
    if let Some(short) = names.iter().find(is_short) {
        return Err(ConfigError::Value {
            place: entry.place.clone(),
            key,
            expected: "names of three letters or digits at least".to_owned(),
            found: quote(short),
            hint: None,
        });
    }
    Ok(names)
}
