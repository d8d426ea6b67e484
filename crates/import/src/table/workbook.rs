//! The rows of a sheet of an XLSX workbook, with the types of their cells. Keeps only existing
//! cells, however far apart they are.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use calamine::{DataRef, ExcelDateTime, Reader, SheetVisible, Xlsx};

use super::TableError;
use super::cells::{CellKind, Cells};
use super::cutting::Piece;
use super::unpacked;
use crate::files::open_regular;

/// Digits of a number that a workbook keeps.
const SIGNIFICANT_DIGITS: usize = 15;

/// Names that a message lists.
const MAX_SHEETS_SHOWN: usize = 20;

/// A sheet with more cells is not read: a million rows of thirty columns.
const MAX_CELLS: usize = 32 * 1024 * 1024;

/// A sheet with more bytes of text is not read.
const MAX_TEXT_BYTES: usize = 512 * 1024 * 1024;

/// A wider sheet is not read: rows are filled up to their width.
const MAX_COLUMNS: u32 = 1_024;

/// Opens a workbook from an unknown author: only when its unpacked size is within the limits.
///
/// # Errors
/// The kind of the file, when it is not a readable workbook.
pub fn open_workbook(path: &Path) -> Result<Xlsx<BufReader<File>>, String> {
    let open = || open_regular(path).map(BufReader::new).map_err(|error| error.to_string());
    unpacked::check(open()?)?;
    if !is_workbook(path) {
        return Err("a zip archive of another kind, no workbook".to_owned());
    }
    Xlsx::new(open()?).map_err(|error| format!("a zip archive of another kind ({error})"))
}

/// The rows of a sheet.
pub(super) struct SheetRows {
    /// In order of rows and columns.
    cells: Vec<SheetCell>,
    /// The texts of the cells, concatenated in the order of the workbook.
    text: String,
    /// The first used column, and the number of columns from there on.
    columns: (u32, u32),
    /// The index of the next cell.
    at: usize,
    /// The row that was found last.
    last_row: Option<u32>,
}

/// A cell that is not empty.
struct SheetCell {
    /// Counted from 0.
    row: u32,
    column: u32,
    kind: CellKind,
    start: usize,
    end: usize,
}

impl SheetRows {
    /// Opens the sheet with the given name, else the only visible one.
    pub(super) fn open(path: &Path, sheet: Option<&str>) -> Result<Self, TableError> {
        let wrong = |error: String| TableError::NotAWorkbook(error);
        let mut book = open_workbook(path).map_err(wrong)?;
        let name = sheet_name(&book, sheet)?;
        let mut reader =
            book.worksheet_cells_reader(&name).map_err(|error| wrong(error.to_string()))?;
        let mut rows =
            Self { cells: Vec::new(), text: String::new(), columns: (0, 0), at: 0, last_row: None };
        while let Some(cell) = reader.next_cell().map_err(|error| wrong(error.to_string()))? {
            rows.add(cell.get_position(), cell.get_value());
            if rows.cells.len() > MAX_CELLS || rows.text.len() > MAX_TEXT_BYTES {
                return Err(wrong(format!("a sheet of more than {MAX_CELLS} cells")));
            }
        }
        rows.arrange()?;
        Ok(rows)
    }

    fn add(&mut self, (row, column): (u32, u32), value: &DataRef<'_>) {
        let start = self.text.len();
        let kind = write(value, &mut self.text);
        let end = self.text.len();
        if end > start {
            self.cells.push(SheetCell { row, column, kind, start, end });
        }
    }

    fn arrange(&mut self) -> Result<(), TableError> {
        let place = |cell: &SheetCell| (cell.row, cell.column);
        if !self.cells.is_sorted_by_key(place) {
            self.cells.sort_by_key(place);
        }
        let columns = self.cells.iter().map(|cell| cell.column);
        let (Some(first), Some(last)) = (columns.clone().min(), columns.max()) else {
            return Ok(());
        };
        self.columns = (first, last - first + 1);
        if self.columns.1 > MAX_COLUMNS {
            let found = format!("a sheet of more than {MAX_COLUMNS} columns");
            return Err(TableError::NotAWorkbook(found));
        }
        Ok(())
    }

    /// Skips the first `count` rows of the sheet.
    pub(super) fn skip(&mut self, count: u64) {
        self.at = self.cells.partition_point(|cell| u64::from(cell.row) < count);
    }

