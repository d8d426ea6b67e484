//! The only reader of "now". `TIEOUT_NOW` (RFC 3339) replaces the clock in every decision about
//! dates; durations are measured elsewhere, with a monotonic clock.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use chrono_tz::Tz;

/// The environment variable that replaces the clock.
pub const NOW_VARIABLE: &str = "TIEOUT_NOW";

/// The moment that every decision about dates of one invocation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    now: DateTime<Utc>,
    is_substituted: bool,
}

/// The value of `TIEOUT_NOW` is not an RFC 3339 moment.
#[derive(Debug, thiserror::Error)]
#[error("TIEOUT_NOW is \"{found}\", expected an RFC 3339 moment such as 2026-11-21T05:30:00Z")]
pub struct ClockError {
    found: String,
}

impl Clock {
    /// The clock of this machine, or the fixed moment `substitute` (the value of `TIEOUT_NOW`).
    ///
    /// # Errors
    /// When `substitute` is not RFC 3339.
    pub fn read(substitute: Option<&str>) -> Result<Self, ClockError> {
        match substitute {
            None => Ok(Self { now: machine_now(), is_substituted: false }),
            Some(text) => match DateTime::parse_from_rfc3339(text) {
                Ok(now) => Ok(Self { now: now.with_timezone(&Utc), is_substituted: true }),
                Err(_) => Err(ClockError { found: text.to_owned() }),
            },
        }
    }

    /// A clock fixed at `now`.
    pub fn at(now: DateTime<Utc>) -> Self {
        Self { now, is_substituted: true }
    }

    /// The clock after `elapsed`: the machine's clock is read again, a substitute advances by
    /// `elapsed`.
    #[must_use]
    pub fn after(self, elapsed: std::time::Duration) -> Self {
        if !self.is_substituted {
            return Self { now: machine_now(), ..self };
        }
        let elapsed = chrono::Duration::from_std(elapsed).unwrap_or_default();
        Self { now: self.now + elapsed, ..self }
    }

    /// The moment that the clock shows.
    pub fn now(self) -> DateTime<Utc> {
        self.now
    }

    /// Whether `TIEOUT_NOW` replaces the machine's clock.
    pub fn is_substituted(self) -> bool {
        self.is_substituted
    }

    /// The calendar date there.
    pub fn today(self, time_zone: Tz) -> NaiveDate {
        self.now.with_timezone(&time_zone).date_naive()
    }
}

/// The machine's clock, for timestamps in `run.json`, tokens and logs.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn machine_now() -> DateTime<Utc> {
    Utc::now()
}

/// A moment to the second, as the store, the reports and messages write it.
pub fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_the_substitute_into_the_time_zone() {
        let clock = Clock::read(Some("2026-11-21T03:00:00Z")).unwrap();
        assert_eq!(clock.today(chrono_tz::America::New_York).to_string(), "2026-11-20");
        assert_eq!(clock.today(chrono_tz::UTC).to_string(), "2026-11-21");
        assert!(clock.is_substituted());
    }

    #[test]
    fn refuses_a_substitute_that_is_no_moment() {
        let error = Clock::read(Some("yesterday")).unwrap_err();
        assert!(error.to_string().contains("\"yesterday\""));
    }
}
