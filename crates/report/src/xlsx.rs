//! `report.xlsx`: an overview, the way of the money, and a typed sheet per CSV file.
//! Rows go to disk as they come: the memory that a workbook takes does not grow with them.
//! Text stands in it as in the CSV files, so that what is saved on as CSV stays safe. What people
//! fill in has empty columns of its own beside those of the file.

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

/// What goes into a workbook.
pub(super) struct WorkbookContent<'a> {
    pub title: String,
    /// Stands as the day of creation: the same data gives the same bytes.
    pub date: NaiveDate,
    pub overview: Vec<OverviewLine>,
    /// Sheets that no CSV file has.
    pub sheets: &'a [Table<'a>],
    pub tables: &'a [Table<'a>],
    /// Where long sheets are kept while they grow, unnamed and gone with the process: the folder
    /// that is written to anyway, as there may be no other.
    pub folder: &'a Path,
}

/// A line of the first sheet.
pub(super) struct OverviewLine {
    pub label: String,
    pub value: Cell<'static>,
    /// Beside an amount its currency, else what is to be known about it.
    pub note: String,
}

impl WorkbookContent<'_> {
    /// Writes the workbook.
    ///
    /// # Errors
    /// When a row cannot be read, or the disk refuses.
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
