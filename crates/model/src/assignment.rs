//! The person, ticket and due date that a user assigned to a discrepancy.

use chrono::NaiveDate;
use serde::Serialize;

/// The assignment as of a business date; the default is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// The person who works on it; empty when unassigned.
    pub owner: String,
    /// The ticket; empty without one.
    pub ticket: String,
    pub due_date: Option<NaiveDate>,
    /// Empty without one.
    pub note: String,
}

impl Assignment {
    /// Whether nothing is assigned.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// `Anna Example, ticket FIN-12, due 2026-12-01: the bank was asked`; empty without an
    /// assignment.
    pub fn in_words(&self) -> String {
        let Self { owner, ticket, due_date, note } = self;
        let parts = [
            Some(owner.clone()).filter(|owner| !owner.is_empty()),
            Some(format!("ticket {ticket}")).filter(|_| !ticket.is_empty()),
            due_date.map(|date| format!("due {date}")),
        ];
        let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        match (parts.is_empty(), note.is_empty()) {
            (false, false) => format!("{parts}: {note}"),
            (true, false) => note.clone(),
            (_, true) => parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_one_line() {
        let text = |text: &str| text.to_owned();
        let due_date = "2026-12-01".parse().ok();
        for (assignment, words) in [
            (Assignment::default(), ""),
            (Assignment { owner: text("Anna"), ..Assignment::default() }, "Anna"),
            (Assignment { note: text("asked"), ..Assignment::default() }, "asked"),
            (
                Assignment { owner: text("Anna"), ticket: text("F-1"), due_date, note: text("x") },
                "Anna, ticket F-1, due 2026-12-01: x",
            ),
        ] {
            assert_eq!(assignment.in_words(), words);
            assert_eq!(assignment.is_none(), words.is_empty());
        }
    }
}
