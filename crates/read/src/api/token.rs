//! The access token: requested with the API key, kept in memory, renewed before it expires. The key
//! goes only to the identity service, and neither is ever shown.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::HeaderValue;
use reqwest::{Client, Method, Request, StatusCode, Url};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::error::{ApiError, Failure, TOKEN_SUBJECT};
use super::exchange::{Exchange, Received};
use super::retry::{Attempts, Setback};
use tieout_config::{ApiKeySource, Secret};

/// The longest key file that is read; a larger file is not a key.
const KEY_LIMIT_BYTES: u64 = 64 * 1024;

/// A token that claims a longer lifetime is renewed after this time.
const LONGEST_LIFE_SECONDS: u64 = 24 * 60 * 60;

/// Keeps the one token that all requests share.
#[derive(Debug)]
pub(super) struct TokenKeeper {
    client: Client,
    url: Url,
    source: ApiKeySource,
    current: Mutex<Option<Arc<Token>>>,
    /// Locked while a token is requested, so that one request gets it and the others wait. Contains
    /// the last refusal, which also answers the requests that were waiting at that moment.
    renewal: tokio::sync::Mutex<Option<Refusal>>,
}

#[derive(Debug)]
struct Refusal {
    at: Instant,
    error: ApiError,
}

/// A token as a header value that is marked sensitive.
pub(super) struct Token {
    text: Zeroizing<String>,
    header: HeaderValue,
    renew_at: Instant,
    is_refused: AtomicBool,
    uses: watch::Sender<Uses>,
}

/// The outcomes of the requests that carried a token.
#[derive(Debug, Default)]
struct Uses {
    under_way: usize,
    /// When the newest accepted request was sent.
    accepted: Option<Instant>,
    /// Whether a request ended without a verdict on the token: a broken connection, a service under
    /// load.
    is_undecided: bool,
}

/// The service's verdict on a token, or that it gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    Refused,
    Undecided,
}

/// A request under way that carries a token.
#[derive(Debug)]
pub(super) struct TokenUse<'a> {
    token: &'a Token,
    sent_at: Instant,
    verdict: Verdict,
}

impl TokenUse<'_> {
    /// Ends the use with the verdict of the answer.
    pub(super) fn ends(mut self, verdict: Verdict) {
        self.verdict = verdict;
    }
}

impl Drop for TokenUse<'_> {
    fn drop(&mut self) {
        self.token.uses.send_modify(|uses| {
            uses.under_way -= 1;
            match self.verdict {
                Verdict::Accepted => uses.accepted = uses.accepted.max(Some(self.sent_at)),
                Verdict::Refused => {}
                Verdict::Undecided => uses.is_undecided = true,
            }
        });
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[token]")
    }
}

impl Token {
    /// `Bearer …`, for the header only.
    pub(super) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// Whether a request was refused because of this token.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// Notes that a request with this token is sent now.
    pub(super) fn used(&self) -> TokenUse<'_> {
        self.uses.send_modify(|uses| uses.under_way += 1);
        TokenUse { token: self, sent_at: Instant::now(), verdict: Verdict::Undecided }
    }

    /// Checks whether the token may have been valid once and no longer is, judged by the other
    /// requests that carried it: it was accepted for none that was sent after `refused_at`. Waits
    /// for requests under way while their outcome is unknown.
    pub(super) async fn has_ended(&self, refused_at: Instant) -> bool {
        let mut uses = self.uses.subscribe();
        let is_known =
            |uses: &Uses| uses.accepted.is_some() || uses.is_undecided || uses.under_way == 0;
        // The sender belongs to this token, so it outlives the wait.
        let Ok(uses) = uses.wait_for(is_known).await else { return false };
        uses.accepted.map_or(uses.is_undecided, |accepted| accepted < refused_at)
    }

    /// `text` without the token, in case a service echoed it.
    pub(super) fn erase_from(&self, text: &str) -> String {
        text.replace(self.text.as_str(), "[token]")
    }
}

impl TokenKeeper {
    /// Reads the key once, so that a missing key is noticed before anything is sent.
    pub(super) fn new(client: Client, url: Url, source: ApiKeySource) -> Result<Self, ApiError> {
        read_key(&source)?;
        let (current, renewal) = (Mutex::new(None), tokio::sync::Mutex::new(None));
        Ok(Self { client, url, source, current, renewal })
    }

