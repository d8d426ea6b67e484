//! Takes what a finder left in temporary tables.

use rusqlite::Connection;

use super::check::Finder;
use super::registry::Registry;
use super::rows::select_rows;
use super::run::{Found, Gap};
use super::{Check, JudgeError};
use crate::store::Store;

/// The temporary tables of one finder.
pub(crate) struct Table {
    pub findings: &'static str,
    /// Merchants whose files could not be read; an empty code stands for every check.
    pub unread: &'static str,
}

/// What the tables hold for the checks of the finder.
pub(crate) fn take(
    registry: &Registry,
    store: &Store,
    table: &Table,
    is_finder: impl Fn(Finder) -> bool,
) -> Result<Found, JudgeError> {
    let connection = store.connection();
    let mut found = Found::default();
    for check in registry.iter().filter(|check| is_finder(check.finder)) {
        let sql = format!("select * from temp.{} where code = '{}'", table.findings, check.code);
        let of_check = Check { sql, ..check.clone() };
        found.findings.extend(select_rows(connection, &of_check, usize::MAX)?);
        let failed = |source| JudgeError::Query { check: check.code.clone(), source };
        found.gaps.extend(unread(connection, table, check).map_err(failed)?);
    }
    Ok(found)
}

fn unread(connection: &Connection, table: &Table, check: &Check) -> rusqlite::Result<Vec<Gap>> {
    let sql =
        format!("select merchant_id, reason from temp.{} where code in ('', ?1)", table.unread);
    let gap = |row: &rusqlite::Row<'_>| {
        let (code, merchant_id, reason) = (check.code.clone(), row.get(0)?, row.get(1)?);
        Ok(Gap { code, merchant_id, reason })
    };
    connection.prepare_cached(&sql)?.query_map([&check.code], gap)?.collect()
}
