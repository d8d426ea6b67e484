//! The days that a period covers completely, from its timestamps.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike};
use chrono_tz::Tz;

use super::number::leading_date;

/// A timestamp of a file: in the offset that it was written in, or in that of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    date: NaiveDate,
    /// `None` for a date without a time.
    time: Option<NaiveTime>,
}

/// A period with its timestamps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Period {
    pub start: Option<Moment>,
    pub end: Option<Moment>,
}

impl Period {
    /// The first and the last day that lie completely in the period. An end at midnight is the end
    /// of the day before, unless the end's own day has lines or is the first day of the period:
    /// then the time only fills the field.
    pub(super) fn days(
        self,
        lines: impl Iterator<Item = NaiveDate>,
    ) -> Option<(NaiveDate, NaiveDate)> {
        let (start, end) = (self.start?, self.end?);
        let first = start.first_whole_day()?;
        let is_filled = end.is_midnight()
            && (start.date == end.date || lines.into_iter().any(|line| line == end.date));
        let last = if is_filled { end.date } else { end.last_whole_day()? };
        (first <= last).then_some((first, last))
    }
}

impl Moment {
    fn is_midnight(self) -> bool {
        self.time.is_some_and(|time| time == NaiveTime::MIN)
    }

    fn first_whole_day(self) -> Option<NaiveDate> {
        match self.time {
            Some(time) if time > NaiveTime::MIN => self.date.succ_opt(),
            _ => Some(self.date),
        }
    }

    /// The last minute of a day counts as its end.
    fn last_whole_day(self) -> Option<NaiveDate> {
        match self.time {
            Some(time) if !(time.hour() == 23 && time.minute() == 59) => self.date.pred_opt(),
            _ => Some(self.date),
        }
    }

    /// Checks that it is a date without a time.
    pub(super) fn is_day(self) -> bool {
        self.time.is_none()
    }

    /// Its date.
    pub(super) fn date(self) -> NaiveDate {
        self.date
    }

    /// Checks that it is before the last minute of `day`.
    pub(super) fn is_before_end_of(self, day: NaiveDate) -> bool {
        let is_early = |time: NaiveTime| !(time.hour() == 23 && time.minute() == 59);
        self.date < day || (self.date == day && self.time.is_some_and(is_early))
    }
}

fn is_noon(time: NaiveTime) -> bool {
    time.hour() == 12 && time.minute() == 0 && time.second() == 0
}

/// A timestamp of OFX, such as `20261104120000.000[-5:EST]`.
pub(super) fn ofx(text: &str, zone: Option<Tz>) -> Option<Moment> {
    let date = leading_date(text)?;
    let digits: String = text.get(8..)?.chars().take_while(char::is_ascii_digit).collect();
    let time = match digits.len() {
        0 => return Some(Moment { date, time: None }),
        4 => NaiveTime::parse_from_str(&digits, "%H%M").ok()?,
        _ => NaiveTime::parse_from_str(digits.get(..6)?, "%H%M%S").ok()?,
    };
    // Noon marks a date without a time, as the format defines.
    let moment = Moment { date, time: (!is_noon(time)).then_some(time) };
    // A date that a program has filled with a time keeps its day in every zone.
    if time == NaiveTime::MIN || is_noon(time) {
        return Some(moment);
    }
    let offset = text.split_once('[').and_then(|(_, rest)| rest.split([':', ']']).next());
    let offset = offset.and_then(hours_and_minutes).filter(|offset| offset.local_minus_utc() == 0);
    Some(match (offset, zone) {
        (Some(offset), Some(zone)) => local(date.and_time(time), offset, zone)?,
        _ => moment,
    })
}

