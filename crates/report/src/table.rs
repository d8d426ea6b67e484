//! A table in the form that all writers take: columns, and rows one by one, from memory or from the
//! store. Also writes it as CSV.

use std::io::{self, Write};

use super::cell::{Cell, Column};
use super::column::{ColumnOf, Row};

/// A source of rows that come one by one. It is read once for each file that holds the rows, in the
/// same order each time.
pub trait RowSource<R> {
    /// Passes every row to `take`, and stops at the first error of either side.
    ///
    /// # Errors
    /// When a row cannot be read, or `take` fails.
    fn each(&self, take: &mut dyn FnMut(&R) -> io::Result<()>) -> io::Result<()>;
}

impl<R> RowSource<R> for Vec<R> {
    fn each(&self, take: &mut dyn FnMut(&R) -> io::Result<()>) -> io::Result<()> {
        self.iter().try_for_each(take)
    }
}

type EachRow<'rows> = dyn Fn(&mut TakeCells<'_>) -> io::Result<()> + 'rows;
type TakeCells<'t> = dyn FnMut(&[Cell<'_>]) -> io::Result<()> + 't;

/// One table of a report.
pub(super) struct Table<'rows> {
    /// The name of its CSV file.
    pub file: &'static str,
    pub columns: Vec<Column>,
    /// Columns of the workbook that people fill in; no other file has them.
    pub by_hand: &'static [&'static str],
    each: Box<EachRow<'rows>>,
}

impl<'rows> Table<'rows> {
    /// A table of rows that are already sorted.
    pub fn of<R: Row>(rows: Vec<&'rows R>) -> Self {
        Self::with(|columns| {
            Box::new(move |take| rows.iter().try_for_each(|row| take(&cells(&columns, *row))))
        })
    }

    /// A table of rows that are never all in memory.
    pub fn streamed<R: Row>(rows: &'rows dyn RowSource<R>) -> Self {
        Self::with(|columns| {
            Box::new(move |take| rows.each(&mut |row| take(&cells(&columns, row))))
        })
    }

    fn with<R: Row>(each: impl FnOnce(Vec<ColumnOf<R>>) -> Box<EachRow<'rows>>) -> Self {
        let columns = R::columns();
        let heads = columns.iter().map(|column| column.head).collect();
        Self { file: R::FILE, columns: heads, by_hand: R::BY_HAND, each: each(columns) }
    }

    /// The file's name without its ending.
    pub fn name(&self) -> &'static str {
        self.file.strip_suffix(".csv").unwrap_or(self.file)
    }

    /// Passes the cells of every row to `take`.
    pub fn each(&self, take: &mut TakeCells<'_>) -> io::Result<()> {
        (self.each)(take)
    }

    /// Writes the header and the rows as they come.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer =
            csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
        writer.write_record(self.columns.iter().map(|column| column.name)).map_err(refused)?;
        self.each(&mut |cells| {
            for cell in cells {
                writer.write_field(cell.to_csv().as_bytes()).map_err(refused)?;
            }
            writer.write_record(None::<&[u8]>).map_err(refused)
        })?;
        writer.flush()
    }
}

/// The original I/O error of the file, since the remedy depends on its kind.
fn refused(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The cells of a row.
fn cells<'row, R: Row>(columns: &[ColumnOf<R>], row: &'row R) -> Vec<Cell<'row>> {
    columns.iter().map(|column| column.cell(row)).collect()
}
