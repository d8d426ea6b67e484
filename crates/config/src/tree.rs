//! The configuration as a tree of checked values, each with its place. Types, ranges and names are
//! checked here; rules between several values are not.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use chrono::NaiveDate;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::error::{ConfigError, Faults, Place};
use super::keys::CHECK_LEVELS;
use super::nearest::nearest;
use super::schema;
use super::shape::{Key, Shape};

/// Longer texts are cut in messages.
const MAX_SHOWN_CHARS: usize = 60;

/// A table of the configuration.
#[derive(Debug, Default)]
pub(super) struct Table(pub BTreeMap<String, Entry>);

/// A value and its place.
#[derive(Debug)]
pub(super) struct Entry {
    pub node: Node,
    pub place: Place,
}

#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    Number(i64),
    Flag(bool),
    List(Vec<Entry>),
    Table(Table),
}

/// The value of a key that has a default: [`super::defaults::complete`] puts it into the tree.
pub(super) fn declared<T>(value: Option<T>) -> T {
    value.unwrap_or_else(|| unreachable!("a key with a default has a value"))
}

static EMPTY: Table = Table(BTreeMap::new());

impl Table {
    /// The table of that name, or an empty one.
    pub fn table(&self, name: &str) -> &Table {
        match self.0.get(name).map(|entry| &entry.node) {
            Some(Node::Table(table)) => table,
            _ => &EMPTY,
        }
    }

    /// The text of that name with its place.
    pub fn text(&self, name: &str) -> Option<(&str, &Place)> {
        self.0.get(name).and_then(Entry::text)
    }

    /// The text of that name alone.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.text(name).map(|(text, _)| text)
    }

    /// The number of that name. The schema has bounded it, so that it fits the types of the
    /// settings.
    pub fn own_number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        match self.0.get(name).map(|entry| &entry.node) {
            Some(Node::Number(number)) => T::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The number of a key that has a default.
    pub fn number<T: TryFrom<i64>>(&self, name: &str) -> T {
        declared(self.own_number(name))
    }

    /// The truth of a key that has a default.
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|entry| matches!(entry.node, Node::Flag(true)))
    }

    /// Whether the file or the environment holds the key.
    pub fn is_set(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|entry| entry.place != Place::Default)
    }

    /// The elements of the list of that name; none when it is not there.
    pub fn list(&self, name: &str) -> &[Entry] {
        match self.0.get(name).map(|entry| &entry.node) {
            Some(Node::List(list)) => list,
            _ => &[],
        }
    }
}

impl Entry {
    /// The text, when it is one.
    pub fn text(&self) -> Option<(&str, &Place)> {
        match &self.node {
            Node::Text(text) => Some((text, &self.place)),
            _ => None,
        }
    }

    /// The table, or an empty one.
    pub fn table(&self) -> &Table {
        match &self.node {
            Node::Table(table) => table,
            _ => &EMPTY,
        }
    }
}

/// Turns parsed TOML into a tree; each fault names its place.
pub(super) struct Converter<'a> {
    pub origin: Origin<'a>,
    pub known_checks: &'a [&'a str],
    /// The faults so far; the rest of the tree is still read, to find the other faults.
    pub faults: RefCell<Faults>,
}

/// The source of the TOML.
pub(super) enum Origin<'a> {
    File {
        path: &'a Path,
        lines: Lines,
    },
    Variable(&'a str),
    /// The declaration of a key.
    Default,
}

/// Where the lines of a text end, since every value is asked for its line.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(end, _)| end).collect())
    }

    /// The line of the byte `offset`, from 1 on.
    fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

