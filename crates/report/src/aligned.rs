//! Tables for people: columns aligned with blanks, for a terminal or a mail of 80 columns. Nothing
//! is cut: columns that do not fit are printed below their row, each with its name. Independent of
//! the meaning of the cells.

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
    /// `text` in this colour, if colours are wanted.
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

    /// Number of columns that its text occupies.
    fn width(&self) -> usize {
        self.text.chars().count()
    }

    /// The text, in its colour if colours are wanted.
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

/// `text` with escapes for characters that could control a terminal or reorder a line.
pub fn printable(text: &str) -> String {
    visible(text).into_owned()
}

/// Columns of a usual narrow terminal, and of a mail.
pub const WIDTH: usize = 80;

/// Blanks between two columns, and before lines below a row.
const GAP: usize = 2;

/// The position of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In its column, with blanks after it.
    Left,
    /// In its column, with blanks before it: for figures.
    Right,
    /// Below the row, without the name of its column: for sentences.
    Below,
}

/// A table to which rows are added.
#[derive(Clone, Debug)]
pub struct AlignedTable {
    columns: Vec<Side>,
    rows: Vec<Vec<Styled>>,
}

impl AlignedTable {
    /// A table with a header. A column of sentences below the row needs no name.
    pub fn new(header: &[(&str, Side)]) -> Self {
        let names = header.iter().map(|(name, _)| Styled::from(name)).collect();
        Self { columns: header.iter().map(|(_, side)| *side).collect(), rows: vec![names] }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When the row does not have a cell for each column of the header.
    pub fn push(&mut self, row: Vec<Styled>) {
        assert_eq!(row.len(), self.columns.len(), "a row has a cell per column");
        self.rows.push(row);
    }

    /// The rows, each after `indent`; no blanks at the end of a line.
    pub fn render(&self, indent: &str, is_coloured: bool) -> String {
        self.rendered(indent, is_coloured, 0)
    }

    /// The same without the header.
    pub fn render_rows(&self, indent: &str, is_coloured: bool) -> String {
        self.rendered(indent, is_coloured, 1)
    }

    fn rendered(&self, indent: &str, is_coloured: bool, first: usize) -> String {
        let (beside, spilled) = self.places(indent.len(), first);
        let mut rendered = String::new();
        for (place, row) in self.rows.iter().enumerate().skip(first) {
            let mut line = String::new();
            for &(column, width) in &beside {
                let cell = &row[column];
                let blanks = " ".repeat(width - cell.width());
                let painted = cell.painted(is_coloured);
                line.extend(match self.columns[column] {
                    Side::Right => [blanks, painted],
                    Side::Left | Side::Below => [painted, blanks],
                });
                line += &" ".repeat(GAP);
            }
            rendered += indent;
            rendered += line.trim_end();
            rendered.push('\n');
            if place > 0 {
                rendered += &self.below(row, &spilled, indent);
            }
        }
        rendered
    }

    /// The columns beside each other with their widths, and the columns that do not fit.
    fn places(&self, indent: usize, first: usize) -> (Vec<(usize, usize)>, Vec<usize>) {
        let width = |column: usize| {
            self.rows[first..].iter().map(|row| row[column].width()).max().unwrap_or(0)
        };
        let (mut beside, mut spilled, mut end) = (Vec::new(), Vec::new(), indent);
        for column in (0..self.columns.len()).filter(|at| self.columns[*at] != Side::Below) {
            let width = width(column);
            if spilled.is_empty() && (beside.is_empty() || end + width <= WIDTH) {
                beside.push((column, width));
                end += width + GAP;
            } else {
                spilled.push(column);
            }
        }
        (beside, spilled)
    }

    /// The columns that do not fit beside the row, each with its name, and the row's sentences.
    fn below(&self, row: &[Styled], spilled: &[usize], indent: &str) -> String {
        let named = |column: &usize| {
            let text = &row[*column].text;
            (!text.is_empty()).then(|| format!("{} {text}", self.rows[0][*column].text))
        };
        let named: Vec<String> = spilled.iter().filter_map(named).collect();
        let sentences = row.iter().zip(&self.columns).filter(|(_, side)| **side == Side::Below);
        let sentences = sentences.map(|(cell, _)| cell.text.clone());
        let lines = [named.join(", ")].into_iter().chain(sentences).filter(|text| !text.is_empty());
        lines.map(|text| wrapped(&text, &format!("{indent}{}", " ".repeat(GAP)))).collect()
    }
}

/// `text` in lines of at most [`WIDTH`] columns, each after `indent`; a longer word is not broken.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut end = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if end > 0 && end + 1 + width <= WIDTH {
            lines.push(' ');
            end += 1 + width;
        } else {
            if end > 0 {
                lines.push('\n');
            }
            lines += indent;
            end = indent.chars().count() + width;
        }
        lines += word;
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 4]]) -> AlignedTable {
        use Side::{Below, Left, Right};
        let header = [("id", Left), ("amount", Right), ("order", Left), ("", Below)];
        let mut table = AlignedTable::new(&header);
        for row in rows {
            table.push(row.iter().map(Styled::from).collect());
        }
        table
    }

    #[test]
    fn aligns_what_fits() {
        let text =
            table(&[["1", "1,200.00", "A", ""], ["22", "7.00", "", "Why so."]]).render("", false);
        assert_eq!(text, "id    amount  order\n1   1,200.00  A\n22      7.00\n  Why so.\n");
    }

    #[test]
    fn cuts_nothing_and_needs_no_more_than_a_terminal_has() {
        let (id, order) = ("9".repeat(40), "o".repeat(50));
        let sentence = "word ".repeat(40);
        let text = table(&[[&id, "1.00", &order, sentence.trim()]]).render("  ", false);
        assert!(text.contains(&id) && text.contains(&format!("\n    order {order}\n")), "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.matches("word").count(), 40);
        let long = "x".repeat(200);
        assert_eq!(wrapped(&format!("a {long} b"), " "), format!(" a\n {long}\n b\n"));
    }
}
