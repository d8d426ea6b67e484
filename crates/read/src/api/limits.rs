//! The maxima of the API client.

use std::time::Duration;

/// The maxima. Tests make the waits short.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// For one attempt, from the connection to the last byte.
    pub(super) timeout: Duration,
    pub(super) max_attempts: u32,
    /// The longest first wait; doubled with every attempt.
    pub(super) backoff_base: Duration,
    pub(super) backoff_cap: Duration,
    /// A longer wait than this is not granted, however long the API asks to wait.
    pub(super) longest_asked_wait: Duration,
    /// For one request with all its attempts: a page that takes longer is reported as a failure, so
    /// that the night ends.
    pub(super) longest_request: Duration,
    /// A page of 100 records is about 100 kB; this leaves room, and sixteen of them at once stay
    /// within the memory of a small machine.
    pub(super) body_limit_bytes: usize,
    /// A hundred million records in one listing indicate a loop.
    pub(super) page_limit: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            max_attempts: 6,
            backoff_base: Duration::from_millis(200),
            backoff_cap: Duration::from_secs(20),
            longest_asked_wait: Duration::from_secs(120),
            longest_request: Duration::from_secs(600),
            body_limit_bytes: 16 * 1024 * 1024,
            page_limit: 1_000_000,
        }
    }
}
