//! The SQL functions that the checks need and `SQLite` does not have: due dates in
//! banking days, and local dates. Pure; the calendars come from a setting of the run.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Error, Result};

use tieout_model::calendar::{Calendar, CalendarName};

/// Registers `due`, `banking_days` and `local_date` without extra holidays.
pub fn register(connection: &Connection) -> Result<()> {
    register_with(connection, &BTreeSet::new())
}

/// Registers the functions again, for calendars with `extra_holidays`.
///
/// - `due(date, days, calendar)`: the days-th banking day strictly after date.
/// - `banking_days(from, to, calendar)`: banking days d with from < d <= to.
/// - `local_date(moment, time_zone)`: the calendar date there.
///
/// Each is null when its first argument is.
///
/// # Errors
/// When `SQLite` refuses.
pub fn register_with(connection: &Connection, extra_holidays: &BTreeSet<NaiveDate>) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let extra = extra_holidays.clone();
    let known = Mutex::new(HashMap::new());
    connection.create_scalar_function("due", 3, flags, move |context| {
        let Some(from) = context.get_raw(0).as_str_or_null()? else { return Ok(None) };
        let (days, name) = (context.get(1)?, context.get_raw(2).as_str()?);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        due(&mut known, from, days, name, &extra).map(Some)
    })?;
    let extra = extra_holidays.clone();
    connection.create_scalar_function("banking_days", 3, flags, move |context| {
        let (Some(from), Some(to)) = (date(context, 0)?, date(context, 1)?) else {
            return Ok(None);
        };
        let name: String = context.get(2)?;
        Ok(Some(calendar(&name, &extra)?.banking_days_after(from, to)))
    })?;
    // A night needs the same few time zones for each of its records, and in turns.
    let zones = Mutex::new(HashMap::new());
    connection.create_scalar_function("local_date", 2, flags, move |context| {
        let Some(text) = context.get_raw(0).as_str_or_null()? else { return Ok(None) };
        let mut zones = zones.lock().unwrap_or_else(PoisonError::into_inner);
        let zone = zone(&mut zones, context.get_raw(1).as_str()?)?;
        let moment =
            DateTime::parse_from_rfc3339(text).map_err(|_| wrong(&format!("moment {text}")))?;
        Ok(Some(moment.with_timezone(&zone).date_naive().to_string()))
    })
}

fn zone(known: &mut HashMap<String, Tz>, name: &str) -> Result<Tz> {
    if let Some(zone) = known.get(name) {
        return Ok(*zone);
    }
    let zone = name.parse().map_err(|_| wrong(&format!("time zone {name}")))?;
    known.insert(name.to_owned(), zone);
    Ok(zone)
}

/// The day that results from a date, days and a calendar.
type DueDates = HashMap<(String, u32, String), String>;

/// Covers decades of dates.
const DUE_DATES_KEPT: usize = 20_000;

/// A night needs the same few dates for each of its records.
fn due(
    known: &mut DueDates,
    from: &str,
    days: u32,
    name: &str,
    extra: &BTreeSet<NaiveDate>,
) -> Result<String> {
    let key = (from.to_owned(), days, name.to_owned());
    if let Some(due) = known.get(&key) {
        return Ok(due.clone());
    }
    let date: NaiveDate = from.parse().map_err(|_| wrong(&format!("date {from}")))?;
    let due = calendar(name, extra)?.due(date, days).to_string();
    if known.len() < DUE_DATES_KEPT {
        known.insert(key, due.clone());
    }
    Ok(due)
}

fn date(context: &Context<'_>, index: usize) -> Result<Option<NaiveDate>> {
    let Some(text) = context.get::<Option<String>>(index)? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| wrong(&format!("date {text}")))
}

fn calendar(name: &str, extra: &BTreeSet<NaiveDate>) -> Result<Calendar> {
    let name: CalendarName = name.parse().map_err(|problem: String| wrong(&problem))?;
    Ok(Calendar::new(name, extra.clone()))
}

fn wrong(what: &str) -> Error {
    Error::UserFunctionError(format!("not understood: {what}").into())
}
