//! Splits a text into cells by the rules of RFC 4180, and reports where it breaks them.

use memchr::memchr;

use super::cells::{Cells, is_blank};

/// How a text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its last cell.
    Whole,
    /// Inside a quote.
    Open,
    /// More than a delimiter follows a closed quote.
    Damaged,
}

/// Splits `text`, a row without its line end, into `cells`.
pub(super) fn split(text: &str, delimiter: u8, cells: &mut Cells) -> End {
    if memchr(b'"', text.as_bytes()).is_none() {
        cells.cut(text, delimiter);
        return End::Whole;
    }
    cells.clear();
    let mut rest = text;
    loop {
        let (is_last, after) = if let Some(quoted) = rest.strip_prefix('"') {
            match quoted_cell(quoted, delimiter, cells) {
                Ok(after) => after,
                Err(end) => return end,
            }
        } else {
            plain_cell(rest, delimiter, cells)
        };
        cells.end();
        if is_last {
            return End::Whole;
        }
        rest = after;
    }
}

/// As `split`, for a row that breaks the rules: a quote that is not closed properly is an ordinary
/// character.
pub(super) fn split_leniently(text: &str, delimiter: u8, cells: &mut Cells) {
    cells.clear();
    let (mut rest, mut scratch) = (text, Cells::default());
    loop {
        scratch.clear();
        let strict = rest.strip_prefix('"').map(|cell| quoted_cell(cell, delimiter, &mut scratch));
        let (is_last, after) = match strict {
            Some(Ok(after)) => {
                scratch.end();
                cells.write(scratch.raw(0));
                after
            }
            _ => plain_cell(rest, delimiter, cells),
        };
        cells.end();
        if is_last {
            return;
        }
        rest = after;
    }
}

fn plain_cell<'a>(rest: &'a str, delimiter: u8, cells: &mut Cells) -> (bool, &'a str) {
    if let Some(length) = memchr(delimiter, rest.as_bytes()) {
        cells.write(&rest[..length]);
        (false, &rest[length + 1..])
    } else {
        cells.write(rest);
        (true, "")
    }
}

/// Writes the cell after its opening quote; returns the text after its delimiter.
fn quoted_cell<'a>(
    quoted: &'a str,
    delimiter: u8,
    cells: &mut Cells,
) -> Result<(bool, &'a str), End> {
    let mut rest = quoted;
    loop {
        let Some(length) = memchr(b'"', rest.as_bytes()) else { return Err(End::Open) };
        cells.write(&rest[..length]);
        let after = &rest[length + 1..];
        if let Some(more) = after.strip_prefix('"') {
            cells.write("\"");
            rest = more;
            continue;
        }
        let length = memchr(delimiter, after.as_bytes());
        let between = &after[..length.unwrap_or(after.len())];
        // Some programs pad their columns.
        if !between.chars().all(|one| is_blank(one) && one != '\n') {
            return Err(End::Damaged);
        }
        return Ok(match length {
            Some(length) => (false, &after[length + 1..]),
            None => (true, ""),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_the_rules_and_says_when_they_are_broken() {
        let cases: [(&str, End, &[&str]); 9] = [
            ("a,b,c", End::Whole, &["a", "b", "c"]),
            ("", End::Whole, &[""]),
            ("a,,", End::Whole, &["a", "", ""]),
            ("\"a,b\",\"c\"\"d\"", End::Whole, &["a,b", "c\"d"]),
            ("\"a\nb\" ,c", End::Whole, &["a\nb", "c"]),
            ("5\" pipe,c", End::Whole, &["5\" pipe", "c"]),
            ("\"a,b", End::Open, &[]),
            ("a,\"b\"c,d", End::Damaged, &["a"]),
            ("\"\"a\",b", End::Damaged, &[]),
        ];
        for (text, end, expected) in cases {
            let mut cells = Cells::default();
            assert_eq!(split(text, b',', &mut cells), end, "{text}");
            assert_eq!(cells.iter().collect::<Vec<_>>(), expected, "{text}");
        }
        for (text, expected) in [("a,\"b\"c,d", 3), ("\"a,b,c", 3), ("\"a,b\",\"c", 2)] {
            let mut cells = Cells::default();
            split_leniently(text, b',', &mut cells);
            assert_eq!(cells.len(), expected, "{text}");
        }
    }
}
