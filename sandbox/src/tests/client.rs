//! A client of the service for the tests: it sends real HTTP requests and checks properties of
//! every answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::week;
use crate::{API_KEY, RunningSandbox, ServeOptions, World, WorldOptions, plant_codes, serve};

/// A client of a listening sandbox.
pub struct Client {
    pub sandbox: RunningSandbox,
    pub http: reqwest::Client,
    pub token: String,
    pub world: Arc<World>,
}

/// Serves a week with every plant.
pub async fn start(options: ServeOptions) -> Client {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let world = WorldOptions { plants, merchants: 6, transactions_per_day: 150, ..week(4) };
    start_with(&world, options).await
}

/// Serves the world of these options.
pub async fn start_with(world: &WorldOptions, options: ServeOptions) -> Client {
    let world = Arc::new(World::generate(world).unwrap().0);
    connect(serve(Arc::clone(&world), options).await.unwrap(), world).await
}

/// A client with a token.
pub async fn connect(sandbox: RunningSandbox, world: Arc<World>) -> Client {
    let http = reqwest::Client::new();
    let request = http.post(format!("{}/authorize", sandbox.base_url()));
    let answer = request.header("x-api-key", API_KEY).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    let token = body["access_token"].as_str().unwrap().to_owned();
    Client { sandbox, http, token, world }
}

impl Client {
    pub async fn get(&self, path: &str) -> (u16, Value) {
        let request = self.http.get(format!("{}/v1{path}", self.sandbox.base_url()));
        let answer = request.bearer_auth(&self.token).send().await.unwrap();
        let status = answer.status().as_u16();
        let content_type = answer.headers()["content-type"].to_str().unwrap().to_owned();
        let expected = if status == 200 { "application/json" } else { "application/problem+json" };
        assert_eq!(content_type, expected, "{path}");
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
    }

    /// A POST with a fresh Idempotency-Key.
    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_again(path, body, &fresh_key()).await
    }

    /// A POST with this key; a null body means none.
    pub async fn post_again(&self, path: &str, body: &Value, key: &str) -> (u16, Value) {
        let request = self.http.post(format!("{}/v1{path}", self.sandbox.base_url()));
        let mut request = request.bearer_auth(&self.token).header("Idempotency-Key", key);
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let is_good = status < 300;
        let expected = if is_good { "application/json" } else { "application/problem+json" };
        assert_eq!(answer.headers()["content-type"], expected, "{path}");
        let location = answer.headers().get("location").map(|value| value.to_str().unwrap());
        let location = location.map(str::to_owned);
        let body: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        if let Some(location) = location {
            let id = body.get("paymentId").or(body.get("refundId")).unwrap().as_str().unwrap();
            assert_eq!(location, format!("/v1{path}/{id}"));
        }
        assert_eq!(status == 201, location_is_due(path, status), "{path} {status}");
        (status, body)
    }

    /// An action on the sandbox itself.
    pub async fn control(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.http.post(format!("{}/_sandbox{path}", self.sandbox.base_url()));
        let answer = request.body(body.to_string()).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
    }

    /// The answer of a path outside the API.
    pub async fn http_json(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}{path}", self.sandbox.base_url()));
        serde_json::from_str(&answer.send().await.unwrap().text().await.unwrap()).unwrap()
    }

    /// Moves the clock forward by days.
    pub async fn pass(&self, days: u32) -> Value {
        let (status, body) = self.control("/clock", &serde_json::json!({"days": days})).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    pub async fn page(&self, path: &str) -> Value {
        let (status, body) = self.get(path).await;
        assert_eq!(status, 200, "{path}: {body}");
        assert_eq!(body["count"], body["data"].as_array().unwrap().len(), "{path}");
        body
    }

    /// All records of a list, following `rel` from the page at `path`.
    pub async fn follow(&self, path: &str, rel: &str) -> Vec<Value> {
        let mut records = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next {
            let mut page = self.page(&path).await;
            let mut data = std::mem::take(page["data"].as_array_mut().unwrap());
            if rel == "next" {
                records.append(&mut data);
            } else {
                data.append(&mut records);
                records = data;
            }
            next = link(&page, rel);
            let has_next = link(&page, "next").is_some();
            assert_eq!(page["hasMore"], has_next, "{path}");
            assert!(records.len() < 10_000, "{path} never ends");
        }
        records
    }
}

/// The path behind a link, without the base, which is the live service's or the sandbox's own.
pub fn link(page: &Value, rel: &str) -> Option<String> {
    let links = page["links"].as_array().unwrap();
    let link = links.iter().find(|link| link["rel"] == rel)?;
    let (host, path) = link["href"].as_str().unwrap().split_once("/v1").unwrap();
    let is_known = host == "https://api.payroc.com" || host.starts_with("http://127.0.0.1:");
    assert!(is_known, "{link}");
    Some(path.to_owned())
}

/// A new Idempotency-Key.
pub fn fresh_key() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("5b0c1d7e-6a52-4f0e-9d3b-{:012x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn location_is_due(path: &str, status: u16) -> bool {
    status < 300 && (path == "/bank-transfer-payments" || path == "/bank-transfer-refunds")
}
