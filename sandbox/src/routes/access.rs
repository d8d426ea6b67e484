//! Access control: API keys, tokens, the form of the answer, and its delay.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::answer::{Answer, json};
use crate::service::Service;
use crate::wire::Problem;

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "fields are named as the contract names them")]
struct Token {
    access_token: String,
    token_type: &'static str,
    expires_in: u64,
    scope: &'static str,
}

/// `POST /authorize`: a token for an API key.
pub async fn authorize(State(service): State<Arc<Service>>, headers: HeaderMap) -> Answer {
    let key = headers.get("x-api-key").and_then(|key| key.to_str().ok());
    if key != Some(service.options.api_key.as_str()) {
        return Err(Problem::not_authorized());
    }
    json(&Token {
        access_token: service.issue_token(),
        token_type: "Bearer",
        expires_in: service.options.token_seconds,
        scope: "reporting.read payments.read payments.write",
    })
}

/// Counts every request and delays its answer as configured.
pub async fn count_and_delay(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    service.count_request();
    if service.options.delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(service.options.delay_ms)).await;
    }
    next.run(request).await
}

/// Admits a request with a valid token that accepts JSON.
pub async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let authorization = request.headers().get(header::AUTHORIZATION);
    let token = authorization
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim());
    if !token.is_some_and(|token| service.accepts_token(token)) {
        return Problem::not_authorized().into_response();
    }
    if !takes_json(request.headers()) {
        return Problem::not_acceptable().into_response();
    }
    next.run(request).await
}

/// Checks that the `Accept` headers, when there are any, allow JSON.
fn takes_json(headers: &HeaderMap) -> bool {
    let mut ranges = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|range| !range.is_empty())
        .peekable();
    ranges.peek().is_none()
        || ranges.any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let is_refused = parts.any(|part| {
                part.strip_prefix("q=")
                    .is_some_and(|weight| weight.chars().all(|digit| "0.".contains(digit)))
            });
            matches!(name.as_str(), "*/*" | "application/*" | "application/json") && !is_refused
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_accept_header_leaves_room_for() {
        let cases = [
            (None, true),
            (Some("application/json"), true),
            (Some("text/html, */*;q=0.1"), true),
            (Some("application/xml, Application/JSON; charset=utf-8"), true),
            (Some("text/html"), false),
            (Some("application/json;q=0"), false),
            (Some("application/json;q=0.0, text/html"), false),
        ];
        for (accept, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, accept.parse().unwrap());
            }
            assert_eq!(takes_json(&headers), expected, "{accept:?}");
        }
    }
}
