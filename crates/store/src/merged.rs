//! The results of several stores on one date, read as if they were one: the shards of a night. Each
//! store returns its rows in order, so they are merged as they come and never held at once.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use chrono::NaiveDate;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{CachedStatement, Connection, Row, Rows};

use super::match_page::{Pages, Pairs};
use super::seal::{RESULT_TABLES, TableSeal, add_unordered};
use super::{Store, StoreError, While};
use tieout_model::MatchRow;
use tieout_model::digest::Digester;

const DURING: &str = "reading the results of the shards";

const MATCHES_SQL: &str = include_str!("../sql/report/matches.sql");

/// The order of pairs in a report.
pub type CompareMatches = fn(&MatchRow, &MatchRow) -> Ordering;

/// The next row of one of the stores.
struct Head<R, C> {
    row: R,
    store: usize,
    compare: C,
}

impl<R, C: Fn(&R, &R) -> Ordering> Ord for Head<R, C> {
    /// The first row is the greatest, as a heap gives its greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.compare)(&other.row, &self.row).then_with(|| other.store.cmp(&self.store))
    }
}

impl<R, C: Fn(&R, &R) -> Ordering> PartialOrd for Head<R, C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<R, C: Fn(&R, &R) -> Ordering> PartialEq for Head<R, C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<R, C: Fn(&R, &R) -> Ordering> Eq for Head<R, C> {}

/// Passes every pair of `date` in any of `stores` to `take`, in order, one at a time. Stops at the
/// first error of `take` and returns it.
///
/// # Errors
/// When a store refuses or holds a value that this version does not write.
pub fn each_match_of<E>(
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
    take: impl FnMut(&MatchRow) -> Result<(), E>,
) -> Result<Result<(), E>, StoreError> {
    each_pair(stores, date, compare, take).during(DURING)
}

fn each_pair<E>(
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
    take: impl FnMut(&MatchRow) -> Result<(), E>,
) -> rusqlite::Result<Result<(), E>> {
    let mut statements = prepared(stores, MATCHES_SQL)?;
    let mut streams: Vec<Pairs<'_>> = statements
        .iter_mut()
        .map(|statement| Ok(Pairs::of(statement.query([date.to_string()])?)))
        .collect::<rusqlite::Result<_>>()?;
    merge(stores.len(), |store| streams[store].next(), compare, take)
}

fn prepared<'s>(stores: &[&'s Store], sql: &str) -> rusqlite::Result<Vec<CachedStatement<'s>>> {
    stores.iter().map(|store| store.connection().prepare_cached(sql)).collect()
}

/// Merges the rows of `stores` stores, each in the order of `compare`.
fn merge<R, E, C: Fn(&R, &R) -> Ordering + Copy>(
    stores: usize,
    mut next: impl FnMut(usize) -> rusqlite::Result<Option<R>>,
    compare: C,
    mut take: impl FnMut(&R) -> Result<(), E>,
) -> rusqlite::Result<Result<(), E>> {
    let mut head = |store: usize| -> rusqlite::Result<Option<Head<R, C>>> {
        Ok(next(store)?.map(|row| Head { row, store, compare }))
    };
    let mut heads = BinaryHeap::new();
    for store in 0..stores {
        heads.extend(head(store)?);
    }
    while let Some(Head { row, store, .. }) = heads.pop() {
        heads.extend(head(store)?);
        if let Err(refused) = take(&row) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(()))
}

/// The digest that one store with all results of `stores` on `date` would have.
///
/// # Errors
/// When a store refuses or holds a value that this version does not write.
pub fn merged_digest(
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
) -> Result<String, StoreError> {
    let mut digester = Digester::default();
    for table in RESULT_TABLES {
        digester.add(table.as_bytes());
        match table {
            "match_page" => add_matches(&mut digester, stores, date, compare),
            _ => add_rows(&mut digester, stores, date, table),
        }
        .during(DURING)?;
    }
    let connections: Vec<&Connection> = stores.iter().map(|store| store.connection()).collect();
    add_unordered(&mut digester, &connections, date).during(DURING)?;
    Ok(digester.finish())
}

/// The rows of a table in the order of their primary key; a row that several stores hold counts
/// once.
fn add_rows(
    digester: &mut Digester,
    stores: &[&Store],
    date: NaiveDate,
    table: &str,
) -> rusqlite::Result<()> {
    let Some(first) = stores.first() else { return Ok(()) };
    let key = key_columns(first.connection(), table)?;
    let sql = format!("select * from {table} where business_date = ?1");
    let mut seal =
        TableSeal::begin(digester, table, &*first.connection().prepare_cached(&sql)?, &[])?;
    let key_of = |row: &[Value]| -> Vec<Key> { key.iter().map(|at| Key::of(&row[*at])).collect() };
    let compare = |left: &Vec<Value>, right: &Vec<Value>| key_of(left).cmp(&key_of(right));
    let mut before: Option<Vec<Key>> = None;
    let mut statements = prepared(stores, &sql)?;
    let mut streams: Vec<Rows<'_>> = statements
        .iter_mut()
        .map(|statement| statement.query([date.to_string()]))
        .collect::<rusqlite::Result<_>>()?;
    merge(
        stores.len(),
        |store| streams[store].next()?.map(values).transpose(),
        compare,
        |row| {
            let key = key_of(row);
            if before.as_ref() == Some(&key) {
                return Ok(());
            }
            before = Some(key);
            seal.row(digester, |column| Ok(ValueRef::from(&row[column])))
        },
    )?
}

/// The pairs in the pages that one store would hold.
fn add_matches(
    digester: &mut Digester,
    stores: &[&Store],
    date: NaiveDate,
    compare: CompareMatches,
) -> rusqlite::Result<()> {
    let Some(first) = stores.first() else { return Ok(()) };
    let statement = first.connection().prepare_cached(MATCHES_SQL)?;
    let mut seal = TableSeal::begin(digester, "match_page", &statement, &[])?;
    let mut pages = Pages::default();
    let mut add = |page: Option<(i64, String)>| -> rusqlite::Result<()> {
        let Some((first, rows)) = page else { return Ok(()) };
        let values: [Value; 3] = [date.to_string().into(), first.into(), rows.into()];
        seal.row(digester, |column| Ok(ValueRef::from(&values[column])))
    };
    each_pair(stores, date, compare, |pair| add(pages.add(pair)?))??;
    add(pages.end()?)
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
            // No key of a result table holds any of these.
            Value::Null | Value::Real(_) | Value::Blob(_) => Self::Text(String::new()),
        }
    }
}

/// The indexes of the primary key columns, in the order of the key.
fn key_columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<usize>> {
    let mut statement =
        connection.prepare("select cid from pragma_table_info(?1) where pk > 0 order by pk")?;
    statement
        .query_map([table], |row| {
            row.get::<_, i64>(0).map(|index| usize::try_from(index).unwrap_or_default())
        })?
        .collect()
}
