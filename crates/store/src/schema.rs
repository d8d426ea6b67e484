//! The schema is evidence: a foreign trigger would write through the program's own connection, and
//! a view in place of a table could show anything. A store has exactly what its migrations make.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::Connection;

use super::error::{StoreError, While};

/// Tables that others add: the statistics of `analyze`, and the state of litestream's replication.
const KNOWN_TABLES: [&str; 4] =
    ["sqlite_stat1", "sqlite_stat4", "_litestream_seq", "_litestream_lock"];

/// Kind and name to the table that it belongs to, and its text.
type Schema = BTreeMap<(String, String), (String, String)>;

fn read(connection: &Connection) -> rusqlite::Result<Schema> {
    let mut statement = connection.prepare(include_str!("../sql/evidence/schema.sql"))?;
    let rows = statement.query_map([], |row| {
        // A bit that flipped need not leave text.
        let text = |place| -> rusqlite::Result<String> {
            Ok(String::from_utf8_lossy(row.get_ref(place)?.as_bytes()?).into_owned())
        };
        Ok(((text(0)?, text(1)?), (text(2)?, text(3)?)))
    })?;
    rows.collect()
}

/// The schema that these migrations make in an empty store. The first result is remembered, as it
/// is that of the program's own migrations.
fn made_by(migrations: &[&str]) -> rusqlite::Result<Schema> {
    static MADE: OnceLock<(usize, Schema)> = OnceLock::new();
    if let Some((_, made)) = MADE.get().filter(|(count, _)| *count == migrations.len()) {
        return Ok(made.clone());
    }
    let empty = Connection::open_in_memory()?;
    for migration in migrations {
        empty.execute_batch(migration)?;
    }
    let made = read(&empty)?;
    // Another thread may have been first.
    let _ = MADE.set((migrations.len(), made.clone()));
    Ok(made)
}

/// The differences between the schema and the one that these migrations make, a sentence each.
pub(super) fn strange(
    connection: &Connection,
    migrations: &[&str],
) -> rusqlite::Result<Vec<String>> {
    let (made, found) = (made_by(migrations)?, read(connection)?);
    let mut strange = Vec::new();
    for ((kind, name), as_made) in &made {
        match found.get(&(kind.clone(), name.clone())) {
            None => strange.push(format!("the store lacks {kind} {name}")),
            Some(as_found) if as_found != as_made => {
                strange.push(format!("{kind} {name} of the store is not as the program made it"));
            }
            Some(_) => {}
        }
    }
    for ((kind, name), (table, _)) in &found {
        let is_known = kind == "table" && KNOWN_TABLES.contains(&name.as_str());
        if !is_known && !made.contains_key(&(kind.clone(), name.clone())) {
            let of = if table == name { String::new() } else { format!(" on {table}") };
            strange
                .push(format!("the store has {kind} {name}{of}, which the program did not make"));
        }
    }
    Ok(strange)
}

/// Refuses a store whose schema is not the one that these migrations make.
pub(super) fn refuse_strange(
    connection: &Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let found = strange(connection, migrations).during("proving the schema")?;
    if found.is_empty() {
        return Ok(());
    }
    Err(StoreError::Strange { path: path.to_owned(), found: found.join("; ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::seal;
    use crate::soundness;

    /// Changes to a schema made by hand, and how each is reported.
    const CHANGES: [(&str, &str); 8] = [
        (
            "create trigger late after update on business_day begin select 1; end",
            "the store has trigger late on business_day, which the program did not make",
        ),
        ("create view late as select 1", "the store has view late, which"),
        ("create table late (x)", "the store has table late, which"),
        ("create index late on business_day (stale)", "the store has index late on business_day"),
        ("drop table table_sum", "the store lacks table table_sum"),
        (
            "drop table table_sum; create view table_sum as select 'x' as name, x'00' as digest",
            "the store has view table_sum",
        ),
        ("drop trigger audit_is_never_changed", "the store lacks trigger audit_is_never_changed"),
        ("alter table key_operation add column note text", "table key_operation of the store is"),
    ];

    #[test]
    fn a_store_has_what_the_migrations_make_and_nothing_else_is_opened() {
        for (sql, expected) in CHANGES {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tieout.db");
            assert_eq!(
                soundness::strange_schema(&Store::open(&path).unwrap()).unwrap(),
                Vec::<String>::new()
            );
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            for refused in [Store::open(&path), Store::open_for_reading(&path)] {
                let error = refused.err().unwrap();
                assert!(error.to_string().contains(expected), "{sql}: {error}");
                assert!(error.hint().unwrap().contains("tieout verify"));
            }
            let found = soundness::strange_schema(&Store::open_to_prove(&path).unwrap()).unwrap();
            assert!(found.iter().any(|one| one.contains(expected)), "{sql}: {found:?}");
        }
    }

    #[test]
    fn what_analyze_and_litestream_add_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        drop(Store::open(&path).unwrap());
        Connection::open(&path)
            .unwrap()
            .execute_batch(
                "create table _litestream_seq (id integer primary key, seq integer);
                 create table _litestream_lock (id integer);
                 insert into _litestream_seq values (1, 7);
                 insert into key_operation (name, is_there) values ('x', 1);
                 analyze",
            )
            .unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(soundness::strange_schema(&store).unwrap(), Vec::<String>::new());
        assert_eq!(
            seal::broken(&store).unwrap(),
            ["table key_operation was altered: its sum does not match its rows"]
        );
    }
}
