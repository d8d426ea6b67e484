//! Banking days as numbers, so that distances and due dates cost a lookup.

use chrono::{Days, NaiveDate};

use tieout_model::calendar::Calendar;

/// Calendar days before the start to cover for each day of the window: more than any run of
/// holidays takes.
const CALENDAR_DAYS_PER_WINDOW_DAY: u32 = 10;

/// A run of dates, each with the number of banking days up to it.
#[derive(Clone, Debug)]
pub struct BankingDays {
    first: NaiveDate,
    /// For `first + n`: the number of banking days after `first`, up to and including that date.
    counts: Vec<u32>,
}

impl BankingDays {
    /// The days from a window before `start` to `business_date`.
    pub fn new(
        calendar: &Calendar,
        start: NaiveDate,
        business_date: NaiveDate,
        window_days: u32,
    ) -> Self {
        let reach = window_days.saturating_add(2).saturating_mul(CALENDAR_DAYS_PER_WINDOW_DAY);
        let first = start.checked_sub_days(Days::new(reach.into())).unwrap_or(start);
        let mut counts = vec![0];
        let mut count = 0;
        for date in first.iter_days().skip(1).take_while(|&date| date <= business_date.max(start)) {
            count += u32::from(calendar.is_banking_day(date));
            counts.push(count);
        }
        Self { first, counts }
    }

    /// A number that grows by one on each banking day. Dates outside the range take its ends.
    pub(super) fn position(&self, date: NaiveDate) -> u32 {
        let offset = date.signed_duration_since(self.first).num_days();
        let last = self.counts.len() - 1;
        let offset = usize::try_from(offset).unwrap_or(0).min(last);
        self.counts[offset]
    }

    /// The number of banking days d with earlier < d <= later, at least 1 for different days.
    pub fn distance(&self, one: NaiveDate, other: NaiveDate) -> u32 {
        if one == other {
            return 0;
        }
        self.position(one).abs_diff(self.position(other)).max(1)
    }

    /// The `days`-th banking day after `date` if it is not later than `business_date`.
    pub(super) fn due_by(
        &self,
        date: NaiveDate,
        days: u32,
        business_date: NaiveDate,
    ) -> Option<NaiveDate> {
        if days == 0 {
            return (date <= business_date).then_some(date);
        }
        let wanted = self.position(date) + days;
        // Counts only grow, so the first day with the wanted count is the banking day itself.
        let offset = self.counts.partition_point(|&count| count < wanted);
        let due = self.first.checked_add_days(Days::new(offset as u64))?;
        (offset < self.counts.len() && due <= business_date).then_some(due)
    }

    /// Whether `date` lies before the range.
    pub(super) fn is_before(&self, date: NaiveDate) -> bool {
        date < self.first
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use tieout_model::calendar::CalendarName;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn agrees_with_the_calendar() {
        let calendar = Calendar::new(CalendarName::UsFederalReserve, BTreeSet::new());
        let (start, end) = (date("2026-11-02"), date("2026-12-31"));
        let days = BankingDays::new(&calendar, start, end, 3);
        for from in start.iter_days().take_while(|&day| day <= end) {
            for to in from.iter_days().take(12).take_while(|&day| day <= end) {
                let expected = match calendar.banking_days_after(from, to) {
                    0 if from == to => 0,
                    count => count.max(1),
                };
                assert_eq!(days.distance(from, to), expected, "{from} {to}");
                assert_eq!(days.distance(to, from), expected, "{to} {from}");
            }
            for count in 0..5 {
                let due = calendar.due(from, count);
                let expected = (due <= end).then_some(due);
                assert_eq!(days.due_by(from, count, end), expected, "{from} + {count}");
            }
        }
        assert!(days.is_before(date("2026-01-01")));
    }
}
