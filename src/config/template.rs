//! The commented configuration that `tieout init` writes: every key, its default and its meaning.

use std::fmt::Write as _;

use super::reference::{self, about};
use super::schema::{Key, ROOT, Shape};

const OPENING: &str = "\
# Configuration of tieout. Every key stands here with its default; remove the # to change one.
# What begins with ## is required before a run. tieout config shows what is in effect.
";

/// The whole file. As it stands it changes nothing: every key is commented.
pub fn template() -> String {
    let mut text = OPENING.to_owned();
    let (sections, single): (Vec<&Key>, Vec<&Key>) = ROOT.iter().partition(|key| is_section(key));
    text.push('\n');
    for key in single {
        line(&mut text, key.name, key.name, &key.shape);
    }
    for key in sections {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "\n# {}", about(key.name));
        match key.shape {
            Shape::Tables(keys) => {
                let _ = writeln!(text, "# [[{}]]", key.name);
                lines(&mut text, keys, key.name, "");
            }
            Shape::Table(keys) => {
                let _ = writeln!(text, "[{}]", key.name);
                lines(&mut text, keys, key.name, "");
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
fn lines(text: &mut String, keys: &[Key], path: &str, before: &str) {
    for key in keys {
        let (path, name) = (format!("{path}.{}", key.name), format!("{before}{}", key.name));
        match key.shape {
            Shape::Table(keys) => lines(text, keys, &path, &format!("{name}.")),
            _ => line(text, &path, &name, &key.shape),
        }
    }
}

fn line(text: &mut String, path: &str, name: &str, shape: &Shape) {
    const COLUMN: usize = 44;
    let Some(known) = reference::of(path) else { return };
    let (mark, value) = match known.default {
        "" if known.means.contains("required") => ("##", placeholder(shape)),
        "" => ("#", placeholder(shape)),
        default => ("#", default),
    };
    let setting = format!("{mark} {name} = {value}");
    let _ = writeln!(text, "{setting:<COLUMN$}  # {}", known.means);
}

/// Stands for a value that has no default.
fn placeholder(shape: &Shape) -> &'static str {
    match shape {
        Shape::List(_) => "[]",
        Shape::Number { .. } => "0",
        Shape::Free(_) => "{}",
        _ => "\"\"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::reference::KEYS;

    fn parses(text: &str) -> bool {
        toml::de::DeTable::parse(text).is_ok()
    }

    #[test]
    fn is_valid_as_it_stands_and_with_every_key_set() {
        let text = template();
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
        let text = template();
        for key in KEYS.iter().filter(|key| key.path != "checks") {
            assert!(text.contains(key.means), "{}", key.path);
        }
    }
}
