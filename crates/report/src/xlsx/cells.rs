//! How a value stands in a cell: as a number, a date or a text, and in which format. A cell that
//! looks as its column does carries no format of its own, which is the cheapest.

use std::borrow::Cow;

use chrono::{Datelike, NaiveDate};
use rust_xlsxwriter::{ExcelDateTime, Format, FormatAlign, FormatBorder, Worksheet, XlsxError};

use crate::cell::{Cell, ColumnKind};

/// A cell holds 32,767 units of UTF-16; the CSV file has what is cut off here.
const MAX_UNITS: usize = 32_000;
/// A number keeps fifteen digits. An amount with more is written as text, so that none is lost.
const MAX_EXACT: u64 = 999_999_999_999_999;
/// Text that is longer goes on below in its cell, so that it is whole on paper.
pub(super) const MAX_WIDTH: u16 = 60;
/// Letters are not all as wide as a digit, and words do not fill a line.
const LETTERS_A_LINE: u16 = 52;
/// Of a line of the default font, in points.
pub(super) const LINE_HEIGHT: u32 = 15;
const DATE_WIDTH: u16 = 10;
/// The decimals of most currencies, which a column of amounts has for all that say nothing else.
const USUAL_DECIMALS: usize = 2;

/// How a cell looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Text,
    /// Text of several lines.
    Wrapped,
    Date,
    Count,
    Rate,
    FineRate,
    /// With so many decimals.
    Amount(usize),
}

impl Look {
    /// How the cells of a column look that say nothing else.
    pub(super) fn of(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Text,
            ColumnKind::Amount => Self::Amount(USUAL_DECIMALS),
            ColumnKind::Count => Self::Count,
            ColumnKind::Date => Self::Date,
            ColumnKind::Rate => Self::Rate,
            ColumnKind::FineRate => Self::FineRate,
        }
    }

    /// Of a value that is a number; `None` for all else.
    fn of_number(cell: &Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Amount(Some(amount), Some(currency)) if amount.0.unsigned_abs() <= MAX_EXACT => {
                Some(Self::Amount(currency.exponent() as usize))
            }
            Cell::CountedAmount(Some(count)) | Cell::Count(Some(count))
                if count.unsigned_abs() <= MAX_EXACT =>
            {
                Some(Self::Count)
            }
            Cell::Rate(Some(_)) => Some(Self::Rate),
            Cell::FineRate(Some(_)) => Some(Self::FineRate),
            _ => None,
        }
    }
}

/// The formats of a workbook.
pub(super) struct Formats {
    pub(super) title: Format,
    /// Beside the value.
    pub(super) note: Format,
    heading: Format,
    heading_of_figures: Format,
    pub(super) total: Format,
    text: Format,
    wrapped: Format,
    date: Format,
    count: Format,
    rate: Format,
    fine_rate: Format,
    /// By the decimals of the currency.
    amounts: Vec<Format>,
    pub(super) totals: Vec<Format>,
}

impl Formats {
    pub(super) fn new() -> Self {
        let top = || Format::new().set_align(FormatAlign::Top);
        let number = |pattern: &str| top().set_num_format(pattern);
        // Text keeps its distance from a figure before it.
        let left = |pattern: &str| number(pattern).set_align(FormatAlign::Left).set_indent(1);
        let heading = || top().set_bold().set_border_bottom(FormatBorder::Thin).set_text_wrap();
        let total = || top().set_bold().set_border_top(FormatBorder::Thin);
        let decimals = ["#,##0", "#,##0.0", "#,##0.00", "#,##0.000", "#,##0.0000"];
        Self {
            title: Format::new().set_bold().set_font_size(14),
            note: left("General"),
            heading: heading().set_align(FormatAlign::Left).set_indent(1),
            heading_of_figures: heading().set_align(FormatAlign::Right),
            total: total(),
            // The number format of text: digits stay as they are when a cell is edited.
            text: left("@"),
            wrapped: left("@").set_text_wrap(),
            date: left("yyyy-mm-dd"),
            count: number("#,##0"),
            rate: number("0.0"),
            fine_rate: number("0.00"),
            amounts: decimals.map(number).to_vec(),
            totals: decimals.map(|pattern| total().set_num_format(pattern)).to_vec(),
        }
    }

