//! A party: an entry, a pair or a set that the passes by days decide as a whole.

use chrono::NaiveDate;

use super::super::input::Terms;
use super::near::Crowd;

#[derive(Clone, Copy)]
pub(super) enum Of {
    Item(u32),
    Record(u32),
    Pair(u32),
    Set(u32),
    /// A bank transfer that has not settled: it may settle, or be refused, on any later date.
    Transfer,
}

pub(super) type Member = (Option<u128>, Vec<NaiveDate>);

/// The entries that are decided as a whole.
pub(super) struct Party {
    pub(super) of: Of,
    pub(super) members: Vec<Member>,
}

impl Party {
    pub(super) fn new(of: Of) -> Self {
        Self { of, members: Vec::new() }
    }

    pub(super) fn alone(of: Of, member: Member) -> Self {
        Self { of, members: vec![member] }
    }

    pub(super) fn add(&mut self, member: Member) {
        self.members.push(member);
    }

    pub(super) fn is_pair(&self) -> bool {
        matches!(self.of, Of::Pair(_))
    }

    /// Whether later entries can change it: it has a day after `settled`.
    pub(super) fn is_moving(&self, settled: NaiveDate) -> bool {
        let mut days = self.members.iter().flat_map(|one| &one.1);
        matches!(self.of, Of::Transfer) || days.any(|day| *day > settled)
    }

    pub(super) fn join(&self, crowd: &mut Crowd) {
        for (money, days) in &self.members {
            crowd.add(*money, days);
        }
    }

    pub(super) fn is_near(&self, crowd: &Crowd, own: u32, terms: &Terms) -> bool {
        self.members.iter().any(|(money, days)| crowd.is_near(*money, days, own, terms))
    }
}
