//! Sums over the rows of tables that no digest or seal covers completely. They detect a row that
//! was changed, added or removed by hand, in any column. The schema determines which tables are
//! summed, so a new table or column is covered automatically.
//!
//! A connection that writes has temporary triggers, made from the schema as it is opened, that take
//! the old row out of the sum and the new one in. Another program has no such triggers. A person
//! who can write the store can also recompute the sums; the anchors outside the store guard against
//! that.
//!
//! Where rows come by the thousand, their changes are gathered in memory and added to the sums
//! once, before the transaction is committed; a transaction that would be committed without that is
//! refused. New rows of [`MASS`] fire no trigger, which would double the cost of an insert: the
//! writer that inserts them adds them to the sum.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest as _, Sha256};

use tieout_model::digest::Digester;

/// Bytes of a sum.
const BYTES: usize = 32;

/// Stands for the sum of a table that was altered before an upgrade recomputed it.
const ALTERED: [u8; BYTES] = [0xff; BYTES];

/// Tables that are proved by other means.
const PROVED: [(&str, &str); 19] = [
    ("acceptance_result", "the digest of the date"),
    ("audit", "its hashes are a chain"),
    ("audit_head", "it ends the chain"),
    ("bank_line", "the seal of its file"),
    ("bank_match_result", "the digest of the date"),
    ("bank_span", "the seal of its file"),
    ("batch_result", "the digest of the date"),
    ("deposit_result", "the digest of the date"),
    ("discrepancy_day", "the digest of the date"),
    ("dispute_result", "the digest of the date"),
    ("journal_result", "the digest of the date"),
    ("ledger_page", "its digest, and the seal of its file"),
    ("ledger_quarantine", "the seal of its file"),
    ("match_page", "the digest of the date"),
    ("not_evaluated", "the digest of the date"),
    ("page_body", "its digest, and the audit trail once it is removed"),
    ("run_record", "its seal, and run.json"),
    ("summary_result", "the digest of the date"),
    ("transit_result", "the digest of the date"),
];

/// Tables whose new rows a gathering writer adds to the sum itself.
const MASS: [&str; 2] = ["authorization", "card_transaction"];

/// Tables and columns that nothing proves, with the reason.
pub const WORKING_NOTES: [(&str, &str); 3] = [
    (
        "authorization_day",
        "counts the changes of a day's authorizations, so that a run reads them again",
    ),
    ("overtaken", "records that a listing in progress has counted already; empty otherwise"),
    ("table_sum", "the sums themselves"),
];

/// Tables of the schedule, which is written outside of runs.
const OUTSIDE_RUNS: [&str; 2] = ["schedule_date", "schedule_firing"];

/// Changes to the sums by the rows of a transaction; `None` while each row changes its sum itself.
#[derive(Clone, Default)]
pub(super) struct Gathered(Arc<Mutex<Option<Changes>>>);

/// By the name of a table.
type Changes = BTreeMap<String, RowSum>;

/// The sum over some rows.
pub(super) type RowSum = [u8; BYTES];

