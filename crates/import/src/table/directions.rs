//! Finds a column that says which way the money went and that nobody has mapped: read without it,
//! every debit would be a credit.

use std::collections::BTreeSet;

use super::TableError;
use super::cells::{Cells, folded};
use super::columns::Columns;

/// Words of banks, in small letters: money in, and money out.
const IN: [&str; 12] = [
    "c",
    "cr",
    "credit",
    "h",
    "haben",
    "bij",
    "+",
    "in",
    "crdt",
    "deposit",
    "kredit",
    "gutschrift",
];
const OUT: [&str; 13] = [
    "d",
    "dr",
    "debit",
    "s",
    "soll",
    "af",
    "-",
    "out",
    "dbit",
    "withdrawal",
    "debet",
    "lastschrift",
    "payment",
];

/// Words that leave no doubt where no word for money in stands beside them.
const CLEARLY_OUT: [&str; 5] = ["dr", "debit", "dbit", "soll", "af"];

/// Headers of a ledger that name such a column, in small letters. Words alone do not: a column of
/// credit and debit cards holds the same.
const HEADERS: [&str; 17] = [
    "s/h",
    "sh",
    "h/s",
    "d/c",
    "c/d",
    "dc",
    "dr/cr",
    "cr/dr",
    "drcr",
    "debit/credit",
    "credit/debit",
    "debit credit",
    "direction",
    "sign",
    "af/bij",
    "bij/af",
    "+/-",
];

/// A column that may be one.
struct Candidate {
    at: usize,
    header: String,
    words: BTreeSet<String>,
}

/// What the columns say that nobody has mapped.
pub(crate) struct Directions {
    candidates: Vec<Candidate>,
    has_negative: bool,
    /// Our name of the column that they belong to.
    key: &'static str,
}

impl Directions {
    /// Of a bank's table whose amounts carry no direction that is mapped.
    pub fn of_bank(columns: &Columns) -> Self {
        let is_open = columns.direction.is_none();
        Self::new(columns, "direction", |_| is_open)
    }

    /// Of a ledger whose kinds nobody has mapped.
    pub fn of_ledger(columns: &Columns) -> Self {
        let is_open = columns.kind.is_none();
        let names_it = |header: &str| {
            let header = folded(header);
            let is_known = HEADERS.contains(&&*header);
            is_known || header.contains("soll") || header.contains("haben")
        };
        Self::new(columns, "kind", |header| is_open && names_it(header))
    }

    fn new(columns: &Columns, key: &'static str, is_one: impl Fn(&str) -> bool) -> Self {
        let has_amount = columns.amount.is_some();
        let headers = columns.headers.iter().enumerate();
        let candidates = headers
            .filter(|(at, header)| has_amount && !columns.is_mapped(*at) && is_one(header))
            .map(|(at, header)| Candidate { at, header: header.clone(), words: BTreeSet::new() })
            .collect();
        Self { candidates, has_negative: false, key }
    }

    /// Drops the columns that say something else.
    pub(crate) fn look_at(&mut self, cells: &Cells) {
        self.candidates.retain_mut(|candidate| {
            let word = cells.get(candidate.at).to_lowercase();
            if word.is_empty() {
                return true;
            }
            let is_direction = IN.contains(&word.as_str()) || OUT.contains(&word.as_str());
            candidate.words.insert(word);
            is_direction
        });
    }

    /// Notes a row whose amount has a sign of its own.
    pub(crate) fn note_negative(&mut self) {
        self.has_negative = true;
    }

    /// An error when there is such a column, and the amounts have no signs of their own.
    pub fn check(self) -> Result<(), TableError> {
        match self.unmapped() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn unmapped(self) -> Option<TableError> {
        if self.has_negative {
            return None;
        }
        let key = self.key;
        let has_both = |candidate: &Candidate| {
            let has =
                |words: &[&str]| candidate.words.iter().any(|word| words.contains(&word.as_str()));
            (has(&OUT) && has(&IN)) || (key == "direction" && has(&CLEARLY_OUT))
        };
        let found = self.candidates.into_iter().find(has_both)?;
        let words: Vec<String> = found.words.into_iter().collect();
        let (header, words) = (found.header, words.join(", "));
        Some(TableError::DirectionNotMapped { header, words, key })
    }
}
