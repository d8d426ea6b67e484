//! A map from ids to positions that a million lookups do not feel.
//!
//! The standard hasher takes a third of the reference pass. This one draws a seed for each map, so
//! that no file can be made to collide.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Ids by name.
pub(super) type NameMap<K> = HashMap<K, u32, RandomState>;

/// An empty map with room for `capacity` names.
pub(super) fn name_map<K>(capacity: usize) -> NameMap<K> {
    HashMap::with_capacity_and_hasher(capacity, RandomState::default())
}
