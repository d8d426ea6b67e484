//! Sums over the rows of tables that no digest or seal covers whole, so that a row which is changed,
//! added or removed by hand is seen, in whichever column. Which tables these are follows from the
//! schema: a new table is summed without anybody's doing, and a new column with its table.
//!
//! A connection that writes has temporary triggers, made from the schema as it is opened, that take
//! the old row out of the sum and the new one in. Another program has no such triggers. Who can
//! write the store can also compute the sums anew; that is what the anchors outside are for.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest as _, Sha256};

/// Bytes of a sum.
const BYTES: usize = 32;

/// What stands for the sum of a table that was altered before an upgrade computed it anew.
const ALTERED: [u8; BYTES] = [0xff; BYTES];

/// Tables that are proved by other means.
const PROVED: [(&str, &str); 15] = [
    ("audit", "its hashes are a chain"),
    ("audit_head", "it ends the chain"),
    ("bank_line", "the seal of its file"),
    ("bank_span", "the seal of its file"),
    ("batch_result", "the digest of the date"),
    ("deposit_result", "the digest of the date"),
    ("discrepancy_day", "the digest of the date"),
    ("ledger_quarantine", "the seal of its file"),
    ("ledger_record", "the seal of its file"),
    ("match_result", "the digest of the date"),
    ("not_evaluated", "the digest of the date"),
    ("page_body", "its digest, and the audit trail once it is removed"),
    ("run_record", "run.json"),
    ("summary_result", "the digest of the date"),
    ("transit_result", "the digest of the date"),
];

/// What nothing proves, with the reason.
pub const WORKING_NOTES: [(&str, &str); 2] = [
    ("overtaken", "what a reading under way has counted; empty when none is"),
    ("table_sum", "the sums themselves"),
];

/// Registers what the triggers call.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("row_digest", -1, flags, |context| {
        let mut bytes = Vec::new();
        for index in 0..context.len() {
            add_value(&mut bytes, context.get_raw(index));
        }
        Ok(Sha256::digest(&bytes).to_vec())
    })?;
    connection.create_scalar_function("sum_of", -1, flags, |context| {
        let mut sum = [0; BYTES];
        for index in 0..context.len() {
            join(&mut sum, blob(context, index)?);
        }
        Ok(sum.to_vec())
    })
}

/// Adds a value with its type and its length.
pub(super) fn add_value(bytes: &mut Vec<u8>, value: ValueRef<'_>) {
    let (kind, content): (u8, &[u8]) = match value {
        ValueRef::Null => (b'n', &[]),
        ValueRef::Integer(number) => (b'i', &number.to_be_bytes()),
        ValueRef::Real(number) => (b'r', &number.to_be_bytes()),
        ValueRef::Text(text) => (b't', text),
        ValueRef::Blob(content) => (b'b', content),
    };
    bytes.push(kind);
    bytes.extend((content.len() as u64).to_be_bytes());
    bytes.extend(content);
}

fn blob<'context>(
    context: &'context Context<'_>,
    index: usize,
) -> rusqlite::Result<&'context [u8]> {
    let wrong = |error| rusqlite::Error::UserFunctionError(Box::new(error));
    context.get_raw(index).as_blob().map_err(wrong)
}

/// Takes `row` into the sum, or out of it again.
fn join(sum: &mut [u8; BYTES], row: &[u8]) {
    for (byte, other) in sum.iter_mut().zip(row) {
        *byte ^= other;
    }
}

/// The tables with a sum, and their columns.
fn summed(connection: &Connection) -> rusqlite::Result<Vec<(String, Vec<String>)>> {
    let mut statement = connection.prepare(include_str!("../../sql/evidence/tables.sql"))?;
    let names: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let is_summed = |name: &String| {
        PROVED.iter().all(|(proved, _)| proved != name)
            && WORKING_NOTES.iter().all(|(note, _)| note != name)
    };
    names
        .into_iter()
        .filter(is_summed)
        .map(|table| {
            let columns = connection
                .prepare(&format!("select * from main.{table} limit 0"))?
                .column_names()
                .map(str::to_owned)
                .collect();
            Ok((table, columns))
        })
        .collect()
}

