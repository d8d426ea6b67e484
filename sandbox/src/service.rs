//! What every handler sees: the world and how it is served, what has happened in it, the tokens
//! that were handed out and the requests that were counted.

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

/// The key that a sandbox takes when nothing else is said. It opens nothing but the sandbox.
pub const API_KEY: &str = "sandbox-key";

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
    /// Nothing was asked for yet.
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

    /// Requests that were counted so far.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
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
