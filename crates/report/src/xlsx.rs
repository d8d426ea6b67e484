//! `report.xlsx`: an overview, the way of the money, and a typed sheet per CSV file.
//! Rows go to disk as they come: the memory that a workbook takes does not grow with them.
//! Text stands in it as in the CSV files, so that what is saved on as CSV stays safe. What people
//! fill in has empty columns of its own beside those of the file.

mod cells;
mod sheets;
mod totals;

use std::cell::Cell as Flag;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use chrono::NaiveDate;
use rust_xlsxwriter::{DocProperties, Workbook, XlsxError};

use super::cell::{Cell, capitalized};
use super::table::Table;
use cells::{Formats, MAX_WIDTH, excel_date, readable, write_cell};
use sheets::{failed, prepare_for_print, write_table};

thread_local! {
    /// Whether a panic of this thread is caught and told as an error.
    static IS_TOLD: Flag<bool> = const { Flag::new(false) };
}

/// Catches a panic without its text on standard error, which would be noise beside the error that
/// it becomes. Panics of other threads, and of other work, are as loud as ever.
fn quietly<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_TOLD.get() {
                loud(panic);
            }
        }));
    });
    IS_TOLD.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_TOLD.set(false);
    done
}

/// What goes into a workbook.
pub(super) struct WorkbookContent<'a> {
    pub title: String,
    /// Stands as the day of creation: the same data gives the same bytes.
    pub date: NaiveDate,
    pub overview: Vec<OverviewLine>,
    /// Sheets that no CSV file has.
    pub sheets: &'a [Table<'a>],
    pub tables: &'a [Table<'a>],
    /// Where sheets are kept while they grow, unnamed and gone with the process.
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
    pub fn write(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        // The library panics when its own temporary file cannot be written, as on a full disk.
        let written = quietly(|| self.fill(out));
        written.unwrap_or_else(|_| {
            Err(io::Error::new(io::ErrorKind::StorageFull, "a sheet could not be kept on the disk"))
        })
    }

    fn fill(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let mut workbook = Workbook::new();
        // The folder that is written to anyway, as there may be no other.
        workbook.set_tempdir(self.folder).map_err(failed)?;
        let day = excel_date(self.date).map_err(failed)?;
        let properties = DocProperties::new()
            .set_title(&self.title)
            .set_author("tieout")
            .set_creation_datetime(&day);
        workbook.set_properties(&properties);
        // Rows of money compress well at any level; higher ones take several times as long.
        workbook.set_zip_compression_level(1);
        let formats = Formats::new();
        self.overview(&mut workbook, &formats).map_err(failed)?;
        for table in self.sheets.iter().chain(self.tables) {
            write_table(&mut workbook, table, &self.title, &formats)?;
        }
        workbook.save_to_writer(out).map_err(failed)
    }

    fn overview(&self, workbook: &mut Workbook, formats: &Formats) -> Result<(), XlsxError> {
        const FIRST: u32 = 2;
        let sheet = workbook.add_worksheet();
        sheet.set_name("overview")?;
        sheet.write_string_with_format(0, 0, &self.title, &formats.title)?;
        let mut last = 0;
        for (row, line) in (FIRST..).zip(&self.overview) {
            last = row;
            sheet.write_string(row, 0, capitalized(&line.label))?;
            write_cell(sheet, (row, 1), &line.value, None, formats)?;
            if !line.note.is_empty() {
                let note = Cell::text(&line.note).to_csv().into_owned();
                sheet.write_string_with_format(row, 2, readable(&note), &formats.note)?;
            }
        }
        for (column, width) in [(0, 40), (1, 24), (2, MAX_WIDTH)] {
            sheet.set_column_width(column, width)?;
        }
        prepare_for_print(sheet, &self.title);
        sheet.set_print_area(0, 0, last, 2)?;
        Ok(())
    }
}
