//! Faults on request: a layer around the service that reproduces failures of real services. The
//! requests that are hit depend on the seed, the request and its number of sendings, never on the
//! order of requests, so that a seed replays a night.
//!
//! A fault is drawn for each page separately. A transient fault (an error, a cut body) hits one
//! sending, and lets the request through after three in a row. A persistent fault (a wrong count, a
//! forbidden page) hits the same page each time it is requested.
//! that is forbidden) strikes the same page whenever it is asked for.

mod draw;
mod kinds;
mod pages;
mod records;
mod tokens;
mod transport;

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};

pub use kinds::{Fault, FaultOptions, Outcome};

use super::wire::Problem;
use draw::{Asked, Memory, details, strikes};

/// No page of the service is larger.
const PAGE_LIMIT_BYTES: usize = 64 * 1024 * 1024;

/// The layer.
#[derive(Debug)]
pub(super) struct Faults {
    options: FaultOptions,
    memory: Mutex<Memory>,
    tokens: Mutex<tokens::Tokens>,
    records: Mutex<records::LastRecords>,
}

impl Faults {
    /// Begins without requests.
    pub(super) fn new(options: FaultOptions) -> Self {
        Self {
            options,
            memory: Mutex::default(),
            tokens: Mutex::default(),
            records: Mutex::default(),
        }
    }

    /// `router` with the faults in front of it.
    pub(super) fn around(self, router: Router) -> Router {
        router.layer(middleware::from_fn_with_state(Arc::new(self), pass))
    }

    fn passing(&self, asked: &Asked) -> Option<Fault> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.passing(&self.options, asked)
    }

    fn is_first(&self, asked: &Asked) -> bool {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).is_first(asked)
    }

    fn is_token_refused(&self, asked: &Asked) -> bool {
        let Some(token) = asked.token.as_deref() else { return false };
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.is_refused(&self.options, token)
    }

    fn strikes(&self, fault: Fault, asked: &Asked) -> bool {
        strikes(&self.options, fault, asked)
    }

    /// The answer in place of the service's, the same for every sending.
    fn instead(&self, asked: &Asked) -> Option<Response> {
        let fault = [Fault::Outage, Fault::Forbidden, Fault::ForeignRedirect]
            .into_iter()
            .find(|fault| self.strikes(*fault, asked))?;
        let mut random = details(&self.options, fault, asked, 0);
        Some(match fault {
            Fault::Outage => transport::problem(503),
            Fault::Forbidden => transport::problem(match *random.choose(&[400, 403, 404]) {
                // For a record requested by its id, 404 means that there is none, which a client
                // must believe. It would not be a fault.
                404 if asked.is_one() => 403,
                status => status,
            }),
            _ => transport::redirect(&self.options, asked, &mut random),
        })
    }

    /// The body of a page with its faults.
    fn page(&self, asked: &Asked, body: Bytes) -> Bytes {
        let Ok(mut page) = serde_json::from_slice(&body) else { return body };
        let before = pages::snapshot(&page);
        {
            let mut last = self.records.lock().unwrap_or_else(PoisonError::into_inner);
            last.repeat(&self.options, asked, &mut page);
        }
        if Outcome::Corrects.is_among(&self.options) && self.is_first(asked) {
            records::show_otherwise(&self.options, asked, &mut page);
        }
        pages::spoil(&self.options, asked, &mut page);
        if pages::snapshot(&page) == before {
            return body;
        }
        serde_json::to_vec(&page).map_or(body, Bytes::from)
    }
}

async fn pass(State(faults): State<Arc<Faults>>, request: Request, next: Next) -> Response {
    let asked = Asked::of(&request);
    if asked.is_page && faults.is_token_refused(&asked) {
        return Problem::not_authorized().into_response();
    }
    let passing = faults.passing(&asked);
    let mut random = details(&faults.options, passing.unwrap_or(Fault::SlowBody), &asked, 1);
    match passing {
        Some(Fault::ServerError) => {
            return transport::problem(*random.choose(&[408, 500, 502, 503, 504]));
        }
        Some(Fault::TooManyRequests) => {
            return transport::too_many(&faults.options, &mut random);
        }
        Some(Fault::Reset) => return transport::reset(),
        _ => {}
    }
    if asked.is_page
        && let Some(response) = faults.instead(&asked)
    {
        return response;
    }
    let response = next.run(request).await;
    if response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(mut body) = to_bytes(body, PAGE_LIMIT_BYTES).await else {
        return Problem::server_error().into_response();
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    if asked.is_page {
        body = faults.page(&asked, body);
        if faults.strikes(Fault::OddContentType, &asked) {
            let mut random = details(&faults.options, Fault::OddContentType, &asked, 0);
            transport::disguise(&mut parts, &mut random);
        }
        if faults.strikes(Fault::OversizedBody, &asked) {
            return transport::oversized(parts, body);
        }
    }
    match passing {
        Some(Fault::SlowBody) => transport::slow(parts, body, &mut random),
        Some(Fault::CutBody) => transport::cut(parts, &body, &mut random),
        Some(Fault::MalformedJson) => transport::malformed(parts, &body, &mut random),
        _ => Response::from_parts(parts, Body::from(body)),
    }
}
