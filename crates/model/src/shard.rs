//! A share of the merchants, for a night that is spread over several machines.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::MerchantId;

/// More shards bring no benefit: all of them share the rate limit of one key.
pub const MAX_SHARDS: u32 = 1_024;

/// One of several shards. Counting from 0 or from 1 gives the same shares: shard 4 of 4 is shard 0
/// of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    index: u32,
    count: u32,
}

/// A text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{found}\" is not a shard, expected I/N such as 1/4, with N from 1 to {MAX_SHARDS}")]
pub struct ShardError {
    found: String,
}

impl Shard {
    /// Shard `index` of `count`.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        let is_known = (1..=MAX_SHARDS).contains(&count) && index <= count;
        is_known.then(|| Self { index: index % count, count })
    }

    /// All shards of a count; the last one has index 0.
    pub fn all(count: u32) -> impl Iterator<Item = Self> {
        (1..=count).filter_map(move |index| Self::new(index, count))
    }

    /// Of how many it is one.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Where its own reports lie, below those of the whole.
    pub fn folder(self) -> String {
        format!("shards/{}", self.to_string().replace('/', "-of-"))
    }

    /// Whether this shard looks for unconfigured merchants on behalf of all shards.
    pub fn finds_the_unknown(self) -> bool {
        self.index == 0
    }

    /// Whether the merchant belongs to the shard. The shard depends on the id alone, so that a
    /// merchant that joins or leaves moves no other.
    pub fn holds(self, merchant: &MerchantId) -> bool {
        let digest = Sha256::digest(merchant.as_str().as_bytes());
        let number =
            digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(self.count) == u64::from(self.index)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = if self.index == 0 { self.count } else { self.index };
        write!(formatter, "{number}/{}", self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let refused = || ShardError { found: text.to_owned() };
        let (index, count) = text.split_once('/').ok_or_else(refused)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| refused());
        Self::new(number(index)?, number(count)?).ok_or_else(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_merchant_is_in_exactly_one_shard_however_they_are_counted() {
        for count in [1, 2, 3, 7, 64] {
            for merchant in 0..500 {
                let merchant = MerchantId::from(format!("45256{merchant:05}").as_str());
                for first in [0, 1] {
                    let holders = (first..first + count)
                        .filter(|index| Shard::new(*index, count).unwrap().holds(&merchant));
                    assert_eq!(holders.count(), 1);
                }
            }
        }
    }

    #[test]
    fn reads_and_writes_itself() {
        for (text, written) in [("1/4", "1/4"), ("0/4", "4/4"), ("4/4", "4/4"), ("0/1", "1/1")] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), written);
        }
        for text in ["", "1", "/4", "5/4", "1/0", "-1/4", "a/b", "1/2/3", "1/5000"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
