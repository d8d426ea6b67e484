//! Times of day and time zones in separate columns of an export.

use chrono::{FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};
use chrono_tz::Tz;

const TIMES: [&str; 7] =
    ["%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%I:%M%p", "%H.%M.%S", "%H.%M"];

/// Abbreviations with their hours from UTC; those of several zones are left out.
const OFFSETS: [(&str, i32); 24] = [
    ("Z", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("BST", 1),
    ("WEST", 1),
    ("CET", 1),
    ("MEZ", 1),
    ("CEST", 2),
    ("MESZ", 2),
    ("EET", 2),
    ("EEST", 3),
    ("AST", -4),
    ("ADT", -3),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
    ("AKST", -9),
    ("AEST", 10),
];

/// Names of zones as point-of-sale systems write them (`Eastern Time (US & Canada)`).
const NAMED: [(&str, Tz); 7] = [
    ("eastern", Tz::America__New_York),
    ("central", Tz::America__Chicago),
    ("mountain", Tz::America__Denver),
    ("pacific", Tz::America__Los_Angeles),
    ("atlantic", Tz::America__Halifax),
    ("alaska", Tz::America__Anchorage),
    ("hawaii", Tz::Pacific__Honolulu),
];

/// The zone of a time.
#[derive(Clone, Copy)]
pub(super) enum Zone {
    Named(Tz),
    Fixed(FixedOffset),
}

impl Zone {
    /// The zone with that name, abbreviation or offset.
    pub(super) fn of(name: &str) -> Option<Self> {
        if let Ok(zone) = name.parse() {
            // `EST` is a zone name as well, with the same offset.
            return Some(Self::Named(zone));
        }
        let upper = name.to_uppercase();
        if let Some((_, hours)) = OFFSETS.iter().find(|(known, _)| *known == upper) {
            return FixedOffset::east_opt(hours * 3_600).map(Self::Fixed);
        }
        let first = name.split([' ', '_']).next().unwrap_or("").to_lowercase();
        if let Some((_, zone)) = NAMED.iter().find(|(known, _)| *known == first) {
            return Some(Self::Named(*zone));
        }
        let digits = upper.trim_start_matches(['U', 'T', 'C', 'G', 'M']).trim().replace(':', "");
        let (sign, digits) = match digits.as_bytes().first()? {
            b'+' => (1, &digits[1..]),
            b'-' => (-1, &digits[1..]),
            _ => return None,
        };
        if digits.len() > 4 {
            return None;
        }
        let number: i32 = digits.parse().ok()?;
        let (hours, minutes) =
            if digits.len() > 2 { (number / 100, number % 100) } else { (number, 0) };
        FixedOffset::east_opt(sign * (hours * 3_600 + minutes * 60)).map(Self::Fixed)
    }

    /// The day in `zone` of a time in this zone. Of a repeated hour, the first one counts.
    pub(super) fn day_in(self, moment: NaiveDateTime, zone: Tz) -> Option<NaiveDate> {
        Some(match self {
            Self::Named(own) => {
                own.from_local_datetime(&moment).earliest()?.with_timezone(&zone).date_naive()
            }
            Self::Fixed(own) => {
                own.from_local_datetime(&moment).earliest()?.with_timezone(&zone).date_naive()
            }
        })
    }
}

/// A time of day as people write it, or as a workbook stores it.
pub(super) fn time_of(text: &str) -> Option<NaiveTime> {
    // A typed time of a workbook is preceded by the first day of its calendar.
    let text = text.rsplit('T').next().unwrap_or(text);
    let parse = |format| NaiveTime::parse_from_str(text, format).ok();
    TIMES.into_iter().find_map(parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_a_time_into_the_day_of_another_zone() {
        let cases = [
            ("PST", "2026-11-04T22:10:00", "2026-11-05"),
            ("Pacific Time (US & Canada)", "2026-11-04T22:10:00", "2026-11-05"),
            ("America/New_York", "2026-11-04T22:10:00", "2026-11-04"),
            ("GMT-05:00", "2026-11-04T22:10:00", "2026-11-04"),
            ("+0100", "2026-11-05T03:10:00", "2026-11-04"),
            ("UTC+1", "2026-11-05T03:10:00", "2026-11-04"),
        ];
        for (name, moment, expected) in cases {
            let zone = Zone::of(name).unwrap();
            let day = zone.day_in(moment.parse().unwrap(), Tz::America__New_York).unwrap();
            assert_eq!(day.to_string(), expected, "{name}");
        }
        assert!(Zone::of("soon").is_none() && Zone::of("").is_none());
        assert_eq!(time_of("10:05 PM"), NaiveTime::from_hms_opt(22, 5, 0));
        assert_eq!(time_of("1899-12-31T22:05:00"), NaiveTime::from_hms_opt(22, 5, 0));
    }
}
