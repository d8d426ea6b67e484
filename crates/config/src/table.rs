//! The keys that say how a table is read, the same for a ledger and for a bank's CSV or XLSX.

use std::collections::BTreeMap;

use super::TableSettings;
use super::error::ConfigError;
use super::fields::{date_format, single_char, time_zone, words};
use super::tree::{Entry, quote};

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
        time_zone: time_zone(table, &format!("{key}.time_zone"))?,
        skip_lines: table.number("skip_lines", 0),
        sheet: table.word("sheet").map(str::to_owned),
        columns: words(table.table("columns")),
        values: table.table("values").0.iter().map(mapping).collect(),
    })
}

fn mapping((column, entry): (&String, &Entry)) -> (String, BTreeMap<String, String>) {
    (column.clone(), words(entry.table()))
}
