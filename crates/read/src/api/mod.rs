//! The only HTTP client of the job. It gets a token, reads listings page after page with retries
//! and within a rate limit, converts records into the job's own types, and removes private data
//! from the evidence. It never writes a file and never uses the store.
//!
//! The key is sent only to the identity service and the token only to the configured API: redirects
//! are not followed, and only the cursor of a link is used.

mod cursor;
mod endpoint;
mod error;
pub mod evidence;
mod exchange;
mod fault;
mod limiter;
mod limits;
mod pages;
mod retry;
mod terminals;
#[cfg(test)]
mod tests;
mod token;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Request, StatusCode, Url};

pub use error::{ApiError, Detail, Failure};
pub use fault::RecordFault;
pub use pages::{Page, Pages, records_of};
pub use token::check_key;

use cursor::Cursor;
use endpoint::Endpoint;
use exchange::{Exchange, Received, detail};
use limiter::{Limiter, Turn};
use limits::Limits;
use retry::{Attempts, Setback};
use token::{Token, TokenKeeper, Verdict};
use tokio::time::Instant;

use crate::stop::Stop;
use crate::trust;
use tieout_config::ApiSettings;
use tieout_model::{Listing, MerchantId};

/// Longer than any handshake takes; an address without a listener must not cost a whole timeout.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// The payments API. Cheap to clone; all clones share one token and one limiter.
#[derive(Clone, Debug)]
pub struct Api {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    client: Client,
    base: Endpoint,
    page_size: u32,
    token: TokenKeeper,
    exchange: Exchange,
}

impl Api {
    /// Checks addresses and key, and sends nothing. After `stop` was requested, requests wait until
    /// their callers are dropped.
    ///
    /// # Errors
    /// When an address is missing or not trusted, or when there is no key.
    pub fn new(settings: &ApiSettings, stop: Stop) -> Result<Self, ApiError> {
        Self::build(settings, &Limits::default(), stop)
    }

    #[cfg(test)]
    fn with_limits(settings: &ApiSettings, limits: &Limits) -> Result<Self, ApiError> {
        Self::build(settings, limits, Stop::default())
    }

    fn build(settings: &ApiSettings, limits: &Limits, stop: Stop) -> Result<Self, ApiError> {
        let limits = Limits {
            timeout: Duration::from_secs(settings.timeout_seconds.max(1)),
            max_attempts: settings.max_attempts.max(1),
            ..limits.clone()
        };
        let base = Endpoint::parse("api.base_url", settings.base_url.as_deref())?;
        let auth = Endpoint::parse("api.auth_url", settings.auth_url.as_deref())?;
        let source = settings
            .api_key
            .clone()
            .ok_or(ApiError::NotConfigured { setting: "api.api_key_file" })?;
        let auth_client = client(&auth, settings, &limits)?;
        let token = TokenKeeper::new(auth_client, auth.join(["authorize"]), source)?;
        let client = client(&base, settings, &limits)?;
        let limiter = Limiter::new(settings.max_in_flight, settings.requests_per_second);
        let exchange = Exchange::new(limits, limiter, stop);
        let page_size = settings.page_size;
        Ok(Self { inner: Arc::new(Inner { client, base, page_size, token, exchange }) })
    }

    /// Reads `listing` page after page. `resume` holds the cursors that an interrupted reading had
    /// followed, oldest first; the reading continues from the last one.
    pub fn pages(&self, listing: &Listing, resume: &[String]) -> Pages {
        Pages::new(self.clone(), listing.clone(), None, resume)
    }

    /// As `pages`, restricted to one merchant.
    pub fn pages_of(&self, listing: &Listing, merchant: &MerchantId, resume: &[String]) -> Pages {
        Pages::new(self.clone(), listing.clone(), Some(merchant.clone()), resume)
    }

    /// Only the first page of `listing`, with at most `limit` records where that is less than a
    /// page.
    ///
    /// # Errors
    /// When the page cannot be read.
    pub async fn first_page(
        &self,
        listing: &Listing,
        limit: u32,
    ) -> Result<Option<Page>, ApiError> {
        self.pages(listing, &[]).limited_to(limit).next().await
    }

    /// The records of a page kept as evidence, as they were understood when the page was read.
    /// `None` when the JSON is not a page of that listing.
    pub fn read_evidence(
        listing: &Listing,
        number: u32,
        json: &[u8],
    ) -> Option<Vec<tieout_model::Record>> {
        // An id that the API did not know left an empty body.
        if json.is_empty() {
            return Some(Vec::new());
        }
        wire::read(listing, number, json).ok().map(|content| content.records)
    }

    /// Requests sent so far, including token requests.
    pub fn requests(&self) -> u64 {
        self.inner.exchange.requests()
    }

    /// The time of the service's clock in its latest answer, where the answer had a date.
    pub fn server_time(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        self.inner.exchange.server_time()
    }

    /// Gets a token now unless there is one, which shows `doctor` whether the key is valid.
    ///
    /// # Errors
    /// When the key is refused or the identity service cannot be reached.
    pub async fn authorize(&self) -> Result<(), ApiError> {
        self.inner.token.token(&self.inner.exchange).await.map(|_| ())
    }

    fn page_url(
        &self,
        listing: &Listing,
        merchant: Option<&MerchantId>,
        page_size: u32,
        cursor: Option<&Cursor>,
    ) -> Url {
        let mut url = self.inner.base.page(listing, page_size, cursor);
        if let Some(merchant) = merchant {
            url.query_pairs_mut().append_pair("merchantId", merchant.as_str());
        }
        url
    }

