//! The sets of open entries whose sums come nearest to a target, for a target that nothing adds up
//! to.

use super::{Entry, FEW, MAX_FEW, Part, Set};

/// A set with its sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    pub set: Set,
    pub sum: i128,
}

/// The `count` sets of at most [`FEW`] entries that come nearest to the target, the nearest first;
/// at equal distances the smaller set, then the earlier one. Of more than [`MAX_FEW`] entries only
/// the single nearest ones are combined.
#[must_use]
pub fn nearest(target: i64, entries: &[Entry], count: usize) -> Vec<Near> {
    let distance = |sum: i128| (i128::from(target) - sum).abs();
    let mut parts: Vec<Part> =
        entries.iter().flat_map(|one| one.amounts.iter().map(|amount| (one.id, *amount))).collect();
    parts.sort_by_key(|one| (distance(i128::from(one.1)), one.0));
    parts.truncate(MAX_FEW);
    let mut found: Vec<Near> = Vec::new();
    let mut begun: Vec<(Set, usize)> = vec![(Vec::new(), 0)];
    while let Some((set, from)) = begun.pop() {
        for (at, part) in parts.iter().enumerate().skip(from) {
            if set.iter().any(|one| one.0 == part.0) {
                continue;
            }
            let longer = [set.clone(), vec![*part]].concat();
            if longer.len() < FEW {
                begun.push((longer.clone(), at + 1));
            }
            let sum = longer.iter().map(|one| i128::from(one.1)).sum();
            found.push(Near { set: longer, sum });
        }
    }
    for one in &mut found {
        one.set.sort_unstable();
    }
    found.sort_by(|one, other| {
        let rank = |near: &Near| (distance(near.sum), near.set.len());
        rank(one).cmp(&rank(other)).then_with(|| one.set.cmp(&other.set))
    });
    // A set farther from the target than zero is explains nothing.
    found.retain(|one| distance(one.sum) < distance(0));
    found.truncate(count);
    found
}
