//! `report.xlsx`: an overview, the way of the money, and a typed sheet for each CSV file. Rows go
//! to disk as they come, so that memory does not grow with them. Text is guarded as in the CSV
//! files, so that a sheet saved as CSV stays safe. People fill in empty columns beside those of the
//! file.

mod book;
mod cells;
mod sheet;
mod sheets;
mod styles;
mod totals;

use std::io::{self, Write};
use std::path::Path;

use chrono::NaiveDate;

use super::cell::{Cell, capitalized};
use super::table::Table;
use book::Book;
use cells::{MAX_WIDTH, readable, write_cell};
use sheet::{Layout, Sheet};
use sheets::write_table;

/// The content of a workbook.
pub(super) struct WorkbookContent<'a> {
    pub title: String,
    /// The creation date in the file: the same data gives the same bytes.
    pub date: NaiveDate,
    pub overview: Vec<OverviewLine>,
    /// Sheets without a CSV file.
    pub sheets: &'a [Table<'a>],
    pub tables: &'a [Table<'a>],
    /// The folder for the unnamed temporary files of long sheets, which vanish with the process:
    /// the output folder, since no other may be writable.
    pub folder: &'a Path,
}

/// A line of the first sheet.
pub(super) struct OverviewLine {
    pub label: String,
    pub value: Cell<'static>,
    /// The currency of an amount, else a remark.
    pub note: String,
}

impl WorkbookContent<'_> {
    /// Writes the workbook.
    ///
    /// # Errors
    /// When a row cannot be read, or the file cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut book = Book::begin(out, &self.title, self.date)?;
        self.overview(&mut book)?;
        for table in self.sheets.iter().chain(self.tables) {
            write_table(&mut book, table, self.folder)?;
        }
        book.finish()
    }

    fn overview(&self, book: &mut Book<'_>) -> io::Result<()> {
        const FIRST: u32 = 2;
        let mut sheet = Sheet::begin(self.folder);
        sheet.begin_row(0);
        sheet.text(0, &self.title, styles::TITLE);
        sheet.end_row(None, false)?;
        let mut last = 0;
        for (row, line) in (FIRST..).zip(&self.overview) {
            last = row;
            sheet.begin_row(row);
            sheet.text(0, &capitalized(&line.label), styles::PLAIN);
            write_cell(&mut sheet, 1, &line.value)?;
            if !line.note.is_empty() {
                let note = Cell::text(&line.note).to_csv().into_owned();
                sheet.text(2, &readable(&note), styles::NOTE);
            }
            sheet.end_row(None, false)?;
        }
        let layout = Layout {
            name: "overview".to_owned(),
            columns: [40, 24, MAX_WIDTH].map(|width| (width, None)).to_vec(),
            headings: None,
            last_row: last,
            pages_wide: 1,
        };
        book.add(sheet, layout)
    }
}