    /// The token, renewed when it is due.
    pub(super) async fn token(&self, exchange: &Exchange) -> Result<Arc<Token>, ApiError> {
        match self.fresh() {
            Some(token) => Ok(token),
            None => self.renew(exchange).await,
        }
    }

    /// The newest token, unless it is due or was refused.
    pub(super) fn newest(&self) -> Option<Arc<Token>> {
        self.fresh()
    }

    /// Notes that the token was refused, so that no request uses it again.
    pub(super) fn discard(&self, refused: &Arc<Token>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.take_if(|token| Arc::ptr_eq(token, refused));
        refused.is_refused.store(true, Ordering::Relaxed);
    }

    async fn renew(&self, exchange: &Exchange) -> Result<Arc<Token>, ApiError> {
        let asked_at = Instant::now();
        let mut renewal = self.renewal.lock().await;
        if let Some(token) = self.fresh() {
            return Ok(token);
        }
        if let Some(refusal) = renewal.as_ref()
            && refusal.at >= asked_at
        {
            return Err(refusal.error.clone());
        }
        match self.ask(exchange).await {
            Ok(token) => {
                let token = Arc::new(token);
                *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
                Ok(token)
            }
            Err(error) => {
                *renewal = Some(Refusal { at: Instant::now(), error: error.clone() });
                Err(error)
            }
        }
    }

    fn fresh(&self) -> Option<Arc<Token>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().filter(|token| Instant::now() < token.renew_at).cloned()
    }

    async fn ask(&self, exchange: &Exchange) -> Result<Token, ApiError> {
        // Read each time, so that a rotated key file takes effect.
        let key = read_key(&self.source)?;
        let mut attempts = Attempts::new(&exchange.limits);
        loop {
            let asked_at = Instant::now();
            let mut request = Request::new(Method::POST, self.url.clone());
            request.headers_mut().insert("x-api-key", key.clone());
            // The requests in the queue wait for this token.
            let permit = exchange.admit_first().await;
            let outcome = match exchange.send(&permit, &self.client, request).await {
                Ok(received) => token_of(received, asked_at),
                Err(setback) => Err(setback),
            };
            drop(permit);
            let setback = match outcome {
                Ok(token) => return Ok(token),
                Err(setback) => setback,
            };
            if let Err(failure) = attempts.wait(TOKEN_SUBJECT, setback).await {
                exchange.give_up(&failure);
                let failure = without_detail(failure);
                let (subject, attempts) = (TOKEN_SUBJECT.to_owned(), attempts.count);
                return Err(ApiError::Request { subject, attempts, failure });
            }
        }
    }
}

/// Drops the detail: the error bodies of the identity service are not published and could echo the
/// key.
fn without_detail(failure: Failure) -> Failure {
    match failure {
        Failure::Status { status, .. } => {
            Failure::Status { status, detail: super::error::Detail::default() }
        }
        other => other,
    }
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: Option<Secretly>,
    expires_in: Option<serde_json::Number>,
}

/// Text that is wiped when it is dropped.
#[derive(Deserialize)]
#[serde(transparent)]
struct Secretly(String);

impl Drop for Secretly {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

fn token_of(received: Received, asked_at: Instant) -> Result<Token, Setback> {
    let status = received.status;
    let body = Zeroizing::new(received.body);
    match status {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Err(Setback::Final(Failure::KeyRefused { status: status.as_u16() }));
        }
        status => {
            let (status, detail) = (status.as_u16(), super::error::Detail::default());
            return Err(Setback::Final(Failure::Status { status, detail }));
        }
    }
    if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&body) {
        return Err(Setback::again(super::wire::not_json(&body, &error)));
    }
    let bad = |found| Setback::Final(Failure::BadToken { found });
    let answer: TokenAnswer =
        serde_json::from_slice(&body).map_err(|_| bad("an answer of another shape"))?;
    let text = answer.access_token.filter(|token| !token.0.is_empty());
    let text = text.ok_or_else(|| bad("no access_token"))?;
    let life = answer.expires_in.as_ref().and_then(serde_json::Number::as_u64);
    let life = life.ok_or_else(|| bad("no whole number of seconds in expires_in"))?;
    let bearer = Zeroizing::new(format!("Bearer {}", text.0));
    let mut header = HeaderValue::from_str(&bearer)
        .map_err(|_| bad("an access_token that no header can carry"))?;
    header.set_sensitive(true);
    let text = Zeroizing::new(text.0.clone());
    let renew_at = asked_at + renew_after(life);
    Ok(Token {
        text,
        header,
        renew_at,
        is_refused: AtomicBool::new(false),
        uses: watch::Sender::default(),
    })
}

