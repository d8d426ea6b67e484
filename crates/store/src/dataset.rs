//! Rows for the dataset, cell by cell as they are stored. Knows no table by name: each statement
//! names its own columns.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use rusqlite::types::ValueRef;
use rusqlite::{Row, named_params};

use super::columns::parse_date;
use super::statement::rows;
use super::{Store, StoreError, While};

const READING: &str = "reading rows for the dataset";

/// The value of one column in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredCell<'row> {
    Unknown,
    Integer(i64),
    Text(&'row str),
    /// A real number or bytes, which no exported column of a strict table holds.
    Other,
}

pub(super) fn cell<'row>(row: &'row Row<'_>, place: usize) -> rusqlite::Result<StoredCell<'row>> {
    Ok(match row.get_ref(place)? {
        ValueRef::Null => StoredCell::Unknown,
        ValueRef::Integer(number) => StoredCell::Integer(number),
        ValueRef::Text(_) => StoredCell::Text(super::columns::text(row, place)?),
        ValueRef::Real(_) | ValueRef::Blob(_) => StoredCell::Other,
    })
}

/// Passes every cell of every row to `take` with its place in the row, row by row, until it
/// returns an error. `sql` may name the date as `?1`.
///
/// # Errors
/// When the store refuses, or `take` does.
pub fn each_cell<E: From<StoreError>>(
    store: &Store,
    sql: &str,
    date: NaiveDate,
    take: &mut dyn FnMut(usize, StoredCell<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = store.connection.prepare_cached(sql).during(READING)?;
    let columns = statement.column_count();
    if statement.parameter_count() > 0 {
        statement.raw_bind_parameter(1, date.to_string()).during(READING)?;
    }
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().during(READING)? {
        for place in 0..columns {
            take(place, cell(row, place).during(READING)?)?;
        }
    }
    Ok(())
}

/// The names of the columns of a statement.
///
/// # Errors
/// When the statement is not valid.
pub fn column_names(store: &Store, sql: &str) -> Result<Vec<String>, StoreError> {
    let statement = store.connection.prepare(sql).during(READING)?;
    Ok(statement.column_names().map(str::to_owned).collect())
}

/// The first and the last day that the dataset of this store has: from the earliest that was
/// read, or on which a bank transfer ran since `earliest_run`, to the newest business date.
///
/// # Errors
/// When the store refuses.
pub fn span(
    store: &Store,
    earliest_run: NaiveDate,
) -> Result<Option<(NaiveDate, NaiveDate)>, StoreError> {
    let sql = include_str!("../sql/plan/exported_span.sql");
    let row = store.connection.query_row(sql, [earliest_run.to_string()], |row| {
        Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Option<String>>(1)?))
    });
    let (first, last) = row.during(READING)?;
    let date = |name, text: Option<String>| text.map(|text| parse_date(name, &text));
    let first = date("first_day", first).transpose().during(READING)?;
    let last = date("last_day", last).transpose().during(READING)?;
    Ok(first.zip(last))
}

/// The days whose facts a reading after `reading_id` has changed, oldest first, each with every
/// changed resource.
///
/// # Errors
/// When the store refuses.
pub fn days_changed_since(
    store: &Store,
    reading_id: i64,
) -> Result<Vec<(NaiveDate, String)>, StoreError> {
    let sql = store.query_of(include_str!("../sql/plan/changed_days.sql")).during(READING)?;
    rows(&store.connection, sql, [reading_id], |row| {
        Ok((parse_date("day", &row.get::<_, String>("day")?)?, row.get("resource")?))
    })
    .during(READING)
}

/// The newest reading of any listing; 0 when there is none.
///
/// # Errors
/// When the store refuses.
pub fn newest_reading(store: &Store) -> Result<i64, StoreError> {
    super::results::newest_reading(&store.connection).during(READING)
}

/// Fills `temp.exported_lines` with the lines of `banks` on `date`, as pairing sees them.
/// `temp.asof` names the date.
///
/// # Errors
/// When the store refuses.
pub fn prepare_lines(
    store: &Store,
    banks: &BTreeSet<&str>,
    date: NaiveDate,
) -> Result<(), StoreError> {
    const DURING: &str = "laying out bank lines for the dataset";
    // The settings of the next date drop it.
    let create = "create temp table exported_lines (bank, line_key, account_last4, date, \
                  amount_minor, currency, merchant_id, names, place)";
    store.connection.execute_batch(create).during(DURING)?;
    let lines = include_str!("../sql/banks/lines.sql");
    let insert = format!("insert into temp.exported_lines select :bank, * from (\n{lines})");
    for bank in banks {
        let given = named_params! { ":bank": bank, ":first_date": date.to_string() };
        store.connection.execute(&insert, given).during(DURING)?;
    }
    Ok(())
}
