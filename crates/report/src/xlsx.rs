//! `report.xlsx`: an overview, and a typed sheet per CSV file with a frozen, filtered header.
//! Rows go to disk as they come: the memory that a workbook takes does not grow with them.
//! Text stands in it as in the CSV files, so that what is saved on as CSV stays safe. What people
//! fill in has empty columns of its own beside those of the file.

use std::cell::Cell as Flag;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use chrono::{Datelike, NaiveDate};
use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet, XlsxError,
};

use super::cell::{Cell, ColumnKind};
use super::table::Table;

/// A sheet holds 1,048,576 rows; what is more goes on the next one. One is the header.
const MAX_ROWS: u32 = 1_048_575;
/// A cell holds 32,767 units of UTF-16; the CSV file has what is cut off here.
const MAX_UNITS: usize = 32_000;
/// A number keeps fifteen digits. An amount with more is written as text, so that none is lost.
const MAX_EXACT: u64 = 999_999_999_999_999;
/// Texts longer than this are not what a column is made wide for.
const MAX_WIDTH: u16 = 60;
const DATE_WIDTH: u16 = 12;
/// Room for a name or a sentence.
const BY_HAND_WIDTH: u16 = 30;

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
        let day = excel_date(self.date)?;
        let properties = DocProperties::new()
            .set_title(&self.title)
            .set_author("tieout")
            .set_creation_datetime(&day);
        workbook.set_properties(&properties);
        // Rows of money compress well at any level; higher ones take several times as long.
        workbook.set_zip_compression_level(1);
        let formats = Formats::new();
        self.overview(&mut workbook, &formats)?;
        for table in self.tables {
            write_table(&mut workbook, table, &formats)?;
        }
        workbook.save_to_writer(out).map_err(failed)
    }

    fn overview(&self, workbook: &mut Workbook, formats: &Formats) -> io::Result<()> {
        let sheet = workbook.add_worksheet();
        sheet.set_name("overview").map_err(failed)?;
        sheet.write_string_with_format(0, 0, &self.title, &formats.header).map_err(failed)?;
        for (row, line) in (2..).zip(&self.overview) {
            sheet.write_string(row, 0, line.label.as_str()).map_err(failed)?;
            write_cell(sheet, (row, 1), &line.value, formats).map_err(failed)?;
            let note = Cell::text(&line.note);
            write_cell(sheet, (row, 2), &note, formats).map_err(failed)?;
        }
        for (column, width) in [(0, 34), (1, 22), (2, MAX_WIDTH)] {
            sheet.set_column_width(column, width).map_err(failed)?;
        }
        Ok(())
    }
}

/// Writes a table on as many sheets as it needs.
fn write_table(workbook: &mut Workbook, table: &Table<'_>, formats: &Formats) -> io::Result<()> {
    let mut sheets = Sheets { workbook, table, formats, number: 0, rows: 0 };
    sheets.begin()?;
    table.each(&mut |cells| sheets.push(cells))?;
    sheets.end()
}

/// The sheets of one table, of which the last one grows.
struct Sheets<'a, 't> {
    workbook: &'a mut Workbook,
    table: &'a Table<'t>,
    formats: &'a Formats,
    number: usize,
    /// On the last sheet, without the header.
    rows: u32,
}

impl Sheets<'_, '_> {
    fn begin(&mut self) -> io::Result<()> {
        self.number += 1;
        self.rows = 0;
        let name = match self.number {
            1 => self.table.name().to_owned(),
            number => format!("{} ({number})", self.table.name()),
        };
        let sheet = self.workbook.add_worksheet_with_constant_memory().map_err(failed)?;
        sheet.set_name(name).map_err(failed)?;
        sheet.set_freeze_panes(1, 0).map_err(failed)?;
        sheet.set_repeat_rows(0, 0).map_err(failed)?;
        sheet.set_landscape().set_print_fit_to_pages(1, 0);
        let own = self.table.columns.iter().map(|one| (one.name, width_of(one.name, one.kind)));
        let by_hand = self.table.by_hand.iter().map(|name| (*name, BY_HAND_WIDTH));
        for (position, (name, width)) in (0..).zip(own.chain(by_hand)) {
            sheet.set_column_width(position, width).map_err(failed)?;
            let header = &self.formats.header;
            sheet.write_string_with_format(0, position, name, header).map_err(failed)?;
        }
        Ok(())
    }

