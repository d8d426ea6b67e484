//! Reads ledger files through a mapping: bytes in, [`LedgerRecord`]s and faults out. Never matches
//! anything, never uses the database, and never keeps more than two rows in memory.
//!
//! A file is read twice: once to hash it and to find its encoding, once for its rows. A row that
//! cannot be understood is quarantined with its reason and the other rows are read. A fault of the
//! file as a whole (empty, wrong delimiter, a mapped column missing) is an error.

mod error;
mod file;
mod row;

pub use error::LedgerError;
pub use file::{CheckedFile, LedgerItem, Looked, check_file, read_file, read_items, read_looked};