    /// The result of `accept` for the body, or `None` for a 404 when `absence_is_an_answer`.
    async fn get<T>(
        &self,
        url: Url,
        turn: Turn,
        subject: &str,
        absence_is_an_answer: bool,
        accept: impl Fn(&[u8]) -> Result<T, Failure>,
    ) -> Result<Option<T>, ApiError> {
        let Inner { token: keeper, exchange, .. } = &*self.inner;
        let mut attempts = Attempts::new(&exchange.limits);
        let mut refusals = 0;
        loop {
            let sent = self.send(&url, turn, refusals).await?;
            let token = sent.token;
            let outcome = match sent.outcome {
                Ok(received) if received.status == StatusCode::UNAUTHORIZED => {
                    refusals += 1;
                    if refusals == 1 {
                        // The token may have expired early or been revoked: try once more with
                        // another.
                        keeper.discard(&token);
                        continue;
                    }
                    let detail = detail(&received.body);
                    Err(Setback::again(Failure::TokenRefused { detail }))
                }
                Ok(received)
                    if received.status == StatusCode::NOT_FOUND && absence_is_an_answer =>
                {
                    return Ok(None);
                }
                Ok(received) => judge(&received, &accept),
                Err(setback) => Err(setback),
            };
            let setback = match outcome {
                Ok(accepted) => return Ok(Some(accepted)),
                Err(setback) => setback,
            };
            let refused = setback.token_refusal();
            if refused.is_none() {
                refusals = 0;
            }
            let given_up = |failure: Failure, attempts: u32| {
                let (failure, subject) = (without_token(failure, &token), subject.to_owned());
                Err(ApiError::Request { subject, attempts, failure })
            };
            if let Err(failure) = attempts.wait(subject, setback).await {
                exchange.give_up(&failure);
                return given_up(failure, attempts.count);
            }
            if let Some(failure) = refused {
                // Other requests show whether the token has ended. An ended token is renewed again,
                // as some last for a few requests only. If the token still works for others, or
                // never worked for any, the refusal concerns this request.
                if !token.has_ended(sent.answered_at).await {
                    return given_up(failure, attempts.count - 1);
                }
                keeper.discard(&token);
                attempts.excuse();
            }
        }
    }

    /// Sends the request when the limiter admits it, with the newest token at that moment.
    async fn send(&self, url: &Url, turn: Turn, refusals: u32) -> Result<Sent, ApiError> {
        let Inner { token: keeper, exchange, client, .. } = &*self.inner;
        let (permit, token) = loop {
            // Get the token before waiting for admission and check it after: another request may
            // have seen it refused meanwhile.
            let asked = keeper.token(exchange).await?;
            let permit = exchange.admit(turn).await;
            let newest = keeper.newest().or_else(|| (!asked.is_refused()).then_some(asked));
            if let Some(token) = newest {
                break (permit, token);
            }
        };
        let mut request = Request::new(Method::GET, url.clone());
        request.headers_mut().insert(AUTHORIZATION, token.header());
        let token_use = token.used();
        let outcome = exchange.send(&permit, client, request).await;
        token_use.ends(match &outcome {
            Ok(received) if received.status == StatusCode::UNAUTHORIZED => {
                // Tokens end faster than this many requests can use them.
                if refusals > 0 {
                    permit.overloaded();
                }
                Verdict::Refused
            }
            Ok(_) => Verdict::Accepted,
            Err(_) => Verdict::Undecided,
        });
        Ok(Sent { token, answered_at: Instant::now(), outcome })
    }
}

/// A request that was sent: its token, the time of its answer, and its outcome.
struct Sent {
    token: Arc<Token>,
    answered_at: Instant,
    outcome: Result<Received, Setback>,
}

fn client(
    endpoint: &Endpoint,
    settings: &ApiSettings,
    limits: &Limits,
) -> Result<Client, ApiError> {
    let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
    let mut builder = Client::builder()
        .user_agent(concat!("tieout/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(limits.timeout)
        .connect_timeout(limits.timeout.min(CONNECT_LIMIT))
        .pool_max_idle_per_host(settings.max_in_flight.max(1));
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
    }
    if endpoint.is_secured() {
        builder = trust::extend(builder)?;
    }
    builder.build().map_err(|cause| ApiError::Client { cause: cause.to_string() })
}

fn judge<T>(
    received: &Received,
    accept: impl Fn(&[u8]) -> Result<T, Failure>,
) -> Result<T, Setback> {
    let detail = || detail(&received.body);
    match received.status {
        StatusCode::OK => accept(&received.body).map_err(|failure| match failure {
            // Most likely cut off in transit, and complete the next time.
            Failure::NotJson { .. } => Setback::again(failure),
            other => Setback::Final(other),
        }),
        StatusCode::FORBIDDEN => Err(Setback::Final(Failure::Forbidden { detail: detail() })),
        status => {
            let (status, detail) = (status.as_u16(), detail());
            Err(Setback::Final(Failure::Status { status, detail }))
        }
    }
}

fn without_token(failure: Failure, token: &Token) -> Failure {
    let erase = |detail: Detail| Detail(token.erase_from(&detail.0));
    match failure {
        Failure::TokenRefused { detail } => Failure::TokenRefused { detail: erase(detail) },
        Failure::Forbidden { detail } => Failure::Forbidden { detail: erase(detail) },
        Failure::Status { status, detail } => Failure::Status { status, detail: erase(detail) },
        other => other,
    }
}
