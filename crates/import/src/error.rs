//! Why importing ended early.

use tieout_store::StoreError;

/// An error that ends the import of a run. An unreadable file is not an error: the store notes the
/// reason.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ImportError {
    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<String> {
        let Self::Store(error) = self;
        error.hint().map(str::to_owned)
    }
}
