//! The reference of the configuration: the text of `docs/configuration.md`, from the schema.

use std::fmt::Write as _;

use super::keys::ROOT;
use super::schema::join;
use super::shape::{Key, Shape};

/// Every key with a fixed name under `keys`, in the order of the schema.
pub(super) fn leaves(keys: &'static [Key], prefix: &str) -> Vec<(String, &'static Key)> {
    let mut found = Vec::new();
    for key in keys {
        let path = join(prefix, key.name);
        match &key.shape {
            Shape::Table(keys) | Shape::Tables(keys) => found.extend(leaves(keys, &path)),
            _ => found.push((path, key)),
        }
    }
    found
}

/// The tables of `docs/configuration.md`: the text between its marks.
pub fn markdown() -> String {
    let mut text = String::new();
    let top: Vec<_> = ROOT.iter().filter(|key| !is_section(key)).collect();
    table(&mut text, top.iter().map(|key| (key.name.to_owned(), *key)));
    for section in ROOT.iter().filter(|key| is_section(key)) {
        let brackets = match section.shape {
            Shape::Tables(_) => format!("[[{}]]", section.name),
            _ => format!("[{}]", section.name),
        };
        // Writing into a String cannot fail.
        let _ = write!(text, "\n## `{brackets}`\n\n{}\n\n", section.means);
        table(&mut text, leaves(std::slice::from_ref(section), "").into_iter());
    }
    text
}

fn is_section(key: &Key) -> bool {
    matches!(key.shape, Shape::Table(_) | Shape::Tables(_) | Shape::Checks)
}

fn table<'a>(text: &mut String, keys: impl Iterator<Item = (String, &'a Key)>) {
    text.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
    for (path, key) in keys {
        let Key { shape, default, means, .. } = key;
        let name = path.split_once('.').map_or(path.as_str(), |(_, name)| name);
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let value = value_of(shape);
        let _ = writeln!(text, "| `{name}` | {value} | {default} | {means} |");
    }
}

/// The form of a value, in words.
fn value_of(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Column => "header or number".to_owned(),
        Shape::Date => "date".to_owned(),
        Shape::Number { min, max } => format!("{min} to {max}"),
        Shape::Choice(words) => words.join(", "),
        Shape::List(element) => format!("list of {}", value_of(element)),
        Shape::Table(_) | Shape::Tables(_) => "table".to_owned(),
        Shape::Checks => "off, info, warning, error".to_owned(),
        Shape::Free(element) => format!("your word = {}", value_of(element)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::assert_generated;

    #[test]
    fn explains_every_key() {
        let silent = leaves(ROOT, "").into_iter().filter(|(_, key)| key.means.is_empty());
        let silent = silent.map(|(path, _)| path).collect::<Vec<_>>();
        assert!(silent.is_empty(), "keys without a meaning: {silent:?}");
        assert!(ROOT.iter().all(|section| !section.means.is_empty()));
    }

    #[test]
    fn the_book_has_the_reference() {
        assert_generated("docs/configuration.md", "-p tieout-config", &markdown());
    }
}
