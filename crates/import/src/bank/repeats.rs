//! Finds statements that a file contains twice, as joined files do: the second one adds nothing.
//! Two statements are the same when their heads (account, number, balances, period) and all of
//! their entries are equal.

use std::collections::HashMap;
use std::ops::Range;

use super::statement::{Entry, Statement};

/// The statements of a file so far, by their heads.
#[derive(Default)]
pub(super) struct Repeats {
    known: HashMap<String, Vec<Range<usize>>>,
}

impl Repeats {
    /// Ends the statement with this head, whose entries begin at `first`. The entries of a repeated
    /// one are skipped.
    pub(super) fn end(&mut self, head: String, first: usize, statement: &mut Statement) {
        let end = statement.entries.len();
        let Some(entries) = statement.entries.get(first..).filter(|one| !one.is_empty()) else {
            return;
        };
        let before = self.known.entry(head).or_default();
        let is_repeated = before.iter().filter_map(|range| statement.entries.get(range.clone()));
        if !is_repeated.into_iter().any(|other| are_equal(entries, other)) {
            before.push(first..end);
            return;
        }
        for entry in statement.entries.split_off(first) {
            statement.skip(entry.line, "of a statement that the file holds twice");
        }
    }
}

/// Checks that entries differ only in their position.
fn are_equal(entries: &[Entry], others: &[Entry]) -> bool {
    let content = |entry: &Entry| {
        let mut content = entry.clone();
        content.line = 0;
        for part in &mut content.parts {
            part.line = 0;
        }
        content
    };
    entries.len() == others.len()
        && entries.iter().zip(others).all(|(one, other)| content(one) == content(other))
}
