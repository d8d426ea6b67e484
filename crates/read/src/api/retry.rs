//! When a request is sent again, and how long to wait first: exponential backoff with full jitter,
//! at least as long as the API asks, with a limit on everything.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, Utc};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use tokio::time::Instant;

use super::error::Failure;
use super::limits::Limits;

/// From this value on `X-RateLimit-Reset` is a timestamp, below it a number of seconds: as a
/// timestamp it is in 2001, as a wait it is thirty years.
const EPOCH_SECONDS_FROM: i64 = 1_000_000_000;

/// From this value on it is a timestamp in milliseconds, as some gateways write it: in 2001 again,
/// and in the year 33658 if it were seconds.
const EPOCH_MILLISECONDS_FROM: i64 = 1_000_000_000_000;

/// Why a request failed, and whether to try once more.
#[derive(Debug)]
pub(super) enum Setback {
    Final(Failure),
    Again {
        failure: Failure,
        /// How long the API asks to wait.
        wait: Option<Duration>,
    },
}

impl Setback {
    /// Worth another attempt, without a wait that the API asks for.
    pub(super) fn again(failure: Failure) -> Self {
        Self::Again { failure, wait: None }
    }

    /// The failure, when it is a refusal of the token.
    pub(super) fn token_refusal(&self) -> Option<Failure> {
        match self {
            Self::Again { failure: failure @ Failure::TokenRefused { .. }, .. } => {
                Some(failure.clone())
            }
            _ => None,
        }
    }
}

/// The attempts of one request.
#[derive(Debug)]
pub(super) struct Attempts<'a> {
    limits: &'a Limits,
    started: Instant,
    pub(super) count: u32,
    /// Attempts that count against the total time only.
    excused: u32,
}

impl<'a> Attempts<'a> {
    /// Begins with the first attempt.
    pub(super) fn new(limits: &'a Limits) -> Self {
        Self { limits, started: Instant::now(), count: 1, excused: 0 }
    }

    /// Waits until the next attempt, or returns the failure when there is none left.
    pub(super) async fn wait(&mut self, subject: &str, setback: Setback) -> Result<(), Failure> {
        let (failure, asked) = match setback {
            Setback::Final(failure) => return Err(failure),
            Setback::Again { failure, wait } => (failure, wait.unwrap_or_default()),
        };
        let wait = self.backoff(random()).max(asked.min(self.limits.longest_asked_wait));
        if self.count - self.excused >= self.limits.max_attempts
            || self.started.elapsed() + wait > self.limits.longest_request
        {
            return Err(failure);
        }
        tracing::warn!(
            subject,
            attempt = self.count,
            wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            "{subject}: {failure}; trying again"
        );
        self.count += 1;
        tokio::time::sleep(wait).await;
        Ok(())
    }

    /// Excuses the attempt that has just failed: its failure does not concern the request.
    pub(super) fn excuse(&mut self) {
        self.excused += 1;
    }

