//! Cron expressions as cron itself reads them: the library counts weekdays from Sunday as 1, and
//! everybody who writes `1-5` means Monday to Friday.

use std::str::FromStr;

use cron::Schedule;
use cron::error::Error;

const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// Where the weekday stands: seconds minutes hours day month weekday.
const WEEKDAY: usize = 5;

/// The schedule that `expression` means; of weekdays 1 is Monday, and 0 and 7 are Sunday.
///
/// # Errors
/// When it is not understood.
pub fn schedule_of(expression: &str) -> Result<Schedule, Error> {
    let mut fields: Vec<String> = expression.split_whitespace().map(str::to_owned).collect();
    if let Some(field) = fields.get_mut(WEEKDAY) {
        let parts: Vec<String> =
            field.split(',').map(|part| named(part).unwrap_or_else(|| part.to_owned())).collect();
        *field = parts.join(",");
    }
    Schedule::from_str(&fields.join(" "))
}

/// The days of a part of the weekday field in their names; `None` for what holds no numbers, or is
/// for the library to refuse.
fn named(part: &str) -> Option<String> {
    let (days, step) = match part.split_once('/') {
        Some((days, step)) => (days, Some(step.parse::<usize>().ok().filter(|step| *step > 0)?)),
        None => (part, None),
    };
    let (first, last) = match days.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        // From there to the end of the week.
        None if step.is_some() => (number(days)?, DAYS.len() - 1),
        None => (number(days)?, number(days)?),
    };
    if first > last {
        return None;
    }
    let days = (first..=last).step_by(step.unwrap_or(1)).filter_map(|day| DAYS.get(day % 7));
    Some(days.copied().collect::<Vec<_>>().join(","))
}

fn number(day: &str) -> Option<usize> {
    let name = DAYS.iter().position(|name| name.eq_ignore_ascii_case(day));
    name.or_else(|| day.parse().ok().filter(|day| *day <= 7))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Datelike, Utc};

    use super::*;

    #[test]
    fn counts_weekdays_as_cron_does() {
        let monday: DateTime<Utc> = "2026-11-02T00:00:00Z".parse().unwrap();
        let cases = [
            ("*", "1234567"),
            ("1-5", "12345"),
            ("MON-FRI", "12345"),
            ("0", "7"),
            ("7", "7"),
            ("6", "6"),
            ("5-7", "567"),
            ("0-2", "127"),
            ("1,3,Fri", "135"),
            ("1-5/2", "135"),
            ("2/2", "246"),
            ("Mon-3", "123"),
            ("*/2", "2467"),
        ];
        for (field, expected) in cases {
            let schedule = schedule_of(&format!("0 30 5 * * {field}")).unwrap();
            let mut days: Vec<u32> = schedule
                .after(&monday)
                .take_while(|fires| (*fires - monday).num_days() < 7)
                .map(|fires| fires.weekday().number_from_monday())
                .collect();
            days.sort_unstable();
            let days: String = days.iter().map(ToString::to_string).collect();
            assert_eq!(days, expected, "{field}");
        }
        for wrong in ["8", "5-1", "x", "1/0", "1-"] {
            assert!(schedule_of(&format!("0 30 5 * * {wrong}")).is_err(), "{wrong}");
        }
    }
}
