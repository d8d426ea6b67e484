//! The paths of the service: who may ask, how lists are cut into pages, and what each
//! resource answers.

mod access;
mod bank_transfers;
mod paging;
mod parameters;
mod reporting;

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;

use super::serve::Service;
use super::wire::Problem;

/// What a handler answers: JSON, or a problem.
type Answer = Result<Response, Problem>;

/// Every path of the service.
pub fn router(service: &Arc<Service>) -> Router {
    let resources = Router::new()
        .route("/ach-deposits", get(reporting::list_deposits))
        .route("/ach-deposits/{id}", get(reporting::get_deposit))
        .route("/ach-deposit-fees", get(reporting::list_fees))
        .route("/batches", get(reporting::list_batches))
        .route("/batches/{id}", get(reporting::get_batch))
        .route("/transactions", get(reporting::list_transactions))
        .route("/transactions/{id}", get(reporting::get_transaction))
        .route("/authorizations", get(reporting::list_authorizations))
        .route("/authorizations/{id}", get(reporting::get_authorization))
        .route("/bank-transfer-payments", get(bank_transfers::list_payments))
        .route("/bank-transfer-payments/{id}", get(bank_transfers::get_payment))
        .route("/bank-transfer-refunds", get(bank_transfers::list_refunds))
        .route("/bank-transfer-refunds/{id}", get(bank_transfers::get_refund))
        .fallback(unknown_path)
        .layer(middleware::from_fn_with_state(Arc::clone(service), access::guard));
    Router::new()
        .route("/authorize", post(access::authorize))
        .nest("/v1", resources)
        .fallback(unknown_path)
        .layer(middleware::from_fn_with_state(Arc::clone(service), access::count_and_delay))
        .with_state(Arc::clone(service))
}

async fn unknown_path() -> Problem {
    Problem::not_found(None)
}

/// A 200 with `body`.
fn json(body: &impl Serialize) -> Answer {
    let bytes = serde_json::to_vec(body).map_err(|_| Problem::server_error())?;
    let content_type = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, content_type)], bytes).into_response())
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let content_type = HeaderValue::from_static("application/problem+json");
        // A problem is made of texts; an empty body would still carry the status.
        let bytes = serde_json::to_vec(&self).unwrap_or_default();
        (status, [(header::CONTENT_TYPE, content_type)], bytes).into_response()
    }
}
