//! The paths of the service: access, paging of lists, and the answers of each resource.

mod access;
mod answer;
mod attachments;
mod bank_transfers;
mod base;
mod body;
mod control;
mod disputes;
mod money;
mod paging;
mod parameters;
mod posts;
mod refusals;
mod reporting;
mod requests;

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::service::Service;
use super::wire::Problem;
use answer::unknown_path;

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
        .route("/disputes", get(disputes::list_disputes))
        .route("/disputes/{id}/statuses", get(disputes::list_statuses))
        .route("/processing-accounts/{id}/processing-terminals", get(disputes::list_terminals))
        .route("/attachments/{id}", get(attachments::get_attachment))
        .route("/bank-accounts/verify", post(posts::verify_account))
        .route(
            "/bank-transfer-payments",
            get(bank_transfers::list_payments).post(posts::create_payment),
        )
        .route("/bank-transfer-payments/{id}", get(bank_transfers::get_payment))
        .route("/bank-transfer-payments/{id}/close", post(posts::close_payment))
        .route("/bank-transfer-payments/{id}/refund", post(posts::refund_payment))
        .route("/bank-transfer-payments/{id}/represent", post(posts::represent_payment))
        .route("/bank-transfer-payments/{id}/reverse", post(posts::reverse_payment))
        .route(
            "/bank-transfer-refunds",
            get(bank_transfers::list_refunds).post(posts::create_refund),
        )
        .route("/bank-transfer-refunds/{id}", get(bank_transfers::get_refund))
        .route("/bank-transfer-refunds/{id}/reverse", post(posts::reverse_refund))
        .fallback(unknown_path)
        .layer(middleware::from_fn_with_state(Arc::clone(service), access::guard));
    Router::new()
        .route("/authorize", post(access::authorize))
        // For tools that support only one base address; the real service has no such path.
        .route("/v1/authorize", post(access::authorize))
        .nest("/v1", resources)
        .nest("/_sandbox", control::router())
        .fallback(unknown_path)
        .layer(middleware::from_fn_with_state(Arc::clone(service), access::count_and_delay))
        .layer(middleware::map_response(refused_by_the_framework))
        .with_state(Arc::clone(service))
}

/// Turns a refusal that comes before any handler into the form of a handler's problem.
async fn refused_by_the_framework(response: Response) -> Response {
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let is_problem = content_type.is_some_and(|value| value == "application/problem+json");
    if !status.is_client_error() && !status.is_server_error() || is_problem {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let mut problem = Problem::of_status(status.as_u16()).into_response();
    if let Some(allow) = allow {
        problem.headers_mut().insert(header::ALLOW, allow);
    }
    problem
}
