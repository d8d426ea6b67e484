//! The commented configuration that `tieout init` writes: every key, its default and its meaning.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::keys::ROOT;
use super::shape::{Key, Shape};

const OPENING: &str = "\
# Configuration of tieout. Every key stands here with its default; remove the # to change one.
# Lines that begin with ## are required before a run. tieout config shows what is in effect.
";

/// The section of `Filled::merchants`.
const MERCHANTS: &str = "merchants";

/// The values of a generated file.
#[derive(Clone, Debug, Default)]
pub struct Filled {
    /// Comment lines below the opening.
    pub notes: String,
    /// Values by the path of their key, as TOML.
    pub values: BTreeMap<&'static str, String>,
    /// The sections of the merchants.
    pub merchants: String,
}

/// The whole file. Without anything filled in it changes nothing: every key is commented.
pub fn template(filled: &Filled) -> String {
    let mut text = format!("{OPENING}{}", filled.notes);
    let (sections, single): (Vec<&Key>, Vec<&Key>) = ROOT.iter().partition(|key| is_section(key));
    text.push('\n');
    for key in single {
        line(&mut text, filled, (key.name, key.name), key);
    }
    for key in sections {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "\n# {}", key.means);
        match key.shape {
            Shape::Tables(keys) => {
                let _ = writeln!(text, "# [[{}]]", key.name);
                lines(&mut text, &Filled::default(), keys, (key.name, ""));
                if key.name == MERCHANTS {
                    text.push_str(&filled.merchants);
                }
            }
            Shape::Table(keys) => {
                let _ = writeln!(text, "[{}]", key.name);
                lines(&mut text, filled, keys, (key.name, ""));
            }
            _ => {
                let _ = writeln!(text, "[{}]\n# FUNDS_HELD = \"off\"", key.name);
            }
        }
    }
    text
}

fn is_section(key: &Key) -> bool {
    matches!(key.shape, Shape::Table(_) | Shape::Tables(_) | Shape::Checks)
}

/// The keys of a section; those of a table within it are written with its name before them.
fn lines(text: &mut String, filled: &Filled, keys: &[Key], (path, before): (&str, &str)) {
    for key in keys {
        let (path, name) = (format!("{path}.{}", key.name), format!("{before}{}", key.name));
        match key.shape {
            Shape::Table(keys) => lines(text, filled, keys, (&path, &format!("{name}."))),
            _ => line(text, filled, (&path, &name), key),
        }
    }
}

fn line(text: &mut String, filled: &Filled, (path, name): (&str, &str), known: &Key) {
    const COLUMN: usize = 44;
    let (mark, value) = match (filled.values.get(path), known.default) {
        (Some(value), _) => ("", value.as_str()),
        (None, "") if known.means.contains("required") => ("## ", placeholder(&known.shape)),
        (None, "") => ("# ", placeholder(&known.shape)),
        (None, default) => ("# ", default),
    };
    let setting = format!("{mark}{name} = {value}");
    let _ = writeln!(text, "{setting:<COLUMN$}  # {}", known.means);
}

/// Replaces a value that has no default.
fn placeholder(shape: &Shape) -> &'static str {
    match shape {
        Shape::List(_) => "[]",
        Shape::Number { .. } => "0",
        Shape::Flag => "true",
        Shape::Checks | Shape::Free(_) => "{}",
        _ => "\"\"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::leaves;

    fn parses(text: &str) -> bool {
        toml::de::DeTable::parse(text).is_ok()
    }

    #[test]
    fn is_valid_as_it_stands_and_with_every_key_set() {
        let text = template(&Filled::default());
        assert!(parses(&text));
        let set: Vec<&str> = text
            .lines()
            .filter_map(|line| match line.trim_start_matches('#').trim() {
                line if line.contains(" = ") || line.starts_with('[') => Some(line),
                _ => None,
            })
            .collect();
        assert!(parses(&set.join("\n")), "{}", set.join("\n"));
    }

    #[test]
    fn has_every_key() {
        let text = template(&Filled::default());
        for (path, key) in leaves(ROOT, "").iter().filter(|(path, _)| path != "checks") {
            assert!(text.contains(key.means), "{path}");
        }
    }
}
