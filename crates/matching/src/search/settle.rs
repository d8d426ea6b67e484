//! Decides which sets are taken: a target's only set, if no other target needs a member of it.

use std::collections::{BTreeMap, BTreeSet};

/// The decisions for the targets of one kind of sets. A node is a target or an entry. The leg
/// numbers them so that a line that is a target here and an entry there is one node.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Targets whose only set is taken.
    pub taken: Vec<usize>,
    /// Targets and entries that several sets need, grouped by the links between them.
    pub contested: Vec<BTreeSet<usize>>,
}

/// `wishes` are the sets of each target, as nodes without the target itself. Targets for which
/// `is_equal` holds agree in everything that is compared and are interchangeable: the first is
/// served.
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
        // Collects all targets linked through a common member.
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

/// Gives each target its own of the entries that agree in everything that is compared: `twins` are
/// the groups of them. The sets name the first of a group, and its others serve as well, if there are
/// as many as are needed.
pub fn share(wishes: &mut BTreeMap<usize, Vec<BTreeSet<usize>>>, twins: &[Vec<usize>]) {
    for alike in twins {
        let of_group = |set: &BTreeSet<usize>| alike.iter().filter(|one| set.contains(one)).count();
        let is_choice = |sets: &Vec<BTreeSet<usize>>| {
            sets.len() > 1 && sets.iter().any(|set| of_group(set) > 0)
        };
        let needed: usize = wishes.values().flatten().map(of_group).sum();
        if needed > alike.len()
            || wishes.values().any(is_choice)
            || alike.iter().any(|one| wishes.contains_key(one))
        {
            continue;
        }
        let mut left = alike.iter().copied();
        for set in wishes.values_mut().flatten() {
            let own = of_group(set);
            set.retain(|node| !alike.contains(node));
            set.extend(left.by_ref().take(own));
        }
    }
}
