//! The data of all handlers: the world and its options, the live state, the issued tokens and the
//! number of requests.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::live::Book;
use super::random::mix;
use super::state::ServiceState;
use super::world::World;
use super::world::records::Records;

/// The default key of a sandbox. It gives access to nothing but the sandbox.
pub const API_KEY: &str = "sandbox-key";

/// More tokens at once than any client needs; the oldest are dropped.
const MAX_TOKENS: usize = 1_000;

/// The target of the links in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The live service, as in the answers of its own test service: a client must take only the
    /// cursor. The same world then gives the same bytes on every port.
    Live,
    /// The address of the request.
    Here,
}

/// The options of serving a world.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says alone what a key or a service has")]
pub struct ServeOptions {
    /// The address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    pub api_key: String,
    /// Lifetime of a token.
    pub token_seconds: u64,
    /// The delay of every answer.
    pub delay_ms: u64,
    /// Whether the key has the operations of `/transactions`.
    pub transactions: bool,
    /// Whether the key may read `/disputes`.
    pub disputes: bool,
    /// Whether the key may list the terminals of a processing account.
    pub terminals: bool,
    /// The start of the sandbox's clock; by default the morning after the world's last date.
    pub now: Option<DateTime<Utc>>,
    /// The file that keeps the state across restarts.
    pub state: Option<PathBuf>,
    pub links: Links,
    /// Serves HTTPS with a self-signed certificate.
    pub tls: bool,
}

impl Default for ServeOptions {
    /// On a free port of this machine, with all operations that a key can have.
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

/// The data of all handlers.
#[derive(Debug)]
pub struct Service {
    pub world: Arc<World>,
    pub options: ServeOptions,
    /// The address on which it listens.
    pub address: SocketAddr,
    state: RwLock<ServiceState>,
    requests: AtomicU64,
    tokens: Mutex<Tokens>,
}

#[derive(Debug, Default)]
struct Tokens {
    issued: u64,
    /// Token to its ordinal and its expiry, if it has one.
    valid: BTreeMap<String, (u64, Option<Instant>)>,
}

impl Service {
    /// Begins without requests.
    pub fn new(
        world: Arc<World>,
        options: ServeOptions,
        address: SocketAddr,
        state: ServiceState,
    ) -> Self {
        Self {
            world,
            options,
            address,
            state: RwLock::new(state),
            requests: AtomicU64::new(0),
            tokens: Mutex::new(Tokens::default()),
        }
    }

    /// The records of the world.
    pub fn records(&self) -> &Records {
        self.world.records()
    }

    /// The live state, for reading.
    pub fn state(&self) -> RwLockReadGuard<'_, ServiceState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The live state, for one request at a time to change.
    pub fn state_to_change(&self) -> RwLockWriteGuard<'_, ServiceState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The world and the live state, read as one, with links to `base`.
    pub fn book<'s>(&'s self, state: &'s ServiceState, base: &'s str) -> Book<'s> {
        Book { base, ..state.live.book(&self.world) }
    }

    /// Counts one request.
    pub fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Requests counted so far.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// A new token, valid for `token_seconds`.
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

    /// Checks that the token was issued here and has not expired.
    pub fn accepts_token(&self, token: &str) -> bool {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.valid.get(token).is_some_and(|(_, end)| end.is_none_or(|end| Instant::now() < end))
    }
}
