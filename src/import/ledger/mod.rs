//! Reads ledger files through a mapping: bytes in, [`LedgerRecord`]s and faults out.
//! Never matches anything, never touches the database, and never holds more than one row.
//!
//! A file is read twice: once to hash it and to learn its encoding, once for its rows.
//! A row that cannot be understood is quarantined with its reason and the rest is read; what is
//! wrong with the file as a whole (empty, wrong delimiter, a needed column missing) is an error.

mod amount;
mod columns;
mod error;
mod excerpt;
mod file;
mod row;

pub(crate) use amount::{Separators, parse as parse_amount};
pub use error::LedgerError;
pub(crate) use excerpt::excerpt;
pub use file::{CheckedFile, LedgerFile, Quarantined, check_file, digest_of, read_file};

pub use crate::model::{LedgerKind, LedgerRecord, LedgerStatus};
