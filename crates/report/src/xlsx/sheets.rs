//! A table on as many sheets as it needs: the names of its CSV columns in a hidden row, headings in
//! words below them, the rows, and totals by currency at the end.

use std::io;
use std::path::Path;

use super::book::Book;
use super::cells::{LINE_HEIGHT, Look, lines_of, readable, width_of_heading, write_cell};
use super::sheet::{Layout, Sheet};
use super::totals::Totals;
use crate::cell::{Cell, capitalized};
use crate::table::Table;

/// The row of the CSV file's column names, which is hidden.
const NAMES: u32 = 0;
const HEADINGS: u32 = 1;
/// Maximum number of rows on a sheet, which holds 1,048,576; further rows go to the next one. Above
/// them are two rows of names, below them one for each currency.
const MAX_ROWS: u32 = 1_048_000;
/// Room for a name or a few words.
const BY_HAND_WIDTH: u16 = 20;
/// Characters that fit across a sheet of paper and can still be read; a wider table continues on
/// the next page, where the first column is repeated.
const PAPER_WIDTH: u16 = 270;
/// Maximum number of lines that a row of Excel shows.
const MAX_LINES: u32 = 27;
/// Additional width of a column beside its text, in characters.
const PADDING: u16 = 2;
/// Room for the filter button beside the last word of a heading.
const BUTTON: u16 = 3;

/// Writes a table; its rows are buffered in `folder`.
pub(super) fn write_table(book: &mut Book<'_>, table: &Table<'_>, folder: &Path) -> io::Result<()> {
    let columns = table.columns.iter().map(|column| Look::of(column.kind)).collect();
    let mut sheets = Sheets {
        book,
        table,
        folder,
        sheet: Sheet::begin(folder),
        columns,
        totals: Totals::of(&table.columns),
        widths: vec![],
        number: 0,
        rows: 0,
    };
    sheets.begin()?;
    table.each(&mut |cells| sheets.push(cells))?;
    sheets.end(true)
}

/// The sheets of one table; rows are added to the last one.
struct Sheets<'a, 'out, 't> {
    book: &'a mut Book<'out>,
    table: &'a Table<'t>,
    folder: &'a Path,
    sheet: Sheet,
    /// The look of the cells of each column of the file.
    columns: Vec<Look>,
    totals: Totals,
    /// The width of each column's widest cell so far, in characters.
    widths: Vec<u16>,
    number: usize,
    /// Number of rows on the last sheet, without names and totals.
    rows: u32,
}

impl Sheets<'_, '_, '_> {
    fn begin(&mut self) -> io::Result<()> {
        self.number += 1;
        self.rows = 0;
        self.widths.clear();
        self.sheet = Sheet::begin(self.folder);
        let looks = self.looks();
        let own = self.table.columns.iter().map(|one| (one.name, one.heading().into_owned()));
        let by_hand = self.table.by_hand.iter().map(|name| (*name, capitalized(name)));
        let names: Vec<(&str, String)> = own.chain(by_hand).collect();
        self.sheet.begin_row(NAMES);
        for (column, ((name, _), look)) in names.iter().zip(&looks).enumerate() {
            self.sheet.text(column, name, look.style());
        }
        self.sheet.end_row(None, true)?;
        self.sheet.begin_row(HEADINGS);
        for (column, ((_, heading), look)) in names.iter().zip(&looks).enumerate() {
            self.sheet.text(column, &readable(heading), look.heading());
            self.widths.push(width_of_heading(heading).saturating_add(BUTTON));
        }
        self.sheet.end_row(Some(2 * LINE_HEIGHT), false)
    }

    /// The look of the cells of each column, including those that people fill in.
    fn looks(&self) -> Vec<Look> {
        let by_hand = self.table.by_hand.iter().map(|_| Look::Wrapped);
        self.columns.iter().copied().chain(by_hand).collect()
    }

    fn push(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        if self.rows == MAX_ROWS {
            self.end(false)?;
            self.begin()?;
        }
        self.rows += 1;
        self.totals.add(cells);
        self.sheet.begin_row(HEADINGS + self.rows);
        for (column, (cell, widest)) in cells.iter().zip(&mut self.widths).enumerate() {
            *widest = write_cell(&mut self.sheet, column, cell)?.max(*widest);
        }
        let lines = cells.iter().map(lines_of).max().unwrap_or(1);
        let height = (lines > 1).then(|| lines.min(MAX_LINES) * LINE_HEIGHT);
        self.sheet.end_row(height, false)
    }

    /// Ends the current sheet; the last one has the totals of all of them.
    fn end(&mut self, is_last: bool) -> io::Result<()> {
        let last_row = HEADINGS + self.rows;
        let mut sheet = std::mem::replace(&mut self.sheet, Sheet::begin(self.folder));
        // A blank row keeps the totals out of filtering and sorting.
        let end = if is_last {
            self.totals.write(&mut sheet, last_row + 2, &mut self.widths)?
        } else {
            None
        };
        let own = self.widths.iter().take(self.table.columns.len()).map(|one| one + PADDING);
        let by_hand = self.table.by_hand.iter().map(|_| BY_HAND_WIDTH);
        let styles = self.looks().into_iter().map(|look| Some(look.style()));
        let columns: Vec<_> = own.chain(by_hand).zip(styles).collect();
        let whole = columns.iter().fold(0_u16, |whole, (width, _)| whole.saturating_add(*width));
        let layout = Layout {
            name: match self.number {
                1 => self.table.name().to_owned(),
                number => format!("{} ({number})", self.table.name()),
            },
            columns,
            headings: Some((HEADINGS, last_row)),
            last_row: end.unwrap_or(last_row),
            pages_wide: whole.div_ceil(PAPER_WIDTH).max(1),
        };
        self.book.add(sheet, layout)
    }
}
