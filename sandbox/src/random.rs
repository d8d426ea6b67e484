//! A small deterministic generator (splitmix64): the same seed gives the same world on every
//! machine. Never for secrets.

/// The increment of splitmix64: the golden ratio in 64 bits, odd, so that it visits every state.
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of numbers that depends only on its seed and labels.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of `seed` for one purpose, so that one purpose never disturbs another.
    pub fn new(seed: u64, labels: &[u64]) -> Self {
        let state = labels.iter().fold(mix(seed ^ INCREMENT), |state, label| {
            mix(state.wrapping_add(INCREMENT) ^ mix(*label))
        });
        Self { state }
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        mix(self.state)
    }

    /// A number from `low` to `high`, both included.
    ///
    /// The remainder favours low numbers by less than one in 2^40 for the small ranges used here.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        assert!(low <= high, "a range runs forwards: {low}..={high}");
        let width = u64::from(high - low) + 1;
        low + u32::try_from(self.next() % width).unwrap_or(0)
    }

    /// As `between`, as an amount.
    pub fn amount(&mut self, low: u32, high: u32) -> i64 {
        i64::from(self.between(low, high))
    }

    /// As `between`, as an index below `length`, which is not zero.
    pub fn index(&mut self, length: usize) -> usize {
        let last = u32::try_from(length.saturating_sub(1)).unwrap_or(u32::MAX);
        self.between(0, last) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of `choices`, which is not empty.
    pub fn choose<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// A copy of one of `candidates`, or `None` without any.
    pub fn pick<T: Clone>(&mut self, candidates: &[T]) -> Option<T> {
        (!candidates.is_empty()).then(|| self.choose(candidates).clone())
    }
}

/// The finaliser of splitmix64; also a hash that spreads neighbouring ids.
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_same_numbers_for_the_same_seed_and_others_for_another() {
        let take = |seed, label| {
            let mut random = Random::new(seed, &[label]);
            [random.next(), random.next(), random.next()]
        };
        assert_eq!(take(1, 1), take(1, 1));
        assert_ne!(take(1, 1), take(2, 1));
        assert_ne!(take(1, 1), take(1, 2));
    }

    #[test]
    fn stays_between_its_bounds_and_reaches_both() {
        let mut random = Random::new(7, &[]);
        let numbers: Vec<u32> = (0..1_000).map(|_| random.between(3, 9)).collect();
        assert_eq!(numbers.iter().min(), Some(&3));
        assert_eq!(numbers.iter().max(), Some(&9));
    }
}
