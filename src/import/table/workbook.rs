//! The rows of a sheet of an XLSX workbook, with what the workbook says that each cell is.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use calamine::{Data, ExcelDateTime, Range, Reader, SheetVisible, Xlsx};

use super::TableError;
use super::cells::{CellKind, Cells};
use super::cutting::Piece;
use crate::import::files::open_regular;

/// Digits of a number that a workbook keeps.
const SIGNIFICANT_DIGITS: usize = 15;

/// Names that a message lists.
const MAX_SHEETS_SHOWN: usize = 20;

/// The rows of a sheet.
pub(super) struct SheetRows {
    range: Range<Data>,
    /// The next row of the range.
    at: usize,
}

impl SheetRows {
    /// Opens the sheet of that name, else the only one that is shown.
    pub(super) fn open(path: &Path, sheet: Option<&str>) -> Result<Self, TableError> {
        let wrong = |error: String| TableError::NotAWorkbook(error);
        let file = open_regular(path).map_err(|error| wrong(error.to_string()))?;
        let mut book: Xlsx<BufReader<File>> = Xlsx::new(BufReader::new(file))
            .map_err(|error| wrong(format!("a zip archive of another kind ({error})")))?;
        let shown: Vec<String> = book
            .sheets_metadata()
            .iter()
            .filter(|one| one.visible == SheetVisible::Visible)
            .map(|one| one.name.clone())
            .collect();
        let all = book.sheet_names();
        let name = match (sheet, shown.as_slice()) {
            (Some(wanted), _) => all.iter().find(|name| *name == wanted).cloned(),
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        };
        let Some(name) = name else {
            let found = all.iter().take(MAX_SHEETS_SHOWN).map(|name| format!("\"{name}\""));
            let wanted = sheet.map(str::to_owned);
            return Err(TableError::Sheet { wanted, found: found.collect() });
        };
        let range = book.worksheet_range(&name).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { range, at: 0 })
    }

    /// Passes over the first `count` rows of the sheet.
    pub(super) fn skip(&mut self, count: u64) {
        let above = u64::from(self.range.start().map_or(0, |(row, _)| row));
        self.at = usize::try_from(count.saturating_sub(above)).unwrap_or(usize::MAX);
    }

    /// Puts the next row that is not blank into `piece`; `false` after the last one.
    pub(super) fn next(&mut self, piece: &mut Piece) -> bool {
        let above = u64::from(self.range.start().map_or(0, |(row, _)| row));
        piece.follows_blank = false;
        while let Some(row) = self.range.rows().nth(self.at) {
            self.at += 1;
            fill(&mut piece.cells, row);
            if !piece.cells.are_blank() {
                (piece.line, piece.lines) = (above + self.at as u64, 1);
                piece.is_damaged = false;
                return true;
            }
            piece.follows_blank = true;
        }
        false
    }
}

fn fill(cells: &mut Cells, row: &[Data]) {
    cells.clear();
    for cell in row {
        match cell {
            Data::Empty => cells.push("", CellKind::Text),
            Data::String(text) | Data::DurationIso(text) => cells.push(text, CellKind::Text),
            Data::Int(number) => cells.push(&number.to_string(), CellKind::Number),
            Data::Float(number) => cells.push(&decimal(*number), CellKind::Number),
            Data::Bool(truth) => cells.push(&truth.to_string(), CellKind::Text),
            Data::DateTime(moment) if moment.is_datetime() => {
                cells.push(&date_text(*moment), CellKind::Date);
            }
            Data::DateTime(duration) => cells.push(&duration.to_string(), CellKind::Text),
            Data::DateTimeIso(text) => cells.push(text, CellKind::Date),
            Data::Error(error) => cells.push(&error.to_string(), CellKind::Text),
        }
    }
}

fn date_text(moment: ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) {
        date
    } else {
        format!("{date}T{hour:02}:{minute:02}:{second:02}")
    }
}

/// The number as the workbook shows it: fifteen digits, without an exponent.
fn decimal(number: f64) -> String {
    let plain = number.to_string();
    if plain.bytes().filter(u8::is_ascii_digit).count() <= SIGNIFICANT_DIGITS {
        return plain;
    }
    let rounded = format!("{number:.*e}", SIGNIFICANT_DIGITS - 1);
    expanded(&rounded).unwrap_or(plain)
}

/// `-1.2300e2` as `-123`.
fn expanded(scientific: &str) -> Option<String> {
    let (mantissa, exponent) = scientific.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let point = exponent.checked_add(1)?;
    if point <= 0 {
        let zeros = "0".repeat(usize::try_from(-point).ok()?);
        return Some(format!("{sign}0.{zeros}{digits}"));
    }
    let point = usize::try_from(point).ok()?;
    if digits.len() <= point {
        return Some(format!("{sign}{digits}{}", "0".repeat(point - digits.len())));
    }
    Some(format!("{sign}{}.{}", &digits[..point], &digits[point..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_numbers_as_the_workbook_shows_them() {
        let cases = [
            (1234.5, "1234.5"),
            (0.1 + 0.2, "0.3"),
            (-1_234.560_000_000_000_1, "-1234.56"),
            (6_137_600.0, "6137600"),
            (1e21, "1000000000000000000000"),
            (0.000_012, "0.000012"),
        ];
        for (number, expected) in cases {
            assert_eq!(decimal(number), expected);
        }
    }
}
