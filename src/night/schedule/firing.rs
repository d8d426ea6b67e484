//! The times at which the cron expression fires, in the local time of a zone. A firing in the hour
//! that a clock change skips moves to the end of that hour; a firing in the repeated hour occurs
//! only the first time. So no night runs twice or is left out.

use chrono::{DateTime, Duration, LocalResult, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;

use tieout_config::{CronSchedule, schedule_of};

/// No clock was ever changed by more than a day (Samoa skipped one).
const LONGEST_GAP_MINUTES: i64 = 25 * 60;

/// The firings of a cron expression.
#[derive(Clone, Debug)]
pub struct Firings {
    cron: CronSchedule,
    zone: Tz,
}

impl Firings {
    /// # Errors
    /// When the expression is not valid; the configuration has checked it before.
    pub fn new(expression: &str, zone: Tz) -> Result<Self, cron::error::Error> {
        Ok(Self { cron: schedule_of(expression)?, zone })
    }

    /// The first firing after `moment`; `None` when the expression never fires again.
    pub fn after(&self, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        // The expression is evaluated on local time labelled as UTC, since UTC has no clock
        // changes.
        let local = moment.with_timezone(&self.zone).naive_local().and_utc();
        self.cron
            .after(&local)
            .filter_map(|fires| self.moment(fires.naive_utc()))
            .find(|fires| *fires > moment)
    }

    /// The firings after `from`, up to and including `to`.
    pub fn between(
        &self,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> impl Iterator<Item = DateTime<Utc>> + '_ {
        std::iter::successors(self.after(from), |fired| self.after(*fired))
            .take_while(move |fires| *fires <= to)
    }

    fn moment(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        match self.zone.from_local_datetime(&local) {
            LocalResult::Single(moment) => Some(moment.to_utc()),
            LocalResult::Ambiguous(first, _) => Some(first.to_utc()),
            LocalResult::None => {
                let minute = local - Duration::seconds(i64::from(chrono::Timelike::second(&local)));
                (1..=LONGEST_GAP_MINUTES)
                    .find_map(|minutes| {
                        let later = minute + Duration::minutes(minutes);
                        self.zone.from_local_datetime(&later).earliest()
                    })
                    .map(|moment| moment.to_utc())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{Datelike, Days, NaiveDate};
    use proptest::prelude::*;

    use super::*;

    fn fired(expression: &str, zone: Tz, from: &str, to: &str) -> Vec<String> {
        let firings = Firings::new(expression, zone).unwrap();
        let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        firings.between(moment(from), moment(to)).map(|fires| fires.to_rfc3339()).collect()
    }

    #[test]
    fn fires_once_where_an_hour_is_left_out_and_where_one_comes_twice() {
        let zone = chrono_tz::America::New_York;
        // 8 March 2026: 02:00 becomes 03:00, so 02:30 moves to 03:00, 07:00 UTC.
        assert_eq!(
            fired("0 30 2 * * *", zone, "2026-03-07T00:00:00Z", "2026-03-10T00:00:00Z"),
            ["2026-03-07T07:30:00+00:00", "2026-03-08T07:00:00+00:00", "2026-03-09T06:30:00+00:00"]
        );
        // 1 November 2026: 02:00 becomes 01:00, so 01:30 occurs twice and only the first one fires.
        assert_eq!(
            fired("0 30 1 * * *", zone, "2026-10-31T00:00:00Z", "2026-11-03T00:00:00Z"),
            ["2026-10-31T05:30:00+00:00", "2026-11-01T05:30:00+00:00", "2026-11-02T06:30:00+00:00"]
        );
    }

    #[test]
    fn fires_once_for_two_expressions_of_the_hour_that_is_left_out() {
        let found = fired(
            "0 0,30 2 * * *",
            chrono_tz::Europe::Berlin,
            "2026-03-28T23:00:00Z",
            "2026-03-29T12:00:00Z",
        );
        assert_eq!(found, ["2026-03-29T01:00:00+00:00"]);
    }

    #[test]
    fn knows_when_there_is_nothing_more() {
        let firings = Firings::new("0 0 0 1 1 * 2020", Tz::UTC).unwrap();
        assert_eq!(firings.after("2026-01-01T00:00:00Z".parse().unwrap()), None);
    }

    proptest! {
        #[test]
        fn a_daily_expression_fires_once_on_every_local_day(
            zone in proptest::sample::select(chrono_tz::TZ_VARIANTS.to_vec()),
            hour in 0_u32..24,
            minute in 0_u32..60,
            year in 2000_i32..2035,
            day in 1_u64..365,
        ) {
            // A day that a zone skipped (Samoa, 2011) has no local midnight to count from.
            prop_assume!(!matches!(zone, Tz::Pacific__Apia | Tz::Pacific__Fakaofo));
            let firings = Firings::new(&format!("0 {minute} {hour} * * *"), zone).unwrap();
            let first = NaiveDate::from_yo_opt(year, 1).unwrap() + Days::new(day);
            let from = first.and_time(chrono::NaiveTime::MIN).and_utc() - Duration::days(2);
            let to = from + Duration::days(12);
            let days: Vec<i32> = firings
                .between(from, to)
                .map(|fires| fires.with_timezone(&zone).num_days_from_ce())
                .collect();
            for pair in days.windows(2) {
                prop_assert_eq!(pair[1] - pair[0], 1, "{} {}:{} {:?}", zone, hour, minute, days);
            }
        }
    }
}
