//! The values of one column of a row group, until they are written.

use std::ops::Range;

use bytes::Bytes;
use chrono::{Datelike, NaiveDate};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};

use super::table::ColumnKind;
use tieout_model::money::Currency;
use tieout_store::StoredCell;

/// Day 0 of a Parquet date, 1970-01-01, counted as chrono counts days.
const EPOCH_DAYS: i32 = 719_163;

/// The level of a known value; unknown values have 0.
const IS_THERE: i16 = 1;

/// The known values, in the physical type of the column.
enum Values {
    Texts { bytes: Vec<u8>, ends: Vec<usize> },
    Long(Vec<i64>),
    Short(Vec<i32>),
    Flags(Vec<bool>),
}

/// One column of a row group.
pub(super) struct ColumnBuffer {
    kind: ColumnKind,
    levels: Vec<i16>,
    values: Values,
    /// The last text and its number: most dates and currencies repeat.
    last: (String, i32),
}

impl ColumnBuffer {
    pub(super) fn new(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Text => Values::Texts { bytes: Vec::new(), ends: Vec::new() },
            ColumnKind::Integer | ColumnKind::Money => Values::Long(Vec::new()),
            ColumnKind::Count | ColumnKind::Date | ColumnKind::Exponent => {
                Values::Short(Vec::new())
            }
            ColumnKind::Flag => Values::Flags(Vec::new()),
        };
        Self { kind, levels: Vec::new(), values, last: (String::new(), 0) }
    }

    /// Takes the value of the next row.
    ///
    /// # Errors
    /// When it does not fit the column; the error is the reason, in words.
    pub(super) fn push(&mut self, cell: StoredCell<'_>) -> std::result::Result<(), String> {
        match (&mut self.values, cell) {
            (_, StoredCell::Unknown | StoredCell::Other) => {
                self.levels.push(0);
                return Ok(());
            }
            (Values::Texts { bytes, ends }, StoredCell::Text(text)) => {
                bytes.extend(text.as_bytes());
                ends.push(bytes.len());
            }
            (Values::Texts { bytes, ends }, StoredCell::Integer(number)) => {
                bytes.extend(number.to_string().as_bytes());
                ends.push(bytes.len());
            }
            (Values::Long(values), StoredCell::Integer(number)) => values.push(number),
            (Values::Short(values), StoredCell::Integer(number)) => {
                let fits = i32::try_from(number);
                values.push(fits.map_err(|_| format!("{number} is out of the range of a count"))?);
            }
            (Values::Flags(values), StoredCell::Integer(number)) => values.push(number != 0),
            (Values::Short(values), StoredCell::Text(text)) => {
                if self.last.0 != text {
                    self.last = (text.to_owned(), number_of(self.kind, text)?);
                }
                values.push(self.last.1);
            }
            (Values::Long(_) | Values::Flags(_), StoredCell::Text(text)) => {
                return Err(format!("\"{text}\" is not a number"));
            }
        }
        self.levels.push(IS_THERE);
        Ok(())
    }

    /// Writes its values and empties it.
    pub(super) fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        let levels = Some(self.levels.as_slice());
        let written = match (&mut self.values, writer) {
            (Values::Texts { bytes, ends }, ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let texts = texts(&Bytes::from(std::mem::take(bytes)), ends);
                ends.clear();
                writer.write_batch(&texts, levels, None)
            }
            (Values::Long(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                let written = writer.write_batch(values, levels, None);
                values.clear();
                written
            }
            (Values::Short(values), ColumnWriter::Int32ColumnWriter(writer)) => {
                let written = writer.write_batch(values, levels, None);
                values.clear();
                written
            }
            (Values::Flags(values), ColumnWriter::BoolColumnWriter(writer)) => {
                let written = writer.write_batch(values, levels, None);
                values.clear();
                written
            }
            _ => Err(ParquetError::General("a column of another type".to_owned())),
        };
        self.levels.clear();
        written.map(drop)
    }
}

/// All texts share one allocation.
fn texts(bytes: &Bytes, ends: &[usize]) -> Vec<ByteArray> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let ranges = starts.zip(ends).map(|(start, end)| Range { start, end: *end });
    ranges.map(|range| ByteArray::from(bytes.slice(range))).collect()
}

/// The number that stands for a date, or the decimals of a currency.
fn number_of(kind: ColumnKind, text: &str) -> std::result::Result<i32, String> {
    if kind == ColumnKind::Exponent {
        let currency = Currency::from_code(text);
        let exponent = currency.and_then(|currency| i32::try_from(currency.exponent()).ok());
        return exponent.ok_or_else(|| format!("\"{text}\" is not a currency of ISO 4217"));
    }
    let date: NaiveDate = text.parse().map_err(|_| format!("\"{text}\" is not a valid date"))?;
    Ok(date.num_days_from_ce() - EPOCH_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_days_since_1970_and_the_decimals_of_a_currency() {
        let date = |text| number_of(ColumnKind::Date, text);
        assert_eq!(date("1970-01-01"), Ok(0));
        assert_eq!(date("2026-11-20"), Ok(20_777));
        assert!(date("2026-02-30").is_err());
        assert_eq!(number_of(ColumnKind::Exponent, "KWD"), Ok(3));
        assert!(number_of(ColumnKind::Exponent, "ABC").is_err());
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let mut count = ColumnBuffer::new(ColumnKind::Count);
        assert!(count.push(StoredCell::Integer(i64::from(i32::MAX) + 1)).is_err());
        let mut money = ColumnBuffer::new(ColumnKind::Money);
        assert!(money.push(StoredCell::Text("12")).is_err());
        money.push(StoredCell::Unknown).unwrap();
        money.push(StoredCell::Integer(-5)).unwrap();
        assert_eq!(money.levels, [0, 1]);
    }
}