/// Adds a row, given as its columns in order, to a sum; `bytes` is a work buffer.
pub(super) fn add_row(sum: &mut RowSum, bytes: &mut Vec<u8>, row: &[ValueRef<'_>]) {
    bytes.clear();
    for value in row {
        add_value(bytes, *value);
    }
    join(sum, &Sha256::digest(&*bytes));
}

impl Gathered {
    /// Begins to gather the changes of the transaction that was just begun.
    pub(super) fn begin(&self) {
        *self.changes() = Some(Changes::new());
    }

    /// Adds the gathered changes to the sums, before the transaction is committed.
    pub(super) fn end(&self, connection: &Connection) -> rusqlite::Result<()> {
        let changes = self.changes().take().unwrap_or_default();
        let mut update = connection
            .prepare_cached("update table_sum set digest = sum_of(digest, ?2) where name = ?1")?;
        for (table, change) in changes {
            update.execute((table, change))?;
        }
        Ok(())
    }

    /// Adds the sum over new rows of a table to the gathered changes.
    pub(super) fn add(&self, table: &str, sum: &RowSum) {
        if let Some(changes) = self.changes().as_mut() {
            join(changes.entry(table.to_owned()).or_default(), sum);
        }
    }

    fn changes(&self) -> MutexGuard<'_, Option<Changes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers `gathers(table, value, ...)`: while changes are gathered it adds a row to them and
    /// returns 1, else it returns 0. A rollback discards the gathered changes; a transaction is not
    /// committed while changes are still gathered.
    fn register(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let (gathered, ending, undone) = (self.clone(), self.clone(), self.clone());
        let flags = FunctionFlags::SQLITE_UTF8;
        connection.create_scalar_function("gathers", -1, flags, move |context| {
            let mut changes = gathered.changes();
            let Some(changes) = changes.as_mut() else { return Ok(false) };
            let wrong = |error| rusqlite::Error::UserFunctionError(Box::new(error));
            let table = context.get_raw(0).as_str().map_err(wrong)?;
            let digest = row_digest(context, 1);
            match changes.get_mut(table) {
                Some(change) => join(change, &digest),
                None => drop(changes.insert(table.to_owned(), digest)),
            }
            Ok(true)
        })?;
        connection.commit_hook(Some(move || {
            ending.changes().as_ref().is_some_and(|changes| !changes.is_empty())
        }))?;
        connection.rollback_hook(Some(move || *undone.changes() = None))
    }
}

/// The digest of a row whose values are the arguments from `first` on.
fn row_digest(context: &Context<'_>, first: usize) -> [u8; BYTES] {
    let mut bytes = Vec::with_capacity(256);
    for index in first..context.len() {
        add_value(&mut bytes, context.get_raw(index));
    }
    Sha256::digest(&bytes).into()
}

/// Registers the functions that the triggers call.
fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("row_digest", -1, flags, |context| {
        Ok(row_digest(context, 0).to_vec())
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

/// Adds `row` to the sum, or takes it out again: the operation is its own inverse.
fn join(sum: &mut [u8; BYTES], row: &[u8]) {
    for (byte, other) in sum.iter_mut().zip(row) {
        *byte ^= other;
    }
}

/// The tables with a sum, and their columns.
fn summed(connection: &Connection) -> rusqlite::Result<Vec<(String, Vec<String>)>> {
    let mut statement = connection.prepare(include_str!("../sql/evidence/tables.sql"))?;
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

/// Keeps the sums up to date with everything that this connection writes from now on.
pub(super) fn watch(connection: &mut Connection) -> rusqlite::Result<Gathered> {
    register(connection)?;
    let gathered = Gathered::default();
    gathered.register(connection)?;
    for (table, columns) in summed(connection)? {
        let values = |of: &str| {
            let values: Vec<String> = columns.iter().map(|name| format!("{of}.{name}")).collect();
            values.join(", ")
        };
        let (old, new) = (values("old"), values("new"));
        for (event, rows) in
            [("insert", vec![&new]), ("delete", vec![&old]), ("update", vec![&old, &new])]
        {
            let gathers: Vec<String> =
                rows.iter().map(|row| format!("gathers('{table}', {row})")).collect();
            let digests: Vec<String> =
                rows.iter().map(|row| format!("row_digest({row})")).collect();
            let (gathers, digests) = (gathers.join(" + "), digests.join(", "));
            if event == "insert" && MASS.contains(&table.as_str()) {
                continue;
            }
            connection.execute_batch(&format!(
                "create temp trigger sum_of_{table}_{event} after {event} on main.{table}
                 when {gathers} = 0
                 begin
                     update table_sum set digest = sum_of(digest, {digests})
                     where name = '{table}';
                 end"
            ))?;
        }
    }
    Ok(gathered)
}

/// The sum over the current rows of a table.
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

/// A digest over the sums as they stand: rows of the audit trail state it, so that sums which are
/// computed anew between two of them are seen.
pub(super) fn digest(connection: &Connection) -> rusqlite::Result<String> {
    let mut statement =
        connection.prepare_cached("select name, digest from main.table_sum order by name")?;
    let mut rows = statement.query([])?;
    let mut digester = Digester::default();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str()?;
        if !OUTSIDE_RUNS.contains(&name) {
            digester.add(name.as_bytes());
            digester.add(row.get_ref(1)?.as_blob()?);
        }
    }
    Ok(digester.finish())
}

/// The tables whose rows do not add up to their stored sum; none in a store that has no sums yet.
pub(super) fn altered(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    altered_of(connection, |_| true)
}

/// The same of some tables.
pub(super) fn altered_of(
    connection: &Connection,
    is_wanted: impl Fn(&str) -> bool,
) -> rusqlite::Result<Vec<String>> {
    let has_sums = connection.prepare("select 1 from main.table_sum").is_ok();
    let mut altered = Vec::new();
    let tables = summed(connection)?.into_iter();
    for (table, _) in tables.filter(|(table, _)| has_sums && is_wanted(table)) {
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

/// Recomputes the sums after the schema has changed. A table that was `altered` before stays so.
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
    use crate::Store;

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
    fn what_is_gathered_counts_once_it_is_put_into_the_sums() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tieout.db")).unwrap();
        let write = |transaction: &Connection| {
            for sql in [
                "insert into key_operation (name, is_there) values ('transactions', 1)",
                "insert into key_operation (name, is_there) values ('disputes', 0)",
                "update key_operation set is_there = 0 where name = 'transactions'",
                "delete from key_operation where name = 'disputes'",
            ] {
                transaction.execute(sql, []).unwrap();
            }
        };
        let rows = |store: &Store| -> i64 {
            let sql = "select count(*) from key_operation";
            store.connection().query_row(sql, [], |row| row.get(0)).unwrap()
        };
        // Rolled back, not added to the sums, and as it should be.
        let transaction = store.connection.transaction().unwrap();
        store.gathered.begin();
        write(&transaction);
        drop(transaction);
        assert_eq!(rows(&store), 0);
        let transaction = store.connection.transaction().unwrap();
        store.gathered.begin();
        write(&transaction);
        transaction.commit().unwrap_err();
        assert_eq!(rows(&store), 0);
        let transaction = store.connection.transaction().unwrap();
        store.gathered.begin();
        write(&transaction);
        store.gathered.end(&transaction).unwrap();
        transaction.commit().unwrap();
        assert_eq!((rows(&store), altered(store.connection()).unwrap()), (1, Vec::new()));
        store.connection().execute("update key_operation set is_there = 1", []).unwrap();
        assert_eq!(altered(store.connection()).unwrap(), Vec::<String>::new());
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
