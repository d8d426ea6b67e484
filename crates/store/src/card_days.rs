//! Notes the days of authorizations that have changed, for the readers that keep them.

use rusqlite::Connection;

/// Notes that authorizations of these days have changed: copies read before are out of date.
pub(super) fn touch(
    connection: &Connection,
    days: impl IntoIterator<Item = String>,
) -> rusqlite::Result<()> {
    let sql = "insert into authorization_day (day, changes) values (?1, 1) \
               on conflict (day) do update set changes = changes + 1";
    let mut touch = connection.prepare_cached(sql)?;
    for day in days {
        touch.execute([day])?;
    }
    Ok(())
}
