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
    use crate::resolve::{self, Surroundings};
    use crate::tree::{Converter, Lines, Origin};

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

    #[test]
    fn states_the_defaults_that_the_program_takes() {
        let is_single =
            |path: &str| !["merchants", "ledgers", "banks"].iter().any(|one| path.starts_with(one));
        let lines: Vec<String> = leaves(ROOT, "")
            .into_iter()
            .filter(|(path, key)| !key.default.is_empty() && is_single(path))
            .map(|(path, key)| format!("{path} = {}\n", key.default))
            .collect();
        let load = |text: &str| {
            let folder = std::path::Path::new("");
            let converter = Converter {
                origin: Origin::File { path: folder, lines: Lines::new(text) },
                known_checks: &[],
                faults: std::cell::RefCell::default(),
            };
            let parsed = toml::de::DeTable::parse(text).unwrap();
            let root = converter.table(parsed.get_ref(), ROOT, "");
            let settings = resolve::settings(
                &root,
                &Surroundings { folder, api_key: None },
                crate::error::Faults::default(),
            );
            format!("{:#?}", settings.unwrap())
        };
        assert_eq!(load(&lines.concat()), load(""));
    }
}
