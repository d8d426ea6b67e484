//! Rows that are written and read as one: a JSON array of arrays.

use serde::{Deserialize, Serialize};

use super::columns::wrong;

/// Rows of a full page.
const ROWS: usize = 1_000;

/// A page that rows are added to.
#[derive(Default)]
pub(super) struct JsonPage {
    /// The array, not closed yet; empty without a row.
    text: Vec<u8>,
    rows: usize,
}

impl JsonPage {
    pub(super) fn add(&mut self, row: &impl Serialize) -> rusqlite::Result<()> {
        self.text.push(if self.text.is_empty() { b'[' } else { b',' });
        self.rows += 1;
        serde_json::to_writer(&mut self.text, row)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= ROWS
    }

    /// The whole array; JSON is always text.
    pub(super) fn finish(mut self) -> rusqlite::Result<String> {
        self.text.push(b']');
        String::from_utf8(self.text).map_err(|error| wrong("rows", &error.to_string()))
    }
}

/// The rows of a page.
pub(super) fn read<'page, R: Deserialize<'page>>(text: &'page str) -> rusqlite::Result<Vec<R>> {
    serde_json::from_str(text).map_err(|error| wrong("rows", &error.to_string()))
}