    /// Of the heading above cells of that look.
    pub(super) fn heading(&self, look: Look) -> &Format {
        match look {
            Look::Text | Look::Wrapped | Look::Date => &self.heading,
            Look::Count | Look::Rate | Look::FineRate | Look::Amount(_) => &self.heading_of_figures,
        }
    }

    pub(super) fn of(&self, look: Look) -> &Format {
        match look {
            Look::Text => &self.text,
            Look::Wrapped => &self.wrapped,
            Look::Date => &self.date,
            Look::Count => &self.count,
            Look::Rate => &self.rate,
            Look::FineRate => &self.fine_rate,
            // No currency has more decimals than the last.
            Look::Amount(decimals) => {
                &self.amounts[decimals.min(self.amounts.len().saturating_sub(1))]
            }
        }
    }
}

/// Writes one cell into a column whose cells look as `column`; answers with the characters that
/// it takes to show it. An unknown value leaves it empty.
pub(super) fn write_cell(
    sheet: &mut Worksheet,
    (row, at): (u32, u16),
    cell: &Cell<'_>,
    column: Option<Look>,
    formats: &Formats,
) -> Result<u16, XlsxError> {
    if let Cell::Date(date) = cell {
        let Some(date) = date else { return Ok(0) };
        let date = excel_date(*date)?;
        match column {
            Some(Look::Date) => sheet.write_datetime(row, at, &date)?,
            _ => sheet.write_datetime_with_format(row, at, &date, &formats.date)?,
        };
        return Ok(DATE_WIDTH);
    }
    let text = cell.to_csv();
    if text.is_empty() {
        return Ok(0);
    }
    // The decimal text gives the nearest number, without any arithmetic on the way.
    if let Some((number, look)) = text.parse::<f64>().ok().zip(Look::of_number(cell)) {
        match column {
            Some(own) if own == look => sheet.write_number(row, at, number)?,
            _ => sheet.write_number_with_format(row, at, number, formats.of(look))?,
        };
        return Ok(width_of_number(&text));
    }
    let width = width_of_text(&text);
    let look = if width > MAX_WIDTH { Look::Wrapped } else { Look::Text };
    match column {
        Some(own) if own == look => sheet.write_string(row, at, readable(&text))?,
        _ => sheet.write_string_with_format(row, at, readable(&text), formats.of(look))?,
    };
    Ok(width.min(MAX_WIDTH))
}

/// With the separators between thousands.
pub(super) fn width_of_number(plain: &str) -> u16 {
    let whole = plain.split('.').next().unwrap_or_default().trim_start_matches('-').len();
    let width = plain.len() + whole.saturating_sub(1) / 3;
    u16::try_from(width).unwrap_or(MAX_WIDTH)
}

/// How many lines a cell needs that is as wide as its column may be.
pub(super) fn lines_of(cell: &Cell<'_>) -> u32 {
    let Cell::Text(text) = cell else { return 1 };
    let width = width_of_text(text);
    if width > MAX_WIDTH { u32::from(width.div_ceil(LETTERS_A_LINE)) } else { 1 }
}

/// The fewest characters a line in which a heading takes two lines.
pub(super) fn width_of_heading(heading: &str) -> u16 {
    let length = |text: &str| text.chars().count();
    let broken = heading.match_indices(' ').map(|(at, _)| {
        let (first, second) = heading.split_at(at);
        length(first).max(length(second.trim_start()))
    });
    let narrowest = broken.min().unwrap_or_else(|| length(heading));
    u16::try_from(narrowest).unwrap_or(MAX_WIDTH)
}

fn width_of_text(text: &str) -> u16 {
    let characters = if text.is_ascii() { text.len() } else { text.chars().count() };
    u16::try_from(characters).unwrap_or(u16::MAX)
}

/// `text` without what XML cannot hold, and no longer than a cell.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    // Most texts are short and plain.
    if text.len() <= MAX_UNITS && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
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
    Cow::Owned(kept)
}

/// A day that no workbook can hold is an error, as it stands in no file of a processor.
pub(super) fn excel_date(date: NaiveDate) -> Result<ExcelDateTime, XlsxError> {
    let refused = || XlsxError::DateTimeRangeError(date.to_string());
    let year = u16::try_from(date.year()).map_err(|_| refused())?;
    let day = |number: u32| u8::try_from(number).map_err(|_| refused());
    ExcelDateTime::from_ymd(year, day(date.month())?, day(date.day())?)
}