/// Renews at nine tenths of the lifetime or a minute before its end, whichever is sooner, but not
/// before half of it. A token without a lifetime serves the request that got it.
fn renew_after(life_seconds: u64) -> Duration {
    let life_ms = life_seconds.min(LONGEST_LIFE_SECONDS) * 1_000;
    let before_end = life_ms.saturating_sub(60_000).max(life_ms / 2);
    Duration::from_millis((life_ms / 10 * 9).min(before_end))
}

/// Checks that there is a key that can be sent. The key is read and dropped.
///
/// # Errors
/// When the key cannot be read or is not valid.
pub fn check_key(source: &ApiKeySource) -> Result<(), ApiError> {
    read_key(source).map(|_| ())
}

/// The key as a header value that is marked sensitive.
fn read_key(source: &ApiKeySource) -> Result<HeaderValue, ApiError> {
    let (secret, origin) = match source {
        ApiKeySource::Environment(secret) => (secret.clone(), "TIEOUT_API_KEY".to_owned()),
        ApiKeySource::File(path) => {
            let unreadable = |cause: std::io::Error| ApiError::KeyUnreadable {
                path: path.clone(),
                cause: cause.to_string(),
            };
            // Opening a pipe would wait for a writer.
            let facts = std::fs::metadata(path).map_err(unreadable)?;
            let origin = format!("api key file {}", path.display());
            if !facts.is_file() {
                return Err(ApiError::BadKey {
                    origin,
                    found: "something other than a regular file",
                });
            }
            if facts.len() > KEY_LIMIT_BYTES {
                return Err(ApiError::BadKey { origin, found: "a file that is too large for one" });
            }
            let file = std::fs::File::open(path).map_err(unreadable)?;
            let mut text = String::new();
            file.take(KEY_LIMIT_BYTES).read_to_string(&mut text).map_err(unreadable)?;
            (Secret::new(text), origin)
        }
    };
    let key = trimmed(secret.expose());
    if key.is_empty() {
        return Err(ApiError::BadKey { origin, found: "nothing" });
    }
    let found = "text that no header can carry, such as a second line";
    let mut header = HeaderValue::from_str(key).map_err(|_| ApiError::BadKey { origin, found })?;
    header.set_sensitive(true);
    Ok(header)
}

/// Without the one line end that editors add, and without surrounding spaces.
fn trimmed(text: &str) -> &str {
    let line = text.strip_suffix('\n').unwrap_or(text);
    line.strip_suffix('\r').unwrap_or(line).trim_matches(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renews_in_time_also_when_the_life_is_short() {
        for (life_seconds, expected_ms) in
            [(3_600, 3_240_000), (300, 240_000), (100, 50_000), (1, 500), (0, 0)]
        {
            let expected = Duration::from_millis(expected_ms);
            assert_eq!(renew_after(life_seconds), expected, "{life_seconds}");
        }
        assert!(renew_after(u64::MAX) < Duration::from_secs(LONGEST_LIFE_SECONDS));
    }

    #[test]
    fn reads_the_key_without_its_line_end_and_refuses_what_is_no_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let source = ApiKeySource::File(path.clone());
        assert!(matches!(read_key(&source), Err(ApiError::KeyUnreadable { .. })));
        let folder = ApiKeySource::File(directory.path().to_owned());
        assert!(matches!(read_key(&folder), Err(ApiError::BadKey { .. })));
        std::io::Write::write_all(
            &mut std::fs::File::create(&path).unwrap(),
            "k".repeat(200_000).as_bytes(),
        )
        .unwrap();
        assert!(matches!(read_key(&source), Err(ApiError::BadKey { .. })));
        for (text, expected) in [
            ("k-1\n", Some("k-1")),
            ("k-1\r\n", Some("k-1")),
            (" k-1 ", Some("k-1")),
            ("k-1\n\n", None),
            ("\n", None),
            ("", None),
        ] {
            std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), text.as_bytes())
                .unwrap();
            let found = read_key(&source);
            assert_eq!(found.as_ref().ok().map(HeaderValue::as_bytes), expected.map(str::as_bytes));
            if let Err(error) = found {
                assert!(!error.to_string().contains("k-1"), "{error}");
            }
        }
        let header = read_key(&ApiKeySource::Environment(Secret::new("k-2".into()))).unwrap();
        assert!(header.is_sensitive() && !format!("{header:?}").contains("k-2"));
    }
}
