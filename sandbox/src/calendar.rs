//! Banking days of the two countries, computed a year at a time.
//!
//! Written only from the published holidays, by another method than the job's calendar: a shared
//! misreading would cancel out.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

/// The country whose bank holidays apply to a merchant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calendar {
    /// The Federal Reserve Banks of the United States.
    UsFederalReserve,
    /// The banks of Canada.
    Canada,
}

/// Holidays of the Federal Reserve on a fixed day, with the first year of each.
const US_FIXED: [(i32, u32, u32); 5] =
    [(0, 1, 1), (2021, 6, 19), (0, 7, 4), (0, 11, 11), (0, 12, 25)];

/// Holidays of the Federal Reserve on the first such weekday from a day of a month on.
const US_WEEKDAYS: [(u32, Weekday, u32); 6] = [
    (1, Weekday::Mon, 15),
    (2, Weekday::Mon, 15),
    (5, Weekday::Mon, 25),
    (9, Weekday::Mon, 1),
    (10, Weekday::Mon, 8),
    (11, Weekday::Thu, 22),
];

/// Bank holidays of Canada on a fixed day, with the first year of each, in the order in which those
/// on a weekend are moved.
const CANADA_FIXED: [(i32, u32, u32); 6] =
    [(0, 1, 1), (0, 7, 1), (2021, 9, 30), (0, 11, 11), (0, 12, 25), (0, 12, 26)];

/// Bank holidays of Canada on the first such weekday from a day of a month on.
const CANADA_WEEKDAYS: [(u32, Weekday, u32); 3] =
    [(5, Weekday::Mon, 18), (9, Weekday::Mon, 1), (10, Weekday::Mon, 8)];

impl Calendar {
    /// The name that the job's configuration uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::UsFederalReserve => "us-federal-reserve",
            Self::Canada => "canada",
        }
    }

    /// Checks whether banks move money on `date`.
    pub fn is_banking_day(self, date: NaiveDate) -> bool {
        !is_weekend(date) && !self.holidays(date.year()).contains(&date)
    }

    /// The `days`-th banking day after `date`; `date` itself for zero.
    pub fn due(self, date: NaiveDate, days: u32) -> NaiveDate {
        (0..days).fold(date, |date, _| self.next(date))
    }

    fn next(self, date: NaiveDate) -> NaiveDate {
        let mut later = date.iter_days().skip(1);
        // The last representable date has no day after it.
        later.find(|day| self.is_banking_day(*day)).unwrap_or(NaiveDate::MAX)
    }

    /// The days of a year on which the banks are closed, besides weekends.
    fn holidays(self, year: i32) -> Vec<NaiveDate> {
        match self {
            Self::UsFederalReserve => us_holidays(year),
            Self::Canada => canadian_holidays(year),
        }
    }
}

/// A holiday on a Sunday is observed on the Monday after it; one on a Saturday is not observed.
fn us_holidays(year: i32) -> Vec<NaiveDate> {
    let fixed = fixed(year, &US_FIXED).filter_map(|date| {
        if date.weekday() == Weekday::Sun { date.succ_opt() } else { Some(date) }
    });
    fixed.chain(weekdays(year, &US_WEEKDAYS)).collect()
}

/// A holiday on a weekend is observed on the next day that is neither weekend nor holiday.
fn canadian_holidays(year: i32) -> Vec<NaiveDate> {
    let good_friday = easter(year).and_then(|day| day.checked_sub_days(Days::new(2)));
    let mut kept: Vec<NaiveDate> = weekdays(year, &CANADA_WEEKDAYS).chain(good_friday).collect();
    let mut moved = Vec::new();
    for date in fixed(year, &CANADA_FIXED) {
        let list = if is_weekend(date) { &mut moved } else { &mut kept };
        list.push(date);
    }
    for date in moved {
        let free = date.iter_days().find(|day| !is_weekend(*day) && !kept.contains(day));
        kept.extend(free);
    }
    kept
}

fn fixed(year: i32, holidays: &[(i32, u32, u32)]) -> impl Iterator<Item = NaiveDate> + use<'_> {
    let kept = holidays.iter().filter(move |(first_year, ..)| *first_year <= year);
    kept.filter_map(move |&(_, month, day)| NaiveDate::from_ymd_opt(year, month, day))
}

fn weekdays(
    year: i32,
    holidays: &[(u32, Weekday, u32)],
) -> impl Iterator<Item = NaiveDate> + use<'_> {
    holidays.iter().filter_map(move |&(month, weekday, day)| {
        let earliest = NaiveDate::from_ymd_opt(year, month, day)?;
        earliest.iter_days().take(7).find(|date| date.weekday() == weekday)
    })
}

/// Easter Sunday: the Sunday after the paschal full moon, by the golden number and the epact
/// (Lilius and Clavius, as Knuth writes it down).
fn easter(year: i32) -> Option<NaiveDate> {
    let golden = year.rem_euclid(19) + 1;
    let century = year / 100 + 1;
    let leap_years_dropped = 3 * century / 4 - 12;
    let moon_correction = (8 * century + 5) / 25 - 5;
    let mut epact = (11 * golden + 20 + moon_correction - leap_years_dropped).rem_euclid(30);
    if epact == 24 || (epact == 25 && golden > 11) {
        epact += 1;
    }
    let full_moon = if epact > 23 { 74 - epact } else { 44 - epact };
    let march = NaiveDate::from_ymd_opt(year, 3, 1)?;
    let full_moon = march.checked_add_days(Days::new(u64::try_from(full_moon - 1).ok()?))?;
    full_moon.iter_days().skip(1).find(|date| date.weekday() == Weekday::Sun)
}

fn is_weekend(date: NaiveDate) -> bool {
    matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

/// The last day of the date's month.
pub fn last_of_month(date: NaiveDate) -> NaiveDate {
    let next = date.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    next.and_then(|first| first.pred_opt()).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn finds_easter() {
        for text in ["1981-04-19", "2000-04-23", "2024-03-31", "2026-04-05", "2038-04-25"] {
            assert_eq!(easter(date(text).year()), Some(date(text)));
        }
    }

    #[test]
    fn keeps_the_holidays_of_a_weekend_by_the_rule_of_the_country() {
        let (us, canada) = (Calendar::UsFederalReserve, Calendar::Canada);
        // 4 July 2026 is a Saturday, 4 July 2027 a Sunday.
        assert!(us.is_banking_day(date("2026-07-03")) && us.is_banking_day(date("2026-07-06")));
        assert!(!us.is_banking_day(date("2027-07-05")));
        // Christmas 2021 is a Saturday; in 2022 it is a Sunday, with Boxing Day on the Monday.
        for closed in ["2021-12-27", "2021-12-28", "2022-12-26", "2022-12-27"] {
            assert!(!canada.is_banking_day(date(closed)), "{closed}");
        }
        // Juneteenth, and 30 September in Canada, are observed since 2021 and not before.
        assert!(us.is_banking_day(date("2020-06-19")) && !us.is_banking_day(date("2023-06-19")));
        assert!(
            canada.is_banking_day(date("2020-09-30")) && !canada.is_banking_day(date("2021-09-30"))
        );
        assert_eq!(canada.due(date("2022-12-23"), 1), date("2022-12-28"));
        assert_eq!(us.due(date("2026-11-24"), 2), date("2026-11-27"));
        assert_eq!(us.due(date("2026-11-21"), 0), date("2026-11-21"));
    }
}