impl Converter<'_> {
    /// The place of the byte `offset`.
    pub fn place(&self, offset: usize) -> Place {
        match &self.origin {
            Origin::File { path, lines } => {
                Place::File { path: path.to_path_buf(), line: lines.of(offset) }
            }
            Origin::Variable(name) => Place::Variable((*name).to_owned()),
            Origin::Default => Place::Default,
        }
    }

    /// The value of the key `path`, checked against its shape.
    pub fn entry(
        &self,
        value: &Spanned<DeValue<'_>>,
        shape: &Shape,
        path: &str,
    ) -> Result<Entry, ConfigError> {
        let place = self.place(value.span().start);
        let node = match (shape, value.get_ref()) {
            (Shape::List(element), DeValue::Array(array)) => self.list(array, element, path),
            (Shape::Tables(keys), DeValue::Array(array)) => {
                self.list(array, &Shape::Table(keys), path)
            }
            (Shape::Table(keys), DeValue::Table(table)) => {
                Node::Table(self.table(table, keys, path))
            }
            (Shape::Checks, DeValue::Table(table)) => self.checks(table, path),
            (Shape::Free(element), DeValue::Table(table)) => self.free(table, element, path),
            (Shape::Number { .. }, DeValue::Integer(number)) => {
                let digits = number.as_str().replace('_', "");
                let number = i64::from_str_radix(&digits, number.radix());
                let found = describe(value.get_ref());
                bounded(number.ok(), shape).ok_or_else(|| refuse(&place, path, shape, found))?
            }
            (Shape::Date, DeValue::Datetime(date)) => {
                scalar(&date.to_string(), shape, path, &place)?
            }
            (Shape::Flag, DeValue::Boolean(truth)) => Node::Flag(*truth),
            (Shape::Column, DeValue::Integer(number)) => {
                scalar(number.as_str(), shape, path, &place)?
            }
            (
                Shape::Text | Shape::Column | Shape::Date | Shape::Choice(_),
                DeValue::String(text),
            ) => scalar(text, shape, path, &place)?,
            (_, other) => return Err(refuse(&place, path, shape, describe(other))),
        };
        Ok(Entry { node, place })
    }

    /// A table with fixed keys.
    pub fn table(&self, table: &DeTable<'_>, keys: &[Key], path: &str) -> Table {
        let mut entries = BTreeMap::new();
        for (name, value) in table {
            let place = self.place(name.span().start);
            let Some(key) = schema::find(keys, name.get_ref()) else {
                self.refuse(unknown_key(place, keys, path, name.get_ref()));
                continue;
            };
            let entry = self.entry(value, &key.shape, &schema::join(path, key.name));
            entries.extend(self.note(entry).map(|entry| (key.name.to_owned(), entry)));
        }
        Table(entries)
    }

    fn list(&self, array: &DeArray<'_>, element: &Shape, path: &str) -> Node {
        let convert =
            |(index, value)| self.note(self.entry(value, element, &format!("{path}[{index}]")));
        Node::List(array.iter().enumerate().filter_map(convert).collect())
    }

    fn checks(&self, table: &DeTable<'_>, path: &str) -> Node {
        let mut entries = BTreeMap::new();
        for (code, value) in table {
            let code_text = code.get_ref().as_ref();
            let known = known_check(code_text, self.known_checks, self.place(code.span().start));
            let entry = self.entry(value, &CHECK_LEVELS, &schema::join(path, code_text));
            if let (Some(()), Some(entry)) = (self.note(known), self.note(entry)) {
                entries.insert(code_text.to_owned(), entry);
            }
        }
        Node::Table(Table(entries))
    }

    fn free(&self, table: &DeTable<'_>, element: &Shape, path: &str) -> Node {
        let mut entries = BTreeMap::new();
        for (word, value) in table {
            let entry = self.entry(value, element, &schema::join(path, word.get_ref()));
            entries.extend(self.note(entry).map(|entry| (word.get_ref().to_string(), entry)));
        }
        Node::Table(Table(entries))
    }

    fn note<T>(&self, result: Result<T, ConfigError>) -> Option<T> {
        self.faults.borrow_mut().note(result)
    }

    fn refuse(&self, fault: ConfigError) {
        self.faults.borrow_mut().add(fault);
    }
}

/// Accepts every code, while the user's own checks are not known yet.
pub(super) const ANY_CHECK: &str = "*";

/// Refuses a check code that no check has.
pub(super) fn known_check(code: &str, known: &[&str], place: Place) -> Result<(), ConfigError> {
    if known.contains(&code) || known.contains(&ANY_CHECK) {
        return Ok(());
    }
    let nearest = nearest(code, known.iter().copied()).unwrap_or_default().to_owned();
    Err(ConfigError::UnknownCheck { place, code: code.to_owned(), nearest })
}

/// A scalar that was written as text, checked against its shape.
pub(super) fn scalar(
    text: &str,
    shape: &Shape,
    path: &str,
    place: &Place,
) -> Result<Node, ConfigError> {
    let refused = || refuse(place, path, shape, quote(text));
    match shape {
        Shape::Text | Shape::Column => Ok(Node::Text(text.to_owned())),
        Shape::Flag => text.parse().map(Node::Flag).map_err(|_| refused()),
        Shape::Date if text.parse::<NaiveDate>().is_ok() => Ok(Node::Text(text.to_owned())),
        Shape::Choice(words) if words.contains(&text) => Ok(Node::Text(text.to_owned())),
        Shape::Number { .. } => bounded(text.trim().parse().ok(), shape).ok_or_else(refused),
        _ => Err(refused()),
    }
}

/// The error for an unknown key; a key of the API gets its own.
pub(super) fn unknown_key(place: Place, keys: &[Key], prefix: &str, name: &str) -> ConfigError {
    let key = schema::join(prefix, name);
    if ["api_key", "api.api_key", "api.key"].contains(&key.as_str()) {
        return ConfigError::ApiKeyInConfiguration { place, key };
    }
    ConfigError::UnknownKey { place, key, nearest: schema::nearest_key(keys, prefix, name) }
}

fn bounded(number: Option<i64>, shape: &Shape) -> Option<Node> {
    match (number, shape) {
        (Some(number), Shape::Number { min, max }) if (*min..=*max).contains(&number) => {
            Some(Node::Number(number))
        }
        _ => None,
    }
}

fn refuse(place: &Place, path: &str, shape: &Shape, found: String) -> ConfigError {
    ConfigError::Value {
        place: place.clone(),
        key: path.to_owned(),
        expected: expectation(shape),
        found,
        hint: None,
    }
}

/// The expected value of a shape, in words.
fn expectation(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text in quotes".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Column => "a header in quotes, or the number of a column".to_owned(),
        Shape::Date => "a date that exists, such as \"2026-12-24\"".to_owned(),
        Shape::Number { min, max } => format!("a whole number from {min} to {max}"),
        Shape::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            quoted.join(" or ")
        }
        Shape::List(element) => format!("a list, each element {}", expectation(element)),
        Shape::Table(_) | Shape::Checks | Shape::Free(_) => "a table".to_owned(),
        Shape::Tables(_) => "an array of tables".to_owned(),
    }
}

/// `text` in quotes, on one line and not too long.
pub(super) fn quote(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let shown: String = printable.take(MAX_SHOWN_CHARS).collect();
    let more = if text.chars().count() > MAX_SHOWN_CHARS { "…" } else { "" };
    format!("\"{shown}{more}\"")
}

fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quote(text),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(truth) => format!("the boolean {truth}"),
        DeValue::Datetime(moment) => format!("the date {moment}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
