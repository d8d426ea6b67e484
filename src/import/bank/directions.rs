//! Finds a column that says which way the money went and that nobody has mapped: read without it,
//! every debit would be a credit.

use std::collections::BTreeSet;

use crate::import::table::{Cells, Columns};
use crate::money::Minor;

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

/// A column that may be one.
struct Candidate {
    at: usize,
    header: String,
    words: BTreeSet<String>,
}

/// What the columns say that nobody has mapped.
pub(super) struct Directions {
    candidates: Vec<Candidate>,
    has_negative: bool,
}

impl Directions {
    /// Of a table whose amounts carry no direction that is mapped.
    pub(super) fn of(columns: &Columns) -> Self {
        let is_open = columns.direction.is_none() && columns.amount.is_some();
        let headers = columns.headers.iter().enumerate();
        let candidates = headers
            .filter(|(at, _)| is_open && !columns.is_mapped(*at))
            .map(|(at, header)| Candidate { at, header: header.clone(), words: BTreeSet::new() })
            .collect();
        Self { candidates, has_negative: false }
    }

    /// Drops the columns that say something else.
    pub(super) fn look_at(&mut self, cells: &Cells) {
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

    pub(super) fn note_amount(&mut self, amount: Minor) {
        self.has_negative |= amount.0 < 0;
    }

    /// The header of such a column, and its words; `None` when the amounts have signs of their
    /// own.
    pub(super) fn unmapped(self) -> Option<(String, String)> {
        if self.has_negative {
            return None;
        }
        let has_both = |candidate: &Candidate| {
            let has =
                |words: &[&str]| candidate.words.iter().any(|word| words.contains(&word.as_str()));
            (has(&OUT) && has(&IN)) || has(&CLEARLY_OUT)
        };
        let found = self.candidates.into_iter().find(has_both)?;
        let words: Vec<String> = found.words.into_iter().collect();
        Some((found.header, words.join(", ")))
    }
}
