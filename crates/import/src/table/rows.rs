//! The rows of a table under its header. A row damaged by a stray quote, line break or delimiter is
//! left out and counted, with the lines that belong to it.

use std::path::PathBuf;

use super::TableError;
use super::amount::{AmountReader, MoneyIn};
use super::cells::{CellKind, Cells, are_alike};
use super::columns::{Columns, Wanted};
use super::cutting::{Cutter, Piece, TextLines, has_width};
use super::date::DateReader;
use super::diagnosis::{LINES_SEARCHED, other_delimiter, suggestion};
use super::excerpt::excerpt;
use super::formats::formats_of;
use super::label::{is_label, is_total_of};
use super::workbook::SheetRows;
use crate::files::{TextReader, first_lines, foreign_table};
use tieout_config::TableSettings;
use tieout_model::money::Currency;

/// Lines of one damaged row, at most.
const MAX_LINES_ABSORBED: u64 = 1_000;

/// The location of a table.
pub enum Source {
    /// A CSV of any size; the path serves to read its first lines again.
    File(TextReader, PathBuf),
    /// A CSV in memory.
    Text(String),
    /// A workbook.
    Workbook(PathBuf),
}

/// The next item of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A row, returned by [`Table::row`].
    Row,
    /// Rows that are left out: `rows` of them are, or were, on this line.
    Broken { line: u64, rows: u64, reason: String },
    /// Not a row: the header repeated, or text after a line break.
    Remark { line: u64, reason: &'static str },
}

/// A row with its position.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub cells: &'a Cells,
    pub line: u64,
    /// The fault of its width, which applies unless the row is a total or a remark.
    pub width_fault: Option<&'a str>,
    pub follows_blank: bool,
    /// A sentence alone after a blank line.
    pub is_footer: bool,
}

enum Pieces {
    Csv(Cutter),
    Sheet(SheetRows),
}

/// A table that is being read.
pub struct Table {
    pieces: Pieces,
    columns: Columns,
    dates: DateReader,
    width: usize,
    current: Piece,
    ahead: Piece,
    has_ahead: bool,
    width_fault: Option<String>,
    /// Whether the line above may be the beginning of the next row.
    is_next_doubtful: bool,
    /// Whether the current row, and the row ahead, stand right below a total, with nothing but
    /// sentences between.
    below_total: (bool, bool),
    remark: Option<Found>,
}

impl Table {
    /// Opens a table and finds the wanted columns. `dates` reads its dates.
    pub fn open(
        source: Source,
        settings: &TableSettings,
        wanted: Wanted,
        dates: DateReader,
    ) -> Result<Self, TableError> {
        let head = Head::of(&source);
        let mut pieces = open(source, settings)?;
        let mut header = Piece::default();
        if !pieces.next(&mut header, None, &|_| false)? {
            return Err(TableError::Empty { skip_lines: settings.skip_lines });
        }
        if settings.has_header && is_row(&header.cells, settings, &dates) {
            let cells: Vec<String> = header.cells.iter().map(excerpt).collect();
            return Err(TableError::HeaderIsRow { found: cells.join(", ") });
        }
        let columns = find(&header.cells, settings, wanted)
            .map_err(|error| advised(error, &head.lines(settings), settings, wanted))?;
        // A delimiter at the end of the header does not make a column.
        let last = (0..columns.headers.len()).rev().find(|at| !columns.headers[*at].is_empty());
        let mut table = Self {
            pieces,
            width: last.map_or(0, |last| last + 1),
            columns,
            dates,
            current: Piece::default(),
            ahead: Piece::default(),
            has_ahead: false,
            width_fault: None,
            is_next_doubtful: false,
            below_total: (false, false),
            remark: None,
        };
        if settings.has_header {
            table.look_ahead()?;
        } else {
            (table.ahead, table.has_ahead) = (header, true);
        }
        Ok(table)
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    pub fn dates(&self) -> &DateReader {
        &self.dates
    }

    /// The current row.
    pub fn row(&self) -> Row<'_> {
        Row {
            cells: &self.current.cells,
            line: self.current.line,
            width_fault: self.width_fault.as_deref(),
            follows_blank: self.current.follows_blank,
            is_footer: self.is_footer(),
        }
    }

