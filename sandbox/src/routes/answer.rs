//! The answers of all handlers: JSON, or a problem.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::wire::Problem;

/// The answer of a handler: JSON, or a problem.
pub type Answer = Result<Response, Problem>;

/// The answer for an unknown path.
pub async fn unknown_path() -> Problem {
    Problem::not_found(None)
}

/// A 200 with `body`.
pub fn json(body: &impl Serialize) -> Answer {
    let bytes = serde_json::to_vec(body).map_err(|_| Problem::server_error())?;
    let content_type = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, content_type)], bytes).into_response())
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let content_type = HeaderValue::from_static("application/problem+json");
        // A problem consists of texts; an empty body would still carry the status.
        let bytes = serde_json::to_vec(&self).unwrap_or_default();
        (status, [(header::CONTENT_TYPE, content_type)], bytes).into_response()
    }
}
