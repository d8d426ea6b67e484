//! The entries that may be parts of an adjustment together with others.

use super::choices::Part;
use super::disputes::{Disputes, name};
use super::explained::Explained;
use super::later::Late;
use tieout_matching::search::Entry;
use tieout_store::judging::Group;
use tieout_store::{StatementError, Store};

/// What no single kind has explained. The entries are numbered: the returns, then the movements.
pub(super) struct Others {
    pub late: Late,
    pub disputes: Disputes,
}

impl Others {
    /// The entries in reach of a group; balances are of party zero.
    pub fn of(&self, groups: &[Group], at: usize, has_disputes: bool) -> Vec<Entry> {
        let mut entries = self.late.beside(groups, at, 1);
        let free = if has_disputes { self.disputes.free(&groups[at]) } else { Vec::new() };
        entries.extend(free.into_iter().map(|number| {
            let movement = &self.disputes.moved[number].movement;
            let id = self.late.len() + number;
            Entry { party: 2 + number, ..movement.entry(id, movement.first()) }
        }));
        entries
    }

    /// A return or a movement of a dispute, in words.
    pub fn said(&self, part: &Part) -> String {
        match part.0.checked_sub(self.late.len()) {
            Some(at) => format!("dispute {}", self.disputes.moved[at].dispute_id),
            None => self.late.said(part.0),
        }
    }

    /// Counts the entries of a set to a group.
    pub fn take(
        &mut self,
        store: &Store,
        groups: &mut [Group],
        found: &mut [Explained],
        (at, set): (usize, &[Part]),
    ) -> Result<(), StatementError> {
        let behind = self.late.len();
        let returns = set.iter().filter(|part| part.0 < behind).map(|part| part.0).collect();
        self.late.take(store, groups, at, &returns)?;
        let moved = set.iter().filter(|part| part.0 >= behind);
        let moved: Vec<Part> = moved.map(|part| (part.0 - behind, part.1)).collect();
        self.disputes.used.extend(moved.iter().map(|part| part.0));
        let one = &mut found[at];
        (one.verdict, one.problem) = ("explained", None);
        one.said = name(&self.disputes.moved, &moved, &groups[at].currency);
        let parts = moved.iter().map(|part| (self.disputes.moved[part.0].dispute_id, part.1));
        one.parts.extend(parts);
        for (group, one) in groups.iter().zip(found) {
            // Another deposit has deducted what was missing.
            if group.left == 0 {
                one.verdict = "explained";
            }
        }
        Ok(())
    }
}