    /// The next item; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Found>, TableError> {
        if let Some(remark) = self.remark.take() {
            return Ok(Some(remark));
        }
        self.width_fault = None;
        let mut is_below_blank = false;
        while self.advance()? {
            if !self.current.is_damaged && self.current.cells.are_blank() {
                is_below_blank = true;
                continue;
            }
            self.current.follows_blank |= is_below_blank;
            self.below_total = (self.below_total.1, false);
            if self.has_ahead && is_alone(&self.ahead.cells) {
                let goes_on = self.below_total.0 && is_alone(&self.current.cells);
                self.below_total.1 = goes_on || is_total(&self.current.cells);
            }
            return self.judge().map(Some);
        }
        Ok(None)
    }

    fn judge(&mut self) -> Result<Found, TableError> {
        let line = self.current.line;
        let is_doubtful = std::mem::take(&mut self.is_next_doubtful);
        if self.current.is_damaged {
            let rows = self.rows_in(self.current.cells.len());
            self.absorb()?;
            let reason = "a quote is open, or closed in the middle of a cell".to_owned();
            return Ok(Found::Broken { line, rows, reason });
        }
        let cells = &self.current.cells;
        if has_width(cells, self.width) {
            if self.is_header(cells) {
                return Ok(Found::Remark { line, reason: "the header again" });
            }
            if self.is_sentence(cells) {
                return Ok(Found::Remark { line, reason: "words without a figure" });
            }
            let is_torn = self.take_stray()?;
            if is_doubtful || is_torn {
                return Ok(broken_off(line));
            }
            return Ok(Found::Row);
        }
        let count = cells.len();
        let reason = format!("expected {} cells, found {count}", self.width);
        if count > self.width {
            return Ok(Found::Broken { line, rows: self.rows_in(count), reason });
        }
        if self.is_remark(cells) || self.is_footer() {
            self.width_fault = Some(reason);
            return Ok(Found::Row);
        }
        if self.is_stray(&self.current) && self.touches_next(cells.get(0)) {
            self.is_next_doubtful = true;
            return Ok(Found::Remark { line, reason: "text that a line break has cut off" });
        }
        if self.is_stray(&self.current) && self.heads_next(cells.get(0)) {
            return Ok(Found::Remark { line, reason: "a heading" });
        }
        self.absorb()?;
        Ok(Found::Broken { line, rows: 1, reason })
    }

    /// The number of rows joined in one line by missing line breaks.
    fn rows_in(&self, cells: usize) -> u64 {
        match (cells.checked_sub(1), self.width.checked_sub(1)) {
            (Some(joints), Some(each)) if each > 0 && joints % each == 0 && joints > 0 => {
                (joints / each) as u64
            }
            _ => 1,
        }
    }

    /// Skips the lines that belong to the damaged row above them.
    fn absorb(&mut self) -> Result<(), TableError> {
        for _ in 0..MAX_LINES_ABSORBED {
            let cells = &self.ahead.cells;
            let belongs = self.has_ahead
                && !self.ahead.follows_blank
                && cells.len() < self.width
                && !self.is_remark(cells)
                && !self.starts_row(cells);
            if !belongs {
                return Ok(());
            }
            self.look_ahead()?;
        }
        Ok(())
    }

    /// Takes a line of one cell after a whole row: a line break has cut it off this row or the
    /// next. Returns whether this row is doubtful.
    fn take_stray(&mut self) -> Result<bool, TableError> {
        let is_cut_off = self.has_ahead
            && !self.ahead.follows_blank
            && !self.below_total.1
            && self.is_stray(&self.ahead);
        if !is_cut_off {
            return Ok(false);
        }
        let last = self.width - 1;
        let stray = self.ahead.cells.get(0);
        let is_figure = |one: char| one.is_ascii_digit() || ".,-+() ".contains(one);
        let holds_figures =
            self.columns.amounts().any(|at| at == last) || self.columns.date == Some(last);
        let fits = !holds_figures || stray.chars().all(is_figure);
        let is_torn = self.columns.is_mapped(last) && fits;
        let (line, stray) = (self.ahead.line, stray.to_owned());
        self.look_ahead()?;
        self.is_next_doubtful = self.touches_next(&stray);
        if !is_torn && !self.is_next_doubtful {
            let reason = "text that a line break has cut off";
            self.remark = Some(Found::Remark { line, reason });
        }
        Ok(is_torn)
    }

    fn is_stray(&self, piece: &Piece) -> bool {
        !piece.is_damaged
            && piece.cells.len() == 1
            && self.width > 1
            && !is_label(piece.cells.get(0))
    }

    /// Checks that a whole row follows directly.
    fn is_next_whole(&self) -> bool {
        self.has_ahead
            && !self.ahead.follows_blank
            && !self.ahead.is_damaged
            && has_width(&self.ahead.cells, self.width)
    }

    /// Checks whether `stray` may be the beginning of the next row, whose first cell is mapped.
    fn touches_next(&self, stray: &str) -> bool {
        self.is_next_whole()
            && !is_label(self.ahead.cells.get(0))
            && self.columns.is_mapped(0)
            && !self.heads_next(stray)
    }

    /// Checks whether `stray` is a heading above the rows of a group: words without digits,
    /// followed by a row that begins with a date.
    fn heads_next(&self, stray: &str) -> bool {
        let cells = &self.ahead.cells;
        self.columns.date == Some(0)
            && !stray.contains(|one: char| one.is_ascii_digit())
            && self.is_next_whole()
            && self.dates.is_date(cells.get(0), cells.kind(0))
    }

    /// Whether the current row is a sentence alone, below a blank line or a total, and not a cell of
    /// a row.
    fn is_footer(&self) -> bool {
        let (cells, text) = (&self.current.cells, self.current.cells.get(0));
        (self.current.follows_blank || self.below_total.0)
            && !self.current.is_damaged
            && self.width > 1
            && is_alone(cells)
            && text.contains(' ')
            && text.contains(char::is_alphabetic)
            && !self.dates.is_date(text, cells.kind(0))
    }

    /// Checks whether a short row is a total, or has no id, date and amount.
    fn is_remark(&self, cells: &Cells) -> bool {
        let is_empty = |at: Option<usize>| at.is_none_or(|at| cells.get(at).is_empty());
        let has_figures = self.columns.amounts().any(|at| !cells.get(at).is_empty());
        cells.iter().any(is_label)
            || (is_empty(self.columns.id) && is_empty(self.columns.date) && !has_figures)
    }

    /// Checks whether the date column contains words and no cell has a digit: a sentence split at
    /// its commas, which cannot be a movement of money.
    fn is_sentence(&self, cells: &Cells) -> bool {
        let is_dated = |at: usize| cells.get(at).contains(' ') && cells.kind(at) == CellKind::Text;
        self.columns.date.is_some_and(is_dated)
            && !cells.iter().any(|cell| cell.contains(|one: char| one.is_numeric()))
    }

    fn starts_row(&self, cells: &Cells) -> bool {
        self.columns
            .date
            .is_some_and(|at| cells.len() > 1 && self.dates.is_date(cells.get(at), cells.kind(at)))
    }

    fn is_header(&self, cells: &Cells) -> bool {
        let first = self.columns.headers.first().map_or("", String::as_str);
        self.columns.has_header
            && are_alike(cells.get(0), first)
            && (1..self.width).all(|at| are_alike(cells.get(at), &self.columns.headers[at]))
    }

    fn advance(&mut self) -> Result<bool, TableError> {
        if !self.has_ahead {
            return Ok(false);
        }
        std::mem::swap(&mut self.current, &mut self.ahead);
        self.look_ahead()?;
        Ok(true)
    }

    fn look_ahead(&mut self) -> Result<(), TableError> {
        let (date, dates) = (self.columns.date, &self.dates);
        let is_row =
            |cells: &Cells| date.is_some_and(|at| dates.is_date(cells.get(at), cells.kind(at)));
        self.has_ahead = self.pieces.next(&mut self.ahead, Some(self.width), &is_row)?;
        Ok(())
    }
}

