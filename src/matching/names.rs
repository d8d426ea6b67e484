//! A map from ids to positions that a million lookups do not feel.
//!
//! The standard hasher takes a third of the reference pass. This one multiplies and folds; its
//! seed is drawn anew for each map, so that no file can be made to collide.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Ids by name.
pub(super) type NameMap<K> = HashMap<K, u32, Seeded>;

/// An empty map with room for `capacity` names.
pub(super) fn name_map<K>(capacity: usize) -> NameMap<K> {
    HashMap::with_capacity_and_hasher(capacity, Seeded::new())
}

#[derive(Clone)]
pub(super) struct Seeded {
    seed: u64,
    factor: u64,
}

impl Seeded {
    fn new() -> Self {
        let random = RandomState::new();
        // An odd factor loses no bits.
        Self { seed: random.hash_one(1), factor: random.hash_one(2) | 1 }
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding { state: self.seed, factor: self.factor }
    }
}

pub(super) struct Folding {
    state: u64,
    factor: u64,
}

impl Folding {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.factor);
        let bytes = product.to_le_bytes();
        let half = |from: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[from..from + 8]);
            u64::from_le_bytes(word)
        };
        self.state = half(0) ^ half(8);
    }
}

impl Hasher for Folding {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        let rest = chunks.remainder();
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(word));
        self.mix(bytes.len() as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.mix(byte.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_i64(&mut self, word: i64) {
        self.mix(word.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_names_apart_that_differ_in_length_or_in_one_byte() {
        let seeded = Seeded::new();
        let names = ["", "\0", "\0\0", "1", "10", "12345678", "123456789", "12345678\0", "2345678"];
        let hashes: std::collections::BTreeSet<u64> =
            names.iter().map(|name| seeded.hash_one(name)).collect();
        assert_eq!(hashes.len(), names.len());
    }
}
