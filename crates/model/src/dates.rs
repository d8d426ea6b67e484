//! The `--date` grammar: days, months, ranges and words, separated by commas. Resolves the text for
//! a given day; never reads the clock.

use std::collections::BTreeSet;

use chrono::{Days, Months, NaiveDate};

/// Ten years and some days. A longer list is a slip of the hand, not a wish.
pub const MAX_DATES: usize = 3_700;

/// No business date is earlier; also no date of the API or of a file.
pub const EARLIEST_YEAR: i32 = 1970;

/// Why a text names no dates that can be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DateError {
    #[error("no date given")]
    Empty,
    #[error("\"{found}\" has an empty part")]
    EmptyPart { found: String },
    #[error("\"{found}\" is not a date")]
    Unreadable { found: String },
    #[error("{found} does not exist")]
    NonExistent { found: String },
    #[error("{found} is before {EARLIEST_YEAR}")]
    TooEarly { found: String },
    #[error("{found} runs backwards: {first} is after {last}")]
    Backwards { found: String, first: NaiveDate, last: NaiveDate },
    #[error("{found} reaches into the future: {date} is after today, {today}")]
    Future { found: String, date: NaiveDate, today: NaiveDate },
    #[error("{found} makes {count} dates or more, expected at most {MAX_DATES}")]
    TooMany { found: String, count: usize },
}

impl DateError {
    /// The spelling to use instead.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Empty | Self::EmptyPart { .. } | Self::Unreadable { .. } => Some(
                "write 2026-11-20, 2026-11-01..2026-11-07, 2026-11, today, yesterday, \
                 -7d..yesterday, or several of these with commas"
                    .to_owned(),
            ),
            Self::Backwards { first, last, .. } => Some(format!("write {last}..{first}")),
            Self::Future { today, .. } => Some(format!(
                "the last date that can be run is {today}, from TIEOUT_NOW and the configured \
                 time zone"
            )),
            Self::TooMany { .. } => Some("run it in parts".to_owned()),
            Self::NonExistent { .. } | Self::TooEarly { .. } => None,
        }
    }
}

/// The dates that `text` names on the day `today`: sorted, each once.
///
/// # Errors
/// When a part cannot be read, does not exist, runs backwards or lies in the future, and
/// when there are more than [`MAX_DATES`].
pub fn parse(text: &str, today: NaiveDate) -> Result<Vec<NaiveDate>, DateError> {
    if text.trim().is_empty() {
        return Err(DateError::Empty);
    }
    let mut dates = BTreeSet::new();
    for part in text.split(',').map(str::trim) {
        if part.is_empty() {
            return Err(DateError::EmptyPart { found: shown(text) });
        }
        let (first, last) = span(part, today)?;
        // Looked at before anything is counted out: a range may be long, or lie in the future.
        if last > today {
            let date = first.max(today.checked_add_days(Days::new(1)).unwrap_or(last));
            return Err(DateError::Future { found: shown(part), date, today });
        }
        let days = usize::try_from((last - first).num_days()).unwrap_or(usize::MAX);
        if days >= MAX_DATES {
            return Err(DateError::TooMany { found: shown(part), count: days.saturating_add(1) });
        }
        dates.extend(first.iter_days().take(days + 1));
        if dates.len() > MAX_DATES {
            return Err(DateError::TooMany { found: shown(text), count: dates.len() });
        }
    }
    Ok(dates.into_iter().collect())
}

/// First and last date of one part, which is a point or two of them with `..` between.
fn span(part: &str, today: NaiveDate) -> Result<(NaiveDate, NaiveDate), DateError> {
    let Some((from, to)) = part.split_once("..") else { return point(part, today) };
    if from.trim().is_empty() || to.trim().is_empty() {
        return Err(DateError::EmptyPart { found: shown(part) });
    }
    let (first, _) = point(from.trim(), today)?;
    let (_, last) = point(to.trim(), today)?;
    if first > last {
        return Err(DateError::Backwards { found: shown(part), first, last });
    }
    Ok((first, last))
}

/// First and last date of a day, a month or a word.
fn point(text: &str, today: NaiveDate) -> Result<(NaiveDate, NaiveDate), DateError> {
    let back = |days: u64| {
        let date = today.checked_sub_days(Days::new(days));
        date.map(|date| (date, date)).ok_or(DateError::NonExistent { found: shown(text) })
    };
    match text {
        "today" => return back(0),
        "yesterday" => return back(1),
        _ => {}
    }
    if let Some(days) = text.strip_prefix('-').and_then(|rest| rest.strip_suffix('d')) {
        return number(days, 1..=5)
            .map_or_else(|| Err(unreadable(text)), |days| back(u64::from(days)));
    }
    let mut parts = text.split('-');
    let fields = (parts.next(), parts.next(), parts.next(), parts.next());
    let (year, month, day) = match fields {
        (Some(year), Some(month), None, None) => (year, month, None),
        (Some(year), Some(month), Some(day), None) => (year, month, Some(day)),
        _ => return Err(unreadable(text)),
    };
    let year = number(year, 4..=4).and_then(|year| i32::try_from(year).ok());
    let (Some(year), Some(month)) = (year, number(month, 2..=2)) else {
        return Err(unreadable(text));
    };
    if year < EARLIEST_YEAR {
        return Err(DateError::TooEarly { found: shown(text) });
    }
    let dates = match day {
        None => whole_month(year, month),
        Some(day) => {
            let day = number(day, 2..=2).ok_or_else(|| unreadable(text))?;
            NaiveDate::from_ymd_opt(year, month, day).map(|date| (date, date))
        }
    };
    dates.ok_or(DateError::NonExistent { found: shown(text) })
}