    /// A random duration from zero to the base doubled with every attempt, up to the cap.
    fn backoff(&self, random: u64) -> Duration {
        let doubled = 1_u32.checked_shl(self.count - 1).unwrap_or(u32::MAX);
        let longest = self.limits.backoff_base.saturating_mul(doubled).min(self.limits.backoff_cap);
        let nanoseconds = u64::try_from(longest.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(random % nanoseconds.saturating_add(1))
    }
}

/// How long the answer asks to wait: `Retry-After` in seconds or as a date, else
/// `X-RateLimit-Reset` in seconds, or as a timestamp in epoch seconds or milliseconds. A timestamp
/// is read against the service's clock: the wait is counted from the answer's `Date` header, or
/// from `now` without one.
pub(super) fn asked_wait(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let now = said_date(headers).unwrap_or(now);
    let until = |moment: DateTime<Utc>| (moment - now).to_std().unwrap_or_default();
    let retry_after = text(RETRY_AFTER.as_str()).and_then(|text| {
        text.parse().map(Duration::from_secs).ok().or_else(|| moment_of(text).map(until))
    });
    retry_after.or_else(|| {
        let seconds: i64 = text("x-ratelimit-reset")?.parse().ok()?;
        if seconds >= EPOCH_MILLISECONDS_FROM {
            DateTime::from_timestamp_millis(seconds).map(until)
        } else if seconds >= EPOCH_SECONDS_FROM {
            DateTime::from_timestamp(seconds, 0).map(until)
        } else {
            u64::try_from(seconds).ok().map(Duration::from_secs)
        }
    })
}

/// The time of the service's clock when it answered.
pub(super) fn said_date(headers: &HeaderMap) -> Option<DateTime<Utc>> {
    let text = headers.get(DATE)?.to_str().ok()?;
    moment_of(text)
}

/// A timestamp in one of the three forms of HTTP (RFC 9110, 5.6.7).
fn moment_of(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(moment) = DateTime::parse_from_rfc2822(text) {
        return Some(moment.to_utc());
    }
    // Sunday, 06-Nov-94 08:49:37 GMT, and Sun Nov  6 08:49:37 1994
    let without_day = text.split_once(", ").map_or(text, |(_, rest)| rest);
    NaiveDateTime::parse_from_str(without_day, "%d-%b-%y %H:%M:%S GMT")
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%a %b %e %H:%M:%S %Y"))
        .ok()
        .map(|moment| moment.and_utc())
}

/// Random enough for jitter: the standard library keys each hasher afresh.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error::Detail;

    #[test]
    fn doubles_the_longest_wait_up_to_the_cap() {
        let limits = Limits::default();
        let mut attempts = Attempts::new(&limits);
        for (count, longest_ms) in [(1, 200), (2, 400), (5, 3_200), (8, 20_000), (40, 20_000)] {
            attempts.count = count;
            let longest = Duration::from_millis(longest_ms);
            let nanoseconds = u64::try_from(longest.as_nanos()).unwrap();
            assert_eq!(attempts.backoff(nanoseconds), longest, "attempt {count}");
            assert_eq!(attempts.backoff(nanoseconds + 1), Duration::ZERO, "attempt {count}");
        }
    }

    #[tokio::test]
    async fn excused_attempts_count_against_the_total_time_alone() {
        let refused = || Setback::again(Failure::TokenRefused { detail: Detail::default() });
        let limits = Limits { max_attempts: 2, backoff_base: Duration::ZERO, ..Limits::default() };
        let mut attempts = Attempts::new(&limits);
        for _ in 0..20 {
            attempts.wait("a page", refused()).await.expect("none counts");
            attempts.excuse();
        }
        attempts.wait("a page", refused()).await.expect("the second that counts");
        attempts.wait("a page", refused()).await.expect_err("two are enough");
        let limits = Limits { longest_request: Duration::from_millis(20), ..limits };
        let mut attempts = Attempts::new(&limits);
        while attempts.wait("a page", refused()).await.is_ok() {
            attempts.excuse();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[test]
    fn reads_how_long_the_api_asks_to_wait() {
        let now = DateTime::from_timestamp(1_445_412_450, 0).unwrap();
        let cases = [
            ("retry-after", "7", Some(7)),
            ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", Some(30)),
            ("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT", Some(0)),
            ("retry-after", "Wednesday, 21-Oct-15 07:28:00 GMT", Some(30)),
            ("retry-after", "Wed Oct 21 07:28:00 2015", Some(30)),
            ("retry-after", "soon", None),
            ("x-ratelimit-reset", "12", Some(12)),
            ("x-ratelimit-reset", "1445412460", Some(10)),
            ("x-ratelimit-reset", "1445412460000", Some(10)),
            ("x-ratelimit-reset", "-1", None),
            ("other", "12", None),
        ];
        for (name, value, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let expected = expected.map(Duration::from_secs);
            assert_eq!(asked_wait(&headers, now), expected, "{name}: {value}");
            // With a date in the answer, a wrong clock on one side changes nothing.
            headers.insert("date", "Wed, 21 Oct 2015 07:27:30 GMT".parse().unwrap());
            let wrong = now + chrono::Duration::hours(7);
            assert_eq!(asked_wait(&headers, wrong), expected, "{name}: {value}");
        }
    }

    #[test]
    fn differs_from_one_draw_to_the_next() {
        assert_ne!((random(), random()), (random(), random()));
    }
}
