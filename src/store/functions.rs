//! The SQL functions that the checks need and `SQLite` does not have: due dates in
//! banking days, and local dates. Pure; the calendars come from a setting of the run.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Error, Result};

use crate::calendar::{Calendar, CalendarName};

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
    connection.create_scalar_function("due", 3, flags, move |context| {
        let Some(date) = date(context, 0)? else { return Ok(None) };
        let days: u32 = context.get(1)?;
        Ok(Some(calendar(context, 2, &extra)?.due(date, days).to_string()))
    })?;
    let extra = extra_holidays.clone();
    connection.create_scalar_function("banking_days", 3, flags, move |context| {
        let (Some(from), Some(to)) = (date(context, 0)?, date(context, 1)?) else {
            return Ok(None);
        };
        Ok(Some(calendar(context, 2, &extra)?.banking_days_after(from, to)))
    })?;
    connection.create_scalar_function("local_date", 2, flags, |context| {
        let Some(text) = context.get::<Option<String>>(0)? else { return Ok(None) };
        let zone: String = context.get(1)?;
        let zone: Tz = zone.parse().map_err(|_| wrong(&format!("time zone {zone}")))?;
        let moment =
            DateTime::parse_from_rfc3339(&text).map_err(|_| wrong(&format!("moment {text}")))?;
        Ok(Some(moment.with_timezone(&zone).date_naive().to_string()))
    })
}

fn date(context: &Context<'_>, index: usize) -> Result<Option<NaiveDate>> {
    let Some(text) = context.get::<Option<String>>(index)? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| wrong(&format!("date {text}")))
}

fn calendar(context: &Context<'_>, index: usize, extra: &BTreeSet<NaiveDate>) -> Result<Calendar> {
    let name: String = context.get(index)?;
    let name: CalendarName = name.parse().map_err(|problem: String| wrong(&problem))?;
    Ok(Calendar::new(name, extra.clone()))
}

fn wrong(what: &str) -> Error {
    Error::UserFunctionError(format!("not understood: {what}").into())
}
