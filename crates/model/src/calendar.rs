//! Banking days: weekends, the bank holidays of two countries, and due dates.
//! Never reads the clock and never looks anything up; every holiday is computed.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, Days, NaiveDate, Weekday};

/// The country whose bank holidays count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CalendarName {
    /// Holidays of the Federal Reserve Banks of the United States.
    UsFederalReserve,
    /// Bank holidays of Canada.
    Canada,
}

impl CalendarName {
    /// Every calendar, in the order in which the documentation lists them.
    pub const ALL: [Self; 2] = [Self::UsFederalReserve, Self::Canada];

    /// The name as written in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UsFederalReserve => "us-federal-reserve",
            Self::Canada => "canada",
        }
    }
}

impl fmt::Display for CalendarName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for CalendarName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|name| name.as_str() == text).ok_or_else(|| {
            format!("expected \"us-federal-reserve\" or \"canada\", found \"{text}\"")
        })
    }
}

/// A calendar with the extra holidays of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    name: CalendarName,
    extra_holidays: BTreeSet<NaiveDate>,
}

impl Calendar {
    /// The named calendar; `extra_holidays` are not banking days either.
    pub fn new(name: CalendarName, extra_holidays: BTreeSet<NaiveDate>) -> Self {
        Self { name, extra_holidays }
    }

    /// The name of this calendar.
    pub fn name(&self) -> CalendarName {
        self.name
    }

    /// Whether banks move money on `date`.
    pub fn is_banking_day(&self, date: NaiveDate) -> bool {
        !is_weekend(date)
            && !self.extra_holidays.contains(&date)
            && match self.name {
                CalendarName::UsFederalReserve => !is_us_holiday(date),
                CalendarName::Canada => !is_canadian_holiday(date),
            }
    }

    /// The `days`-th banking day strictly after `date`, whether `date` is one or not;
    /// `date` itself for `days = 0`.
    pub fn due(&self, date: NaiveDate, days: u32) -> NaiveDate {
        let mut due = date;
        for _ in 0..days {
            due = following(due);
            while !self.is_banking_day(due) {
                due = following(due);
            }
        }
        due
    }

    /// The earliest day from which `date` is at most `days` banking days away: the earliest whose
    /// [`Calendar::due`] day is not before it.
    pub fn earliest(&self, date: NaiveDate, days: u32) -> NaiveDate {
        let (mut earliest, mut between) = (date, 0);
        while let Some(before) = earliest.pred_opt() {
            between += u32::from(earliest < date && self.is_banking_day(earliest));
            if between >= days {
                break;
            }
            earliest = before;
        }
        earliest
    }

    /// The number of banking days d with `from < d <= to`; zero when `to <= from`.
    pub fn banking_days_after(&self, from: NaiveDate, to: NaiveDate) -> u32 {
        let mut count = 0;
        let mut date = from;
        while date < to {
            date = following(date);
            count += u32::from(self.is_banking_day(date));
        }
        count
    }
}

fn following(date: NaiveDate) -> NaiveDate {
    date.checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX)
}

