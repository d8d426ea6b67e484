//! The seal of a reconciled date: a digest over every row that it came to, so that a row which
//! is changed by hand is seen.

use chrono::NaiveDate;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::{Store, StoreError, While};
use crate::digest::Digester;

/// The tables that hold what a date came to.
pub(super) const RESULT_TABLES: [&str; 7] = [
    "discrepancy_day",
    "not_evaluated",
    "deposit_result",
    "batch_result",
    "match_result",
    "transit_result",
    "summary_result",
];

/// The digest of every result row of `date`, in order of the primary keys: each value with its
/// column and its type, so that no two contents read alike.
pub(super) fn results_digest(connection: &Connection, date: NaiveDate) -> rusqlite::Result<String> {
    let mut digester = Digester::default();
    for table in RESULT_TABLES {
        digester.add(table.as_bytes());
        // Without rowid: a table is in the order of its primary key, and a search by the date
        // gives it in that order.
        let sql = format!("select * from {table} where business_date = ?1");
        let mut statement = connection.prepare(&sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([date.to_string()])?;
        while let Some(row) = rows.next()? {
            for (index, column) in columns.iter().enumerate() {
                add_value(&mut digester, column, row.get_ref(index)?);
            }
        }
    }
    Ok(digester.finish())
}

/// Adds a value with its column and its type.
pub(super) fn add_value(digester: &mut Digester, column: &str, value: ValueRef<'_>) {
    digester.add(column.as_bytes());
    match value {
        ValueRef::Null => digester.add(b"null"),
        ValueRef::Integer(number) => digester.add(format!("i{number}").as_bytes()),
        ValueRef::Real(number) => digester.add(format!("r{number}").as_bytes()),
        ValueRef::Text(text) => digester.add(&[b"t", text].concat()),
        ValueRef::Blob(bytes) => digester.add(&[b"b", bytes].concat()),
    }
}

impl Store {
    /// The digest of what the store holds of `date` now.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn results_digest(&self, date: NaiveDate) -> Result<String, StoreError> {
        results_digest(self.connection(), date).during("sealing what a date came to")
    }
}
