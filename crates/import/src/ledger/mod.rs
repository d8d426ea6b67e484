//! Reads ledger files through a mapping: bytes in, [`LedgerRecord`]s and faults out.
//! Never matches anything, never touches the database, and never holds more than two rows.
//!
//! A file is read twice: once to hash it and to learn its encoding, once for its rows.
//! A row that cannot be understood is quarantined with its reason and the rest is read; what is
//! wrong with the file as a whole (empty, wrong delimiter, a mapped column missing) is an error.

mod error;
mod file;
mod row;

pub use error::LedgerError;
pub use file::{CheckedFile, LedgerItem, Looked, check_file, read_file, read_items, read_looked};
