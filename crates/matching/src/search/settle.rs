//! Which sets are taken: each only where its target has one and no other target needs a member.

use std::collections::{BTreeMap, BTreeSet};

/// What became of the targets of one kind of sets. A node is a target or an entry, numbered by the
/// leg such that one line that is a target here and an entry there is one node.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Targets with the one set of theirs, by its place among the sets of the target.
    pub taken: Vec<usize>,
    /// Targets and entries that several sets need, those that hang together in one.
    pub contested: Vec<BTreeSet<usize>>,
}

/// `wishes` are the sets of each target, as nodes without the target itself; targets that
/// `is_equal` says agree in everything that is compared are interchangeable: the first is served.
pub fn settle(
    wishes: &BTreeMap<usize, Vec<BTreeSet<usize>>>,
    is_equal: impl Fn(usize, usize) -> bool,
) -> Settled {
    let mut needed_by: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (&target, sets) in wishes {
        for &node in sets.iter().flatten().chain([&target]) {
            needed_by.entry(node).or_default().insert(target);
        }
    }
    let rivals = |target: usize| -> BTreeSet<usize> {
        let own = wishes[&target].iter().flatten().chain(std::iter::once(&target));
        own.flat_map(|node| needed_by[node].iter().copied()).collect()
    };
    let mut settled = Settled::default();
    let mut is_done: BTreeSet<usize> = BTreeSet::new();
    for (&target, sets) in wishes {
        if is_done.contains(&target) {
            continue;
        }
        let near = rivals(target);
        let is_alike = |other: &usize| is_equal(target, *other) && wishes[other] == wishes[&target];
        if sets.len() == 1 && near.iter().all(|other| *other == target || is_alike(other)) {
            settled.taken.push(target);
            is_done.extend(near);
            continue;
        }
        // Everything that hangs together through a member.
        let (mut all, mut waiting) = (BTreeSet::new(), vec![target]);
        while let Some(one) = waiting.pop() {
            if all.insert(one) {
                waiting.extend(rivals(one));
            }
        }
        let nodes = all.iter().flat_map(|one| wishes[one].iter().flatten().copied());
        settled.contested.push(nodes.chain(all.iter().copied()).collect());
        is_done.extend(all);
    }
    settled
}
