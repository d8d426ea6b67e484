//! Suggests a setting when the header is not where, or not as, the mapping expects it.

use super::cells::{Cells, are_alike, trimmed};
use super::columns::{Wanted, header_of};
use super::split::{End, split};
use tieout_config::TableSettings;

/// Lines that are searched for the header.
pub(super) const LINES_SEARCHED: usize = 100;

/// Delimiters that a file might use in place of the configured one.
const DELIMITERS: [char; 5] = [',', ';', '\t', '|', ':'];

/// The setting with which the first `lines` of a file have a header with the wanted columns.
pub(super) fn suggestion(
    lines: &[String],
    settings: &TableSettings,
    wanted: Wanted,
) -> Option<String> {
    let headers: Vec<&str> = headers(settings, wanted);
    let delimiters = std::iter::once(settings.delimiter).chain(DELIMITERS);
    for delimiter in delimiters.filter(char::is_ascii) {
        let at = lines.iter().position(|line| holds(line, delimiter, &headers));
        if let Some(at) = at {
            let lines = (at as u64 != settings.skip_lines).then(|| format!("skip_lines = {at}"));
            let delimiter = (delimiter != settings.delimiter)
                .then(|| format!("delimiter = \"{}\"", delimiter.escape_default()));
            let keys: Vec<String> = lines.into_iter().chain(delimiter).collect();
            return (!keys.is_empty()).then(|| format!("set {}", keys.join(" and ")));
        }
    }
    let separator = lines.first().and_then(|line| separator_line(line))?;
    Some(format!(
        "the first line names the delimiter: set skip_lines = 1 and delimiter = \"{separator}\""
    ))
}

/// Another delimiter in a header of one cell.
pub(super) fn other_delimiter(header: &str, configured: char) -> Option<char> {
    let others = DELIMITERS.into_iter().filter(|other| *other != configured && *other != ':');
    others
        .max_by_key(|other| header.matches(*other).count())
        .filter(|other| header.contains(*other))
}

/// The delimiter in a line `sep=;`, as some spreadsheets write it.
fn separator_line(line: &str) -> Option<String> {
    let line = trimmed(line).trim_matches('"');
    let rest =
        line.get(..4).filter(|start| start.eq_ignore_ascii_case("sep=")).and(line.get(4..))?;
    rest.chars().next().map(|one| one.escape_default().to_string())
}

fn headers(settings: &TableSettings, wanted: Wanted) -> Vec<&str> {
    let mut headers: Vec<&str> =
        wanted.needed.iter().map(|column| header_of(settings, column)).collect();
    headers.extend(settings.columns.values().map(|header| header.trim()));
    headers.sort_unstable();
    headers.dedup();
    headers
}

fn holds(line: &str, delimiter: char, headers: &[&str]) -> bool {
    let mut cells = Cells::default();
    let Ok(delimiter) = u8::try_from(delimiter) else { return false };
    split(line, delimiter, &mut cells) == End::Whole
        && headers.iter().all(|header| cells.iter().any(|cell| are_alike(cell, header)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted { needed: &["date"], optional: &[], is_split_whole: false };

    fn suggested(text: &str, delimiter: char, skip_lines: u64) -> Option<String> {
        let settings = TableSettings {
            delimiter,
            skip_lines,
            columns: [("amount".to_owned(), "Amount".to_owned())].into(),
            ..TableSettings::default()
        };
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        suggestion(&lines, &settings, WANTED)
    }

    #[test]
    fn names_the_keys_to_set() {
        let cases = [
            ("Date;Text;Amount\n", ',', 0, "set delimiter = \";\""),
            ("sep=;\nDate;Text;Amount\n", ',', 0, "set skip_lines = 1 and delimiter = \";\""),
            ("Account,1\n\nDate,Text,Amount\n", ',', 0, "set skip_lines = 2"),
            ("Date,Text,Amount\n2026,x,1\n", ',', 1, "set skip_lines = 0"),
            ("Date\tAmount\n", ',', 0, "set delimiter = \"\\t\""),
        ];
        for (text, delimiter, skip_lines, expected) in cases {
            assert_eq!(suggested(text, delimiter, skip_lines).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(suggested("Day,Text,Amount\n", ',', 0), None);
        let unknown = suggested("sep=;\nTag;Betrag\n", ',', 0).unwrap();
        assert!(unknown.ends_with("set skip_lines = 1 and delimiter = \";\""), "{unknown}");
        assert_eq!(other_delimiter("a;b;c", ','), Some(';'));
        assert_eq!(other_delimiter("abc", ','), None);
    }
}
