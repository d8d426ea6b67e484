//! Faults of an answer as a whole: in its status, its headers, its connection.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::response::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use futures_util::stream::{self, StreamExt};

use super::draw::Asked;
use super::kinds::FaultOptions;
use crate::random::Random;

/// Larger than any page that a client should accept.
const OVERSIZED_BYTES: usize = 20 * 1024 * 1024;

/// The spaces of an oversized body, sent piece by piece.
static BLANKS: [u8; 64 * 1024] = [b' '; 64 * 1024];

/// Long enough that a piece is sent before the next one is ready.
const PAUSE: Duration = Duration::from_millis(5);

/// A problem document with that status.
pub(super) fn problem(status: u16) -> Response {
    let body = format!(
        r#"{{"type":"about:blank","title":"Not tonight","status":{status},"detail":"A fault on request."}}"#
    );
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response()
}

#[expect(clippy::disallowed_methods, reason = "a client compares this moment with its own clock")]
fn machine_now() -> DateTime<Utc> {
    Utc::now()
}

/// A 429 with one of the ways to state the wait.
pub(super) fn too_many(options: &FaultOptions, random: &mut Random) -> Response {
    let mut response = problem(429);
    let until = machine_now() + chrono::Duration::seconds(i64::from(options.wait_seconds));
    let (name, value) = match random.between(0, 4) {
        0 => ("retry-after", options.wait_seconds.to_string()),
        1 => ("retry-after", until.format("%a, %d %b %Y %H:%M:%S GMT").to_string()),
        2 => ("x-ratelimit-reset", options.wait_seconds.to_string()),
        3 => ("x-ratelimit-reset", until.timestamp().to_string()),
        _ => return response,
    };
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(name, value);
    }
    response
}

/// A redirect of the same request to another host.
pub(super) fn redirect(options: &FaultOptions, asked: &Asked, random: &mut Random) -> Response {
    let status = *random.choose(&[301, 302, 303, 307, 308]);
    let mut response = problem(status);
    let location = format!("{}{}?{}", options.canary, asked.path, asked.query);
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// No answer: a body that fails at once ends the connection before the head is sent.
pub(super) fn reset() -> Response {
    let nothing = stream::once(async { Err::<Bytes, _>(io::Error::other("a fault on request")) });
    Body::from_stream(nothing).into_response()
}

/// The body in up to five pieces, with pauses.
pub(super) fn slow(parts: Parts, body: Bytes, random: &mut Random) -> Response {
    let pieces = random.between(2, 5) as usize;
    let size = (body.len() / pieces).max(1);
    let pieces = (0..body.len())
        .step_by(size)
        .map(move |start| body.slice(start..body.len().min(start + size)));
    let paced = stream::iter(pieces).then(|piece| async {
        tokio::time::sleep(PAUSE).await;
        Ok::<_, Infallible>(piece)
    });
    Response::from_parts(parts, Body::from_stream(paced))
}

/// A head with the whole length, a part of the body, and no more.
pub(super) fn cut(mut parts: Parts, body: &Bytes, random: &mut Random) -> Response {
    if body.is_empty() {
        return reset();
    }
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    let sent = body.slice(..random.index(body.len()));
    let pieces = stream::once(async move { Ok(sent) }).chain(stream::once(async {
        tokio::time::sleep(PAUSE).await;
        Err(io::Error::other("a fault on request"))
    }));
    Response::from_parts(parts, Body::from_stream(pieces))
}

/// A body with status 200 that is not JSON.
pub(super) fn malformed(parts: Parts, body: &Bytes, random: &mut Random) -> Response {
    let text = match random.between(0, 3) {
        0 => body.slice(..body.len() / 2),
        1 => Bytes::from_static(b"<html><body>Your session has ended.</body></html>"),
        2 => Bytes::new(),
        _ => Bytes::from([&body[..], b"}"].concat()),
    };
    Response::from_parts(parts, Body::from(text))
}

/// A content type that does not match the body.
pub(super) fn disguise(parts: &mut Parts, random: &mut Random) {
    let other = ["text/html; charset=iso-8859-1", "application/octet-stream", "text/plain", "?"];
    match random.choose(&[Some(0), Some(1), Some(2), Some(3), None]) {
        Some(index) => {
            parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(other[*index]));
        }
        None => {
            parts.headers.remove(header::CONTENT_TYPE);
        }
    }
}

/// The body after more spaces than any page needs.
pub(super) fn oversized(parts: Parts, body: Bytes) -> Response {
    let blanks = (0..OVERSIZED_BYTES / BLANKS.len()).map(|_| Bytes::from_static(&BLANKS));
    let pieces = stream::iter(blanks.chain([body]).map(Ok::<_, Infallible>));
    Response::from_parts(parts, Body::from_stream(pieces))
}
