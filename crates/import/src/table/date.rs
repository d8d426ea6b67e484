//! Dates of a table, with or without a time of day and an offset.

use std::cell::RefCell;
use std::collections::HashMap;

use chrono::format::{Item, Parsed, StrftimeItems};
use chrono::{FixedOffset, NaiveDate, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;

use super::cells::{CellKind, Cells};
use super::columns::Columns;
use super::excerpt::excerpt_of_date;
use super::formats::{formats_of, is_plausible};
use super::zone::{Zone, time_of};
use tieout_config::TableSettings;

/// Names of UTC at the end of a time.
const UTC_NAMES: [&str; 3] = ["Z", "UTC", "GMT"];

/// Different dates that are cached by their text; years of them.
const DATES_KEPT: usize = 4096;

/// Reads the dates of a table.
pub(crate) struct DateReader {
    format: String,
    items: Vec<Item<'static>>,
    /// The zone whose day a timestamp with an offset belongs to.
    zone: Option<Tz>,
    /// The zone of times without an offset.
    times_in: Option<Tz>,
    /// Dates by their text: a file repeats a small number of them.
    dates: RefCell<HashMap<String, NaiveDate, foldhash::fast::RandomState>>,
}

impl DateReader {
    /// A reader of `format`. A timestamp with an offset belongs to its day in `zone`, else to its
    /// day in its own offset.
    pub fn new(format: &str, zone: Option<Tz>) -> Self {
        let items = StrftimeItems::new(format).parse_to_owned().unwrap_or_default();
        let (times_in, dates) = (None, RefCell::default());
        Self { format: format.to_owned(), items, zone, times_in, dates }
    }

    /// The reader of a table's dates, for the days of `zone`.
    pub fn of(settings: &TableSettings, zone: Option<Tz>) -> Self {
        Self { times_in: settings.times_in, ..Self::new(&settings.date_format, zone) }
    }

    /// Reads the date of a row, with a time and a zone where they have columns of their own.
    pub fn of_row(&self, cells: &Cells, columns: &Columns) -> Result<NaiveDate, String> {
        let at = columns.date.unwrap_or_default();
        let (date, kind) = (cells.get(at), cells.kind(at));
        if columns.time.is_none() && columns.zone.is_none() {
            return self.read(date, kind);
        }
        let cell = |at: Option<usize>| at.map_or("", |at| cells.get(at));
        let named = match cell(columns.zone) {
            "" => self.times_in.map(Zone::Named),
            name => Some(Zone::of(name).ok_or_else(|| {
                let found = excerpt_of_date(name);
                format!("expected a zone such as PST or +01:00, found {found}")
            })?),
        };
        let as_it_stands = Self { zone: None, times_in: None, ..Self::new(&self.format, None) };
        let moment = match cell(columns.time) {
            "" => self.time_within(date, kind),
            text => {
                let time = time_of(text).ok_or_else(|| {
                    format!("expected a time such as 13:05, found {}", excerpt_of_date(text))
                })?;
                Some(as_it_stands.read(date, kind).map_err(|_| self.refusal(date))?.and_time(time))
            }
        };
        match (moment, named, self.zone) {
            (Some(moment), Some(named), Some(zone)) => {
                named.day_in(moment, zone).ok_or_else(|| self.refusal(date))
            }
            (Some(moment), _, _) => Ok(moment.date()),
            (None, _, _) => self.read(date, kind),
        }
    }

    /// The date and the time in a cell, without a zone.
    fn time_within(&self, cell: &str, kind: CellKind) -> Option<NaiveDateTime> {
        if kind == CellKind::Date {
            return cell.parse().ok();
        }
        let mut parsed = Parsed::new();
        chrono::format::parse(&mut parsed, cell, self.items.iter()).ok()?;
        parsed.to_naive_datetime_with_offset(0).ok()
    }

    /// Reads `cell`.
    pub fn read(&self, cell: &str, kind: CellKind) -> Result<NaiveDate, String> {
        if kind == CellKind::Date {
            let date = typed(cell).ok_or_else(|| self.refusal(cell))?;
            return Ok(self.day_of_time(cell.parse().ok()).unwrap_or(date));
        }
        if let Some(date) = self.dates.borrow().get(cell) {
            return Ok(*date);
        }
        let date = self.parsed(cell).ok_or_else(|| self.refusal(cell))?;
        let mut dates = self.dates.borrow_mut();
        if dates.len() < DATES_KEPT {
            dates.insert(cell.to_owned(), date);
        }
        Ok(date)
    }

    /// Checks whether `cell` is a date of this table.
    pub fn is_date(&self, cell: &str, kind: CellKind) -> bool {
        !cell.is_empty() && self.read(cell, kind).is_ok()
    }

    fn parsed(&self, cell: &str) -> Option<NaiveDate> {
        let date = self.day(cell)?;
        is_plausible(date).then_some(date)
    }

    fn day(&self, cell: &str) -> Option<NaiveDate> {
        let mut parsed = Parsed::new();
        chrono::format::parse(&mut parsed, cell, self.items.iter()).ok()?;
        // `Z`, `UTC` or `GMT` after a time means UTC, which the format does not express.
        let names_utc = |text: &str| UTC_NAMES.iter().any(|name| text.ends_with(name));
        let is_utc =
            if self.format.ends_with("%Z") { names_utc(cell) } else { names_utc(&self.format) };
        let offset = parsed.offset().or_else(|| is_utc.then_some(0));
        let of_epoch = parsed.timestamp().is_some();
        match (offset, self.zone) {
            (Some(offset), Some(zone)) => local_day(&parsed, offset, zone),
            (None, zone) if of_epoch => local_day(&parsed, 0, zone.unwrap_or(Tz::UTC)),
            _ => self
                .day_of_time(parsed.to_naive_datetime_with_offset(0).ok())
                .or_else(|| parsed.to_naive_date().ok()),
        }
    }

    /// The day of a time without a zone, where the settings name its zone.
    fn day_of_time(&self, moment: Option<NaiveDateTime>) -> Option<NaiveDate> {
        Zone::Named(self.times_in?).day_in(moment?, self.zone?)
    }

    fn refusal(&self, cell: &str) -> String {
        let format = &self.format;
        if cell.is_empty() {
            return format!("expected a date as {format}, found nothing");
        }
        let found = excerpt_of_date(cell);
        let has_two_digits = format.contains("%Y") && {
            let short = format.replace("%Y", "%y");
            DateReader::new(&short, None).parsed(cell).is_some()
        };
        let hint = if has_two_digits {
            let year = "its year has two digits, which need %y".to_owned();
            format!("; {year}")
        } else {
            // Of a date that can be read in several ways, none is preferred.
            let formats: Vec<String> =
                formats_of(&[cell]).iter().map(|one| format!("\"{one}\"")).collect();
            let formats = formats.join(" or ");
            if formats.is_empty() { formats } else { format!("; it fits date_format = {formats}") }
        };
        format!("expected a date as {format}, found {found}{hint}")
    }
}

/// A date of a workbook, which has no offset.
fn typed(cell: &str) -> Option<NaiveDate> {
    let date: NaiveDate = cell.get(..10)?.parse().ok()?;
    is_plausible(date).then_some(date)
}

/// The day of a timestamp in `zone`.
fn local_day(parsed: &Parsed, offset_seconds: i32, zone: Tz) -> Option<NaiveDate> {
    let moment: NaiveDateTime = parsed.to_naive_datetime_with_offset(offset_seconds).ok()?;
    let offset = FixedOffset::east_opt(offset_seconds).unwrap_or(Utc.fix());
    let moment = offset.from_local_datetime(&moment).single()?;
    Some(moment.with_timezone(&zone).date_naive())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cell: &str, format: &str, zone: Option<Tz>) -> Result<String, String> {
        DateReader::new(format, zone).read(cell, CellKind::Text).map(|date| date.to_string())
    }

    #[test]
    fn reads_dates_with_times_into_the_day_of_the_zone() {
        let new_york = Some(chrono_tz::America::New_York);
        let cases = [
            ("2026-11-04", "%Y-%m-%d", None, "2026-11-04"),
            ("2026-11-04 13:05", "%Y-%m-%d %H:%M", new_york, "2026-11-04"),
            ("2026-11-05T03:05:00Z", "%Y-%m-%dT%H:%M:%S%#z", new_york, "2026-11-04"),
            ("2026-11-05T03:05:00Z", "%Y-%m-%dT%H:%M:%SZ", new_york, "2026-11-04"),
            ("2026-11-05T03:05:00Z", "%Y-%m-%dT%H:%M:%SZ", None, "2026-11-05"),
            ("2026-11-05 03:05 UTC", "%Y-%m-%d %H:%M UTC", new_york, "2026-11-04"),
            ("2026-11-05 03:05 UTC", "%Y-%m-%d %H:%M %Z", new_york, "2026-11-04"),
            ("2026-11-05 03:05 EST", "%Y-%m-%d %H:%M %Z", new_york, "2026-11-05"),
            ("2026-11-05T03:05:00+0100", "%Y-%m-%dT%H:%M:%S%z", new_york, "2026-11-04"),
            ("2026-11-05T03:05:00+01:00", "%+", None, "2026-11-05"),
            ("1793851200", "%s", new_york, "2026-11-04"),
            ("11/04/26", "%m/%d/%y", None, "2026-11-04"),
        ];
        for (cell, format, zone, expected) in cases {
            assert_eq!(read(cell, format, zone).as_deref(), Ok(expected), "{cell} {format}");
        }
        let typed = DateReader::new("%d.%m.%Y", None);
        let date = typed.read("2026-11-04T13:05:00", CellKind::Date);
        assert_eq!(date.unwrap().to_string(), "2026-11-04");
    }

    #[test]
    fn refuses_what_is_another_date_and_names_the_format_that_fits() {
        let refusal = |cell, format| read(cell, format, None).unwrap_err();
        assert_eq!(
            refusal("11/04/26", "%m/%d/%Y"),
            "expected a date as %m/%d/%Y, found \"11/04/26\"; its year has two digits, which need %y"
        );
        let shown = refusal("2026-11-04T13:05:00Z", "%Y-%m-%d");
        assert_eq!(
            shown,
            "expected a date as %Y-%m-%d, found \"2026-11-04T13:05:00Z\"; it fits date_format = \
             \"%Y-%m-%dT%H:%M:%S%#z\""
        );
        assert_eq!(refusal("soon", "%Y-%m-%d"), "expected a date as %Y-%m-%d, found \"soon\"");
        assert!(refusal("2026-13-20", "%Y-%m-%d").ends_with("found \"2026-13-20\""));
    }
}
