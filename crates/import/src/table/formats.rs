//! The usual formats of dates, as a message or a suggestion names them.

use std::sync::LazyLock;

use chrono::format::{Item, Parsed, StrftimeItems};
use chrono::{Datelike, NaiveDate};

/// A date outside these years was read with the wrong format.
const PLAUSIBLE_YEARS: std::ops::RangeInclusive<i32> = 1970..=2199;

/// Dates without a time, in the order in which they are tried.
const DAYS: [&str; 24] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y%m%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d/%b/%Y",
    "%m/%d/%y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%d-%m-%y",
    "%m-%d-%y",
    "%d %b %y",
    "%d-%b-%y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%b %d %Y",
    "%d.%b.%Y",
];

/// Times behind a date.
const TIMES: [&str; 12] = [
    " %H:%M",
    " %H:%M:%S%.f",
    " %H:%M:%S%.f %#z",
    " %H:%M:%S%.f%#z",
    " %I:%M %p",
    " %I:%M:%S %p",
    ", %H:%M",
    ", %H:%M:%S%.f",
    ", %I:%M %p",
    ", %I:%M:%S %p",
    " %H:%M:%S UTC",
    " %H:%M UTC",
];

/// Times behind a date that begins with its year.
const TIMES_OF_ISO: [&str; 4] = ["T%H:%M:%S%#z", "T%H:%M:%S%.f%#z", "T%H:%M:%S%.f", "T%H:%M"];

struct Format {
    text: String,
    items: Vec<Item<'static>>,
    has_time: bool,
}

impl Format {
    fn of(text: String, has_time: bool) -> Self {
        let items = StrftimeItems::new(&text).parse_to_owned().unwrap_or_default();
        Self { text, items, has_time }
    }

    fn read(&self, cell: &str) -> Option<NaiveDate> {
        if self.has_time != cell.contains(':') {
            return None;
        }
        let mut parsed = Parsed::new();
        chrono::format::parse(&mut parsed, cell, self.items.iter()).ok()?;
        parsed.to_naive_date().ok().filter(|date| is_plausible(*date))
    }
}

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let plain = DAYS.iter().map(|day| Format::of((*day).to_owned(), false));
    let with_times = DAYS.iter().flat_map(|day| {
        let of_iso: &[&str] = if *day == "%Y-%m-%d" { &TIMES_OF_ISO } else { &[] };
        let times = of_iso.iter().chain(&TIMES);
        times.map(move |time| Format::of(format!("{day}{time}"), true))
    });
    plain.chain(with_times).collect()
});

/// Whether a date was read with the right format, by its year.
pub(super) fn is_plausible(date: NaiveDate) -> bool {
    PLAUSIBLE_YEARS.contains(&date.year())
}

/// The usual formats that read all of `cells`, without those that agree with an earlier one.
pub(crate) fn formats_of(cells: &[&str]) -> Vec<&'static str> {
    let mut found: Vec<(&'static str, Vec<NaiveDate>)> = Vec::new();
    for format in FORMATS.iter() {
        let dates: Option<Vec<NaiveDate>> = cells.iter().map(|cell| format.read(cell)).collect();
        if let Some(dates) = dates.filter(|dates| found.iter().all(|one| one.1 != *dates)) {
            found.push((&format.text, dates));
        }
    }
    found.into_iter().map(|(format, _)| format).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_every_reading_of_a_date() {
        let cases: [(&str, &[&str]); 9] = [
            ("2026-11-04", &["%Y-%m-%d"]),
            ("01/02/2026", &["%m/%d/%Y", "%d/%m/%Y"]),
            ("13-11-26", &["%d-%m-%y"]),
            ("01-02-26 10:05", &["%d-%m-%y %H:%M", "%m-%d-%y %H:%M"]),
            ("13.11.2026, 22:05:10", &["%d.%m.%Y, %H:%M:%S%.f"]),
            ("2026-11-04T22:05:10+01:00", &["%Y-%m-%dT%H:%M:%S%#z"]),
            ("Nov 12, 2026, 10:05:00 PM", &["%b %d, %Y, %I:%M:%S %p"]),
            ("46330", &[]),
            ("soon", &[]),
        ];
        for (cell, expected) in cases {
            assert_eq!(formats_of(&[cell]), expected, "{cell}");
        }
    }
}
