//! Backups: whole copies of a store that could replace it.

use std::path::Path;

use super::copy::{copy_whole, refuse_torn};
use super::{Store, StoreError, seal, trail};

/// Copies the store into `file` while others may read and write it.
///
/// # Errors
/// When the copy cannot be written.
pub fn write(store: &Store, file: &Path) -> Result<(), StoreError> {
    copy_whole(store.connection(), file)
}

/// Proves that a copy could replace the store: its pages, its audit trail, its seals.
///
/// # Errors
/// The first problem found.
pub fn prove(file: &Path) -> Result<(), StoreError> {
    let store = Store::open_for_reading(file)?;
    refuse_torn(store.connection(), file)?;
    let altered = trail::broken_chain(&store)?.into_iter().map(|one| one.to_string());
    let found = altered.chain(seal::broken(&store)?).next();
    let expected = "rows that the program wrote";
    found.map_or(Ok(()), |found| Err(StoreError::Content { what: "the copy", found, expected }))
}
