//! Puts the default of every key that nothing sets into the tree, as its declaration states it.

use std::cell::RefCell;

use toml::de::DeTable;

use super::shape::{Key, Shape};
use super::tree::{Converter, Entry, Node, Origin, Table};
use crate::error::Place;

/// Adds the defaults of `keys`, and of the tables among them. A column has none: where nothing
/// maps it, a file need not have the header that is its default.
pub(super) fn complete(table: &mut Table, keys: &[Key]) {
    for key in keys {
        match &key.shape {
            Shape::Table(keys) => {
                let node = || Entry { node: Node::Table(Table::default()), place: Place::Default };
                let entry = table.0.entry(key.name.to_owned()).or_insert_with(node);
                complete_entry(entry, keys);
            }
            Shape::Tables(keys) => {
                if let Some(Node::List(list)) = table.0.get_mut(key.name).map(|one| &mut one.node) {
                    for entry in list {
                        complete_entry(entry, keys);
                    }
                }
            }
            Shape::Column => {}
            _ if key.default.is_empty() || table.0.contains_key(key.name) => {}
            _ => table.0.extend(read(key).0),
        }
    }
}

/// The table of a section that sets nothing.
pub(super) fn of(keys: &[Key]) -> Table {
    let mut table = Table::default();
    complete(&mut table, keys);
    table
}

fn complete_entry(entry: &mut Entry, keys: &[Key]) {
    if let Node::Table(table) = &mut entry.node {
        complete(table, keys);
    }
}

/// The default of a key, read as the file is.
fn read(key: &Key) -> Table {
    let text = format!("{} = {}", key.name, key.default);
    let converter =
        Converter { origin: Origin::Default, known_checks: &[], faults: RefCell::default() };
    let parsed = DeTable::parse(&text).ok();
    let parsed =
        parsed.map(|table| converter.table(table.get_ref(), std::slice::from_ref(key), ""));
    parsed.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::ROOT;
    use crate::reference::leaves;

    #[test]
    fn every_default_has_the_shape_of_its_key() {
        for (path, key) in leaves(ROOT, "").iter().filter(|(_, key)| !key.default.is_empty()) {
            assert!(read(key).0.contains_key(key.name), "{path} = {}", key.default);
        }
    }
}
