//! The ledger finder: what matching the merchants' books with the processor's items came to.

use crate::judge::pairing::Books;
use crate::judge::run::Found;
use crate::judge::{AsOf, JudgeError, Rules};
use crate::store::Store;

/// Matches as of the prepared date.
pub(crate) fn find(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
) -> Result<(Books, Found), JudgeError> {
    rules.match_books(store, asof)
}
