//! Errors of a bank statement as a whole.

use std::path::PathBuf;

use crate::files::FileError;
use crate::table::TableError;

/// Why a bank statement could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BankError {
    #[error(transparent)]
    File(#[from] FileError),

    #[error("bank statement {}: expected a bank statement, found {found}\nhint: {remedy}", path.display())]
    Foreign { path: PathBuf, found: String, remedy: String },

    #[error("bank statement {}: {}", path.display(), error.with_hint())]
    Table { path: PathBuf, error: TableError },

    #[error(
        "bank statement {}: line {line}: {reason}\n\
         hint: fetch the statement from the bank again; one that is cut off is not read at all",
        path.display()
    )]
    Broken { path: PathBuf, line: u64, reason: String },
}
