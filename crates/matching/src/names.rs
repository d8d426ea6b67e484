//! A map from ids to positions with a fast hasher, for millions of lookups.
//!
//! The standard hasher takes a third of the reference pass. This one draws a seed for each map, so
//! that no file can be made to collide.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Positions by id.
pub(super) type NameMap<K> = HashMap<K, u32, RandomState>;

/// An empty map with room for `capacity` names.
pub(super) fn name_map<K>(capacity: usize) -> NameMap<K> {
    HashMap::with_capacity_and_hasher(capacity, RandomState::default())
}
