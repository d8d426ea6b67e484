//! The ledger finder: what matching the merchants' books with the processor's items came to.

use crate::judge::handed::{self, Table};
use crate::judge::pairing::Books;
use crate::judge::run::Found;
use crate::judge::{AsOf, Finder, JudgeError, Rules};
use crate::store::Store;

/// Where matching hands over what it found.
const TABLE: Table = Table { findings: "ledger_findings", unread: "ledger_unread" };

/// Matches as of the prepared date.
pub(crate) fn find(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
) -> Result<(Books, Found), JudgeError> {
    let books = rules.match_books(store, asof)?;
    let is_of_ledger = |finder| finder == Finder::Ledger;
    Ok((books, handed::take(rules.registry, store, &TABLE, is_of_ledger)?))
}
