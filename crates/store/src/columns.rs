//! Reads columns by their place, for values that are read by the million: looking each name up
//! costs more than reading the value.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use rusqlite::{Row, RowIndex};

use tieout_model::MerchantId;
use tieout_model::money::{Currency, Minor};

pub(super) fn text<'row>(row: &'row Row<'_>, place: usize) -> rusqlite::Result<&'row str> {
    text_or_null(row, place)?.ok_or_else(|| wrong("text", "null"))
}

pub(super) fn text_or_null<'row>(
    row: &'row Row<'_>,
    place: usize,
) -> rusqlite::Result<Option<&'row str>> {
    let value = row.get_ref(place)?;
    value.as_str_or_null().map_err(|error| {
        let kind = value.data_type();
        rusqlite::Error::FromSqlConversionFailure(place, kind, Box::new(error))
    })
}

/// The last value of a column: in the rows of a night most dates and currencies are the same.
#[derive(Clone, Debug)]
pub(super) struct Repeated<T> {
    text: String,
    value: Option<T>,
}

impl<T> Default for Repeated<T> {
    fn default() -> Self {
        Self { text: String::new(), value: None }
    }
}

impl<T: Copy> Repeated<T> {
    fn read(
        &mut self,
        text: &str,
        parse: impl FnOnce(&str) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        if let Some(value) = self.value
            && self.text == text
        {
            return Ok(value);
        }
        let value = parse(text)?;
        self.text.clear();
        self.text.push_str(text);
        self.value = Some(value);
        Ok(value)
    }
}

impl Repeated<NaiveDate> {
    pub(super) fn date_or_null(
        &mut self,
        row: &Row<'_>,
        place: usize,
    ) -> rusqlite::Result<Option<NaiveDate>> {
        let Some(text) = text_or_null(row, place)? else { return Ok(None) };
        self.read(text, |text| parse_date("date", text)).map(Some)
    }
}

impl Repeated<Currency> {
    pub(super) fn currency(
        &mut self,
        row: &Row<'_>,
        place: usize,
    ) -> rusqlite::Result<Option<Currency>> {
        let Some(text) = text_or_null(row, place)?.filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let parse = |text: &str| Currency::from_code(text).ok_or_else(|| wrong("currency", text));
        self.read(text, parse).map(Some)
    }
}

/// A moment as the audit trail writes it.
pub(super) fn parse_moment(column: &str, text: &str) -> rusqlite::Result<DateTime<Utc>> {
    text.parse().map_err(|_| wrong(column, text))
}

pub(super) fn moment_column(row: &Row<'_>, column: &str) -> rusqlite::Result<DateTime<Utc>> {
    parse_moment(column, &row.get::<_, String>(column)?)
}

/// A date as stored; the error of a text that is not a date names its column.
pub(crate) fn parse_date(column: &str, text: &str) -> rusqlite::Result<NaiveDate> {
    text.parse().map_err(|_| wrong(column, text))
}

pub(super) fn wrong(column: &str, found: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        0,
        rusqlite::types::Type::Text,
        format!("column {column} holds \"{found}\"").into(),
    )
}

pub(crate) fn date_column(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<NaiveDate>> {
    row.get::<_, Option<String>>(column)?.map(|text| parse_date(column, &text)).transpose()
}

pub(super) fn required_date(row: &Row<'_>, column: &str) -> rusqlite::Result<NaiveDate> {
    date_column(row, column)?.ok_or_else(|| wrong(column, ""))
}

pub(crate) fn currency_column(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Currency>> {
    match row.get::<_, Option<String>>(column)? {
        None => Ok(None),
        Some(code) if code.is_empty() => Ok(None),
        Some(code) => Currency::from_code(&code).map(Some).ok_or_else(|| wrong(column, &code)),
    }
}

pub(crate) fn minor_column(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Minor>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Minor))
}

/// A merchant's id, read from a column.
struct Merchant(MerchantId);

impl FromSql for Merchant {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(|id| Self(id.into()))
    }
}

pub(crate) fn merchant_column(
    row: &Row<'_>,
    column: impl RowIndex,
) -> rusqlite::Result<Option<MerchantId>> {
    Ok(row.get::<_, Option<Merchant>>(column)?.map(|merchant| merchant.0))
}

pub(crate) fn required_merchant(
    row: &Row<'_>,
    column: impl RowIndex,
) -> rusqlite::Result<MerchantId> {
    row.get::<_, Merchant>(column).map(|merchant| merchant.0)
}