    /// Reads the next row that is not blank into `piece`; `false` after the last one.
    pub(super) fn next(&mut self, piece: &mut Piece) -> bool {
        piece.follows_blank = false;
        while let Some(row) = self.cells.get(self.at).map(|cell| cell.row) {
            piece.follows_blank |= self.last_row.is_some_and(|last| last + 1 < row);
            self.last_row = Some(row);
            self.fill(row, &mut piece.cells);
            if !piece.cells.are_blank() {
                (piece.line, piece.lines) = (u64::from(row) + 1, 1);
                piece.is_damaged = false;
                return true;
            }
            piece.follows_blank = true;
        }
        false
    }

    /// The first `count` rows of the sheet as lines of a CSV, including blank ones.
    pub(super) fn first_lines(mut self, count: usize, delimiter: char) -> Vec<String> {
        let (mut lines, mut piece) = (Vec::new(), Piece::default());
        while lines.len() < count && self.next(&mut piece) {
            let above = usize::try_from(piece.line).unwrap_or(count).saturating_sub(1);
            lines.resize(above.clamp(lines.len(), count), String::new());
            let cells = piece.cells.iter();
            let quoted = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
            lines.push(quoted.collect::<Vec<_>>().join(&delimiter.to_string()));
        }
        lines
    }

    /// Fills `cells` with the cells of `row`, and with empty ones where the sheet has none.
    fn fill(&mut self, row: u32, cells: &mut Cells) {
        cells.clear();
        let (first, count) = self.columns;
        for column in first..first + count {
            match self.cells.get(self.at) {
                Some(cell) if (cell.row, cell.column) == (row, column) => {
                    cells.push(&self.text[cell.start..cell.end], cell.kind);
                    self.at += 1;
                }
                _ => cells.push("", CellKind::Text),
            }
            // A cell that a damaged workbook lists twice counts once.
            while self
                .cells
                .get(self.at)
                .is_some_and(|cell| (cell.row, cell.column) == (row, column))
            {
                self.at += 1;
            }
        }
    }
}

/// Checks whether a zip archive is a workbook: it has the part that lists its sheets.
pub(crate) fn is_workbook(path: &Path) -> bool {
    let archive = open_regular(path).ok().and_then(|file| zip::ZipArchive::new(file).ok());
    archive.is_some_and(|archive| archive.index_for_name("xl/workbook.xml").is_some())
}

/// The names of the visible sheets of a workbook.
pub(crate) fn sheets(path: &Path) -> Vec<String> {
    let book = open_workbook(path).ok();
    book.as_ref().map(shown).unwrap_or_default()
}

/// The first `count` rows of a sheet as lines of a CSV.
pub(crate) fn first_lines(path: &Path, sheet: &str, count: usize) -> Vec<String> {
    let rows = SheetRows::open(path, Some(sheet));
    rows.map_or_else(|_| Vec::new(), |rows| rows.first_lines(count, ','))
}

fn shown(book: &Xlsx<BufReader<File>>) -> Vec<String> {
    let sheets = book.sheets_metadata().iter();
    sheets.filter(|one| one.visible == SheetVisible::Visible).map(|one| one.name.clone()).collect()
}

/// The sheet with the given name, else the only visible one.
fn sheet_name(book: &Xlsx<BufReader<File>>, sheet: Option<&str>) -> Result<String, TableError> {
    let shown = shown(book);
    let all = book.sheet_names();
    let name = match (sheet, shown.as_slice()) {
        (Some(wanted), _) => all.iter().find(|name| *name == wanted).cloned(),
        (None, [only]) => Some(only.clone()),
        (None, _) => None,
    };
    name.ok_or_else(|| {
        let found = all.iter().take(MAX_SHEETS_SHOWN).map(|name| format!("\"{name}\""));
        TableError::Sheet { wanted: sheet.map(str::to_owned), found: found.collect() }
    })
}

/// Writes the content of a cell; nothing for an empty one.
fn write(value: &DataRef<'_>, text: &mut String) -> CellKind {
    match value {
        DataRef::Empty => {}
        DataRef::String(word) | DataRef::DurationIso(word) => text.push_str(word),
        DataRef::SharedString(word) => text.push_str(word),
        DataRef::Int(number) => {
            text.push_str(&number.to_string());
            return CellKind::Number;
        }
        DataRef::Float(number) => {
            text.push_str(&decimal(*number));
            return CellKind::Number;
        }
        DataRef::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        DataRef::DateTime(moment) if moment.is_datetime() => {
            text.push_str(&date_text(*moment));
            return CellKind::Date;
        }
        DataRef::DateTime(duration) => text.push_str(&duration.to_string()),
        DataRef::DateTimeIso(moment) => {
            text.push_str(moment);
            return CellKind::Date;
        }
        DataRef::Error(error) => text.push_str(&error.to_string()),
    }
    CellKind::Text
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
