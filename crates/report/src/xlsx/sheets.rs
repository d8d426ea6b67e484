//! A table on as many sheets as it needs: the names of its CSV columns in a hidden row, headings
//! in words below them, the rows, and totals by currency at the end.

use std::io;

use rust_xlsxwriter::{Workbook, Worksheet, XlsxError};

use super::cells::{Formats, LINE_HEIGHT, Look, lines_of, width_of_heading, write_cell};
use super::totals::Totals;
use crate::cell::{Cell, capitalized};
use crate::table::Table;

/// In inches: sheets are wide, and printers reach so far.
const MARGIN: f64 = 0.4;
/// Room for the page number.
const BOTTOM: f64 = 0.7;
const FOOTER: f64 = 0.3;

/// The row of the CSV file's column names, which is hidden.
const NAMES: u32 = 0;
const HEADINGS: u32 = 1;
/// A sheet holds 1,048,576 rows; what is more goes on the next one. Above them stand two rows of
/// names, below them one for each currency.
const MAX_ROWS: u32 = 1_048_000;
/// Room for a name or a few words.
const BY_HAND_WIDTH: u16 = 20;
/// A sheet of paper takes so many characters across that they can still be read; what is wider
/// goes on beside it, where the first column is repeated.
const PAPER_WIDTH: u16 = 270;
/// The most lines that a row of Excel shows.
const MAX_LINES: u32 = 27;
/// What a column has beside its text, in characters.
const PADDING: u16 = 2;
/// The button of the filter stands beside the last word of a heading.
const BUTTON: u16 = 3;

/// Writes a table.
pub(super) fn write_table(
    workbook: &mut Workbook,
    table: &Table<'_>,
    title: &str,
    formats: &Formats,
) -> io::Result<()> {
    let columns = table.columns.iter().map(|column| Look::of(column.kind)).collect();
    let totals = Totals::of(table.columns);
    let mut sheets = Sheets {
        workbook,
        table,
        title,
        formats,
        columns,
        totals,
        widths: vec![],
        number: 0,
        rows: 0,
    };
    sheets.begin().map_err(failed)?;
    table.each(&mut |cells| sheets.push(cells).map_err(failed))?;
    sheets.end(true).map_err(failed)
}

/// The sheets of one table, of which the last one grows.
struct Sheets<'a, 't> {
    workbook: &'a mut Workbook,
    table: &'a Table<'t>,
    title: &'a str,
    formats: &'a Formats,
    /// How the cells of each column of the file look.
    columns: Vec<Look>,
    totals: Totals,
    /// Of each column the characters of its widest cell so far.
    widths: Vec<u16>,
    number: usize,
    /// On the last sheet, without those of names and totals.
    rows: u32,
}

impl Sheets<'_, '_> {
    fn begin(&mut self) -> Result<(), XlsxError> {
        self.number += 1;
        self.rows = 0;
        self.widths.clear();
        let name = match self.number {
            1 => self.table.name().to_owned(),
            number => format!("{} ({number})", self.table.name()),
        };
        let sheet = self.workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name(name)?;
        sheet.set_freeze_panes(HEADINGS + 1, 1)?;
        sheet.set_repeat_rows(HEADINGS, HEADINGS)?;
        sheet.set_landscape();
        prepare_for_print(sheet, self.title);
        sheet.set_row_hidden(NAMES)?;
        let looks = self.columns.iter().copied();
        let looks = looks.chain(self.table.by_hand.iter().map(|_| Look::Wrapped));
        for (position, look) in (0..).zip(looks.clone()) {
            sheet.set_column_format(position, self.formats.of(look))?;
        }
        let own = self.table.columns.iter().map(|one| (one.name, one.heading().into_owned()));
        let by_hand = self.table.by_hand.iter().map(|name| (*name, capitalized(name)));
        let names: Vec<(&str, String)> = own.chain(by_hand).collect();
        for (position, (name, _)) in (0..).zip(&names) {
            sheet.write_string(NAMES, position, *name)?;
        }
        sheet.set_row_height(HEADINGS, 2 * LINE_HEIGHT)?;
        for ((position, (_, heading)), look) in (0..).zip(&names).zip(looks) {
            let format = self.formats.heading(look);
            sheet.write_string_with_format(HEADINGS, position, heading, format)?;
            self.widths.push(width_of_heading(heading).saturating_add(BUTTON));
        }
        Ok(())
    }

    fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), XlsxError> {
        if self.rows == MAX_ROWS {
            self.end(false)?;
            self.begin()?;
        }
        self.rows += 1;
        self.totals.add(cells);
        let sheet = last_sheet(self.workbook)?;
        let row = HEADINGS + self.rows;
        let lines = cells.iter().map(lines_of).max().unwrap_or(1);
        if lines > 1 {
            sheet.set_row_height(row, lines.min(MAX_LINES) * LINE_HEIGHT)?;
        }
        let places = (0..).zip(cells).zip(self.columns.iter().zip(&mut self.widths));
        for ((position, cell), (look, widest)) in places {
            let width = write_cell(sheet, (row, position), cell, Some(*look), self.formats)?;
            *widest = width.max(*widest);
        }
        Ok(())
    }

    /// Ends the sheet that grows; the last one has the totals of all of them.
    fn end(&mut self, is_last: bool) -> Result<(), XlsxError> {
        let last_row = HEADINGS + self.rows;
        let columns = self.table.columns.len() + self.table.by_hand.len();
        let last_column = u16::try_from(columns - 1).map_err(|_| XlsxError::RowColumnLimitError)?;
        let sheet = last_sheet(self.workbook)?;
        sheet.autofilter(HEADINGS, 0, last_row, last_column)?;
        // A blank row keeps them out of what is filtered and sorted.
        let end = if is_last {
            self.totals.write(sheet, last_row + 2, self.formats, &mut self.widths)?
        } else {
            None
        };
        sheet.set_print_area(HEADINGS, 0, end.unwrap_or(last_row), last_column)?;
        let own = self.widths.iter().take(self.table.columns.len()).map(|one| one + PADDING);
        let by_hand = self.table.by_hand.iter().map(|_| BY_HAND_WIDTH);
        let mut whole = 0_u16;
        for (position, width) in (0..).zip(own.chain(by_hand)) {
            sheet.set_column_width(position, width)?;
            whole = whole.saturating_add(width);
        }
        if whole > PAPER_WIDTH {
            sheet.set_print_fit_to_pages(whole.div_ceil(PAPER_WIDTH), 0);
            sheet.set_repeat_columns(0, 0)?;
        }
        Ok(())
    }
}

fn last_sheet(workbook: &mut Workbook) -> Result<&mut Worksheet, XlsxError> {
    let last = workbook.worksheets().len() - 1;
    workbook.worksheet_from_index(last)
}

/// As wide as the paper, with the number of the page below.
pub(super) fn prepare_for_print(sheet: &mut Worksheet, title: &str) {
    // An ampersand begins a command of the footer.
    let title = title.replace('&', "&&");
    sheet
        .set_print_fit_to_pages(1, 0)
        .set_margins(MARGIN, MARGIN, MARGIN, BOTTOM, FOOTER, FOOTER)
        .set_footer(format!("&L{title}&C&A&RPage &P of &N"));
}

/// As an error of the file.
pub(super) fn failed(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
