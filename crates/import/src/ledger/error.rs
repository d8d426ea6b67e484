//! Errors of a ledger file as a whole.

use std::path::PathBuf;

use crate::files::FileError;
use crate::table::TableError;

/// Why a ledger file, or the pattern that should find it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    File(#[from] FileError),

    #[error("ledger file {}: {}", path.display(), error.with_hint())]
    Table { path: PathBuf, error: TableError },

    #[error(
        "ledger file {}: merchant, expected a merchant column, found none and {merchants} \
         merchants that name ledger \"{ledger}\"\n\
         hint: map merchant under columns, or let exactly one merchant name this ledger",
        path.display()
    )]
    MerchantUnknown { path: PathBuf, ledger: String, merchants: usize },
}
