//! A server that answers from a script and records the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, header};

use crate::api::Api;
use crate::api::ApiError;
use crate::api::Limits;
use crate::api::Page;
use tieout_config::{ApiKeySource, ApiSettings, Secret, TransactionsMode};
use tieout_model::{Listing, Resource, Selector};

/// The key of all tests.
pub(super) const KEY: &str = "key-of-the-tests";

/// One request as received.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    pub(super) headers: axum::http::HeaderMap,
}

impl Call {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(super) fn is_for_a_token(&self) -> bool {
        self.target == "/authorize"
    }
}

/// A running server.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
}

/// Answers a call; the number counts the calls of its kind (token requests, all others) from 1.
type Script = dyn Fn(&Call, usize) -> Response<Body> + Send + Sync;

impl Server {
    /// Serves `script` on any free port.
    pub(super) async fn start(
        script: impl Fn(&Call, usize) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let (log, script): (_, Arc<Script>) = (calls.clone(), Arc::new(script));
        let router = Router::new().fallback(move |request: Request| {
            let (log, script) = (log.clone(), script.clone());
            async move {
                let call = Call {
                    method: request.method().to_string(),
                    target: request.uri().to_string(),
                    headers: request.headers().clone(),
                };
                let number = {
                    let mut log = log.lock().unwrap();
                    log.push(call.clone());
                    log.iter().filter(|c| c.is_for_a_token() == call.is_for_a_token()).count()
                };
                script(&call, number)
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, calls }
    }

    /// Answers token requests correctly, and page requests from `script`.
    pub(super) async fn with_pages(
        script: impl Fn(&Call, usize) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        Self::start(
            move |call, number| {
                if call.is_for_a_token() { token(number, 3_600) } else { script(call, number) }
            },
        )
        .await
    }

    /// The requests so far, without token requests.
    pub(super) fn page_calls(&self) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| !call.is_for_a_token()).cloned().collect()
    }

    /// The token requests so far.
    pub(super) fn token_calls(&self) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.is_for_a_token()).cloned().collect()
    }

    pub(super) fn settings(&self) -> ApiSettings {
        settings(self.address, self.address)
    }

    /// A client of this server with short waits.
    pub(super) fn api(&self) -> Api {
        Api::with_limits(&self.settings(), &limits()).unwrap()
    }
}

/// Settings that use `base` for pages and `auth` for tokens.
pub(super) fn settings(base: SocketAddr, auth: SocketAddr) -> ApiSettings {
    ApiSettings {
        base_url: Some(format!("http://{base}/v1")),
        auth_url: Some(format!("http://{auth}")),
        api_key: Some(ApiKeySource::Environment(Secret::new(KEY.to_owned()))),
        page_size: 100,
        max_in_flight: 16,
        requests_per_second: 0,
        timeout_seconds: 10,
        max_attempts: 4,
        transactions: TransactionsMode::Auto,
    }
}

/// Waits that are too short to slow a test.
pub(super) fn limits() -> Limits {
    Limits {
        backoff_base: Duration::from_millis(1),
        backoff_cap: Duration::from_millis(4),
        longest_asked_wait: Duration::from_millis(60),
        ..Limits::default()
    }
}

/// `status` with `body` as JSON.
pub(super) fn answer(status: u16, body: impl Into<String>) -> Response<Body> {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.into()))
        .unwrap()
}

/// The token `token-{number}`.
pub(super) fn token(number: usize, life_seconds: u64) -> Response<Body> {
    answer(
        200,
        format!(
            r#"{{"access_token":"token-{number}","token_type":"Bearer","expires_in":{life_seconds}}}"#
        ),
    )
}

/// A page with one batch and a link to `next`, when there is one.
pub(super) fn page(batch: u32, next: Option<&str>) -> Response<Body> {
    let links = next
        .map(|href| format!(r#"{{"rel":"next","method":"get","href":"{href}"}}"#))
        .unwrap_or_default();
    let has_more = next.is_some();
    answer(
        200,
        format!(
            r#"{{"limit":1,"count":1,"hasMore":{has_more},"links":[{links}],
            "data":[{{"batchId":{batch},"saleAmount":100}}]}}"#
        ),
    )
}

/// The listing that most tests read.
pub(super) fn batches() -> Listing {
    Listing::new(Resource::Batches, Selector::Date("2026-11-20".parse().unwrap()))
}

/// Reads the listing to its end or its first error.
pub(super) async fn read(api: &Api) -> Result<Vec<Page>, ApiError> {
    let mut pages = api.pages(&batches(), &[]);
    let mut read = Vec::new();
    while let Some(page) = pages.next().await? {
        read.push(page);
    }
    Ok(read)
}
