//! The first lines of an unknown table: their delimiter, and the position of the header.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::names::{Names, is_called};
use crate::table::{Book, formats_of, plain, rows_of};

/// Rows above a header, at most.
const MAX_ROWS_ABOVE: usize = 60;

/// Delimiters, in order of how often files use them.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// A table split into rows and columns.
pub(super) struct Head {
    pub delimiter: char,
    pub skip_lines: u64,
    /// Empty headers for a file without a header.
    pub headers: Vec<String>,
    pub has_header: bool,
    pub rows: Vec<Vec<String>>,
}

impl Head {
    /// The likeliest reading of `lines`; `None` when they are not a table.
    pub(super) fn of(lines: &[String], names: Names, book: Book) -> Option<Self> {
        let text = lines.join("\n");
        let heads = DELIMITERS.into_iter().filter_map(|one| Self::cut(&text, one, (names, book)));
        heads.max_by_key(|(score, _)| *score).map(|(_, head)| head)
    }

    /// The reading with one delimiter, and its likelihood.
    fn cut(text: &str, delimiter: char, (names, book): (Names, Book)) -> Option<(usize, Self)> {
        let rows = rows_of(text.to_owned(), delimiter);
        let mut widths: HashMap<usize, usize> = HashMap::new();
        for (_, row) in rows.iter().filter(|(_, row)| filled(row) > 1) {
            *widths.entry(row.len()).or_default() += 1;
        }
        let (width, count) = widths.into_iter().max_by_key(|(width, count)| (*count, *width))?;
        if width < 2 {
            return None;
        }
        let known = |row: &[String]| {
            let headers: Vec<String> = row.iter().map(|cell| plain(cell)).collect();
            let is_one = |key: &str, known: &[&str], header: &String| {
                known.contains(&header.as_str()) || is_called(key, header, book)
            };
            let names = names.iter();
            names.filter(|(key, known)| headers.iter().any(|one| is_one(key, known, one))).count()
        };
        let may_head = |row: &[String]| filled(row) > 1 && !row.iter().any(|cell| is_date(cell));
        let above =
            rows.iter().take(MAX_ROWS_ABOVE).enumerate().filter(|(_, (_, row))| may_head(row));
        let header = above.map(|(at, (_, row))| (known(row), Reverse(at))).max().filter(
            |(known, Reverse(at))| *known > 1 || (*known == 1 && rows[*at].1.len() == width),
        );
        let score = |known: usize| known * 1_000 + count * (width - 1);
        if let Some((known, Reverse(at))) = header {
            let below = rows[at + 1..].iter().map(|(_, row)| row.clone());
            let rows_below = below.filter(|row| filled(row) > 0).collect();
            let (line, headers) = rows[at].clone();
            let head = Self {
                delimiter,
                skip_lines: line - 1,
                headers,
                has_header: true,
                rows: rows_below,
            };
            return Some((score(known), head));
        }
        let first = rows.iter().position(|(_, row)| row.len() == width && filled(row) > 1)?;
        let has_header = !rows[first].1.iter().any(|cell| is_date(cell));
        let (line, top) = rows[first].clone();
        let headers = if has_header { top } else { vec![String::new(); width] };
        let rows =
            rows[first + usize::from(has_header)..].iter().map(|(_, row)| row.clone()).collect();
        Some((score(0), Self { delimiter, skip_lines: line - 1, headers, has_header, rows }))
    }

    /// The cells of a column that are not empty.
    pub(super) fn column(&self, at: usize) -> Vec<&str> {
        let cells = self.rows.iter().filter_map(|row| row.get(at));
        cells.map(String::as_str).filter(|cell| !cell.is_empty()).collect()
    }

    /// The name of a column in the configuration.
    pub(super) fn name(&self, at: usize) -> String {
        if self.has_header { self.headers[at].trim().to_owned() } else { (at + 1).to_string() }
    }
}

fn filled(row: &[String]) -> usize {
    row.iter().filter(|cell| !cell.is_empty()).count()
}

pub(super) fn is_date(cell: &str) -> bool {
    cell.len() > 5 && !formats_of(&[cell]).is_empty()
}
