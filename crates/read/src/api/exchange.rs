//! One request and its answer: through the limiter, into a body of bounded size, classified as
//! usable, worth another attempt, or final. It knows neither listings nor tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use reqwest::header::LOCATION;
use reqwest::{Client, Request, Response, StatusCode, Url};
use serde::Deserialize;

use super::error::{Detail, Failure};
use super::limiter::{Limiter, Permit, Turn};
use super::limits::Limits;
use super::retry::{Setback, asked_wait, said_date};
use crate::stop::Stop;
use tieout_model::clock::machine_now;

/// Bytes read of a problem document at most. The API's problem documents have a few hundred.
const PROBLEM_LIMIT_BYTES: usize = 64 * 1024;

/// Characters of a problem document that a message quotes at most.
const DETAIL_LIMIT_CHARS: usize = 300;

/// The state that all requests share.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) limits: Limits,
    limiter: Limiter,
    stop: Stop,
    requests: AtomicU64,
    /// The newest `Date` header in seconds since 1970; 0 before there was one.
    server_seconds: AtomicI64,
    reach: Reach,
}

/// The hosts that have answered, and those that were given up. A host is given up when it has never
/// answered and one request failed in all its attempts; other requests then do not try it.
#[derive(Debug, Default)]
struct Reach {
    answered: Mutex<BTreeSet<String>>,
    given_up: Mutex<BTreeMap<String, Failure>>,
}

impl Reach {
    fn answers(&self, host: String) {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).insert(host);
    }

    fn give_up(&self, failure: &Failure) {
        let Failure::Unreachable { host, .. } = failure else { return };
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if !answered.contains(host) {
            let mut given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
            given_up.insert(host.clone(), failure.clone());
        }
    }

    fn is_given_up(&self, host: &str) -> Option<Failure> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner).get(host).cloned()
    }
}

/// An answer to evaluate: 200 with its body, or another status for the caller to judge.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

impl Exchange {
    /// Sends nothing.
    pub(super) fn new(limits: Limits, limiter: Limiter, stop: Stop) -> Self {
        Self {
            limits,
            limiter,
            stop,
            requests: AtomicU64::new(0),
            server_seconds: AtomicI64::new(0),
            reach: Reach::default(),
        }
    }

    /// Notes that a request has used all its attempts.
    pub(super) fn give_up(&self, failure: &Failure) {
        self.reach.give_up(failure);
    }

    /// Number of requests sent.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// The time of the service's clock in its latest answer.
    pub(super) fn server_time(&self) -> Option<DateTime<Utc>> {
        match self.server_seconds.load(Ordering::Relaxed) {
            0 => None,
            seconds => DateTime::from_timestamp(seconds, 0),
        }
    }

    fn note_date(&self, response: &Response) {
        if let Some(moment) = said_date(response.headers()) {
            self.server_seconds.store(moment.timestamp(), Ordering::Relaxed);
        }
    }

    /// Number of requests that may be under way now.
    #[cfg(test)]
    pub(super) fn limit(&self) -> usize {
        self.limiter.limit()
    }

    /// Waits until one more request may be sent.
    pub(super) async fn admit(&self, turn: Turn) -> Permit {
        self.limiter.acquire(turn).await
    }

    /// As `admit`, for a request that the others wait for.
    pub(super) async fn admit_first(&self) -> Permit {
        self.limiter.acquire_first().await
    }

    /// Sends `request` once. The permit is held until the body is read.
    pub(super) async fn send(
        &self,
        permit: &Permit,
        client: &Client,
        request: Request,
    ) -> Result<Received, Setback> {
        let url = request.url().clone();
        if let Some(failure) = self.reach.is_given_up(&host(&url)) {
            return Err(Setback::Final(failure));
        }
        let _passage = self.stop.pass().await;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let response = match client.execute(request).await {
            Ok(response) => response,
            Err(error) => return Err(Setback::again(self.broken(&url, error))),
        };
        let status = response.status();
        self.reach.answers(host(&url));
        self.note_date(&response);
        if is_overload(status) {
            permit.overloaded();
        } else if status.is_success() {
            permit.succeeded();
        }
        if status.is_redirection() {
            return Err(Setback::Final(redirect(&url, &response)));
        }
        if is_transient(status) {
            let wait = asked_wait(response.headers(), machine_now());
            if let Some(wait) = wait.filter(|_| is_overload(status)) {
                // The rate limit applies to the key: other requests would be refused as well.
                permit.pause(wait.min(self.limits.longest_asked_wait));
            }
            let body = self.read_problem(&url, response).await;
            let failure = Failure::Status { status: status.as_u16(), detail: detail(&body) };
            return Err(Setback::Again { failure, wait });
        }
        let body = if status == StatusCode::OK {
            self.read(&url, response, self.limits.body_limit_bytes).await?
        } else {
            self.read_problem(&url, response).await
        };
        Ok(Received { status, body })
    }

