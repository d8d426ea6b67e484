//! Result rows and the tables that hold them: one declaration gives the columns of a table, and
//! writes and reads its rows.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::columns::{currency_column, date_column, minor_column, moment_column};
use crate::columns::{required_merchant, wrong};
use crate::statement::rows;
use tieout_model::clock;
use tieout_model::money::{Currency, Minor};
use tieout_model::{AuthorizationId, BatchId, DepositId, DisputeId, MerchantId, TransactionId};
use tieout_model::{DiscrepancyStatus, Figure, Severity, StandingKind, Verdict};

/// A field of a row, in a column or in several. A statement that computes rows selects the columns
/// of their table, also those that it has no value for.
pub(crate) trait Kept: Sized {
    /// Adds the columns of a field of that name.
    fn columns(name: &'static str, columns: &mut Vec<&'static str>) {
        columns.push(name);
    }

    /// Adds a value for each of its columns.
    fn write(&self, values: &mut Vec<Value>);

    fn read(row: &Row<'_>, column: &str) -> rusqlite::Result<Self>;
}

/// A row of a table of results.
pub(crate) trait Stored: Kept {
    const TABLE: &'static str;
}

/// Writes rows. `fixed` gives the columns that the rows do not say, and replaces those that they do.
pub(crate) fn insert<'r, R: Stored + 'r>(
    connection: &Connection,
    fixed: &[(&'static str, &str)],
    rows: impl IntoIterator<Item = &'r R>,
) -> rusqlite::Result<()> {
    insert_into(connection, R::TABLE, fixed, &[], "", rows)
}

/// Writes rows to a table that lacks the columns `left_out`; `or_else` is the clause that handles
/// a row with the key of another.
pub(crate) fn insert_into<'r, R: Kept + 'r>(
    connection: &Connection,
    table: &'static str,
    fixed: &[(&'static str, &str)],
    left_out: &[&str],
    or_else: &str,
    rows: impl IntoIterator<Item = &'r R>,
) -> rusqlite::Result<()> {
    let mut own = Vec::new();
    R::columns(table, &mut own);
    let is_own = |column: &&&str| {
        fixed.iter().all(|(name, _)| *name != **column) && !left_out.contains(*column)
    };
    let names: Vec<&str> =
        fixed.iter().map(|(name, _)| *name).chain(own.iter().filter(is_own).copied()).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let sql = format!("insert into {table} ({}) values ({marks}) {or_else}", names.join(", "));
    let mut statement = connection.prepare_cached(&sql)?;
    for row in rows {
        let mut values = Vec::with_capacity(names.len());
        row.write(&mut values);
        let own = own.iter().zip(values).filter(|(column, _)| is_own(column));
        let fixed = fixed.iter().map(|(_, value)| Value::Text((*value).to_owned()));
        statement.execute(params_from_iter(fixed.chain(own.map(|(_, value)| value))))?;
    }
    Ok(())
}

/// The rows of a date, ordered by `key`.
pub(crate) fn of_date<R: Stored>(
    connection: &Connection,
    date: &str,
    key: &str,
) -> rusqlite::Result<Vec<R>> {
    let sql = format!("select * from {} where business_date = ?1 order by {key}", R::TABLE);
    rows(connection, &sql, [date], read)
}

/// Reads a row.
pub(crate) fn read<R: Stored>(row: &Row<'_>) -> rusqlite::Result<R> {
    R::read(row, R::TABLE)
}

/// Declares the columns of a row or of a part of one: a field a column, of the same name unless
/// another is given. [`or_null`] and [`or_blank`] say how an empty value is stored.
macro_rules! kept {
    ($row:ty { $($field:ident $(as $column:literal)? $(: $how:ident)?),+ $(,)? }
        $(computed { $($left:ident = $value:expr),+ })?) => {
        impl $crate::results::kept::Kept for $row {
            fn columns(_: &'static str, columns: &mut Vec<&'static str>) {
                $(kept!(@columns Self, $field, kept!(@name $field $($column)?), columns);)+
            }

            fn write(&self, values: &mut Vec<rusqlite::types::Value>) {
                $(kept!(@write self.$field, values $(, $how)?);)+
            }

            fn read(row: &rusqlite::Row<'_>, _: &str) -> rusqlite::Result<Self> {
                Ok(Self {
                    $($field: kept!(@read row, kept!(@name $field $($column)?) $(, $how)?)?,)+
                    $($($left: $value),+)?
                })
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $column:literal) => { $column };
    (@columns $row:ty, $field:ident, $name:expr, $columns:expr) => {
        $crate::results::kept::columns_of(|row: &$row| &row.$field, $name, $columns)
    };
    (@write $value:expr, $values:expr) => {
        $crate::results::kept::Kept::write(&$value, $values)
    };
    (@write $value:expr, $values:expr, $how:ident) => {
        $values.push($crate::results::kept::$how::write(&$value))
    };
    (@read $from:expr, $name:expr) => {
        $crate::results::kept::Kept::read($from, $name)
    };
    (@read $from:expr, $name:expr, $how:ident) => {
        $crate::results::kept::$how::read($from, $name)
    };
}
pub(crate) use kept;

/// Adds the columns of the field that `of` gives.
pub(crate) fn columns_of<R, F: Kept>(
    _of: fn(&R) -> &F,
    name: &'static str,
    columns: &mut Vec<&'static str>,
) {
    F::columns(name, columns);
}

/// A text in a column that holds null where it is empty.
pub(crate) mod or_null {
    use rusqlite::Row;
    use rusqlite::types::Value;

    pub(crate) fn write(text: &str) -> Value {
        if text.is_empty() { Value::Null } else { Value::Text(text.to_owned()) }
    }

    pub(crate) fn read(row: &Row<'_>, column: &str) -> rusqlite::Result<String> {
        Ok(row.get::<_, Option<String>>(column)?.unwrap_or_default())
    }
}

/// A value in a column that holds an empty text, and never null, where there is none.
pub(crate) mod or_blank {
    use rusqlite::Row;
    use rusqlite::types::Value;

    use super::Kept;

    pub(crate) fn write(field: &impl Kept) -> Value {
        let mut values = Vec::new();
        field.write(&mut values);
        match values.pop() {
            None | Some(Value::Null) => Value::Text(String::new()),
            Some(value) => value,
        }
    }

    pub(crate) fn read<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>>
    where
        Option<T>: Kept,
    {
        if row.get_ref(column)?.as_str_or_null()?.is_none_or(str::is_empty) {
            return Ok(None);
        }
        Kept::read(row, column)
    }
}

/// Fields of one column: how they are written and read.
macro_rules! column {
    ($($field:ty: |$value:ident| $write:expr, |$row:ident, $column:ident| $read:expr;)+) => {
        $(impl Kept for $field {
            fn write(&self, values: &mut Vec<Value>) {
                let $value = self;
                values.push(Value::from($write));
            }

            fn read($row: &Row<'_>, $column: &str) -> rusqlite::Result<Self> {
                $read
            }
        })+
    };
}

/// Ids that a column holds as a number.
macro_rules! numbers {
    ($($id:ident),+) => {
        $(column! {
            $id: |id| id.0, |row, column| row.get(column).map($id);
            Option<$id>: |id| id.map(|id| id.0), |row, column| {
                Ok(row.get::<_, Option<_>>(column)?.map($id))
            };
        })+
    };
}

numbers! { DepositId, BatchId, AuthorizationId, TransactionId, DisputeId }

column! {
    String: |text| text.clone(), |row, column| row.get(column);
    MerchantId: |id| id.as_str().to_owned(), |row, column| required_merchant(row, column);
    bool: |is| *is, |row, column| row.get(column);
    u32: |count| *count, |row, column| row.get(column);
    i64: |count| *count, |row, column| row.get(column);
    Option<i64>: |count| *count, |row, column| row.get(column);
    Minor: |amount| amount.0, |row, column| row.get(column).map(Minor);
    Option<Minor>: |amount| amount.map(|amount| amount.0), |row, column| minor_column(row, column);
    NaiveDate: |date| date.to_string(), |row, column| needed(Option::read(row, column)?, column);
    Option<NaiveDate>: |date| date.map(|date| date.to_string()), |row, column| {
        date_column(row, column)
    };
    DateTime<Utc>: |moment| clock::written(*moment), |row, column| {
        moment_column(row, column)
    };
    Currency: |currency| currency.code().to_owned(), |row, column| {
        needed(currency_column(row, column)?, column)
    };
    Option<Currency>: |currency| currency.map(|one| one.code().to_owned()), |row, column| {
        currency_column(row, column)
    };
    Verdict: |verdict| verdict.as_str().to_owned(), |row, column| {
        needed(Option::read(row, column)?, column)
    };
    Option<Verdict>: |verdict| verdict.map(|one| one.as_str().to_owned()), |row, column| {
        let all = [Verdict::NotEvaluated, Verdict::Discrepancy, Verdict::InTransit, Verdict::Tied];
        row.get::<_, Option<String>>(column)?.map(|word| named(&all, Verdict::as_str, column, &word)).transpose()
    };
    Severity: |severity| severity.as_str().to_owned(), |row, column| {
        let word: String = row.get(column)?;
        Severity::from_name(&word).ok_or_else(|| wrong(column, &word))
    };
    DiscrepancyStatus: |status| status.as_str().to_owned(), |row, column| {
        let all = [DiscrepancyStatus::New, DiscrepancyStatus::Open, DiscrepancyStatus::Cleared];
        match row.get::<_, String>(column)?.as_str() {
            // Accepted is a matter of lists: the discrepancy itself is there.
            "accepted" => Ok(DiscrepancyStatus::Open),
            word => named(&all, DiscrepancyStatus::as_str, column, word),
        }
    };
    Figure: |figure| figure.as_str().to_owned(), |row, column| {
        named(&[Figure::Amount, Figure::Count], Figure::as_str, column, &row.get::<_, String>(column)?)
    };
    StandingKind: |kind| kind.as_str().to_owned(), |row, column| {
        let all = [StandingKind::Deposit, StandingKind::Line, StandingKind::Gap];
        named(&all, StandingKind::as_str, column, &row.get::<_, String>(column)?)
    };
}

fn needed<T>(value: Option<T>, column: &str) -> rusqlite::Result<T> {
    value.ok_or_else(|| wrong(column, ""))
}

/// The one of `all` with that word.
fn named<T: Copy>(
    all: &[T],
    word_of: fn(T) -> &'static str,
    column: &str,
    word: &str,
) -> rusqlite::Result<T> {
    all.iter().copied().find(|one| word_of(*one) == word).ok_or_else(|| wrong(column, word))
}
