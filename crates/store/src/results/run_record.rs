//! The run record of a date as the store keeps it, without values that are in other tables. A
//! listing that was read completely is kept as the number of its reading; checks that were not
//! evaluated are in their own table.

use rusqlite::Connection;
use serde::de::Error as _;
use serde_json::Value;

use super::kept::read;
use crate::listings::{ListingState, state_of};
use crate::statement::rows;
use tieout_model::{ListingRecord, NotEvaluated, RunRecord};

const NOT_EVALUATED: &str = include_str!("../../sql/report/not_evaluated.sql");
const COMPLETE: &str = "complete";

/// The stored form of the record of `date`, whose other rows are written.
pub(super) fn kept(
    connection: &Connection,
    date: &str,
    record: &RunRecord,
) -> rusqlite::Result<String> {
    let mut value = json(record)?;
    // A shard's reading is reopened when a merchant joins it, and then has another content.
    if record.shard.is_none() {
        let listings = record.listings.iter().map(|listing| short(connection, listing));
        value["listings"] = listings.collect::<rusqlite::Result<_>>()?;
    }
    let stored: Vec<NotEvaluated> = rows(connection, NOT_EVALUATED, [date], read)?;
    if stored == record.checks.not_evaluated {
        value["checks"]["not_evaluated"] = Value::Null;
    }
    Ok(value.to_string())
}

/// The record of `date` from its stored form; an error of JSON where this version does not write
/// such a form.
pub(super) fn whole(
    connection: &Connection,
    date: &str,
    content: &str,
) -> rusqlite::Result<serde_json::Result<RunRecord>> {
    let mut value: Value = match serde_json::from_str(content) {
        Ok(value) => value,
        Err(error) => return Ok(Err(error)),
    };
    for listing in value["listings"].as_array_mut().into_iter().flatten() {
        let Some(reading) = listing.as_i64() else { continue };
        let sql = include_str!("../../sql/evidence/listing_as_read.sql");
        let found: Vec<ListingState> = rows(connection, sql, [reading], state_of)?;
        let Some(read) = found.into_iter().find_map(complete) else {
            let lost = format!("reading {reading} is missing or not complete");
            return Ok(Err(serde_json::Error::custom(lost)));
        };
        *listing = json(&read)?;
    }
    if value["checks"]["not_evaluated"].is_null() {
        let stored: Vec<NotEvaluated> = rows(connection, NOT_EVALUATED, [date], read)?;
        value["checks"]["not_evaluated"] = json(&stored)?;
    }
    Ok(serde_json::from_value(value))
}

/// The number of the newest reading with the same values as the record, else the whole entry.
fn short(connection: &Connection, stated: &ListingRecord) -> rusqlite::Result<Value> {
    if stated.verdict != COMPLETE {
        return json(stated);
    }
    let date = stated.date.map(|date| date.to_string()).unwrap_or_default();
    let sql = include_str!("../../sql/evidence/readings_of_listing.sql");
    let key = (&stated.resource, &stated.selector, &date, &stated.scope);
    let readings: Vec<(i64, ListingState)> =
        rows(connection, sql, key, |row| Ok((row.get("reading_id")?, state_of(row)?)))?;
    let same =
        readings.into_iter().find(|(_, read)| complete(read.clone()).as_ref() == Some(stated));
    same.map_or_else(|| json(stated), |(reading, _)| Ok(reading.into()))
}

/// A complete reading as the record states it.
fn complete(read: ListingState) -> Option<ListingRecord> {
    (read.verdict == COMPLETE).then(|| read.into_record())
}

fn json(value: &impl serde::Serialize) -> rusqlite::Result<Value> {
    serde_json::to_value(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}
