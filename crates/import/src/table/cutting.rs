//! Splits the lines of a CSV into rows. A quote that is never closed, or closed in the middle of a
//! cell, damages only its own line: no row is lost.

use std::collections::VecDeque;
use std::io;

use super::TableError;
use super::cells::{Cells, is_blank};
use super::split::{End, split, split_leniently};
use crate::files::TextReader;

/// A cell over more lines than this was opened by a stray quote.
const MAX_ROW_LINES: usize = 100;

/// As `MAX_ROW_LINES`, in bytes.
const MAX_ROW_BYTES: usize = 256 * 1024;

/// The source of a table's lines.
pub(super) trait Lines {
    /// Reads the next line into `line`, without its end; `false` after the last one.
    fn read_line(&mut self, line: &mut String) -> io::Result<bool>;
}

impl Lines for TextReader {
    fn read_line(&mut self, line: &mut String) -> io::Result<bool> {
        TextReader::read_line(self, line)
    }
}

/// The lines of a text in memory.
pub(super) struct TextLines {
    text: String,
    position: usize,
}

impl TextLines {
    pub(super) fn new(text: String) -> Self {
        Self { text, position: 0 }
    }
}

impl Lines for TextLines {
    fn read_line(&mut self, line: &mut String) -> io::Result<bool> {
        line.clear();
        let rest = &self.text[self.position..];
        if rest.is_empty() {
            return Ok(false);
        }
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        line.push_str(&rest[..length]);
        let end = if rest[length..].starts_with("\r\n") { 2 } else { 1 };
        self.position = (self.position + length + end).min(self.text.len());
        Ok(true)
    }
}

/// A row after splitting, before its width is checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub cells: Cells,
    /// The line of the file on which it begins, counted from 1.
    pub line: u64,
    pub lines: u64,
    /// Whether a quote breaks the rules; its cells are then split with quotes as ordinary
    /// characters.
    pub is_damaged: bool,
    /// Whether a blank line precedes it.
    pub follows_blank: bool,
}

/// The rows of a text, each with its line, for examining them.
pub(crate) fn rows_of(text: String, delimiter: char) -> Vec<(u64, Vec<String>)> {
    let Ok(delimiter) = u8::try_from(delimiter) else { return Vec::new() };
    let mut cutter = Cutter::new(Box::new(TextLines::new(text)), delimiter);
    let (mut rows, mut piece) = (Vec::new(), Piece::default());
    while cutter.next(&mut piece, None, &|_| false).unwrap_or(false) {
        rows.push((piece.line, piece.cells.iter().map(str::to_owned).collect()));
    }
    rows
}

/// Splits lines into rows.
pub(super) struct Cutter {
    lines: Box<dyn Lines>,
    delimiter: u8,
    /// The line that was read last, counted from 1.
    number: u64,
    /// Lines that were looked at in advance and are not split yet.
    queue: VecDeque<String>,
    line: String,
}

impl Cutter {
    pub(super) fn new(lines: Box<dyn Lines>, delimiter: u8) -> Self {
        Self { lines, delimiter, number: 0, queue: VecDeque::new(), line: String::new() }
    }

    /// Skips lines above the header; `false` when there are too few.
    pub(super) fn skip(&mut self, count: u64) -> Result<bool, TableError> {
        for _ in 0..count {
            if !self.read_line()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Splits the next row of `width` cells into `piece`; `false` after the last one. `is_row`
    /// checks whether the cells of a line look like a whole row.
    pub(super) fn next(
        &mut self,
        piece: &mut Piece,
        width: Option<usize>,
        is_row: &dyn Fn(&Cells) -> bool,
    ) -> Result<bool, TableError> {
        piece.follows_blank = false;
        loop {
            if !self.read_line()? {
                return Ok(false);
            }
            if !self.line.chars().all(is_blank) {
                break;
            }
            piece.follows_blank = true;
        }
        (piece.line, piece.lines, piece.is_damaged) = (self.number, 1, false);
        let is_whole = match split(&self.line, self.delimiter, &mut piece.cells) {
            End::Whole => true,
            End::Damaged => false,
            End::Open => self.close(piece, width, is_row)?,
        };
        if !is_whole {
            piece.lines = 1;
            piece.is_damaged = true;
            split_leniently(&self.line, self.delimiter, &mut piece.cells);
        }
        Ok(true)
    }

    /// Looks for the end of a quoted cell on the following lines. Without an end, or with a row in
    /// between, these lines are put back.
    fn close(
        &mut self,
        piece: &mut Piece,
        width: Option<usize>,
        is_row: &dyn Fn(&Cells) -> bool,
    ) -> Result<bool, TableError> {
        let mut first = std::mem::take(&mut self.line);
        let (mut joined, mut taken) = (first.clone(), Vec::new());
        let mut is_closed = false;
        while taken.len() < MAX_ROW_LINES && joined.len() < MAX_ROW_BYTES && self.read_line()? {
            joined.push('\n');
            joined.push_str(&self.line);
            taken.push(self.line.clone());
            if !self.line.contains('"') {
                continue;
            }
            match split(&joined, self.delimiter, &mut piece.cells) {
                End::Open => {}
                End::Damaged => break,
                End::Whole => {
                    is_closed = width.is_none_or(|width| has_width(&piece.cells, width))
                        && !self.holds_row(&taken[..taken.len() - 1], width, is_row);
                    break;
                }
            }
        }
        if is_closed {
            piece.lines += taken.len() as u64;
        } else {
            self.number -= taken.len() as u64;
            for line in taken.into_iter().rev() {
                self.queue.push_front(line);
            }
        }
        std::mem::swap(&mut self.line, &mut first);
        Ok(is_closed)
    }

    fn holds_row(
        &self,
        lines: &[String],
        width: Option<usize>,
        is_row: &dyn Fn(&Cells) -> bool,
    ) -> bool {
        let mut cells = Cells::default();
        lines.iter().any(|line| {
            split(line, self.delimiter, &mut cells) == End::Whole
                && Some(cells.len()) == width
                && is_row(&cells)
        })
    }

    fn read_line(&mut self) -> Result<bool, TableError> {
        let is_there = if let Some(line) = self.queue.pop_front() {
            self.line = line;
            true
        } else {
            self.lines
                .read_line(&mut self.line)
                .map_err(|error| TableError::Line { line: self.number + 1, error })?
        };
        self.number += u64::from(is_there);
        Ok(is_there)
    }
}

/// Checks that the cells are `width`, or that all further ones are blank.
pub(super) fn has_width(cells: &Cells, width: usize) -> bool {
    cells.len() >= width && (width..cells.len()).all(|at| cells.get(at).is_empty())
}