/// Checks whether the header is really a row with a date and an amount.
fn is_row(header: &Cells, settings: &TableSettings, dates: &DateReader) -> bool {
    let amounts = AmountReader::new(settings, MoneyIn::Credit);
    let Some(currency) = Currency::from_code("USD") else { return false };
    let is_date = |at: &usize| {
        let (cell, kind) = (header.get(*at), header.kind(*at));
        dates.is_date(cell, kind) || !formats_of(&[cell]).is_empty()
    };
    let Some(date) = (0..header.len()).find(is_date) else { return false };
    (0..header.len()).filter(|at| *at != date).any(|at| {
        let amount = amounts.read(header.get(at), header.kind(at), currency);
        matches!(amount, Ok(Some(_)))
    })
}

/// Whether nothing stands beside the first cell.
fn is_alone(cells: &Cells) -> bool {
    (1..cells.len()).all(|at| cells.get(at).is_empty())
}

/// Whether a row is a total by its words.
fn is_total(cells: &Cells) -> bool {
    let first = cells.iter().find(|cell| !cell.is_empty());
    first.is_some_and(is_total_of) || cells.iter().any(is_label)
}

fn broken_off(line: u64) -> Found {
    let reason = "the row has a line break outside of quotes".to_owned();
    Found::Broken { line, rows: 1, reason }
}

