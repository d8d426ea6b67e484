//! A statement that a file holds twice, as files that were joined do: the second one says nothing
//! new. Two statements are the same when their heads (account, number, balances, period) and all
//! of their entries are.

use std::collections::HashMap;
use std::ops::Range;

use super::statement::{Entry, Statement};

/// The statements of a file so far, by their heads.
#[derive(Default)]
pub(super) struct Repeats {
    known: HashMap<String, Vec<Range<usize>>>,
}

impl Repeats {
    /// Ends the statement with this head, whose entries begin at `first`: those of a repeated one
    /// are passed over.
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

/// Whether entries differ in nothing but where they stand.
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
