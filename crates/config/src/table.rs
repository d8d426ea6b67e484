//! The keys that say how a table is read, the same for a ledger and for a bank's CSV or XLSX.

use std::collections::BTreeMap;

use super::TableSettings;
use super::error::ConfigError;
use super::fields::{date_format, single_char, time_zone, words};
use super::tree::{Entry, Table, quote};
use encoding_rs::Encoding;

/// The table settings of one of `[[ledgers]]` or `[[banks]]`, which stands under `key`.
pub(super) fn settings(entry: &Entry, key: &str) -> Result<TableSettings, ConfigError> {
    let table = entry.table();
    let separator = |field, default| single_char(table, key, field).map(|c| c.unwrap_or(default));
    let decimal = separator("decimal", '.')?;
    let thousands = separator("thousands", if decimal == '.' { ',' } else { '.' })?;
    if decimal == thousands {
        return Err(ConfigError::Value {
            place: entry.place.clone(),
            key: format!("{key}.thousands"),
            expected: "another character than decimal".to_owned(),
            found: quote(&decimal.to_string()),
            hint: None,
        });
    }
    Ok(TableSettings {
        delimiter: separator("delimiter", ',')?,
        decimal,
        thousands,
        date_format: date_format(table, key)?,
        time_zone: time_zone(table, "time_zone", key)?,
        times_in: time_zone(table, "times_in", key)?,
        has_header: table.flag("header", true),
        encoding: encoding(table, key)?,
        has_reversed_sign: table.flag("reversed_sign", false),
        unused: unused(table),
        skip_lines: table.number("skip_lines", 0),
        sheet: table.word("sheet").map(str::to_owned),
        columns: words(table.table("columns")),
        values: table.table("values").0.iter().map(mapping).collect(),
    })
}

/// The encoding by any of its names in the Encoding Standard.
fn encoding(table: &Table, key: &str) -> Result<Option<&'static Encoding>, ConfigError> {
    let Some((label, place)) = table.text("encoding") else { return Ok(None) };
    Encoding::for_label(label.as_bytes()).map(Some).ok_or_else(|| ConfigError::Value {
        place: place.clone(),
        key: format!("{key}.encoding"),
        expected: "an encoding such as \"windows-1252\", \"windows-1251\" or \"utf-16le\""
            .to_owned(),
        found: quote(label),
        hint: None,
    })
}

fn unused(table: &Table) -> Vec<String> {
    let headers = table.list("unused").iter().filter_map(Entry::text);
    headers.map(|(header, _)| header.trim().to_owned()).collect()
}

fn mapping((column, entry): (&String, &Entry)) -> (String, BTreeMap<String, String>) {
    (column.clone(), words(entry.table()))
}
