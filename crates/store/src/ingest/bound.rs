//! A statement that stores one row after another. Most columns have the same value in every row of
//! a page, and binding a text again takes longer than comparing it.

use chrono::NaiveDate;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection};

/// The statement, and the values of its parameters.
pub(crate) struct Bound<'connection> {
    statement: CachedStatement<'connection>,
    held: Vec<Held>,
}

/// The value of a parameter.
enum Held {
    /// Not known: it was never bound, or was refused.
    Unknown,
    Null,
    Integer(i64),
    Text(Vec<u8>),
}

impl Held {
    fn is(&self, value: ValueRef<'_>) -> bool {
        match (self, value) {
            (Self::Null, ValueRef::Null) => true,
            (Self::Integer(held), ValueRef::Integer(number)) => *held == number,
            (Self::Text(held), ValueRef::Text(text)) => held == text,
            _ => false,
        }
    }

    fn set(&mut self, value: ValueRef<'_>) {
        match (&mut *self, value) {
            (Self::Text(held), ValueRef::Text(text)) => {
                held.clear();
                held.extend_from_slice(text);
            }
            (_, ValueRef::Text(text)) => *self = Self::Text(text.to_vec()),
            (_, ValueRef::Integer(number)) => *self = Self::Integer(number),
            (_, ValueRef::Null) => *self = Self::Null,
            (_, ValueRef::Real(_) | ValueRef::Blob(_)) => *self = Self::Unknown,
        }
    }
}

impl<'connection> Bound<'connection> {
    pub(crate) fn prepare(
        connection: &'connection Connection,
        sql: &str,
    ) -> rusqlite::Result<Self> {
        let statement = connection.prepare_cached(sql)?;
        let held = (0..statement.parameter_count()).map(|_| Held::Unknown).collect();
        Ok(Self { statement, held })
    }

    /// Executes it with `values`, one for each parameter in order; returns how many rows it has
    /// changed.
    pub(crate) fn execute(&mut self, values: &[ValueRef<'_>]) -> rusqlite::Result<usize> {
        if values.len() != self.held.len() {
            return Err(rusqlite::Error::InvalidParameterCount(values.len(), self.held.len()));
        }
        for (place, (held, value)) in self.held.iter_mut().zip(values).enumerate() {
            if held.is(*value) {
                continue;
            }
            if let Err(refusal) =
                self.statement.raw_bind_parameter(place + 1, ToSqlOutput::Borrowed(*value))
            {
                *held = Held::Unknown;
                return Err(refusal);
            }
            held.set(*value);
        }
        self.statement.raw_execute()
    }
}

pub(crate) fn text(text: Option<&str>) -> ValueRef<'_> {
    text.map_or(ValueRef::Null, |text| ValueRef::Text(text.as_bytes()))
}

pub(crate) fn integer(number: Option<i64>) -> ValueRef<'static> {
    number.map_or(ValueRef::Null, ValueRef::Integer)
}

/// The text of the date written last: a page has few dates.
#[derive(Default)]
pub(crate) struct DateText {
    date: Option<NaiveDate>,
    text: String,
}

impl DateText {
    pub(crate) fn of(&mut self, date: NaiveDate) -> &str {
        if self.date != Some(date) {
            self.date = Some(date);
            self.text = date.to_string();
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::limits::Limit;
    use rusqlite::types::Value;

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            (0_i64..3).prop_map(Value::Integer),
            prop::sample::select(&["", "0", "1", "USD"][..])
                .prop_map(|text| Value::Text(text.to_owned())),
            // Longer than the connection of this test takes.
            Just(Value::Text("x".repeat(40))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn stores_every_row_as_if_it_were_the_first(
            rows in prop::collection::vec((any_value(), any_value()), 0..12)
        ) {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch("create table line (one, other)").unwrap();
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 30).unwrap();
            let mut bound =
                Bound::prepare(&connection, "insert into line values (?1, ?2)").unwrap();
            let mut expected = Vec::new();
            for (one, other) in rows {
                let is_refused = [&one, &other].into_iter().any(
                    |value| matches!(value, Value::Text(text) if text.len() > 30),
                );
                let stored = bound.execute(&[(&one).into(), (&other).into()]);
                prop_assert_eq!(stored.is_err(), is_refused);
                if !is_refused {
                    expected.push((one, other));
                }
            }
            drop(bound);
            let found: Vec<(Value, Value)> = connection
                .prepare("select one, other from line order by rowid")
                .unwrap()
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn refuses_too_few_values() {
        let connection = Connection::open_in_memory().unwrap();
        let mut bound = Bound::prepare(&connection, "select ?1 where ?2").unwrap();
        bound.execute(&[ValueRef::Null]).unwrap_err();
    }
}