    fn push(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        if self.rows == MAX_ROWS {
            self.end()?;
            self.begin()?;
        }
        self.rows += 1;
        let sheet = last_sheet(self.workbook)?;
        for (position, cell) in (0..).zip(cells) {
            write_cell(sheet, (self.rows, position), cell, self.formats).map_err(failed)?;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let columns = self.table.columns.len() + self.table.by_hand.len();
        let last = u16::try_from(columns - 1).map_err(io::Error::other)?;
        let rows = self.rows;
        last_sheet(self.workbook)?.autofilter(0, 0, rows, last).map_err(failed)?;
        Ok(())
    }
}

fn last_sheet(workbook: &mut Workbook) -> io::Result<&mut Worksheet> {
    let last = workbook.worksheets().len() - 1;
    workbook.worksheet_from_index(last).map_err(failed)
}

fn failed(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

fn excel_date(date: NaiveDate) -> io::Result<ExcelDateTime> {
    let year = u16::try_from(date.year()).map_err(io::Error::other)?;
    let day = |number: u32| u8::try_from(number).map_err(io::Error::other);
    ExcelDateTime::from_ymd(year, day(date.month())?, day(date.day())?).map_err(failed)
}

fn width_of(name: &str, kind: ColumnKind) -> u16 {
    let header = u16::try_from(name.len()).unwrap_or(MAX_WIDTH) + 4;
    let content = match (kind, name) {
        (ColumnKind::Text, "explanation" | "action") => MAX_WIDTH,
        (ColumnKind::Text, "code") => 30,
        (ColumnKind::Text, "merchant_name" | "discrepancy_id") => 24,
        // Their headers are as wide as they are.
        (ColumnKind::Text, "currency" | "severity" | "status")
        | (ColumnKind::Count | ColumnKind::Rate | ColumnKind::FineRate, _) => 0,
        (ColumnKind::Text | ColumnKind::Amount, _) => 16,
        (ColumnKind::Date, _) => DATE_WIDTH,
    };
    header.max(content)
}

/// How the kinds of cells look.
struct Formats {
    header: Format,
    text: Format,
    date: Format,
    count: Format,
    rate: Format,
    fine_rate: Format,
    /// By the decimals of the currency.
    amounts: Vec<Format>,
}

impl Formats {
    fn new() -> Self {
        let number = |pattern: &str| Format::new().set_num_format(pattern);
        Self {
            header: Format::new()
                .set_bold()
                .set_border_bottom(FormatBorder::Thin)
                .set_align(FormatAlign::Top),
            // The number format of text: digits stay as they are when a cell is edited.
            text: number("@"),
            date: number("yyyy-mm-dd"),
            count: number("#,##0"),
            rate: number("0.0"),
            fine_rate: number("0.00"),
            amounts: ["#,##0", "#,##0.0", "#,##0.00", "#,##0.000", "#,##0.0000"]
                .map(number)
                .to_vec(),
        }
    }
}

/// Writes one cell; an unknown value leaves it empty.
fn write_cell(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    cell: &Cell<'_>,
    formats: &Formats,
) -> Result<(), XlsxError> {
    let text = cell.to_csv();
    if text.is_empty() {
        return Ok(());
    }
    let format = match cell {
        Cell::Amount(Some(amount), Some(currency)) if amount.0.unsigned_abs() <= MAX_EXACT => {
            formats.amounts.get(currency.exponent() as usize)
        }
        Cell::CountedAmount(Some(count)) | Cell::Count(Some(count))
            if count.unsigned_abs() <= MAX_EXACT =>
        {
            Some(&formats.count)
        }
        Cell::Rate(_) => Some(&formats.rate),
        Cell::FineRate(_) => Some(&formats.fine_rate),
        _ => None,
    };
    // The decimal text gives the nearest number, without any arithmetic on the way.
    if let Some((number, format)) = text.parse::<f64>().ok().zip(format) {
        sheet.write_number_with_format(row, column, number, format)?;
        return Ok(());
    }
    if let Cell::Date(Some(_)) = cell {
        let date = ExcelDateTime::parse_from_str(&text)?;
        sheet.write_datetime_with_format(row, column, &date, &formats.date)?;
        return Ok(());
    }
    sheet.write_string_with_format(row, column, readable(&text), &formats.text)?;
    Ok(())
}

/// `text` without what XML cannot hold, and no longer than a cell.
fn readable(text: &str) -> String {
    let mut units = 0;
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        units += character.len_utf16();
        if units > MAX_UNITS {
            kept.push('…');
            break;
        }
        let is_illegal = character.is_control() && !matches!(character, '\n' | '\t');
        let is_illegal = is_illegal || matches!(character, '\u{fffe}' | '\u{ffff}');
        kept.push(if is_illegal { '\u{fffd}' } else { character });
    }
    kept
}
