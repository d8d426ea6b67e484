//! Serves a world on a local port: listens, with TLS or without, hands out tokens, counts
//! requests, stops cleanly.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::faults::{FaultOptions, Faults};
use super::journal::{Journal, StateError};
use super::live::{Book, Live};
use super::random::mix;
use super::routes;
use super::state::ServiceState;
use super::tls::{Secured, TlsError};
use super::world::World;
use super::world::records::Records;

/// The key that a sandbox takes when nothing else is said. It opens nothing but the sandbox.
pub const API_KEY: &str = "sandbox-key";

/// How long connections may take to finish when the sandbox stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// More tokens at once than any client needs; the oldest give way.
const MAX_TOKENS: usize = 1_000;

/// Where the links in answers lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// To the live service, as on the answers of its own test service: a client must take nothing
    /// but the cursor. The same world then gives the same bytes on every port.
    Live,
    /// To where the request came to.
    Here,
}

/// How a world is served.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says alone what a key or a service has")]
pub struct ServeOptions {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    pub api_key: String,
    /// Lifetime of a token.
    pub token_seconds: u64,
    /// How long every answer waits.
    pub delay_ms: u64,
    /// Whether the key has the operations of `/transactions`.
    pub transactions: bool,
    /// Whether the key may read `/disputes`.
    pub disputes: bool,
    /// Whether the key may list the terminals of a processing account.
    pub terminals: bool,
    /// Where the sandbox's clock starts; the morning after the world's last date without it.
    pub now: Option<DateTime<Utc>>,
    /// The file that keeps what happens, so that it survives a restart.
    pub state: Option<PathBuf>,
    pub links: Links,
    /// Serves HTTPS with a certificate that signs itself.
    pub tls: bool,
}

impl Default for ServeOptions {
    /// On a free port of this machine, with everything that a key can have.
    fn default() -> Self {
        Self {
            address: ([127, 0, 0, 1], 0).into(),
            api_key: API_KEY.to_owned(),
            token_seconds: 3_600,
            delay_ms: 0,
            transactions: true,
            disputes: true,
            terminals: true,
            now: None,
            state: None,
            links: Links::Live,
            tls: false,
        }
    }
}

/// The sandbox could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("the sandbox cannot listen on {address}")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// What every handler sees.
#[derive(Debug)]
pub struct Service {
    pub world: Arc<World>,
    pub options: ServeOptions,
    /// Where it listens.
    pub address: SocketAddr,
    state: RwLock<ServiceState>,
    requests: AtomicU64,
    tokens: Mutex<Tokens>,
}

#[derive(Debug, Default)]
struct Tokens {
    issued: u64,
    /// Token to its ordinal and the moment at which it stops working, if it ever does.
    valid: BTreeMap<String, (u64, Option<Instant>)>,
}

impl Service {
    /// The records of the world.
    pub fn records(&self) -> &Records {
        self.world.records()
    }

    /// What happened since the world was made, to be read.
    pub fn state(&self) -> RwLockReadGuard<'_, ServiceState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, to be changed: one request at a time.
    pub fn state_to_change(&self) -> RwLockWriteGuard<'_, ServiceState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The world and what happened since, read as one, with links that lead to `base`.
    pub fn book<'s>(&'s self, state: &'s ServiceState, base: &'s str) -> Book<'s> {
        Book { base, ..state.live.book(&self.world) }
    }

    /// Counts one request.
    pub fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// A new token, good for `token_seconds`.
    pub fn issue_token(&self) -> String {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.issued += 1;
        let ordinal = tokens.issued;
        let signature = mix(ordinal ^ mix(self.world.options().seed));
        let token = format!("sandbox.{ordinal}.{signature:016x}");
        let lifetime = Duration::from_secs(self.options.token_seconds);
        tokens.valid.insert(token.clone(), (ordinal, Instant::now().checked_add(lifetime)));
        if tokens.valid.len() > MAX_TOKENS {
            let oldest = ordinal.saturating_sub(MAX_TOKENS as u64);
            tokens.valid.retain(|_, (ordinal, _)| *ordinal > oldest);
        }
        token
    }

    /// Whether the token was handed out here and is not too old.
    pub fn accepts_token(&self, token: &str) -> bool {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.valid.get(token).is_some_and(|(_, end)| end.is_none_or(|end| Instant::now() < end))
    }
}

/// A sandbox that is listening. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct RunningSandbox {
    /// Where it listens, with the port that it got.
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

    /// The moment at which the sandbox's clock stands.
    pub fn now(&self) -> DateTime<Utc> {
        self.service.state().live.now()
    }

    /// Requests received so far, refused ones included.
    pub fn requests(&self) -> u64 {
        self.service.requests.load(Ordering::Relaxed)
    }

    /// Stops listening and waits, not for long, until what is being answered has been.
    pub async fn stop(mut self) {
        // The server may have ended already; then there is nobody to tell.
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

/// The same with faults in front of the service.
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
    let service = Arc::new(Service {
        world,
        options,
        address,
        state: RwLock::new(state),
        requests: AtomicU64::new(0),
        tokens: Mutex::new(Tokens::default()),
    });
    let router = routes::router(&service);
    let router = match faults {
        Some(faults) => Faults::new(faults).around(router),
        None => router,
    };
    let (stop, stopped) = oneshot::channel();
    // A dropped sender means the same as a message.
    let stopped = async move {
        let _ = stopped.await;
    };
    // Serving ends when it is told to; errors of single connections end inside it.
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

/// The state beside `world`: a new one, or what its file says.
fn open_state(world: &World, options: &ServeOptions) -> Result<ServiceState, StateError> {
    let Some(path) = &options.state else {
        return ServiceState::open(world, Live::new(world, options.now), None);
    };
    let now = Live::new(world, options.now).now();
    let (journal, entries, start) = Journal::open(path, world, now.timestamp())?;
    let start = DateTime::from_timestamp(start, 0).unwrap_or(now);
    ServiceState::open(world, Live::new(world, Some(start)), Some((journal, entries)))
}
