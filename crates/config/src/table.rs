//! The keys that say how a table is read, the same for a ledger and for a bank's CSV or XLSX.

use std::collections::BTreeMap;

use super::defaults;
use super::error::{ConfigError, Place};
use super::fields::{date_format, single_char, time_zone, words};
use super::keys::LEDGER;
use super::tree::{Entry, Node, Table, declared, quote};
use chrono_tz::Tz;
use encoding_rs::Encoding;

/// How a table that others write is read: CSV, or a sheet of an XLSX workbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSettings {
    pub delimiter: char,
    pub decimal: char,
    pub thousands: char,
    /// As `strftime` writes it; may hold a time of day and an offset.
    pub date_format: String,
    /// The zone that decides the day of a moment; `None`: the merchant's.
    pub time_zone: Option<Tz>,
    /// Lines above the header.
    pub skip_lines: u64,
    /// The sheet of a workbook; `None`: the only one.
    pub sheet: Option<String>,
    /// The zone of times that name none; `None`: the day is taken as written.
    pub times_in: Option<Tz>,
    /// Whether the first row is a header; without one, columns are numbers from 1.
    pub has_header: bool,
    /// `None`: detected from the bytes.
    pub encoding: Option<&'static Encoding>,
    /// Whether a minus in an amount column is money received.
    pub has_reversed_sign: bool,
    /// Headers that are not mapped on purpose.
    pub unused: Vec<String>,
    /// Our column name to the file's header.
    pub columns: BTreeMap<String, String>,
    /// Our column name to (the file's word to ours).
    pub values: BTreeMap<String, BTreeMap<String, String>>,
}

impl Default for TableSettings {
    fn default() -> Self {
        let node = Node::Table(defaults::of(LEDGER));
        declared(settings(&Entry { node, place: Place::Default }, "").ok())
    }
}

/// The table settings of one entry of `[[ledgers]]` or `[[banks]]`; `key` is its path.
pub(super) fn settings(entry: &Entry, key: &str) -> Result<TableSettings, ConfigError> {
    let table = entry.table();
    let separator = |field| single_char(table, key, field);
    let (decimal, mut thousands) = (separator("decimal")?, separator("thousands")?);
    if decimal == thousands && !table.is_set("thousands") {
        thousands = '.';
    }
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
        delimiter: separator("delimiter")?,
        decimal,
        thousands,
        date_format: date_format(table, key)?,
        time_zone: time_zone(table, "time_zone", key)?,
        times_in: time_zone(table, "times_in", key)?,
        has_header: table.flag("header"),
        encoding: encoding(table, key)?,
        has_reversed_sign: table.flag("reversed_sign"),
        unused: unused(table),
        skip_lines: table.number("skip_lines"),
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
