//! Draws the fault that hits a request from the seed, the fault, the request and its number of
//! sendings, so that the order of requests does not matter.

use std::collections::{HashMap, HashSet};

use axum::extract::Request;
use axum::http::{Method, header};

use super::kinds::{Fault, FaultOptions, Outcome};
use crate::random::{Random, mix};

/// Failures of one request in a row before it is let through: a client with six attempts gets its
/// answer, one that gives up after two does not.
const FAILURES_IN_A_ROW: u32 = 3;

/// More requests than any test sends; beyond this number the memory is cleared.
const REMEMBERED_REQUESTS: usize = 1_000_000;

/// The content of a request.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) query: String,
    hash: u64,
    pub(super) token: Option<String>,
    pub(super) is_page: bool,
}

impl Asked {
    pub(super) fn of(request: &Request) -> Self {
        let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        let authorization = request.headers().get(header::AUTHORIZATION);
        Self {
            path: path.to_owned(),
            query: query.to_owned(),
            hash: hash(&format!("{} {path}?{query}", request.method())),
            token: authorization.and_then(|value| value.to_str().ok()).map(str::to_owned),
            is_page: request.method() == Method::GET && path.starts_with("/v1/"),
        }
    }

    /// The value of a query parameter, as sent.
    pub(super) fn parameter(&self, wanted: &str) -> Option<&str> {
        self.query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(name, value)| (name == wanted).then_some(value))
    }

    /// Checks whether the request reads one record by its id.
    pub(super) fn is_one(&self) -> bool {
        self.path.trim_matches('/').split('/').count() > 2
    }

    pub(super) fn is_fees(&self) -> bool {
        self.path.ends_with("/ach-deposit-fees")
    }
}

/// The requests so far.
#[derive(Debug, Default)]
pub(super) struct Memory {
    requests: HashMap<u64, Past>,
    /// Requests whose page was served before.
    served: HashSet<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Past {
    sent: u64,
    failures_in_a_row: u32,
}

impl Memory {
    /// The transient fault that hits this sending of the request, if any.
    pub(super) fn passing(&mut self, options: &FaultOptions, asked: &Asked) -> Option<Fault> {
        if self.requests.len() > REMEMBERED_REQUESTS {
            self.requests.clear();
        }
        let past = self.requests.entry(asked.hash).or_default();
        past.sent += 1;
        let number = past.sent;
        let struck = options.faults.iter().copied().find(|fault| {
            let is_patient = *fault != Fault::SlowBody;
            fault.outcome() == Outcome::Passes
                && !matches!(fault, Fault::RevokedToken | Fault::ShortToken)
                && (past.failures_in_a_row < FAILURES_IN_A_ROW || !is_patient)
                && random(options, *fault, asked, number).chance(options.percent)
        });
        past.failures_in_a_row = match struck {
            None | Some(Fault::SlowBody) => 0,
            Some(_) => past.failures_in_a_row + 1,
        };
        struck
    }

    /// Checks whether the page of this request is served for the first time.
    pub(super) fn is_first(&mut self, asked: &Asked) -> bool {
        if self.served.len() > REMEMBERED_REQUESTS {
            self.served.clear();
        }
        self.served.insert(asked.hash)
    }
}

/// Checks whether a persistent fault hits the request, each time it is sent.
pub(super) fn strikes(options: &FaultOptions, fault: Fault, asked: &Asked) -> bool {
    options.faults.contains(&fault) && random(options, fault, asked, 0).chance(options.percent)
}

/// Random numbers for the effect of a fault on a request.
pub(super) fn details(options: &FaultOptions, fault: Fault, asked: &Asked, number: u64) -> Random {
    let mut random = random(options, fault, asked, number);
    // The first number has decided whether the fault hits at all.
    random.next();
    random
}

fn random(options: &FaultOptions, fault: Fault, asked: &Asked, number: u64) -> Random {
    Random::new(options.seed, &[fault as u64, asked.hash, number])
}

/// A hash of text that is the same on every machine.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}