    async fn read(
        &self,
        url: &Url,
        mut response: Response,
        limit_bytes: usize,
    ) -> Result<Vec<u8>, Setback> {
        let announced = response.content_length().unwrap_or_default();
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        let mut body = Vec::with_capacity(announced.min(limit_bytes));
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > limit_bytes => {
                    return Err(Setback::Final(Failure::TooLarge { limit_bytes }));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body),
                Err(error) if error.is_timeout() => {
                    return Err(Setback::again(self.broken(url, error)));
                }
                Err(error) => {
                    return Err(Setback::again(Failure::CutBody { cause: chain(error) }));
                }
            }
        }
    }

    /// The body of a refusal; empty when it cannot be read, since the status is enough.
    async fn read_problem(&self, url: &Url, response: Response) -> Vec<u8> {
        self.read(url, response, PROBLEM_LIMIT_BYTES).await.unwrap_or_default()
    }

    fn broken(&self, url: &Url, error: reqwest::Error) -> Failure {
        let host = host(url);
        // A failed connection attempt has a shorter limit and is not a slow answer.
        if error.is_timeout() && !error.is_connect() {
            return Failure::TimedOut { host, seconds: self.limits.timeout.as_secs() };
        }
        Failure::Unreachable { host, cause: chain(error) }
    }
}

fn is_overload(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
}

fn is_transient(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

/// Names only the host: a location can contain anything in its path and query.
fn redirect(url: &Url, response: &Response) -> Failure {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let target = location.and_then(|location| url.join(location).ok());
    let host = target.as_ref().map_or_else(|| "nowhere".to_owned(), host);
    Failure::Redirect { status: response.status().as_u16(), host }
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An error with all its causes, without the address and its query.
fn chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

#[derive(Deserialize)]
struct Problem {
    title: Option<String>,
    detail: Option<String>,
    errors: Option<Vec<ProblemField>>,
}

#[derive(Deserialize)]
struct ProblemField {
    parameter: Option<String>,
    detail: Option<String>,
    message: Option<String>,
}

/// The text of a problem document, shortened; empty when the body is not one.
pub(super) fn detail(body: &[u8]) -> Detail {
    let Ok(problem) = serde_json::from_slice::<Problem>(body) else {
        return Detail::default();
    };
    let mut words: Vec<String> = [problem.title, problem.detail].into_iter().flatten().collect();
    for field in problem.errors.unwrap_or_default() {
        let parts = [field.parameter, field.detail.or(field.message)];
        words.push(parts.into_iter().flatten().collect::<Vec<_>>().join(": "));
    }
    let text = words.join("; ");
    Detail(text.chars().filter(|letter| !letter.is_control()).take(DETAIL_LIMIT_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_words_of_a_problem_document_and_nothing_of_another_body() {
        let body = br#"{"type":"x#bad-request","title":"Bad request","status":400,
            "detail":"The request has errors.",
            "errors":[{"parameter":"date","detail":"not a date","message":"Got 2026-13-40"}]}"#;
        let expected = "Bad request; The request has errors.; date: not a date";
        assert_eq!(detail(body).0, expected);
        for other in [&b"<html>secret</html>"[..], b"[\"secret\"]", b"\"secret\"", b""] {
            assert_eq!(detail(other), Detail::default());
        }
        let long = format!("{{\"title\":\"{}\"}}", "x".repeat(5_000));
        assert_eq!(detail(long.as_bytes()).0.len(), DETAIL_LIMIT_CHARS);
    }
}
