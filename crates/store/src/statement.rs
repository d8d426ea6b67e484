//! Reads all rows of a statement.

use rusqlite::{Connection, Params, Row};

/// Every row, converted by `read`; the statement stays prepared.
pub(super) fn rows<T, C: FromIterator<T>>(
    connection: &Connection,
    sql: &str,
    given: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<C> {
    connection.prepare_cached(sql)?.query_map(given, read)?.collect()
}
