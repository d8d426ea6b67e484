//! Errors of a table as a whole.

use std::io;

use crate::files::Foreign;

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("cannot be read at line {line}: {error}")]
    Line { line: u64, error: io::Error },

    #[error("expected a header row, found nothing: {}", emptiness(*skip_lines))]
    Empty { skip_lines: u64 },

    #[error("expected a table, found {}", .0.name)]
    Foreign(Foreign),

    #[error("expected a text, found zero bytes")]
    NotText,

    #[error("expected a workbook (XLSX), found {0}")]
    NotAWorkbook(String),

    #[error("sheet, expected {}, found {}", wanted_sheet(wanted.as_deref()), found.join(", "))]
    Sheet { wanted: Option<String>, found: Vec<String> },

    #[error("delimiter, expected one ASCII character, found \"{}\"", found.escape_default())]
    DelimiterUnusable { found: char },

    #[error(
        "delimiter \"{}\", expected it in the header, found \"{found}\"",
        expected.escape_default()
    )]
    DelimiterWrong { expected: char, found: String, suggestion: String },

    #[error("column {column}, expected a header \"{header}\", found {found}")]
    ColumnMissing { column: &'static str, header: String, found: String, suggestion: String },

    #[error("header \"{header}\", expected once, found more than once")]
    ColumnTwice { header: String },

    #[error("expected either an amount column or debit and credit, found both mapped")]
    AmountTwice,

    #[error("column \"{header}\" holds a {key} ({words}), and is not mapped")]
    ColumnNotMapped { header: String, words: String, key: &'static str },

    #[error(
        "column {key}, expected it mapped, found header \"{header}\", which may belong to \"{other}\""
    )]
    DefaultInDoubt { key: &'static str, header: String, other: String },

    #[error("expected a header row, found the row {found}")]
    HeaderIsRow { found: String },

    #[error("column {column}, expected its number from 1 to {count}, found \"{found}\"")]
    NumberUnusable { column: String, count: usize, found: String },
}

impl TableError {
    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Line { .. } => return None,
            Self::Empty { skip_lines: 0 } => {
                "an export that failed leaves an empty file".to_owned()
            }
            Self::Empty { skip_lines } => {
                format!("skip_lines is {skip_lines}: are there as many lines above the header?")
            }
            Self::Foreign(foreign) => foreign.remedy.to_owned(),
            Self::NotText => {
                "save the file as CSV UTF-8, or as UTF-16 with a byte order mark".to_owned()
            }
            Self::NotAWorkbook(_) => "save the sheet as XLSX or CSV UTF-8".to_owned(),
            Self::Sheet { .. } => "set sheet to the name of one of them".to_owned(),
            Self::DelimiterUnusable { .. } => "set delimiter to one such as \";\"".to_owned(),
            Self::DelimiterWrong { suggestion, .. } | Self::ColumnMissing { suggestion, .. } => {
                suggestion.clone()
            }
            Self::ColumnTwice { .. } => "rename one of the columns in the export".to_owned(),
            Self::AmountTwice => "remove amount, or debit and credit, from columns".to_owned(),
            Self::ColumnNotMapped { header, key: key @ "refund", .. } => {
                format!("map it: columns.{key} = \"{header}\"; or unused = [\"{header}\"]")
            }
            Self::ColumnNotMapped { header, key, .. } => {
                format!(
                    "map it: columns.{key} = \"{header}\", and its words under values.{key}; or, \
                     if it holds something else, unused = [\"{header}\"]"
                )
            }
            Self::DefaultInDoubt { key, header, .. } => {
                format!("set columns.{key}, or unused = [\"{header}\"]")
            }
            Self::HeaderIsRow { .. } => {
                "set header = false, and columns by number, such as date = 1".to_owned()
            }
            Self::NumberUnusable { .. } => {
                "with header = false, columns are numbers, such as date = 1".to_owned()
            }
        })
    }

    /// The message, with the remedy on a line of its own.
    pub fn with_hint(&self) -> String {
        match self.hint() {
            Some(hint) => format!("{self}\nhint: {hint}"),
            None => self.to_string(),
        }
    }
}

fn emptiness(skip_lines: u64) -> &'static str {
    if skip_lines == 0 { "the file is empty" } else { "the file is empty or ends above it" }
}

fn wanted_sheet(wanted: Option<&str>) -> String {
    wanted.map_or_else(|| "one alone".to_owned(), |name| format!("\"{name}\""))
}
