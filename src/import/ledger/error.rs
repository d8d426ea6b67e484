//! What can be wrong with a ledger file as a whole.

use std::path::PathBuf;

use crate::import::files::FileError;

/// Why a ledger file, or the pattern that should find it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    File(#[from] FileError),

    #[error(
        "ledger file {}: row at line {line} cannot be read as CSV\n\
         hint: a quote that is opened must be closed in the same row",
        path.display()
    )]
    Csv { path: PathBuf, line: u64, source: csv::Error },

    #[error(
        "ledger file {}: expected a header row, found nothing\n\
         hint: an export that failed leaves an empty file; skip_lines is {skip_lines}",
        path.display()
    )]
    Empty { path: PathBuf, skip_lines: u64 },

    #[error(
        "ledger \"{ledger}\": delimiter, expected one ASCII character, found \"{}\"",
        found.escape_default()
    )]
    DelimiterUnusable { ledger: String, found: char },

    #[error(
        "ledger file {}: delimiter \"{}\", expected it in the header, found \"{found}\"\n\
         hint: set delimiter = \"{}\" for this ledger",
        path.display(), expected.escape_default(), suggestion.escape_default()
    )]
    DelimiterWrong { path: PathBuf, expected: char, found: String, suggestion: char },

    #[error(
        "ledger file {}: column {column}, expected a header \"{header}\", found {found}\n\
         hint: map {column} under columns, or set skip_lines to the lines above the header",
        path.display()
    )]
    ColumnMissing { path: PathBuf, column: &'static str, header: String, found: String },

    #[error(
        "ledger file {}: header \"{header}\", expected once, found more than once\n\
         hint: rename one of the columns in the export",
        path.display()
    )]
    ColumnTwice { path: PathBuf, header: String },

    #[error(
        "ledger file {}: expected either an amount column or debit and credit, found both mapped\n\
         hint: remove amount, or debit and credit, from columns",
        path.display()
    )]
    AmountTwice { path: PathBuf },

    #[error(
        "ledger file {}: merchant, expected a merchant column, found none and {merchants} \
         merchants that name ledger \"{ledger}\"\n\
         hint: map merchant under columns, or let exactly one merchant name this ledger",
        path.display()
    )]
    MerchantUnknown { path: PathBuf, ledger: String, merchants: usize },
}
