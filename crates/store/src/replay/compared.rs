//! Rows of records as they are compared.

use std::rc::Rc;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::tables::{Columns, DISPUTE_STATUS, FEE, Table};

/// The rows of `table` whose `column` is `value`.
pub(super) fn rows(
    connection: &Connection,
    table: &Table,
    column: &str,
    value: &str,
) -> rusqlite::Result<Vec<Columns>> {
    let sql = format!(
        "select * from {} where {column} = ?1 order by {}",
        table.name,
        table.key.join(", ")
    );
    select(&mut *connection.prepare_cached(&sql)?, [value])
}

pub(super) fn row_of(
    connection: &Connection,
    table: &Table,
    like: &Columns,
) -> rusqlite::Result<Option<Columns>> {
    let mut conditions: Vec<String> =
        table.key.iter().enumerate().map(|(i, key)| format!("{key} = ?{}", i + 1)).collect();
    let mut values: Vec<Value> = table.key.iter().map(|key| like[*key].clone()).collect();
    // A list that is read again is there twice until its reading ends.
    if table.name == FEE.name || table.name == DISPUTE_STATUS.name {
        conditions.push("reading = ?3".to_owned());
        values.push(like["reading"].clone());
    }
    let sql = format!("select * from {} where {}", table.name, conditions.join(" and "));
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(select(&mut statement, rusqlite::params_from_iter(values))?.into_iter().next())
}

pub(super) fn parts(
    connection: &Connection,
    table: &str,
    payment: &str,
) -> rusqlite::Result<Vec<Columns>> {
    let sql = format!("select * from {table} where payment_id = ?1 order by 1, 2");
    select(&mut *connection.prepare_cached(&sql)?, [payment])
}

pub(super) fn select(
    statement: &mut rusqlite::Statement<'_>,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Columns>> {
    let names: Vec<Rc<str>> = statement.column_names().map(Rc::from).collect();
    statement
        .query_map(parameters, |row| {
            names
                .iter()
                .enumerate()
                .map(|(index, name)| Ok((Rc::clone(name), row.get::<_, Value>(index)?)))
                .collect()
        })?
        .collect()
}

pub(super) fn key_of(table: &Table, row: &Columns) -> String {
    table.key.iter().map(|key| shown(&row[*key])).collect::<Vec<_>>().join("/")
}

/// The first column that differs: its name, the stored value, the value on the page.
pub(super) fn difference(
    table: &Table,
    stored: &Columns,
    page: &Columns,
) -> Option<(String, String, String)> {
    stored
        .iter()
        .filter(|(name, _)| !table.ignored.contains(&name.as_ref()))
        // A record read by its id may carry no date; then it keeps the day it was listed under.
        .filter(|(name, _)| name.as_ref() != "day" || page["day"] != Value::Text(String::new()))
        .find(|(name, value)| page.get(*name) != Some(value))
        .map(|(name, value)| {
            (name.to_string(), shown(value), page.get(name).map(shown).unwrap_or_default())
        })
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "unknown".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(_) => "bytes".to_owned(),
    }
}
