//! Delivers a notice to an address: a few attempts, a short wait between them, no redirects. An
//! address may contain a secret in its path, so errors name only the host.

use std::path::Path;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, StatusCode, Url};
use ring::hmac;

use tieout_config::Secret;
use tieout_model::digest::hex;
use tieout_read::trust;
use tieout_read::trust::TrustError;

/// The header with `sha256=` and the HMAC of the body, in hexadecimal.
pub const SIGNATURE_HEADER: &str = "x-tieout-signature-256";

/// A slow receiver must not delay the night for long.
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ATTEMPTS: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const SECRET_LIMIT_BYTES: u64 = 64 * 1024;

/// Why a notice did not arrive.
#[derive(Debug, thiserror::Error)]
pub(super) enum DeliveryError {
    #[error("cannot set up the client: {0}")]
    Client(String),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("cannot write the body: {0}")]
    Body(String),
    #[error("the secret file {path} {problem}")]
    Secret { path: String, problem: String },
    #[error("{host} did not accept it: {cause}, after {attempts} attempts")]
    Refused { host: String, cause: String, attempts: u32 },
}

/// Sends notices.
pub(super) struct Courier {
    client: Client,
    first_wait: Duration,
}

impl Courier {
    pub(super) fn new() -> Result<Self, DeliveryError> {
        let builder = Client::builder()
            .user_agent(concat!("tieout/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT);
        let client = trust::extend(builder)?
            .build()
            .map_err(|error| DeliveryError::Client(error.without_url().to_string()))?;
        Ok(Self { client, first_wait: FIRST_WAIT })
    }

    #[cfg(test)]
    pub(super) fn hasty() -> Self {
        Self { first_wait: Duration::from_millis(1), ..Self::new().unwrap() }
    }

    /// Posts JSON, signed when there is a secret.
    pub(super) async fn post(
        &self,
        url: &str,
        body: Vec<u8>,
        secret_file: Option<&Path>,
    ) -> Result<(), DeliveryError> {
        let signature = match secret_file {
            Some(path) => Some(signature(&read_secret(path)?, &body)),
            None => None,
        };
        self.attempt(url, || {
            let mut request = self.client.post(url).header(CONTENT_TYPE, "application/json");
            if let Some(signature) = &signature {
                request = request.header(SIGNATURE_HEADER, signature);
            }
            request.body(body.clone())
        })
        .await
    }

    /// Calls an address.
    pub(super) async fn get(&self, url: &str) -> Result<(), DeliveryError> {
        self.attempt(url, || self.client.get(url)).await
    }

    async fn attempt(
        &self,
        url: &str,
        request: impl Fn() -> reqwest::RequestBuilder,
    ) -> Result<(), DeliveryError> {
        let mut wait = self.first_wait;
        let mut attempts = 1;
        loop {
            let (cause, is_final) = match request().send().await {
                Ok(response) if response.status().is_success() => return Ok(()),
                Ok(response) => (format!("status {}", response.status()), is_final(&response)),
                Err(error) => (cause_of(&error), false),
            };
            if is_final || attempts == MAX_ATTEMPTS {
                return Err(DeliveryError::Refused { host: host(url), cause, attempts });
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
            attempts += 1;
        }
    }
}

/// Checks that another attempt would get the same answer.
fn is_final(response: &Response) -> bool {
    let status = response.status();
    !status.is_server_error()
        && status != StatusCode::TOO_MANY_REQUESTS
        && status != StatusCode::REQUEST_TIMEOUT
}

fn cause_of(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        format!("no answer within {} s", TIMEOUT.as_secs())
    } else if error.is_connect() {
        "it is unreachable".to_owned()
    } else {
        "the connection broke off".to_owned()
    }
}

fn host(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_else(|| "the address".to_owned())
}

/// `sha256=` and the HMAC in hexadecimal, as other senders of webhooks write it.
pub(super) fn signature(secret: &Secret, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    format!("sha256={}", hex(hmac::sign(&key, body).as_ref()))
}

/// The secret without the line end that editors add. It is read each time, so that a rotated file
/// takes effect.
fn read_secret(path: &Path) -> Result<Secret, DeliveryError> {
    use std::io::Read;
    let refused =
        |problem: String| DeliveryError::Secret { path: path.display().to_string(), problem };
    let unreadable = |error: std::io::Error| refused(format!("cannot be read: {error}"));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    file.take(SECRET_LIMIT_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    let secret = Secret::new(text.trim_end_matches(['\r', '\n']).to_owned());
    zeroize::Zeroize::zeroize(&mut text);
    if secret.expose().is_empty() {
        return Err(refused("holds nothing".to_owned()));
    }
    Ok(secret)
}
