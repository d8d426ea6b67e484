//! The cells of a row, in one buffer that is reused for the next row.

use std::borrow::Cow;

/// The type of a cell in the file; a CSV has only texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    Text,
    /// A number of a workbook, written with a decimal point and without thousands.
    Number,
    /// A date of a workbook, written as `2026-11-20` or `2026-11-20T13:05:00`.
    Date,
}

/// The cells of one row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    text: String,
    ends: Vec<usize>,
    /// Bytes between two cells: 1 when `text` is a line with its delimiters.
    gap: usize,
    /// Empty when all cells are texts.
    kinds: Vec<CellKind>,
}

impl Cells {
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.gap = 0;
        self.kinds.clear();
    }

    /// Takes a whole line without quotes.
    pub(super) fn cut(&mut self, line: &str, delimiter: u8) {
        self.clear();
        self.gap = 1;
        self.text.push_str(line);
        self.ends.extend(memchr::memchr_iter(delimiter, line.as_bytes()));
        self.ends.push(line.len());
    }

    /// Appends to the current cell.
    pub(super) fn write(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// Ends the current cell.
    pub(super) fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Adds a whole cell of a workbook.
    pub(super) fn push(&mut self, cell: &str, kind: CellKind) {
        self.write(cell);
        self.end();
        self.kinds.push(kind);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The cell as in the file; empty beyond the last one.
    pub fn raw(&self, position: usize) -> &str {
        let Some(&end) = self.ends.get(position) else { return "" };
        let before = position.checked_sub(1).and_then(|before| self.ends.get(before));
        self.text.get(before.map_or(0, |before| before + self.gap)..end).unwrap_or("")
    }

    /// The cell without surrounding spaces and without a spreadsheet's wrapping (`="00123"`, a
    /// leading `'`).
    pub fn get(&self, position: usize) -> &str {
        unwrapped(trimmed(self.raw(position)))
    }

    pub fn kind(&self, position: usize) -> CellKind {
        self.kinds.get(position).copied().unwrap_or(CellKind::Text)
    }

    /// Every cell, as [`Cells::get`] returns it.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|position| self.get(position))
    }

    pub(crate) fn are_blank(&self) -> bool {
        self.iter().all(str::is_empty)
    }
}

/// `text` without spaces and invisible marks around it.
pub(super) fn trimmed(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if is_plain(bytes.first()) && is_plain(bytes.last()) {
        return text;
    }
    text.trim_matches(is_blank)
}

/// Checks for white space of every kind, and for invisible marks.
pub(super) fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}')
        || matches!(character, '\u{feff}' | '\u{ad}')
}

fn unwrapped(text: &str) -> &str {
    match text.as_bytes() {
        [b'=', b'"', .., b'"'] if text.len() > 2 => trimmed(&text[2..text.len() - 1]),
        [b'\'', _, ..] => trimmed(&text[1..]),
        _ => text,
    }
}

/// `text` for comparing headers and words: without surrounding spaces, with one space for several
/// inside (a header may have line breaks), in lower case.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    let text = trimmed(text);
    let is_plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase() && byte >= b' ';
    if text.bytes().all(is_plain) && !text.contains("  ") {
        Cow::Borrowed(text)
    } else {
        let words: Vec<&str> = text.split_whitespace().collect();
        Cow::Owned(words.join(" ").to_lowercase())
    }
}

/// Checks whether both are equal when folded.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    let (one, other) = (trimmed(one), trimmed(other));
    // A single word, as in nearly every cell and header, needs no copy.
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_word(one) && is_word(other) {
        one.eq_ignore_ascii_case(other)
    } else {
        folded(one) == folded(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwraps_what_a_spreadsheet_has_wrapped() {
        let mut cells = Cells::default();
        for cell in ["=\"00123\"", "'0042", " \u{a0}x\u{200b} ", "=\"\"", "'", "a'b"] {
            cells.write(cell);
            cells.end();
        }
        let found: Vec<&str> = cells.iter().collect();
        assert_eq!(found, ["00123", "0042", "x", "", "'", "a'b"]);
        assert_eq!(cells.get(9), "");
    }
}
