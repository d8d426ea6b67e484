//! What can be wrong with a bank statement as a whole.

use std::path::PathBuf;

use crate::import::files::FileError;

/// Why a bank statement could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BankError {
    #[error(transparent)]
    File(#[from] FileError),

    #[error(
        "bank statement {}: expected BAI2, camt.053, MT940, OFX or CSV, found none of them\n\
         hint: set format for this bank, and columns when it is a CSV",
        path.display()
    )]
    Unknown { path: PathBuf },

    #[error("bank statement {}: expected at most {limit} bytes of text, found more", path.display())]
    TooLarge { path: PathBuf, limit: usize },

    #[error(
        "bank statement {}: line {line}: {reason}\n\
         hint: fetch the statement from the bank again; one that is cut off is not read at all",
        path.display()
    )]
    Broken { path: PathBuf, line: u64, reason: String },
}
