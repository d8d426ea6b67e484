//! Proves the earlier versions of records: each version by the page of its reading, and the chain
//! from the first reading to the current row, in which no link may be missing.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use super::compared::{key_of, shown};
use super::prover::{DURING, Prover};
use super::tables::{Columns, Table};
use crate::{StoreError, While};

/// The values of a record that the store's triggers keep when it changes.
#[derive(Clone, PartialEq)]
struct Said {
    day: Value,
    merchant_id: Value,
    content: Value,
}

/// The content of a record according to the pages of one reading.
enum Told {
    /// The pages were removed or are damaged.
    Unknown,
    /// The pages do not hold the record.
    Absent,
    Said(Said),
}

impl Told {
    fn may_be(&self, said: &Said) -> bool {
        match self {
            Self::Unknown => true,
            Self::Absent => false,
            Self::Said(found) => found == said,
        }
    }
}

/// The content of a record from one reading to another.
struct State {
    said: Said,
    reading: i64,
    was_gone: bool,
    /// The first reading with another content; `None` for the current content.
    replaced_in: Option<i64>,
}

impl Prover<'_> {
    /// Proves the versions of a record that the store holds.
    pub(super) fn was_brought(&mut self, table: &Table, row: &Columns) -> Result<(), StoreError> {
        // No versions are kept of card transactions.
        let Some(Value::Integer(first)) = row.get("first_reading") else { return Ok(()) };
        let states = self.states(table, row).during(DURING)?;
        // The first reading must have brought the first version.
        if !self.told_in(table, row, *first)?.may_be(&states[0].said) {
            self.past_is_wrong(
                table,
                row,
                "the record of its first reading is none of its \
                                            versions",
            );
        }
        for (at, state) in states.iter().enumerate() {
            let Some(replaced_in) = state.replaced_in else { continue };
            if !self.told_in(table, row, state.reading)?.may_be(&state.said) {
                let what = format!(
                    "the version that reading {replaced_in} replaced differs from its page"
                );
                self.past_is_wrong(table, row, &what);
                continue;
            }
            let next = &states[at + 1];
            let follows = match self.told_in(table, row, replaced_in)? {
                Told::Unknown => true,
                Told::Absent => next.was_gone,
                Told::Said(found) => !next.was_gone && found == next.said,
            };
            if !follows || replaced_in <= state.reading {
                let what = format!("its version after reading {replaced_in} differs from its page");
                self.past_is_wrong(table, row, &what);
            }
        }
        Ok(())
    }

    fn past_is_wrong(&mut self, table: &Table, row: &Columns, what: &str) {
        let key = key_of(table, row);
        self.proof.problems.insert(format!("record_version of {} {key}: {what}", table.name));
    }

    /// The versions of a record, oldest first, and its current content.
    fn states(&self, table: &Table, row: &Columns) -> rusqlite::Result<Vec<State>> {
        let kind = match row.get("kind") {
            Some(kind) => shown(kind),
            None => table.name.to_owned(),
        };
        // The id as the triggers write it.
        let ids = table.key.iter().filter(|key| **key != "kind");
        let id = ids.map(|key| shown(&row[*key])).collect::<Vec<_>>().join("/");
        let mut statement = self
            .store
            .connection()
            .prepare_cached(include_str!("../../sql/evidence/versions_of.sql"))?;
        let mut states: Vec<State> = statement
            .query_map((kind, id), |row| {
                Ok(State {
                    said: Said {
                        day: row.get("day")?,
                        merchant_id: row.get("merchant_id")?,
                        content: row.get("content")?,
                    },
                    reading: row.get("reading")?,
                    was_gone: row.get("was_gone")?,
                    replaced_in: Some(row.get("replaced_in")?),
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        let is_gone = row.get("gone_in").is_some_and(|gone| *gone != Value::Null);
        let Value::Integer(reading) = row[table.reading] else { return Ok(states) };
        let said = self.said(table, row)?;
        states.push(State { said, reading, was_gone: is_gone, replaced_in: None });
        Ok(states)
    }

    /// The content of a record in one reading.
    fn told_in(&mut self, table: &Table, row: &Columns, reading: i64) -> Result<Told, StoreError> {
        if !self.replay(reading).during(DURING)? {
            return Ok(Told::Unknown);
        }
        let Some(mut found) = self.as_read_in(table, row, reading).during(DURING)? else {
            return Ok(Told::Absent);
        };
        // A record read by its id may carry no date; then it keeps the day it was listed under.
        if found.get("day") == Some(&Value::Text(String::new())) {
            found.insert("day".into(), row["day"].clone());
        }
        self.said(table, &found).map(Told::Said).during(DURING)
    }

    /// The content of a row as the triggers keep it.
    fn said(&self, table: &Table, row: &Columns) -> rusqlite::Result<Said> {
        let connection = self.scratch.connection();
        let mut row = row.clone();
        let change = if row.contains_key("gone_in") {
            row.insert("gone_in".into(), Value::Null);
            "gone_in = 0"
        } else {
            "status = status || '?'"
        };
        let names: Vec<&str> = row.keys().map(|name| &**name).collect();
        let places = vec!["?"; names.len()].join(", ");
        let name = table.name;
        let sql = format!("insert into {name} ({}) values ({places})", names.join(", "));
        connection.prepare_cached(&sql)?.execute(params_from_iter(row.values()))?;
        connection.prepare_cached(&format!("update {name} set {change}"))?.execute([])?;
        let said = connection
            .prepare_cached("select day, merchant_id, content from record_version")?
            .query_row([], |row| {
                Ok(Said { day: row.get(0)?, merchant_id: row.get(1)?, content: row.get(2)? })
            })
            .optional()?;
        connection.prepare_cached(&format!("delete from {name}"))?.execute([])?;
        connection.prepare_cached("delete from record_version")?.execute([])?;
        said.ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    /// Checks that the merchant that a record names is stored.
    pub(super) fn names_a_merchant(
        &mut self,
        table: &Table,
        row: &Columns,
    ) -> Result<(), StoreError> {
        let Some(Value::Text(merchant)) = row.get("merchant_id") else { return Ok(()) };
        let is_kept: bool = self
            .store
            .connection()
            .prepare_cached("select exists (select 1 from merchant where merchant_id = ?1)")
            .and_then(|mut statement| statement.query_row([merchant], |row| row.get(0)))
            .during(DURING)?;
        if !is_kept {
            self.proof.problems.insert(format!(
                "{} {} names merchant {merchant}, which is not stored",
                table.name,
                key_of(table, row)
            ));
        }
        Ok(())
    }

    /// Checks that the pages of every reading for a date are as they were received, also of
    /// readings that newer ones have replaced, and that lists of bank transfers hold the counted
    /// number.
    pub(super) fn readings_for(&mut self, day: &str) -> Result<(), StoreError> {
        let mut statement = self
            .store
            .connection()
            .prepare_cached(include_str!("../../sql/evidence/readings_for.sql"))
            .during(DURING)?;
        let readings: Vec<(i64, bool, Option<i64>, i64)> = statement
            .query_map([day], |row| {
                let reading = row.get("reading_id")?;
                Ok((reading, row.get("is_single")?, row.get("counted")?, row.get("kept")?))
            })
            .and_then(Iterator::collect)
            .during(DURING)?;
        for (reading, is_single, counted, kept) in readings {
            if is_single {
                // A record that it looked up may be in no listing of the date.
                self.reading(reading)?;
            } else if !self.readings.contains_key(&reading)
                && !self.known.readings.contains_key(&reading)
            {
                self.are_pages_whole(reading).during(DURING)?;
            }
            if counted.is_some_and(|counted| counted != kept) {
                self.proof.problems.insert(format!(
                    "listed_transfer: {kept} bank transfers of reading {reading} are stored, it \
                     counted {}",
                    counted.unwrap_or_default()
                ));
            }
        }
        Ok(())
    }
}
