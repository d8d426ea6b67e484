//! A column of a table: what stands above it, and the value that a row has in it.

use std::borrow::Cow;

use chrono::NaiveDate;

use super::cell::{Cell, Column, ColumnKind};
use tieout_model::money::{Currency, Minor};

/// A row of a table.
pub trait Row: Sized {
    /// The file's name.
    const FILE: &'static str;
    /// Empty columns of the workbook for people to fill in.
    const BY_HAND: &'static [&'static str] = &[];

    /// Its columns, in order, each with the value that a row has in it.
    fn columns() -> Vec<ColumnOf<Self>>;

    /// The currency of its amounts.
    fn currency(&self) -> Option<Currency>;
}

/// A column of the rows `R`.
pub struct ColumnOf<R> {
    pub head: Column,
    value: Value<R>,
}

/// Reads the value of a row.
enum Value<R> {
    Text(fn(&R) -> &str),
    Written(fn(&R) -> String),
    /// In the currency of the row.
    Amount(fn(&R) -> Option<Minor>),
    Figure(fn(&R) -> Cell<'static>),
    Count(fn(&R) -> Option<i64>),
    Date(fn(&R) -> Option<NaiveDate>),
    Rate(fn(&R) -> Option<i64>),
    FineRate(fn(&R) -> Option<i64>),
}

impl<R: Row> ColumnOf<R> {
    /// The cell of `row`.
    pub fn cell<'row>(&self, row: &'row R) -> Cell<'row> {
        match self.value {
            Value::Text(of) => Cell::text(of(row)),
            Value::Written(of) => Cell::Text(Cow::Owned(of(row))),
            Value::Amount(of) => Cell::Amount(of(row), row.currency()),
            Value::Figure(of) => of(row),
            Value::Count(of) => Cell::Count(of(row)),
            Value::Date(of) => Cell::Date(of(row)),
            Value::Rate(of) => Cell::Rate(of(row)),
            Value::FineRate(of) => Cell::FineRate(of(row)),
        }
    }
}

fn column<R>(name: &'static str, value: Value<R>) -> ColumnOf<R> {
    let kind = match value {
        Value::Text(_) | Value::Written(_) => ColumnKind::Text,
        Value::Amount(_) | Value::Figure(_) => ColumnKind::Amount,
        Value::Count(_) => ColumnKind::Count,
        Value::Date(_) => ColumnKind::Date,
        Value::Rate(_) => ColumnKind::Rate,
        Value::FineRate(_) => ColumnKind::FineRate,
    };
    ColumnOf { head: Column::new(name, kind), value }
}

pub(super) fn text<R>(name: &'static str, of: fn(&R) -> &str) -> ColumnOf<R> {
    column(name, Value::Text(of))
}

/// Text that the row does not hold as such.
pub(super) fn written<R>(name: &'static str, of: fn(&R) -> String) -> ColumnOf<R> {
    column(name, Value::Written(of))
}

pub(super) fn amount<R>(name: &'static str, of: fn(&R) -> Option<Minor>) -> ColumnOf<R> {
    column(name, Value::Amount(of))
}

/// Amounts of some rows, and plain numbers of others.
pub(super) fn figure<R>(name: &'static str, of: fn(&R) -> Cell<'static>) -> ColumnOf<R> {
    column(name, Value::Figure(of))
}

pub(super) fn count<R>(name: &'static str, of: fn(&R) -> Option<i64>) -> ColumnOf<R> {
    column(name, Value::Count(of))
}

pub(super) fn date<R>(name: &'static str, of: fn(&R) -> Option<NaiveDate>) -> ColumnOf<R> {
    column(name, Value::Date(of))
}

pub(super) fn rate<R>(name: &'static str, of: fn(&R) -> Option<i64>) -> ColumnOf<R> {
    column(name, Value::Rate(of))
}

pub(super) fn fine_rate<R>(name: &'static str, of: fn(&R) -> Option<i64>) -> ColumnOf<R> {
    column(name, Value::FineRate(of))
}

/// The column under a heading of other words than its name.
pub(super) fn headed<R>(words: &'static str, column: ColumnOf<R>) -> ColumnOf<R> {
    ColumnOf { head: column.head.headed(words), ..column }
}

/// The column without a total: its amounts are of several dates, or of several kinds.
pub(super) fn not_added<R>(column: ColumnOf<R>) -> ColumnOf<R> {
    ColumnOf { head: column.head.without_total(), ..column }
}

/// The code of a currency; empty where it is unknown.
pub(super) fn code(currency: Option<Currency>) -> &'static str {
    currency.map_or("", Currency::code)
}
