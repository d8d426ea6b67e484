//! The form of a value in a cell: number, date or text, and its style.

use std::borrow::Cow;
use std::io;

use chrono::{Datelike, NaiveDate};

use super::sheet::Sheet;
use super::styles::{self, Style};
use crate::cell::{Cell, ColumnKind};

/// Maximum length of a cell, below Excel's 32,767 units of UTF-16; the CSV file has the full text.
const MAX_UNITS: usize = 32_000;
/// A number keeps fifteen digits. An amount with more is written as text, so that no digit is lost.
const MAX_EXACT: u64 = 999_999_999_999_999;
/// Maximum width of a column; longer text is wrapped in its cell, so that it is whole on paper.
pub(super) const MAX_WIDTH: u16 = 60;
/// Letters assumed for a line: some are wider than a digit, and words do not fill a line.
const LETTERS_A_LINE: u16 = 52;
/// Height of a line of the default font, in points.
pub(super) const LINE_HEIGHT: u32 = 15;
const DATE_WIDTH: u16 = 10;
/// The decimals of most currencies, used for empty cells of a column of amounts.
const USUAL_DECIMALS: usize = 2;

/// The appearance of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Text,
    /// Text of several lines.
    Wrapped,
    Date,
    Count,
    Rate,
    FineRate,
    /// With this many decimals.
    Amount(usize),
}

impl Look {
    /// The style of its cells.
    pub(super) fn style(self) -> Style {
        match self {
            Self::Text => styles::TEXT,
            Self::Wrapped => styles::WRAPPED,
            Self::Date => styles::DATE,
            Self::Count => Style::amount(0),
            Self::Rate => styles::RATE,
            Self::FineRate => styles::FINE_RATE,
            Self::Amount(decimals) => Style::amount(decimals),
        }
    }

    /// The style of the heading above its cells.
    pub(super) fn heading(self) -> Style {
        match self {
            Self::Text | Self::Wrapped | Self::Date => styles::HEADING,
            Self::Count | Self::Rate | Self::FineRate | Self::Amount(_) => {
                styles::HEADING_OF_FIGURES
            }
        }
    }

    /// The look of a column, for its heading and its empty cells.
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

    /// The look of a value that is a number; `None` for all others.
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

/// Writes one cell and returns the number of characters that it needs. An unknown value leaves it
/// empty.
pub(super) fn write_cell(sheet: &mut Sheet, column: usize, cell: &Cell<'_>) -> io::Result<u16> {
    if let Cell::Date(date) = cell {
        let Some(date) = date else { return Ok(0) };
        sheet.number(column, &serial(*date)?.to_string(), styles::DATE);
        return Ok(DATE_WIDTH);
    }
    let text = cell.to_csv();
    if text.is_empty() {
        return Ok(0);
    }
    if let Some(look) = Look::of_number(cell) {
        sheet.number(column, &text, look.style());
        return Ok(width_of_number(&text));
    }
    let width = width_of_text(&text);
    let style = if width > MAX_WIDTH { styles::WRAPPED } else { styles::TEXT };
    sheet.text(column, &readable(&text), style);
    Ok(width.min(MAX_WIDTH))
}

/// The width of a number with thousands separators.
pub(super) fn width_of_number(plain: &str) -> u16 {
    let whole = plain.split('.').next().unwrap_or_default().trim_start_matches('-').len();
    let width = plain.len() + whole.saturating_sub(1) / 3;
    u16::try_from(width).unwrap_or(MAX_WIDTH)
}

/// The number of lines of a cell at the maximum width of a column.
pub(super) fn lines_of(cell: &Cell<'_>) -> u32 {
    let Cell::Text(text) = cell else { return 1 };
    let width = width_of_text(text);
    if width > MAX_WIDTH { u32::from(width.div_ceil(LETTERS_A_LINE)) } else { 1 }
}

/// The narrowest width at which a heading takes two lines.
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

/// `text` without characters that XML cannot hold, and no longer than a cell.
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

/// The serial number of a day: they count from 1900, which the first spreadsheet took for a leap
/// year. A day that no workbook can hold is an error; no processor's file contains one.
fn serial(date: NaiveDate) -> io::Result<i32> {
    /// The day number of 1899-12-31, counted from the year 1.
    const BEFORE_THE_FIRST: i32 = 693_595;
    const LAST_OF_FEBRUARY: i32 = 59;
    let day = date.num_days_from_ce() - BEFORE_THE_FIRST;
    if day < 1 || date.year() > 9_999 {
        return Err(io::Error::other(format!("a workbook cannot hold the day {date}")));
    }
    Ok(if day > LAST_OF_FEBRUARY { day + 1 } else { day })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_days_as_spreadsheets_do() {
        let expected = [
            ("1900-01-01", 1),
            ("1900-02-28", 59),
            ("1900-03-01", 61),
            ("2026-11-06", 46_332),
            ("9999-12-31", 2_958_465),
        ];
        for (date, number) in expected {
            assert_eq!(serial(date.parse().unwrap()).unwrap(), number, "{date}");
        }
        for date in ["1899-12-31", "+10000-01-01", "0001-01-01"] {
            assert!(serial(date.parse().unwrap()).is_err(), "{date}");
        }
    }
}
