//! Serves a world on a local port, with or without TLS, and stops cleanly.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::faults::{FaultOptions, Faults};
use super::journal::{Journal, StateError};
use super::live::Live;
use super::routes;
use super::service::{ServeOptions, Service};
use super::state::ServiceState;
use super::tls::{Secured, TlsError};
use super::world::World;

/// Time for connections to finish when the sandbox stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Why the sandbox could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("the sandbox cannot listen on {address}")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A listening sandbox. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct RunningSandbox {
    /// The address on which it listens, with the assigned port.
    pub address: SocketAddr,
    service: Arc<Service>,
    certificate: Option<String>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl RunningSandbox {
    /// The address of the identity service; the API is under `/v1` of it.
    pub fn base_url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The certificate to trust (PEM), when it serves HTTPS.
    pub fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }

    /// The current time of the sandbox's clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.service.state().live.now()
    }

    /// Requests received so far, including refused ones.
    pub fn requests(&self) -> u64 {
        self.service.requests()
    }

    /// Stops listening and waits a short time for answers under way.
    pub async fn stop(mut self) {
        // The server may have ended already; then the message is not needed.
        let _ = self.stop.send(());
        if tokio::time::timeout(STOP_TIMEOUT, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }
}

/// Starts to serve `world` in the background.
///
/// # Errors
/// When the address cannot be listened on.
pub async fn serve(
    world: Arc<World>,
    options: ServeOptions,
) -> Result<RunningSandbox, SandboxError> {
    serve_with_faults(world, options, None).await
}

/// As `serve`, with faults in front of the service.
///
/// # Errors
/// When the address cannot be listened on.
pub async fn serve_with_faults(
    world: Arc<World>,
    options: ServeOptions,
    faults: Option<FaultOptions>,
) -> Result<RunningSandbox, SandboxError> {
    let failed = |source| SandboxError::Listen { address: options.address, source };
    let listener = TcpListener::bind(options.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let state = open_state(&world, &options)?;
    let tls = options.tls.then(Secured::new).transpose()?;
    let certificate = tls.as_ref().map(|tls| tls.certificate.clone());
    let service = Arc::new(Service::new(world, options, address, state));
    let router = routes::router(&service);
    let router = match faults {
        Some(faults) => Faults::new(faults).around(router),
        None => router,
    };
    let (stop, stopped) = oneshot::channel();
    // A dropped sender has the same effect as a message.
    let stopped = async move {
        let _ = stopped.await;
    };
    // Serving ends on request; errors of single connections end inside it.
    let server = match tls {
        None => tokio::spawn(async move {
            let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
        }),
        Some(tls) => tokio::spawn(async move {
            let listener = tls.listen(listener);
            let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
        }),
    };
    Ok(RunningSandbox { address, service, certificate, stop, server })
}

/// The state beside `world`: a new one, or the one from its file.
fn open_state(world: &World, options: &ServeOptions) -> Result<ServiceState, StateError> {
    let Some(path) = &options.state else {
        return ServiceState::open(world, Live::new(world, options.now), None);
    };
    let now = Live::new(world, options.now).now();
    let (journal, entries, start) = Journal::open(path, world, now.timestamp())?;
    let start = DateTime::from_timestamp(start, 0).unwrap_or(now);
    ServiceState::open(world, Live::new(world, Some(start)), Some((journal, entries)))
}