fn whole_month(year: i32, month: u32) -> Option<(NaiveDate, NaiveDate)> {
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some((first, first.checked_add_months(Months::new(1))?.pred_opt()?))
}

/// A number of that many digits, without sign and blanks.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let is_number = digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn unreadable(text: &str) -> DateError {
    DateError::Unreadable { found: shown(text) }
}

/// A text as a message shows it: on one line and not too long.
fn shown(text: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 60;
    text.chars().filter(|c| !c.is_control()).take(MAX_SHOWN_CHARS).collect()
}

/// The dates between the first and the last of `dates` that are not among them.
pub fn left_out(dates: &BTreeSet<NaiveDate>) -> Vec<NaiveDate> {
    let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return Vec::new() };
    let all = first.iter_days().take_while(|one| one < last);
    all.filter(|one| !dates.contains(one)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn today() -> NaiveDate {
        "2026-11-21".parse().unwrap()
    }

    fn parsed(text: &str) -> Vec<String> {
        parse(text, today()).unwrap().iter().map(NaiveDate::to_string).collect()
    }

    #[test]
    fn reads_days_ranges_and_words() {
        let cases: [(&str, &[&str]); 11] = [
            ("2026-11-20", &["2026-11-20"]),
            ("2026-11-21", &["2026-11-21"]),
            ("today", &["2026-11-21"]),
            ("yesterday", &["2026-11-20"]),
            ("-7d", &["2026-11-14"]),
            ("-0d", &["2026-11-21"]),
            ("-2d..yesterday", &["2026-11-19", "2026-11-20"]),
            ("2026-02-27..2026-03-01", &["2026-02-27", "2026-02-28", "2026-03-01"]),
            ("2026-11-20..2026-11-20", &["2026-11-20"]),
            ("today, 2024-02-29 ,today", &["2024-02-29", "2026-11-21"]),
            ("yesterday,-3d..-2d", &["2026-11-18", "2026-11-19", "2026-11-20"]),
        ];
        for (text, expected) in cases {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_whole_months() {
        let counts = [("2026-10", 31), ("2024-02", 29), ("2025-12", 31), ("2026-09..2026-10", 61)];
        for (text, count) in counts {
            assert_eq!(parsed(text).len(), count, "{text}");
        }
    }

    #[test]
    fn takes_as_many_dates_as_the_maximum_and_no_more() {
        let from = |days: u64| (today() - Days::new(days)).to_string();
        assert_eq!(parsed(&format!("{}..today", from(3_699))).len(), MAX_DATES);
        assert!(parse(&format!("{}..today", from(3_700)), today()).is_err());
    }

    #[test]
    fn says_why_a_text_names_no_dates() {
        let texts = [
            "",
            "  ",
            ",",
            "2026-11-20,",
            "..",
            "2026-11-20..",
            "..today",
            "tomorrow",
            "-d",
            "-7",
            "7d",
            "--7d",
            "2026",
            "2026-1-1",
            "26-11-20",
            "20.11.2026",
            "2026-11-20T00:00",
            "2026-11-31",
            "2026-02-29",
            "2026-13",
            "2026-00",
            "-9999999d",
            "2026-11-20..2026-11-19",
            "today..-7d",
            "2026-11-22",
            "2026-11",
            "2026-11-20..2027-01-01",
            "9999-12",
            "1900-01-01..today",
            "today..today..today",
            "+2026-11-20",
            "２０２６-11-20",
        ];
        let mut catalogue = Vec::new();
        for text in texts {
            let error = parse(text, today()).unwrap_err();
            let hint = error.hint().map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
            catalogue.push(format!("# {text:?}\nerror: {error}\n{hint}"));
        }
        insta::assert_snapshot!(catalogue.join("\n"));
    }

    proptest! {
        #[test]
        fn never_panics_and_never_reaches_into_the_future(text in "[-0-9dt.,oa y]{0,30}|\\PC{0,20}") {
            if let Ok(dates) = parse(&text, today()) {
                prop_assert!(!dates.is_empty() && dates.len() <= MAX_DATES);
                prop_assert!(dates.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(dates.iter().all(|date| *date <= today()));
            }
        }

        #[test]
        fn reads_back_what_a_range_covers(start in 0_u64..3_000, length in 0_u64..600) {
            let first = today() - Days::new(start + length);
            let last = today() - Days::new(start);
            let dates = parse(&format!("{first}..{last}"), today()).unwrap();
            prop_assert_eq!(dates.len() as u64, length + 1);
            prop_assert_eq!((dates[0], dates[dates.len() - 1]), (first, last));
            let listed: Vec<String> = dates.iter().rev().map(NaiveDate::to_string).collect();
            prop_assert_eq!(parse(&listed.join(","), today()).unwrap(), dates);
        }
    }
}
