//! Compares two workbooks cell by cell. Neither is kept in memory: the cells of both are read side
//! by side, in their order.

use std::fmt;
use std::fs::File;
use std::io::BufReader;

use calamine::{DataRef, Reader, Xlsx, XlsxCellReader};

use tieout_report::aligned::printable;

/// Longer texts are shortened for display.
const MAX_SHOWN: usize = 60;

type Workbook = Xlsx<BufReader<File>>;
/// Row and column, counted from 0.
type Place = (u32, u32);

/// The differences.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// One sentence each, for the first ones.
    pub(super) shown: Vec<String>,
    pub(super) count: u64,
}

impl Differences {
    /// Differences that are described; all are counted.
    const MAX: usize = 20;

    fn add(&mut self, sentence: impl FnOnce() -> String) {
        self.count += 1;
        if self.shown.len() < Self::MAX {
            self.shown.push(sentence());
        }
    }
}

/// Compares the cells of `found` with those of `written`; styles, widths and comments do not count.
///
/// # Errors
/// When one of them cannot be read as a workbook.
pub(super) fn differences(
    found: &mut Workbook,
    written: &mut Workbook,
) -> Result<Differences, String> {
    let mut differences = Differences::default();
    let (has, had) = (found.sheet_names(), written.sheet_names());
    for sheet in has.iter().filter(|sheet| !had.contains(sheet)) {
        differences.add(|| format!("sheet {} is not part of the report", quoted(sheet)));
    }
    for sheet in &had {
        if !has.contains(sheet) {
            differences.add(|| format!("sheet {} is missing", quoted(sheet)));
            continue;
        }
        compare(sheet, found, written, &mut differences)?;
    }
    Ok(differences)
}

fn compare(
    sheet: &str,
    found: &mut Workbook,
    written: &mut Workbook,
    differences: &mut Differences,
) -> Result<(), String> {
    let wrong = |error: calamine::XlsxError| error.to_string();
    let mut found = Cells::of(found.worksheet_cells_reader(sheet).map_err(wrong)?)?;
    let mut written = Cells::of(written.worksheet_cells_reader(sheet).map_err(wrong)?)?;
    loop {
        let place = match (&found.next, &written.next) {
            (None, None) => return Ok(()),
            (Some(one), None) | (None, Some(one)) => one.0,
            (Some(one), Some(other)) => one.0.min(other.0),
        };
        let has = found.take(place)?;
        let had = written.take(place)?;
        if has != had {
            differences.add(|| {
                let (cell, holds, held) = (name(place), shown(has.as_ref()), shown(had.as_ref()));
                format!("cell {cell} of sheet {sheet} {holds} where the report {held}")
            });
        }
    }
}

/// The cells of a sheet that are not empty.
struct Cells<'book> {
    reader: XlsxCellReader<'book, BufReader<File>>,
    next: Option<(Place, Value)>,
}

impl<'book> Cells<'book> {
    fn of(reader: XlsxCellReader<'book, BufReader<File>>) -> Result<Self, String> {
        let mut cells = Self { reader, next: None };
        cells.advance()?;
        Ok(cells)
    }

    /// The value at `place`, when the next cell is there.
    fn take(&mut self, place: Place) -> Result<Option<Value>, String> {
        match self.next.take() {
            Some((own, value)) if own == place => {
                self.advance()?;
                if self.next.as_ref().is_some_and(|next| next.0 <= place) {
                    return Err("its cells are not in their order".to_owned());
                }
                Ok(Some(value))
            }
            other => {
                self.next = other;
                Ok(None)
            }
        }
    }

    fn advance(&mut self) -> Result<(), String> {
        loop {
            let read = self.reader.next_cell_with_formula().map_err(|error| error.to_string())?;
            let Some(cell) = read else { return Ok(()) };
            if let Some(value) = Value::of(&cell.value, cell.formula) {
                self.next = Some((cell.pos, value));
                return Ok(());
            }
        }
    }
}

/// The content of a cell. A date is its number, as a workbook stores it.
#[derive(Debug, PartialEq)]
enum Value {
    Text(String),
    Number(f64),
    Other(String),
    Formula(String),
}

impl Value {
    /// `None` for an empty cell.
    fn of(value: &DataRef<'_>, formula: Option<String>) -> Option<Self> {
        if let Some(formula) = formula.filter(|formula| !formula.is_empty()) {
            return Some(Self::Formula(formula));
        }
        Some(match value {
            DataRef::Empty | DataRef::SharedString("") => return None,
            DataRef::String(text) if text.is_empty() => return None,
            DataRef::String(text) => Self::Text(text.clone()),
            DataRef::SharedString(text) => Self::Text((*text).to_owned()),
            DataRef::Float(number) => Self::Number(*number),
            #[expect(clippy::cast_precision_loss, reason = "a workbook knows no other numbers")]
            DataRef::Int(number) => Self::Number(*number as f64),
            DataRef::DateTime(moment) => Self::Number(moment.as_f64()),
            DataRef::Bool(truth) => Self::Other(truth.to_string()),
            DataRef::Error(error) => Self::Other(error.to_string()),
            DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Self::Other(text.clone()),
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => to.write_str(&quoted(text)),
            Self::Number(number) => write!(to, "{number}"),
            Self::Other(text) => to.write_str(&cut(text)),
            Self::Formula(formula) => write!(to, "the formula {}", quoted(formula)),
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "is empty".to_owned(), |value| format!("has {value}"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

fn cut(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.by_ref().take(MAX_SHOWN).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    format!("{}{more}", printable(&first))
}

/// `H12` for the eighth column of the twelfth row.
fn name((row, column): Place) -> String {
    const LETTERS: u32 = 26;
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % u64::from(LETTERS)).unwrap_or(0);
        letters.push(char::from(b'A' + letter));
        rest = (rest - 1) / u64::from(LETTERS);
    }
    letters.reverse();
    format!("{}{}", letters.into_iter().collect::<String>(), u64::from(row) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cells_as_a_spreadsheet_does() {
        let cases = [
            ((0, 0), "A1"),
            ((11, 7), "H12"),
            ((1, 25), "Z2"),
            ((0, 26), "AA1"),
            ((0, 16_383), "XFD1"),
        ];
        for (place, expected) in cases {
            assert_eq!(name(place), expected);
        }
    }
}
