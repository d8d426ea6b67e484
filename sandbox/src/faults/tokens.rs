//! Short-lived tokens: revoked at random, or valid for a few requests.

use std::collections::HashMap;

use super::draw::hash;
use super::kinds::{Fault, FaultOptions};
use crate::random::Random;

/// Requests that a short-lived token allows, at most.
const SHORT_LIFE_REQUESTS: u32 = 12;

/// Requests that any token allows: enough that a client makes progress with each.
const FEWEST_REQUESTS: u64 = 5;

/// More tokens than a night requests; beyond this number the memory is cleared.
const REMEMBERED_TOKENS: usize = 100_000;

/// The uses of each token.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    used: HashMap<String, Use>,
}

#[derive(Debug, Default)]
struct Use {
    requests: u64,
    is_revoked: bool,
}

impl Tokens {
    /// Checks whether this use of the token is refused.
    pub(super) fn is_refused(&mut self, options: &FaultOptions, token: &str) -> bool {
        if self.used.len() > REMEMBERED_TOKENS {
            self.used.clear();
        }
        let token_use = self.used.entry(token.to_owned()).or_default();
        token_use.requests += 1;
        if token_use.requests > FEWEST_REQUESTS {
            let draw = |fault: Fault, number| {
                Random::new(options.seed, &[fault as u64, hash(token), number])
            };
            let has = |fault| options.faults.contains(&fault);
            let longest = u64::from(draw(Fault::ShortToken, 0).between(5, SHORT_LIFE_REQUESTS));
            token_use.is_revoked |= has(Fault::ShortToken) && token_use.requests > longest;
            token_use.is_revoked |= has(Fault::RevokedToken)
                && draw(Fault::RevokedToken, token_use.requests).chance(options.percent);
        }
        token_use.is_revoked
    }
}
