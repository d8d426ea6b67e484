//! Searches the keys of the configuration by name.

use super::keys::ROOT;
use super::nearest::{edit_distance, nearest};
use super::shape::{Key, Shape};

/// The key of that name among `keys`.
pub(super) fn find<'a>(keys: &'a [Key], name: &str) -> Option<&'a Key> {
    keys.iter().find(|key| key.name == name)
}

/// The full path of the key that an unknown `name` under `prefix` most likely means: a typing error
/// in its own table, else a key of exactly that name in another table, else the nearest in its own.
pub(super) fn nearest_key(keys: &[Key], prefix: &str, name: &str) -> String {
    /// A typing error changes no more than this; more is another word.
    const SLIP_EDITS: usize = 2;
    let sibling = nearest(name, keys.iter().map(|key| key.name)).unwrap_or_default();
    let is_slip = edit_distance(name, sibling) <= SLIP_EDITS;
    let elsewhere = || all_paths("").into_iter().find(|path| path.rsplit('.').next() == Some(name));
    let slip = is_slip.then(|| join(prefix, sibling));
    slip.or_else(elsewhere).unwrap_or_else(|| join(prefix, sibling))
}

/// The name of the environment variable that an unknown one most likely means.
pub(super) fn nearest_variable(name: &str) -> String {
    let mut known: Vec<String> = all_paths("0")
        .iter()
        .map(|path| format!("TIEOUT_{}", path.to_uppercase().replace('.', "__")))
        .collect();
    known.push("TIEOUT_API_KEY".to_owned());
    known.push("TIEOUT_NOW".to_owned());
    nearest(name, known.iter().map(String::as_str)).unwrap_or_default().to_owned()
}

/// `name` under `prefix`, as messages write it.
pub(super) fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Every key with a fixed name; `index` (or nothing) replaces the position in an array.
fn all_paths(index: &str) -> Vec<String> {
    let mut paths = Vec::new();
    collect_paths(ROOT, "", index, &mut paths);
    paths
}

fn collect_paths(keys: &[Key], prefix: &str, index: &str, paths: &mut Vec<String>) {
    for key in keys {
        let path = join(prefix, key.name);
        match key.shape {
            Shape::Table(keys) => collect_paths(keys, &path, index, paths),
            Shape::Tables(keys) if index.is_empty() => collect_paths(keys, &path, index, paths),
            Shape::Tables(keys) => collect_paths(keys, &join(&path, index), index, paths),
            _ => paths.push(path),
        }
    }
}
