//! Lays the environment over the tree of the configuration: `TIEOUT_API__BASE_URL` is
//! `api.base_url`. A variable that is set to nothing counts as not set.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toml::de::DeValue;

use super::error::{ConfigError, Faults, Place};
use super::keys::{CHECK_LEVELS, ROOT};
use super::schema;
use super::shape::{Key, Shape};
use super::tree::{self, Converter, Entry, Node, Origin, Table};
use tieout_model::clock::NOW_VARIABLE;

/// The variable that carries the API key, outside the scheme.
const API_KEY_VARIABLE: &str = "TIEOUT_API_KEY";
const PREFIX: &str = "TIEOUT_";
/// Larger arrays must be set in the file.
const MAX_INDEX: usize = 10_000;

/// Adds every `TIEOUT_` variable to its table. A variable that names no key, or whose value does
/// not fit, is a fault.
pub(super) fn overlay(
    root: &mut Table,
    environment: &BTreeMap<String, String>,
    known_checks: &[&str],
    faults: &mut Faults,
) {
    let variables = environment.iter().filter(|(_, value)| !value.is_empty());
    for (name, value) in variables {
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        if name == API_KEY_VARIABLE || name == NOW_VARIABLE {
            continue;
        }
        let segments: Vec<&str> = path.split("__").collect();
        let variable = Variable { name, value, known_checks };
        faults.note(variable.put_into_table(root, ROOT, "", &segments));
    }
}

/// The API key of the environment; a blank value counts as none.
pub(super) fn api_key(environment: &BTreeMap<String, String>) -> Option<&str> {
    environment.get(API_KEY_VARIABLE).map(String::as_str).filter(|key| !key.trim().is_empty())
}

struct Variable<'a> {
    name: &'a str,
    value: &'a str,
    known_checks: &'a [&'a str],
}

impl Variable<'_> {
    fn place(&self) -> Place {
        Place::Variable(self.name.to_owned())
    }

    fn unknown(&self) -> ConfigError {
        ConfigError::UnknownVariable {
            name: self.name.to_owned(),
            nearest: schema::nearest_variable(self.name),
        }
    }

    fn put_into_table(
        &self,
        table: &mut Table,
        keys: &[Key],
        path: &str,
        segments: &[&str],
    ) -> Result<(), ConfigError> {
        let [first, rest @ ..] = segments else { return Err(self.unknown()) };
        let name = first.to_lowercase();
        let Some(key) = schema::find(keys, &name) else {
            return Err(match tree::unknown_key(self.place(), keys, path, &name) {
                refused @ ConfigError::ApiKeyInConfiguration { .. } => refused,
                _ => self.unknown(),
            });
        };
        let path = schema::join(path, key.name);
        self.put(table, key.name, &key.shape, &path, rest)
    }

    /// Sets the key `name` of `table`, or descends into it while segments are left.
    fn put(
        &self,
        table: &mut Table,
        name: &str,
        shape: &Shape,
        path: &str,
        rest: &[&str],
    ) -> Result<(), ConfigError> {
        if rest.is_empty() {
            table.0.insert(name.to_owned(), self.value_of(shape, path)?);
            return Ok(());
        }
        let entry = table.0.entry(name.to_owned()).or_insert_with(|| self.empty(shape));
        match (shape, &mut entry.node) {
            (Shape::Table(keys), Node::Table(inner)) => {
                self.put_into_table(inner, keys, path, rest)
            }
            (Shape::Checks, Node::Table(inner)) => {
                let code = rest.join("__").to_uppercase();
                tree::known_check(&code, self.known_checks, self.place())?;
                self.put(inner, &code, &CHECK_LEVELS, &schema::join(path, &code), &[])
            }
            (Shape::Free(element), Node::Table(inner)) => {
                let word = rest.join("__");
                self.put(inner, &word, element, &schema::join(path, &word), &[])
            }
            (Shape::Tables(keys), Node::List(list)) => {
                let (index, rest) = self.index(rest)?;
                while list.len() <= index {
                    list.push(Entry { node: Node::Table(Table::default()), place: self.place() });
                }
                match &mut list[index].node {
                    Node::Table(inner) => {
                        self.put_into_table(inner, keys, &format!("{path}[{index}]"), rest)
                    }
                    _ => Err(self.unknown()),
                }
            }
            _ => Err(self.unknown()),
        }
    }

    fn index<'s>(&self, segments: &'s [&'s str]) -> Result<(usize, &'s [&'s str]), ConfigError> {
        let [first, rest @ ..] = segments else { return Err(self.unknown()) };
        match first.parse() {
            Ok(index) if index <= MAX_INDEX => Ok((index, rest)),
            _ => Err(self.unknown()),
        }
    }

    fn empty(&self, shape: &Shape) -> Entry {
        let node = match shape {
            Shape::Tables(_) | Shape::List(_) => Node::List(Vec::new()),
            _ => Node::Table(Table::default()),
        };
        Entry { node, place: self.place() }
    }

    /// The value: words and numbers as written, lists separated by commas or as TOML, tables as
    /// TOML.
    fn value_of(&self, shape: &Shape, path: &str) -> Result<Entry, ConfigError> {
        let place = self.place();
        match shape {
            Shape::Text
            | Shape::Flag
            | Shape::Column
            | Shape::Date
            | Shape::Choice(_)
            | Shape::Number { .. } => {
                let node = tree::scalar(self.value, shape, path, &place)?;
                Ok(Entry { node, place })
            }
            Shape::List(element) if !self.value.trim_start().starts_with('[') => {
                let convert = |(index, text): (usize, &str)| {
                    let path = format!("{path}[{index}]");
                    let node = tree::scalar(text.trim(), element, &path, &place)?;
                    Ok(Entry { node, place: place.clone() })
                };
                let elements = self.value.split(',').enumerate().map(convert);
                Ok(Entry { node: Node::List(elements.collect::<Result<_, _>>()?), place })
            }
            _ => {
                let converter = Converter {
                    origin: Origin::Variable(self.name),
                    known_checks: self.known_checks,
                    faults: RefCell::default(),
                };
                let value = DeValue::parse(self.value).map_err(|error| ConfigError::Syntax {
                    place,
                    message: error.message().replace('\n', ", "),
                })?;
                let entry = converter.entry(&value, shape, path)?;
                converter.faults.into_inner().or_value(Some(entry))
            }
        }
    }
}
