//! What several stores came to on one date, read as if it were one: the shards of a night. Rows
//! come in the order of the whole, the many pairs as a stream that is never held at once.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use chrono::NaiveDate;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{CachedStatement, Connection, Row, Rows};

use super::books::MatchReader;
use super::seal::{RESULT_TABLES, RowSealer};
use super::{Store, StoreError, While};
use crate::digest::Digester;
use crate::model::MatchRow;

const DURING: &str = "reading what the shards came to";

const MATCHES: &str = "match_result";

/// The order of pairs in a report.
pub type CompareMatches = fn(&MatchRow, &MatchRow) -> Ordering;

/// The next pair of one of the stores.
struct Head<P> {
    row: MatchRow,
    /// What else is read of it.
    payload: P,
    store: usize,
    compare: CompareMatches,
}

impl<P> Ord for Head<P> {
    /// The first pair is the greatest, as a heap gives its greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.compare)(&other.row, &self.row).then_with(|| other.store.cmp(&self.store))
    }
}

impl<P> PartialOrd for Head<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Head<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P> Eq for Head<P> {}

/// Hands every pair of `date` in any of `stores` to `take`, in order, one at a time. Ends early
/// with what `take` refuses.
///
/// # Errors
/// When a store refuses or holds what no program of this version wrote.
pub fn each_match_of<E>(
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
    mut take: impl FnMut(&MatchRow) -> Result<(), E>,
) -> Result<Result<(), E>, StoreError> {
    each_pair(stores, date, compare, |_| Ok(()), |row, ()| take(row)).during(DURING)
}

fn each_pair<P, E>(
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
    read: fn(&Row<'_>) -> rusqlite::Result<P>,
    mut take: impl FnMut(&MatchRow, P) -> Result<(), E>,
) -> rusqlite::Result<Result<(), E>> {
    let mut statements: Vec<CachedStatement<'_>> = stores
        .iter()
        .map(|store| {
            store.connection().prepare_cached(include_str!("../../sql/report/matches.sql"))
        })
        .collect::<rusqlite::Result<_>>()?;
    let mut streams: Vec<Rows<'_>> = statements
        .iter_mut()
        .map(|statement| statement.query([date.to_string()]))
        .collect::<rusqlite::Result<_>>()?;
    let mut readers: Vec<MatchReader> = stores.iter().map(|_| MatchReader::default()).collect();
    let mut next =
        |streams: &mut Vec<Rows<'_>>, store: usize| -> rusqlite::Result<Option<Head<P>>> {
            let Some(row) = streams[store].next()? else { return Ok(None) };
            Ok(Some(Head { row: readers[store].row(row)?, payload: read(row)?, store, compare }))
        };
    let mut heads = BinaryHeap::new();
    for store in 0..streams.len() {
        heads.extend(next(&mut streams, store)?);
    }
    while let Some(Head { row, payload, store, .. }) = heads.pop() {
        heads.extend(next(&mut streams, store)?);
        if let Err(refused) = take(&row, payload) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(()))
}

/// The digest that one store would have of everything that `stores` came to on `date`.
///
/// # Errors
/// When a store refuses or holds what no program of this version wrote.
pub fn merged_digest(
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
) -> Result<String, StoreError> {
    let mut digester = Digester::default();
    for table in RESULT_TABLES {
        digester.add(table.as_bytes());
        if table == MATCHES {
            add_matches(&mut digester, stores, date, compare).during(DURING)?;
        } else {
            add_rows(&mut digester, stores, date, table).during(DURING)?;
        }
    }
    Ok(digester.finish())
}

/// The rows of a table in the order of their primary key; one that several stores hold is one.
fn add_rows(
    digester: &mut Digester,
    stores: &[&Store],
    date: NaiveDate,
    table: &str,
) -> rusqlite::Result<()> {
    let mut merged: BTreeMap<Vec<Key>, Vec<Value>> = BTreeMap::new();
    let mut columns = Vec::new();
    for store in stores {
        let key = key_columns(store.connection(), table)?;
        let sql = format!("select * from {table} where business_date = ?1");
        let mut statement = store.connection().prepare(&sql)?;
        columns = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([date.to_string()])?;
        while let Some(row) = rows.next()? {
            let values = values(row)?;
            let key = key.iter().map(|index| Key::of(&values[*index])).collect();
            merged.insert(key, values);
        }
    }
    for column in &columns {
        digester.add(column.as_bytes());
    }
    let mut sealer = RowSealer::default();
    for row in merged.values() {
        for value in row {
            sealer.value(ValueRef::from(value));
        }
        sealer.end(digester);
    }
    Ok(())
}

fn add_matches(
    digester: &mut Digester,
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
) -> rusqlite::Result<()> {
    let Some(first) = stores.first() else { return Ok(()) };
    let statement = first.connection().prepare("select * from match_result limit 0")?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    for column in &columns {
        digester.add(column.as_bytes());
    }
    let mut sealer = RowSealer::default();
    let mut ordinal = 0_i64;
    let taken: Result<(), rusqlite::Error> =
        each_pair(stores, date, compare, values, |_, values| {
            for (column, value) in columns.iter().zip(&values) {
                let value = match column.as_str() {
                    "ordinal" => ValueRef::Integer(ordinal),
                    _ => ValueRef::from(value),
                };
                sealer.value(value);
            }
            sealer.end(digester);
            ordinal += 1;
            Ok(())
        })?;
    taken
}

fn values(row: &Row<'_>) -> rusqlite::Result<Vec<Value>> {
    (0..row.as_ref().column_count()).map(|index| row.get(index)).collect()
}

/// A value of a primary key, in the order in which `SQLite` keeps it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Integer(i64),
    Text(String),
}

impl Key {
    fn of(value: &Value) -> Self {
        match value {
            Value::Integer(number) => Self::Integer(*number),
            Value::Text(text) => Self::Text(text.clone()),
            // No key of a result holds any of these.
            Value::Null | Value::Real(_) | Value::Blob(_) => Self::Text(String::new()),
        }
    }
}

/// Where the columns of the primary key stand, in its order.
fn key_columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<usize>> {
    let mut statement =
        connection.prepare("select cid from pragma_table_info(?1) where pk > 0 order by pk")?;
    statement
        .query_map([table], |row| {
            row.get::<_, i64>(0).map(|index| usize::try_from(index).unwrap_or_default())
        })?
        .collect()
}
