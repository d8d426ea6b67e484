//! Tables for people: columns aligned with blanks, for a terminal or a mail. Knows nothing
//! of what the cells mean.

use std::fmt;

use super::visible::visible;

/// A cell with its colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Styled {
    text: String,
    colour: Colour,
}

/// A colour of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Red,
    Yellow,
    Green,
    Blue,
}

impl Colour {
    /// `text` in this colour, when colours are wanted.
    fn paint(self, text: &str, is_coloured: bool) -> String {
        let code = match self {
            Self::Plain => return text.to_owned(),
            _ if !is_coloured => return text.to_owned(),
            Self::Red => 31,
            Self::Yellow => 33,
            Self::Green => 32,
            Self::Blue => 34,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

impl Styled {
    /// A coloured cell.
    pub fn new(text: impl AsRef<str>, colour: Colour) -> Self {
        Self { text: printable(text.as_ref()), colour }
    }

    /// The text alone, in its colour when colours are wanted.
    pub fn painted(&self, is_coloured: bool) -> String {
        self.colour.paint(&self.text, is_coloured)
    }
}

impl<T: AsRef<str>> From<T> for Styled {
    fn from(text: T) -> Self {
        Self::new(text, Colour::Plain)
    }
}

/// A number with its noun: `1 merchant`, `2 merchants`.
pub fn counted<N: Copy + fmt::Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

/// `text` with escapes for what could steer a terminal, or make it show a line in another order
/// than it is.
pub fn printable(text: &str) -> String {
    visible(text).into_owned()
}

/// On which side the blanks go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// A table that is being filled.
#[derive(Clone, Debug)]
pub struct AlignedTable {
    columns: Vec<Side>,
    rows: Vec<Vec<Styled>>,
}

impl AlignedTable {
    /// A table with a header; `Side::Right` is for figures.
    pub fn new(header: &[(&str, Side)]) -> Self {
        let names = header.iter().map(|(name, _)| Styled::from(name)).collect();
        Self { columns: header.iter().map(|(_, side)| *side).collect(), rows: vec![names] }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When it has not a cell for each column of the header.
    pub fn push(&mut self, row: Vec<Styled>) {
        assert_eq!(row.len(), self.columns.len(), "a row has a cell per column");
        self.rows.push(row);
    }

    /// The rows, one a line, each after `indent`; no blanks at the end of a line.
    pub fn render(&self, indent: &str, is_coloured: bool) -> String {
        let width = |column: usize| {
            self.rows.iter().map(|row| row[column].text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut rendered = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, side), width) in row.iter().zip(&self.columns).zip(&widths) {
                let blanks = " ".repeat(width - cell.text.chars().count());
                let painted = cell.painted(is_coloured);
                let parts = match side {
                    Side::Left => [&painted, &blanks, "  "],
                    Side::Right => [&blanks, &painted, "  "],
                };
                line.extend(parts);
            }
            rendered += indent;
            rendered += line.trim_end();
            rendered.push('\n');
        }
        rendered
    }
}
