//! How a list is cut into pages: by cursor, in one order that never changes.

use std::fmt::Display;

use serde::Serialize;

use super::parameters::{Parameters, wrong};
use super::{Answer, json};
use crate::sandbox::wire::{Page, Problem};

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 100;

/// A list that is to be cut: its path, its parameters, and records in order of their keys.
pub struct List<'q, T> {
    pub path: &'static str,
    pub parameters: &'q Parameters,
    pub records: &'q [T],
}

impl<T> List<'_, T> {
    /// The page that the parameters ask for, of the records that `keep` lets through.
    ///
    /// `key` orders the records, strictly; `cursor` reads such a key from a parameter's value;
    /// `id` is what the links carry; `wire` is the JSON of a record.
    pub fn answer<K: Ord, I: Display, W: Serialize>(
        &self,
        keep: impl Fn(&T) -> bool,
        key: impl Fn(&T) -> K,
        cursor: impl Fn(&str, &str) -> Result<K, Problem>,
        id: impl Fn(&T) -> I,
        wire: impl Fn(&T) -> W,
    ) -> Answer {
        let limit = limit(self.parameters)?;
        let read =
            |name: &str| self.parameters.text(name).map(|text| cursor(name, text)).transpose();
        let (before, after) = (read("before")?, read("after")?);
        if before.is_some() && after.is_some() {
            let message = "Send before or after, not both".to_owned();
            return Err(wrong("before", "excluded by after", message));
        }
        let kept = |records: &[T]| records.iter().any(&keep);
        let (mut found, has_earlier, has_later): (Vec<&T>, bool, bool);
        if let Some(before) = before {
            let end = self.records.partition_point(|record| key(record) < before);
            let earlier = self.records[..end].iter().rev().filter(|record| keep(record));
            found = earlier.take(limit + 1).collect();
            has_earlier = found.len() > limit;
            found.truncate(limit);
            found.reverse();
            has_later = kept(&self.records[end..]);
        } else {
            let start = match after {
                Some(after) => self.records.partition_point(|record| key(record) <= after),
                None => 0,
            };
            let later = self.records[start..].iter().filter(|record| keep(record));
            found = later.take(limit + 1).collect();
            has_later = found.len() > limit;
            found.truncate(limit);
            has_earlier = kept(&self.records[..start]);
        }
        let link = |name, record: Option<&&T>, exists: bool| {
            record.filter(|_| exists).map(|record| self.link(name, &id(record), limit))
        };
        let next = link("after", found.last(), has_later);
        let previous = link("before", found.first(), has_earlier);
        let data: Vec<W> = found.iter().map(|record| wire(record)).collect();
        json(&Page::new(limit, data, next.as_deref(), previous.as_deref()))
    }

    fn link(&self, cursor: &str, id: &impl Display, limit: usize) -> String {
        let mut link = format!("{}?{cursor}={id}&limit={limit}", self.path);
        for (name, value) in self.parameters.without(&["before", "after", "limit"]) {
            link.push('&');
            link.push_str(&encode(name));
            link.push('=');
            link.push_str(&encode(value));
        }
        link
    }
}

fn limit(parameters: &Parameters) -> Result<usize, Problem> {
    let Some(number) = parameters.number("limit")? else { return Ok(DEFAULT_LIMIT) };
    match usize::try_from(number) {
        Ok(limit) if (1..=MAX_LIMIT).contains(&limit) => Ok(limit),
        _ => {
            let message = format!("Got {number} where 1 to {MAX_LIMIT} is needed");
            Err(wrong("limit", "out of range", message))
        }
    }
}

/// Percent-encodes everything that could end or change a query string.
fn encode(text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for nibble in [byte >> 4, byte & 15] {
                encoded.push(char::from(DIGITS[usize::from(nibble)]));
            }
        }
    }
    encoded
}
