//! Compares the calendar of the job with that of the sandbox, which was written independently.

use std::collections::BTreeSet;

use tieout_model::calendar::{Calendar, CalendarName};

use crate::harness::day;

#[test]
fn job_and_sandbox_agree_on_every_banking_day_of_thirty_years() {
    for (name, other) in [
        (CalendarName::UsFederalReserve, tieout_sandbox::Calendar::UsFederalReserve),
        (CalendarName::Canada, tieout_sandbox::Calendar::Canada),
    ] {
        assert_eq!(name.as_str(), other.name());
        let calendar = Calendar::new(name, BTreeSet::new());
        for date in day("2021-01-01").iter_days().take_while(|date| *date < day("2051-01-01")) {
            assert_eq!(calendar.is_banking_day(date), other.is_banking_day(date), "{name} {date}");
            assert_eq!(calendar.due(date, 3), other.due(date, 3), "{name} {date}");
        }
    }
}
