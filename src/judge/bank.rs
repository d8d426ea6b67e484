//! The bank finder: what pairing the deposits with the merchants' bank statements came to.

use crate::judge::handed::{self, Table};
use crate::judge::run::Found;
use crate::judge::{AsOf, Finder, JudgeError, Rules};
use crate::store::Store;

/// Where pairing hands over what it found.
const TABLE: Table = Table { findings: "bank_findings", unread: "bank_unread" };

/// Pairs as of the prepared date. Answers also with what a person should know about the files.
pub(crate) fn find(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
) -> Result<(Vec<String>, Found), JudgeError> {
    let warnings = rules.match_statements(store, asof)?;
    let is_of_bank = |finder| finder == Finder::Bank;
    Ok((warnings, handed::take(rules.registry, store, &TABLE, is_of_bank)?))
}
