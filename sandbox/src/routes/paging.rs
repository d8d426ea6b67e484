//! Divides a list into pages: by cursor, in one fixed order.

use std::fmt::Display;

use serde::Serialize;

use super::answer::{Answer, json};
use super::parameters::{Parameters, wrong};
use crate::live::Book;
use crate::wire::{Page, Problem, percent_encoded};

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 100;

/// A list to divide: its path, its parameters, and its records in order of their keys: those of the
/// world, then the live ones.
pub struct List<'q, T> {
    pub book: Book<'q>,
    pub path: &'q str,
    pub parameters: &'q Parameters,
    pub records: [&'q [T]; 2],
}

impl<'q, T> List<'q, T> {
    /// The page that the parameters request, of the records that `keep` admits.
    ///
    /// `key` orders the records strictly; `cursor` reads such a key from a parameter's value; `id`
    /// is the id in the links; `wire` is the JSON of a record.
    pub fn answer<K: Ord, I: Display, W: Serialize>(
        &self,
        keep: impl Fn(&T) -> bool,
        key: impl Fn(&T) -> K,
        cursor: impl Fn(&str, &str) -> Result<K, Problem>,
        id: impl Fn(&T) -> I,
        wire: impl Fn(&'q T) -> W,
    ) -> Answer {
        let limit = limit(self.parameters)?;
        let read =
            |name: &str| self.parameters.text(name).map(|text| cursor(name, text)).transpose();
        if self.parameters.text("before").is_some() && self.parameters.text("after").is_some() {
            let message = "Send before or after, not both".to_owned();
            return Err(wrong("before", "excluded by after", message));
        }
        let (before, after) = (read("before")?, read("after")?);
        let (mut found, has_earlier, has_later): (Vec<&'q T>, bool, bool);
        if let Some(before) = before {
            let end = self.partition(|record| key(record) < before);
            let earlier = self.between(0, end).rev().filter(|record| keep(record));
            found = earlier.take(limit + 1).collect();
            has_earlier = found.len() > limit;
            found.truncate(limit);
            found.reverse();
            has_later = self.between(end, self.len()).any(&keep);
        } else {
            let start = match after {
                Some(after) => self.partition(|record| key(record) <= after),
                None => 0,
            };
            let later = self.between(start, self.len()).filter(|record| keep(record));
            found = later.take(limit + 1).collect();
            has_later = found.len() > limit;
            found.truncate(limit);
            has_earlier = self.between(0, start).any(&keep);
        }
        let link = |name, record: Option<&&'q T>, exists: bool| {
            record.filter(|_| exists).map(|record| self.link(name, &id(record), limit))
        };
        let next = link("after", found.last(), has_later);
        let previous = link("before", found.first(), has_earlier);
        let data: Vec<W> = found.iter().map(|record| wire(*record)).collect();
        json(&Page::new(self.book, limit, data, (next.as_deref(), previous.as_deref())))
    }

    fn len(&self) -> usize {
        self.records.iter().map(|part| part.len()).sum()
    }

    /// Number of leading records for which `is_before` is true.
    fn partition(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let [first, second] = self.records;
        match first.partition_point(&is_before) {
            all if all == first.len() => all + second.partition_point(is_before),
            some => some,
        }
    }

    /// The records from `start` up to, and without, `end`.
    fn between(&self, start: usize, end: usize) -> impl DoubleEndedIterator<Item = &'q T> {
        let [first, second] = self.records;
        let split = first.len();
        let head = &first[start.min(split)..end.min(split)];
        let tail = &second[start.max(split) - split..end.max(split) - split];
        head.iter().chain(tail)
    }

    fn link(&self, cursor: &str, id: &impl Display, limit: usize) -> String {
        let mut link = format!("{}?{cursor}={id}&limit={limit}", self.path);
        for (name, value) in self.parameters.without(&["before", "after", "limit"]) {
            link.push('&');
            link.push_str(&percent_encoded(name));
            link.push('=');
            link.push_str(&percent_encoded(value));
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
