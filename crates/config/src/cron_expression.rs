//! Cron expressions as cron itself reads them. The library counts weekdays from Sunday as 1, while
//! in cron `1-5` is Monday to Friday; and it fires only where both day fields hold, while cron fires
//! where either does when both are restricted.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use cron::Schedule;
use cron::error::Error;

const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// Positions of the fields: seconds minutes hours day month weekday.
const DAY: usize = 3;
const WEEKDAY: usize = 5;
/// Fields of an expression without seconds, which begins with the minutes.
const FIELDS_WITHOUT_SECONDS: usize = 5;

/// When an expression fires.
#[derive(Clone, Debug)]
pub struct CronSchedule {
    /// It fires when one of these does.
    either: Vec<Schedule>,
}

impl CronSchedule {
    /// The moments after `moment`, in order.
    pub fn after(&self, moment: &DateTime<Utc>) -> impl Iterator<Item = DateTime<Utc>> + '_ {
        let next = |moment: &DateTime<Utc>| {
            self.either.iter().filter_map(|schedule| schedule.after(moment).next()).min()
        };
        std::iter::successors(next(moment), move |fired| next(fired))
    }
}

/// The schedule of `expression`, with seconds or without. Of weekdays 1 is Monday, and 0 and 7 are
/// Sunday.
///
/// # Errors
/// When it is not a cron expression.
pub fn schedule_of(expression: &str) -> Result<CronSchedule, Error> {
    let mut fields: Vec<String> = expression.split_whitespace().map(str::to_owned).collect();
    if fields.len() == FIELDS_WITHOUT_SECONDS {
        fields.insert(0, "0".to_owned());
    }
    if let Some(field) = fields.get_mut(WEEKDAY) {
        let parts: Vec<String> =
            field.split(',').map(|part| named(part).unwrap_or_else(|| part.to_owned())).collect();
        *field = parts.join(",");
    }
    let is_restricted =
        |place: usize| fields.get(place).is_some_and(|field| !field.starts_with(['*', '?']));
    let expressions = if is_restricted(DAY) && is_restricted(WEEKDAY) {
        [DAY, WEEKDAY]
            .map(|open| {
                let mut fields = fields.clone();
                "*".clone_into(&mut fields[open]);
                fields.join(" ")
            })
            .to_vec()
    } else {
        vec![fields.join(" ")]
    };
    let either = expressions.iter().map(|one| Schedule::from_str(one)).collect::<Result<_, _>>()?;
    Ok(CronSchedule { either })
}

/// The syntax of other cron programs in a day field that this one does not support: the last day
/// (`L`, `5L`), the nearest weekday (`15W`), the second Friday (`5#2`).
pub fn unsupported(expression: &str) -> Option<&str> {
    let fields: Vec<&str> = expression.split_whitespace().collect();
    let first = fields.len().checked_sub(FIELDS_WITHOUT_SECONDS)?;
    let has_sign = |part: &str| {
        let part = part.to_ascii_uppercase();
        let rest = DAYS.iter().fold(part, |part, name| part.replace(name, ""));
        rest.contains(['L', 'W', '#'])
    };
    let days = [fields.get(first + 2)?, fields.get(first + 4)?];
    days.into_iter().flat_map(|field| field.split(',')).find(|part| has_sign(part))
}

/// The days of a part of the weekday field by name; `None` for a part without numbers, and for one
/// that the library refuses.
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
    use chrono::Datelike;

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

    #[test]
    fn names_what_other_programs_know() {
        for (expression, sign) in [
            ("0 30 5 * * 5L", Some("5L")),
            ("30 5 L * *", Some("L")),
            ("30 5 1,LW * *", Some("LW")),
            ("0 30 5 15w * *", Some("15w")),
            ("30 5 * * FRI#2", Some("FRI#2")),
            ("30 5 * * MON,Wed-FRI", None),
            ("0 30 5 1 JUL WED", None),
            ("L", None),
        ] {
            assert_eq!(unsupported(expression), sign, "{expression}");
            assert!(sign.is_none() || schedule_of(expression).is_err(), "{expression}");
        }
    }

    #[test]
    fn takes_five_fields_and_fires_on_either_day() {
        let from: DateTime<Utc> = "2026-11-20T00:00:00Z".parse().unwrap();
        for (expression, expected) in [
            ("30 5 * * *", ["2026-11-20 05:30", "2026-11-21 05:30", "2026-11-22 05:30"]),
            ("0 30 5 * * *", ["2026-11-20 05:30", "2026-11-21 05:30", "2026-11-22 05:30"]),
            // The first of the month, or a Saturday.
            ("0 15 3 1 * SAT", ["2026-11-21 03:15", "2026-11-28 03:15", "2026-12-01 03:15"]),
            ("15 3 1 4,10 SAT", ["2027-04-01 03:15", "2027-04-03 03:15", "2027-04-10 03:15"]),
            ("15 3 1 * *", ["2026-12-01 03:15", "2027-01-01 03:15", "2027-02-01 03:15"]),
            ("15 3 * * 6", ["2026-11-21 03:15", "2026-11-28 03:15", "2026-12-05 03:15"]),
        ] {
            let schedule = schedule_of(expression).unwrap();
            let fired: Vec<String> = schedule
                .after(&from)
                .take(3)
                .map(|moment| moment.format("%Y-%m-%d %H:%M").to_string())
                .collect();
            assert_eq!(fired, expected, "{expression}");
        }
        for wrong in ["", "5", "30 5 * *", "0 0 30 5 * * * *"] {
            assert!(schedule_of(wrong).is_err(), "{wrong}");
        }
    }
}