impl Pieces {
    fn next(
        &mut self,
        piece: &mut Piece,
        width: Option<usize>,
        is_row: &dyn Fn(&Cells) -> bool,
    ) -> Result<bool, TableError> {
        match self {
            Self::Csv(cutter) => cutter.next(piece, width, is_row),
            Self::Sheet(rows) => Ok(rows.next(piece)),
        }
    }
}

fn open(source: Source, settings: &TableSettings) -> Result<Pieces, TableError> {
    let lines: Box<dyn super::cutting::Lines> = match source {
        Source::Workbook(path) => {
            let mut rows = SheetRows::open(&path, settings.sheet.as_deref())?;
            rows.skip(settings.skip_lines);
            return Ok(Pieces::Sheet(rows));
        }
        Source::File(reader, _) => Box::new(reader),
        Source::Text(text) => Box::new(TextLines::new(text)),
    };
    let delimiter = u8::try_from(settings.delimiter)
        .ok()
        .filter(|byte| byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r'))
        .ok_or(TableError::DelimiterUnusable { found: settings.delimiter })?;
    let mut cutter = Cutter::new(lines, delimiter);
    if cutter.skip(settings.skip_lines)? {
        Ok(Pieces::Csv(cutter))
    } else {
        Err(TableError::Empty { skip_lines: settings.skip_lines })
    }
}

/// A header of one cell that contains another usual delimiter was split wrongly.
fn find(header: &Cells, settings: &TableSettings, wanted: Wanted) -> Result<Columns, TableError> {
    if header.len() == 1
        && let Some(other) = other_delimiter(header.get(0), settings.delimiter)
    {
        return Err(TableError::DelimiterWrong {
            expected: settings.delimiter,
            found: excerpt(header.get(0)).trim_matches('"').to_owned(),
            suggestion: format!("set delimiter = \"{}\"", other.escape_default()),
        });
    }
    Columns::find(header, settings, wanted)
}

/// The error with a suggestion from the first lines of the file.
fn advised(
    mut error: TableError,
    lines: &[String],
    settings: &TableSettings,
    wanted: Wanted,
) -> TableError {
    let better = || suggestion(lines, settings, wanted);
    match &mut error {
        TableError::DelimiterWrong { suggestion, .. } => {
            if let Some(better) = better() {
                *suggestion = better;
            }
        }
        TableError::ColumnMissing { column, suggestion, .. } => {
            *suggestion = better().unwrap_or_else(|| {
                format!(
                    "map {column} under columns, or set skip_lines to the lines above the header"
                )
            });
        }
        _ => {}
    }
    match error {
        TableError::DelimiterWrong { .. } | TableError::ColumnMissing { .. } => {
            foreign_table(lines).map_or(error, TableError::Foreign)
        }
        error => error,
    }
}

/// How to read the first lines of a table again.
enum Head {
    Path(PathBuf),
    Workbook(PathBuf),
    Lines(Vec<String>),
}

impl Head {
    fn of(source: &Source) -> Self {
        match source {
            Source::File(_, path) => Self::Path(path.clone()),
            Source::Text(text) => {
                Self::Lines(text.lines().take(LINES_SEARCHED).map(str::to_owned).collect())
            }
            Source::Workbook(path) => Self::Workbook(path.clone()),
        }
    }

    fn lines(self, settings: &TableSettings) -> Vec<String> {
        match self {
            Self::Workbook(path) => SheetRows::open(&path, settings.sheet.as_deref()).map_or_else(
                |_| Vec::new(),
                |rows| rows.first_lines(LINES_SEARCHED, settings.delimiter),
            ),
            Self::Path(path) => first_lines(&path, LINES_SEARCHED),
            Self::Lines(lines) => lines,
        }
    }
}
