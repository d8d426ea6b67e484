//! The state of the schedule over HTTP, for probes and for Prometheus. Shows figures and dates, no
//! amounts by merchant, no names.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, http::header::CONTENT_TYPE};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use crate::night::notify::{Notice, metrics_text, recalled_metrics};

/// The state of the schedule, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Health {
    state: Arc<Mutex<Known>>,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Known {
    is_running: bool,
    is_ready: bool,
    next_firing: Option<DateTime<Utc>>,
    pending: Vec<NaiveDate>,
    last_run: Option<Notice>,
    #[serde(skip)]
    metrics: String,
}

impl Health {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn pending(&self, dates: Vec<NaiveDate>) {
        let mut state = self.lock();
        state.pending = dates;
        // The store was read.
        state.is_ready = true;
    }

    /// Notes that the store could not be read.
    pub(crate) fn unreadable(&self) {
        self.lock().is_ready = false;
    }

    pub(crate) fn next(&self, moment: Option<DateTime<Utc>>) {
        self.lock().next_firing = moment;
    }

    pub(crate) fn has_nothing_to_do(&self) -> bool {
        self.lock().pending.is_empty()
    }

    /// Notes that a run begins; returns its dates.
    pub(crate) fn begin_run(&self) -> Vec<NaiveDate> {
        let mut state = self.lock();
        state.is_running = true;
        state.pending.clone()
    }

    /// Shows the metrics of the newest date until a run ends: an alert outlives a restart.
    pub(crate) fn recall(&self, notice: &Notice) {
        self.lock().metrics = recalled_metrics(notice);
    }

    pub(crate) fn end_run(&self, notice: Notice) {
        let mut state = self.lock();
        state.is_running = false;
        state.metrics = metrics_text(&notice, &state.metrics);
        state.last_run = Some(notice);
    }
}

/// Answers `/live`, `/ready`, `/status` and `/metrics` until the future is dropped.
///
/// # Errors
/// When the address cannot be listened on.
pub async fn serve(
    address: SocketAddr,
    health: Health,
) -> std::io::Result<(SocketAddr, impl Future<Output = std::io::Result<()>>)> {
    let listener = tokio::net::TcpListener::bind(address).await?;
    let bound = listener.local_addr()?;
    let router = Router::new()
        .route("/live", get(|| async { "live\n" }))
        .route("/ready", get(ready))
        .route("/status", get(status))
        .route("/metrics", get(metrics))
        .with_state(health);
    Ok((bound, async move { axum::serve(listener, router).await }))
}

async fn ready(State(health): State<Health>) -> Response {
    if health.lock().is_ready {
        "ready\n".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the store cannot be read\n").into_response()
    }
}

async fn status(State(health): State<Health>) -> Response {
    let state = health.lock().clone();
    match serde_json::to_vec_pretty(&state) {
        Ok(body) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

async fn metrics(State(health): State<Health>) -> Response {
    use std::fmt::Write as _;
    let state = health.lock().clone();
    let mut text = state.metrics;
    // Writing into a String cannot fail.
    let mut gauge = |name: &str, help: &str, value: i64| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
    };
    gauge("tieout_up", "The schedule is up.", 1);
    gauge("tieout_running", "A run is in progress.", i64::from(state.is_running));
    let pending = i64::try_from(state.pending.len()).unwrap_or(i64::MAX);
    gauge("tieout_pending_dates", "Dates that are due and have not been done.", pending);
    if let Some(next) = state.next_firing {
        gauge("tieout_next_firing_timestamp_seconds", "When it runs next.", next.timestamp());
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
