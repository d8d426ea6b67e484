//! When the job runs by itself, and which dates.

use chrono::NaiveDate;

use super::cron_expression::{schedule_of, unsupported};
use super::error::ConfigError;
use super::tree::{Table, declared, quote};
use tieout_model::dates;

/// When `schedule` runs.
#[derive(Clone, Debug)]
pub struct ScheduleSettings {
    pub cron: String,
    pub date: String,
    /// Calendar days before the newest date in which a run that names no date looks for dates that
    /// were never reconciled.
    pub catch_up_days: u32,
}

pub(super) fn schedule(table: &Table) -> Result<ScheduleSettings, ConfigError> {
    let (cron, place) = declared(table.text("cron"));
    if schedule_of(cron).is_err() {
        return Err(ConfigError::Value {
            place: place.clone(),
            key: "schedule.cron".to_owned(),
            expected: "[seconds] minutes hours day month weekday".to_owned(),
            found: quote(cron),
            hint: Some(cron_hint(cron)),
        });
    }
    let (date, place) = declared(table.text("date"));
    // The clock resolves the text at night; here a distant day tests only its syntax.
    let wording = dates::parse(date, NaiveDate::from_ymd_opt(9000, 1, 1).unwrap_or_default());
    if let Err(error) = wording {
        return Err(ConfigError::Value {
            place: place.clone(),
            key: "schedule.date".to_owned(),
            expected: "dates as --date takes them".to_owned(),
            found: format!("{} ({error})", quote(date)),
            hint: None,
        });
    }
    let catch_up_days = table.number("catch_up_days");
    Ok(ScheduleSettings { cron: cron.to_owned(), date: date.to_owned(), catch_up_days })
}

fn cron_hint(cron: &str) -> Box<str> {
    match unsupported(cron) {
        Some(sign) => format!(
            "{} is not supported; a day is a number, a name (FRI), a list (1,15), a range (MON-FRI) \
             or a step (*/2)",
            quote(sign)
        )
        .into(),
        None => "every day at 05:30 is \"0 30 5 * * *\"".into(),
    }
}
