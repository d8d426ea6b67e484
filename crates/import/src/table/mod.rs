//! The one reader of tables, for ledgers and banks alike: CSV, or a sheet of an XLSX workbook.
//! Finds the mapped columns, splits rows so that none is lost, and reads dates and amounts. Does
//! not know the meaning of a row, and never keeps more than two rows of a CSV in memory.

mod amount;
mod cells;
mod columns;
mod cutting;
mod date;
mod diagnosis;
mod error;
mod excerpt;
mod formats;
mod label;
mod lexicon;
mod rows;
mod says;
mod split;
mod unpacked;
mod vocabulary;
mod words;
mod workbook;
mod written;
mod zone;

#[cfg(test)]
mod tests;

pub(crate) use amount::{AmountReader, MoneyIn};
pub(crate) use cells::{CellKind, Cells};
pub use columns::{Columns, Wanted};
pub(crate) use cutting::rows_of;
pub(crate) use date::DateReader;
pub use error::TableError;
pub use excerpt::excerpt;
pub(crate) use formats::formats_of;
pub(crate) use label::{is_balance, is_label, is_total_of};
pub use rows::{Found, Row, Source, Table};
pub(crate) use says::Unmapped;
pub(crate) use vocabulary::{
    Book, Booking, Says, booking, is_not_booked, movement, names_given_back, names_kind,
    names_state, ours, plain,
};
pub(crate) use words::IGNORE;
pub use words::Words;
pub use workbook::open_workbook;
pub(crate) use workbook::{first_lines as first_lines_of_sheet, is_workbook, sheets};
pub use written::Sums;
