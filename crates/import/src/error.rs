//! Why importing ended early.

use tieout_store::StoreError;

/// What ends the import of a run. A file that cannot be read is not an error: the store notes why.
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