/// Keeps the sums from now on, whatever this connection writes.
pub(super) fn watch(connection: &Connection) -> rusqlite::Result<()> {
    register(connection)?;
    for (table, columns) in summed(connection)? {
        let digest = |of: &str| {
            let values: Vec<String> = columns.iter().map(|name| format!("{of}.{name}")).collect();
            format!("row_digest({})", values.join(", "))
        };
        let (old, new) = (digest("old"), digest("new"));
        for (event, rows) in
            [("insert", new.clone()), ("delete", old.clone()), ("update", format!("{old}, {new}"))]
        {
            connection.execute_batch(&format!(
                "create temp trigger sum_of_{table}_{event} after {event} on main.{table}
                 begin
                     update table_sum set digest = sum_of(digest, {rows}) where name = '{table}';
                 end"
            ))?;
        }
    }
    Ok(())
}

/// The sum over the rows of a table as they are.
fn sum(connection: &Connection, table: &str) -> rusqlite::Result<[u8; BYTES]> {
    let mut statement = connection.prepare(&format!("select * from main.{table}"))?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let (mut sum, mut bytes) = ([0; BYTES], Vec::new());
    while let Some(row) = rows.next()? {
        bytes.clear();
        for column in 0..columns {
            let value: ValueRef<'_> = row.get_ref(column)?;
            add_value(&mut bytes, value);
        }
        join(&mut sum, &Sha256::digest(&bytes));
    }
    Ok(sum)
}

/// The tables whose rows do not give their sum; none in a store that has no sums yet.
pub(super) fn altered(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let has_sums = connection.prepare("select 1 from main.table_sum").is_ok();
    let mut altered = Vec::new();
    for (table, _) in summed(connection)?.into_iter().filter(|_| has_sums) {
        let stated: Option<Vec<u8>> = connection
            .query_row("select digest from main.table_sum where name = ?1", [&table], |row| {
                row.get(0)
            })
            .optional()?;
        if stated.as_deref() != Some(&sum(connection, &table)?) {
            altered.push(table);
        }
    }
    Ok(altered)
}

/// Computes the sums anew after the schema has changed. A table that was `altered` before stays so.
pub(super) fn renew(connection: &Connection, altered: &[String]) -> rusqlite::Result<()> {
    connection.execute("delete from table_sum", [])?;
    for (table, _) in summed(connection)? {
        let sum = if altered.contains(&table) { ALTERED } else { sum(connection, &table)? };
        connection
            .execute("insert into table_sum (name, digest) values (?1, ?2)", (&table, sum))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn what_the_program_writes_keeps_the_sums_and_what_others_write_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        let store = Store::open(&path).unwrap();
        let connection = store.connection();
        for sql in [
            "insert into key_operation (name, is_there) values ('transactions', 1)",
            "insert into key_operation (name, is_there) values ('disputes', 0)",
            "update key_operation set is_there = 0 where name = 'transactions'",
            "insert into key_operation (name, is_there) values ('disputes', 1)
             on conflict (name) do update set is_there = excluded.is_there",
            "delete from key_operation where name = 'transactions'",
        ] {
            connection.execute(sql, []).unwrap();
            assert_eq!(altered(connection).unwrap(), Vec::<String>::new(), "{sql}");
        }
        let other = Connection::open(&path).unwrap();
        for sql in [
            "update key_operation set is_there = 0",
            "insert into key_operation (name, is_there) values ('x', 1)",
            "delete from key_operation",
        ] {
            let other = other.unchecked_transaction().unwrap();
            other.execute(sql, []).unwrap();
            assert_eq!(altered(&other).unwrap(), ["key_operation"], "{sql}");
        }
    }

    #[test]
    fn an_upgrade_does_not_heal_what_was_altered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        drop(Store::open(&path).unwrap());
        let other = Connection::open(&path).unwrap();
        other.execute("insert into key_operation (name, is_there) values ('x', 1)", []).unwrap();
        let before = altered(&other).unwrap();
        renew(&other, &before).unwrap();
        assert_eq!(altered(&other).unwrap(), ["key_operation"]);
    }

    #[test]
    fn every_exception_is_a_table_or_a_column() {
        let store = Store::in_memory().unwrap();
        for (name, reason) in PROVED.iter().chain(&WORKING_NOTES) {
            let (table, column) = name.split_once('.').unwrap_or((name, "*"));
            let sql = format!("select {column} from {table} limit 0");
            assert!(store.connection().prepare(&sql).is_ok(), "{name}");
            assert!(!reason.is_empty());
        }
    }
}