fn is_weekend(date: NaiveDate) -> bool {
    matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

/// Juneteenth of the United States, and the Day for Truth and Reconciliation of Canada: both are kept
/// since 2021, and were banking days before.
const JUNETEENTH: (u32, u32) = (6, 19);
const RECONCILIATION: (u32, u32) = (9, 30);
const KEPT_SINCE: i32 = 2021;

/// Whether `day` is one of the `fixed` holidays; the holiday `new` is kept since 2021 only.
fn is_kept(day: NaiveDate, fixed: &[(u32, u32)], new: (u32, u32)) -> bool {
    let date = (day.month(), day.day());
    fixed.contains(&date) && (date != new || day.year() >= KEPT_SINCE)
}

/// Fixed holidays on a Sunday are kept on Monday; on a Saturday they are not moved.
fn is_us_holiday(date: NaiveDate) -> bool {
    const FIXED: [(u32, u32); 5] = [(1, 1), JUNETEENTH, (7, 4), (11, 11), (12, 25)];
    let is_fixed = |day: NaiveDate| is_kept(day, &FIXED, JUNETEENTH);
    let moved_from_sunday = date.weekday() == Weekday::Mon && date.pred_opt().is_some_and(is_fixed);
    is_fixed(date)
        || moved_from_sunday
        || is_nth_weekday(date, 1, Weekday::Mon, 3)
        || is_nth_weekday(date, 2, Weekday::Mon, 3)
        || is_last_monday_of_may(date)
        || is_nth_weekday(date, 9, Weekday::Mon, 1)
        || is_nth_weekday(date, 10, Weekday::Mon, 2)
        || is_nth_weekday(date, 11, Weekday::Thu, 4)
}

fn is_last_monday_of_may(date: NaiveDate) -> bool {
    date.month() == 5 && date.weekday() == Weekday::Mon && date.day() >= 25
}

/// Holidays on a weekend are kept on the next weekday that is none itself.
fn is_canadian_holiday(date: NaiveDate) -> bool {
    const FIXED: [(u32, u32); 6] = [(1, 1), (7, 1), RECONCILIATION, (11, 11), (12, 25), (12, 26)];
    let is_fixed = |day: NaiveDate| is_kept(day, &FIXED, RECONCILIATION);
    if is_weekend(date) {
        return false;
    }
    is_fixed(date) || is_movable_in_canada(date) || is_kept_later(date, is_fixed)
}

/// Good Friday, Victoria (the last Monday before 25 May), Labour and Thanksgiving Day.
fn is_movable_in_canada(date: NaiveDate) -> bool {
    let is_victoria =
        date.month() == 5 && date.weekday() == Weekday::Mon && (18..=24).contains(&date.day());
    is_victoria
        || is_nth_weekday(date, 9, Weekday::Mon, 1)
        || is_nth_weekday(date, 10, Weekday::Mon, 2)
        || (date.weekday() == Weekday::Fri && Some(date) == good_friday(date.year()))
}

/// Whether `date` is kept in place of a holiday of the weekend before it: each such holiday moves
/// to the next weekday after that weekend that is not a holiday itself.
fn is_kept_later(date: NaiveDate, is_fixed: impl Fn(NaiveDate) -> bool) -> bool {
    let is_taken = |day: NaiveDate| is_fixed(day) || is_movable_in_canada(day);
    let since_monday = u64::from(date.weekday().num_days_from_monday());
    let weekend = [1, 2].map(|days| date.checked_sub_days(Days::new(since_monday + days)));
    let moved = weekend.into_iter().flatten().filter(|day| is_fixed(*day)).count();
    let free_before = (1..=since_monday)
        .filter_map(|days| date.checked_sub_days(Days::new(days)))
        .filter(|day| !is_taken(*day))
        .count();
    !is_taken(date) && free_before < moved
}

/// Two days before Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher).
#[expect(clippy::many_single_char_names, reason = "the letters of the published algorithm")]
fn good_friday(year: i32) -> Option<NaiveDate> {
    let a = year % 19;
    let b = year / 100;
    let c = year % 100;
    let d = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let e = (32 + 2 * (b % 4) + 2 * (c / 4) - d - c % 4) % 7;
    let f = d + e - 7 * ((a + 11 * d + 22 * e) / 451) + 114;
    let month = u32::try_from(f / 31).ok()?;
    let day = u32::try_from(f % 31 + 1).ok()?;
    NaiveDate::from_ymd_opt(year, month, day)?.checked_sub_days(Days::new(2))
}

fn is_nth_weekday(date: NaiveDate, month: u32, weekday: Weekday, nth: u32) -> bool {
    date.month() == month && date.weekday() == weekday && (date.day() - 1) / 7 + 1 == nth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn calendar(name: CalendarName) -> Calendar {
        Calendar::new(name, BTreeSet::new())
    }

    fn weekday_holidays(name: CalendarName, year: i32) -> Vec<String> {
        let calendar = calendar(name);
        NaiveDate::from_ymd_opt(year, 1, 1)
            .unwrap()
            .iter_days()
            .take_while(|day| day.year() == year)
            .filter(|day| !is_weekend(*day) && !calendar.is_banking_day(*day))
            .map(|day| day.format("%m-%d").to_string())
            .collect()
    }

    #[test]
    fn finds_the_earliest_day_from_which_a_date_is_due() {
        for name in CalendarName::ALL {
            let calendar = calendar(name);
            let dates = date("2026-11-20").iter_days().take(60);
            for (date, days) in dates.flat_map(|date| (0..7).map(move |days| (date, days))) {
                let earliest = calendar.earliest(date, days);
                assert!(calendar.due(earliest, days) >= date, "{date} {days}");
                assert!(calendar.due(earliest.pred_opt().unwrap(), days) < date, "{date} {days}");
            }
        }
    }

    #[test]
    fn lists_the_holidays_that_the_federal_reserve_published_for_2026() {
        // 4 July 2026 is a Saturday and is not moved.
        assert_eq!(
            weekday_holidays(CalendarName::UsFederalReserve, 2026),
            [
                "01-01", "01-19", "02-16", "05-25", "06-19", "09-07", "10-12", "11-11", "11-26",
                "12-25"
            ]
        );
    }

    #[test]
    fn keeps_a_us_sunday_holiday_on_monday() {
        // 2027: Juneteenth is a Saturday, Independence Day a Sunday, Christmas a Saturday.
        assert_eq!(
            weekday_holidays(CalendarName::UsFederalReserve, 2027),
            ["01-01", "01-18", "02-15", "05-31", "07-05", "09-06", "10-11", "11-11", "11-25"]
        );
        assert!(!calendar(CalendarName::UsFederalReserve).is_banking_day(date("2023-01-02")));
    }

    #[test]
    fn lists_the_canadian_bank_holidays() {
        // 2026: Boxing Day is a Saturday and is kept on Monday the 28th.
        assert_eq!(
            weekday_holidays(CalendarName::Canada, 2026),
            [
                "01-01", "04-03", "05-18", "07-01", "09-07", "09-30", "10-12", "11-11", "12-25",
                "12-28"
            ]
        );
        // 2021: Christmas is a Saturday, Boxing Day a Sunday: kept on the 27th and 28th.
        assert_eq!(
            weekday_holidays(CalendarName::Canada, 2021),
            [
                "01-01", "04-02", "05-24", "07-01", "09-06", "09-30", "10-11", "11-11", "12-27",
                "12-28"
            ]
        );
        // 2022: Christmas is a Sunday and Boxing Day the Monday after it.
        let tail = weekday_holidays(CalendarName::Canada, 2022);
        assert_eq!(tail[tail.len() - 2..], ["12-26", "12-27"]);
    }

    #[test]
    fn keeps_no_holiday_before_its_first_year() {
        let (us, canada) = (CalendarName::UsFederalReserve, CalendarName::Canada);
        // 19 June 2016 and 2022 are Sundays, 30 September 2018 and 2023 on a weekend as well.
        for (name, day, is_open) in [
            (us, "2020-06-19", true),
            (us, "2016-06-20", true),
            (us, "2021-06-19", false),
            (us, "2022-06-20", false),
            (us, "2023-06-19", false),
            (canada, "2020-09-30", true),
            (canada, "2018-10-01", true),
            (canada, "2021-09-30", false),
            (canada, "2023-10-02", false),
        ] {
            assert_eq!(calendar(name).is_banking_day(date(day)), is_open, "{day}");
        }
    }

    #[test]
    fn counts_due_dates_in_banking_days() {
        let us = calendar(CalendarName::UsFederalReserve);
        let cases = [
            ("2026-11-20", 0, "2026-11-20"), // zero days: the date itself, banking day or not
            ("2026-11-21", 0, "2026-11-21"),
            ("2026-11-20", 1, "2026-11-23"), // Friday to Monday
            ("2026-11-21", 1, "2026-11-23"), // Saturday to Monday
            ("2026-11-24", 2, "2026-11-27"), // over Thanksgiving
        ];
        for (from, days, expected) in cases {
            assert_eq!(us.due(date(from), days), date(expected), "{from} + {days}");
        }
        let extra = Calendar::new(CalendarName::UsFederalReserve, [date("2026-11-23")].into());
        assert_eq!(extra.due(date("2026-11-20"), 1), date("2026-11-24"));
    }

    #[test]
    fn counts_banking_days_between_two_dates() {
        let us = calendar(CalendarName::UsFederalReserve);
        assert_eq!(us.banking_days_after(date("2026-11-20"), date("2026-11-20")), 0);
        assert_eq!(us.banking_days_after(date("2026-11-20"), date("2026-11-22")), 0);
        assert_eq!(us.banking_days_after(date("2026-11-20"), date("2026-11-23")), 1);
        assert_eq!(us.banking_days_after(date("2026-11-23"), date("2026-11-20")), 0);
    }
}