/// `-5`, `+5.5`, `0`.
fn hours_and_minutes(text: &str) -> Option<FixedOffset> {
    let (hours, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_west = hours.starts_with('-');
    let hours: i32 = hours.trim_start_matches(['-', '+']).parse().ok()?;
    let minutes = match part {
        "5" | "50" => 30,
        "75" => 45,
        "25" => 15,
        _ => 0,
    };
    let seconds = hours.checked_mul(3_600)?.checked_add(minutes * 60)?;
    FixedOffset::east_opt(if is_west { -seconds } else { seconds })
}

/// A timestamp of ISO 8601, with or without a time and an offset. One in UTC is converted to
/// `zone`; any other offset is taken as that of the bank's own day.
pub(super) fn iso(text: &str, zone: Option<Tz>) -> Option<Moment> {
    let text = text.trim();
    if let (Ok(moment), Some(zone)) = (DateTime::parse_from_rfc3339(text), zone)
        && moment.offset().local_minus_utc() == 0
    {
        return local(moment.naive_local(), *moment.offset(), zone);
    }
    let date = leading_date(text)?;
    // A date may have a zone too: `2026-11-04Z`.
    let has_time = text.get(10..11).is_some_and(|mark| matches!(mark, "T" | "t" | " "));
    let time = text.get(11..).filter(|_| has_time).map(|time| {
        let end = time.find(['Z', '+', '-', '.']).unwrap_or(time.len());
        let time = &time[..end];
        let formats = ["%H:%M:%S", "%H:%M"];
        formats.iter().find_map(|format| NaiveTime::parse_from_str(time, format).ok())
    });
    match time {
        // 24:00:00 is the end of the day.
        Some(None) if text.get(11..13) == Some("24") => {
            Some(Moment { date, time: NaiveTime::from_hms_opt(23, 59, 59) })
        }
        Some(None) => None,
        Some(time) => Some(Moment { date, time }),
        None => Some(Moment { date, time: None }),
    }
}

fn local(moment: NaiveDateTime, offset: FixedOffset, zone: Tz) -> Option<Moment> {
    let local = offset.from_local_datetime(&moment).single()?.with_timezone(&zone).naive_local();
    Some(Moment { date: local.date(), time: Some(local.time()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(start: &str, end: &str, zone: Option<Tz>, lines: &[&str]) -> Option<String> {
        let read = |text: &str| {
            if text.contains('-') && text.len() > 9 && !text.contains('[') {
                iso(text, zone)
            } else {
                ofx(text, zone)
            }
        };
        let period = Period { start: read(start), end: read(end) };
        let days = period.days(lines.iter().map(|line| line.parse().unwrap()));
        days.map(|(first, last)| format!("{first}..{last}"))
    }

    #[test]
    fn holds_whole_days_alone() {
        type Case<'a> = (&'a str, &'a str, Option<Tz>, &'a [&'a str], Option<&'a str>);
        let berlin = Some(chrono_tz::Europe::Berlin);
        let new_york = Some(chrono_tz::America::New_York);
        let one_day = Some("2026-11-04..2026-11-04");
        let cases: [Case<'_>; 14] = [
            ("2026-11-04T00:00:00", "2026-11-04T23:59:59", None, &[], one_day),
            ("2026-11-04T00:00:00", "2026-11-05T00:00:00", None, &[], one_day),
            ("2026-11-04T00:00:00", "2026-11-04T24:00:00", None, &[], one_day),
            ("2026-11-04T00:00:00", "2026-11-04T12:30:00", None, &[], None),
            ("2026-11-04T13:00:00", "2026-11-04T23:59:59", None, &[], None),
            ("2026-11-04", "2026-11-04", None, &[], one_day),
            ("2026-11-03T23:00:00Z", "2026-11-04T23:00:00Z", berlin, &[], one_day),
            ("2026-11-04T00:00:00Z", "2026-11-04T23:59:59Z", new_york, &[], None),
            ("2026-11-04T00:00:00+01:00", "2026-11-05T00:00:00+01:00", new_york, &[], one_day),
            ("20261104", "20261104", None, &[], one_day),
            ("20261104000000[-5:EST]", "20261104000000[-5:EST]", new_york, &[], one_day),
            ("20261101", "20261105083000", None, &[], Some("2026-11-01..2026-11-04")),
            ("20261101", "20261105000000", None, &["2026-11-05"], Some("2026-11-01..2026-11-05")),
            ("20261101", "20261104120000[0:GMT]", new_york, &[], Some("2026-11-01..2026-11-04")),
        ];
        for (start, end, zone, lines, expected) in cases {
            assert_eq!(days(start, end, zone, lines).as_deref(), expected, "{start} {end}");
        }
    }
}
