//! Values that several sections share: identifiers, paths, separators, date formats, time zones
//! and calendars, each read from its table and checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::format::{Parsed, StrftimeItems};
use chrono::{FixedOffset, NaiveDate, TimeZone};
use chrono_tz::Tz;

use super::error::{ConfigError, Place};
use super::nearest::nearest;
use super::tree::{Entry, Node, Table, declared, quote};
use tieout_model::Severity;
use tieout_model::calendar::CalendarName;

/// The calendar that the table names; the schema knows no other names.
pub(super) fn calendar(table: &Table) -> Option<CalendarName> {
    table.word("calendar")?.parse().ok()
}

/// A path: relative to the file that names it, or to the working directory when the
/// environment does.
pub(super) fn path(table: &Table, name: &str, folder: &Path) -> Option<PathBuf> {
    let (text, place) = table.text(name)?;
    Some(match place {
        Place::File { .. } | Place::Default => folder.join(text),
        Place::Variable(_) => PathBuf::from(text),
    })
}

/// The IANA time zone in the key `name` of a table; `key` is the path of the table.
pub(super) fn time_zone(table: &Table, name: &str, key: &str) -> Result<Option<Tz>, ConfigError> {
    let Some((text, place)) = table.text(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| ConfigError::Value {
        place: place.clone(),
        key: if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") },
        expected: "an IANA time zone".to_owned(),
        found: quote(text),
        hint: nearest(text, chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()))
            .map(|zone| format!("the nearest known one is \"{zone}\"").into()),
    })
}

/// The texts of a table with free keys.
pub(super) fn words(table: &Table) -> BTreeMap<String, String> {
    let text = |(name, entry): (&String, &Entry)| match &entry.node {
        Node::Text(text) => Some((name.clone(), text.clone())),
        _ => None,
    };
    table.0.iter().filter_map(text).collect()
}

/// The path of a section, which has no default.
pub(super) fn required_path(
    entry: &Entry,
    key: &str,
    folder: &Path,
) -> Result<PathBuf, ConfigError> {
    path(entry.table(), "path", folder).ok_or_else(|| ConfigError::Missing {
        place: entry.place.clone(),
        key: format!("{key}.path"),
    })
}

/// A separator: one ASCII character that cannot occur in a number, word or quoted cell.
pub(super) fn single_char(table: &Table, key: &str, field: &str) -> Result<char, ConfigError> {
    let (text, place) = declared(table.text(field));
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii() && !c.is_ascii_alphanumeric() && !"\"\r\n-".contains(c) => {
            Ok(c)
        }
        _ => Err(ConfigError::Value {
            place: place.clone(),
            key: format!("{key}.{field}"),
            expected: "one character other than a letter, digit, minus or quote".to_owned(),
            found: quote(text),
            hint: None,
        }),
    }
}

/// A format that names day, month and year, or a moment; it must read back the text that it writes.
pub(super) fn date_format(table: &Table, key: &str) -> Result<String, ConfigError> {
    let (format, place) = declared(table.text("date_format"));
    if reads_back(format) {
        return Ok(format.to_owned());
    }
    Err(ConfigError::Value {
        place: place.clone(),
        key: format!("{key}.date_format"),
        expected: "day, month and year such as \"%Y-%m-%d\" or \"%d.%m.%Y\"".to_owned(),
        found: quote(format),
        hint: None,
    })
}

fn reads_back(format: &str) -> bool {
    use std::fmt::Write as _;
    let moment = FixedOffset::east_opt(3_600)
        .and_then(|zone| zone.with_ymd_and_hms(2026, 11, 20, 13, 5, 9).single());
    let Some(moment) = moment else { return false };
    let (mut text, mut parsed) = (String::new(), Parsed::new());
    // The permissive offset can be parsed but not written.
    let written = format.replace("%#z", "%z");
    if write!(text, "{}", moment.format(&written)).is_err()
        || chrono::format::parse(&mut parsed, &text, StrftimeItems::new(format)).is_err()
    {
        return false;
    }
    let moment_read = || parsed.to_naive_datetime_with_offset(0).map(|read| read.date());
    let read = parsed.to_naive_date().or_else(|_| moment_read());
    read.ok() == NaiveDate::from_ymd_opt(2026, 11, 20)
}

/// A required name: not empty, without blanks around it.
pub(super) fn identifier(entry: &Entry, field: &str, key: &str) -> Result<String, ConfigError> {
    let missing =
        |place: &Place| ConfigError::Missing { place: place.clone(), key: key.to_owned() };
    let (text, place) = entry.table().text(field).ok_or_else(|| missing(&entry.place))?;
    if text.is_empty() || text.trim() != text || text.contains(char::is_control) {
        return Err(ConfigError::Value {
            place: place.clone(),
            key: key.to_owned(),
            expected: "text without blanks around it".to_owned(),
            found: quote(text),
            hint: None,
        });
    }
    Ok(text.to_owned())
}

/// A level that is not a severity is `off`: the schema allows no other word.
pub(super) fn checks(table: &Table) -> BTreeMap<String, Option<Severity>> {
    let level = |code: &String| table.word(code).map(Severity::from_name);
    table.0.keys().filter_map(|code| Some((code.clone(), level(code)?))).collect()
}
