//! What a statement gives, read as a whole.

use rusqlite::{Connection, Params, Row};

/// Every row, as `read` makes it; the statement stays prepared.
pub(super) fn rows<T, C: FromIterator<T>>(
    connection: &Connection,
    sql: &str,
    given: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<C> {
    connection.prepare_cached(sql)?.query_map(given, read)?.collect()
}
