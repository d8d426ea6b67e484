//! Assigns discrepancies: the person, the ticket, the date until which it is due, and a note. Each
//! assignment is a row of the audit trail with all its fields.

use chrono::NaiveDate;

use super::NightError;
use super::decision_error::DecisionError;
use super::decisions::{counts_from, open_for_decisions, open_ids};
use super::said::{NAME, NOTE, OWNER, TICKET, required};
use tieout_config::Settings;
use tieout_model::Assignment;
use tieout_model::clock::Clock;
use tieout_store::{Act, AuditRow, NewAct, decisions, trail};

/// A field of an assignment to clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleared {
    Owner,
    Ticket,
    Due,
    Note,
}

/// The fields to set on discrepancies; a field left out keeps its value.
#[derive(Clone, Debug)]
pub struct Assigning<'text> {
    /// The person who assigns; when left out, the owner.
    pub by: Option<&'text str>,
    pub owner: Option<&'text str>,
    pub ticket: Option<&'text str>,
    pub due_date: Option<NaiveDate>,
    pub note: Option<&'text str>,
    pub cleared: Vec<Cleared>,
}

/// Assigns open discrepancies, all or none.
///
/// # Errors
/// When an id is not an open discrepancy, a text is refused, or no person is named. Nothing is
/// assigned then.
pub fn assign(
    settings: &Settings,
    clock: Clock,
    ids: &[String],
    said: &Assigning<'_>,
) -> Result<Vec<AuditRow>, NightError> {
    let text = |option, kind, text: Option<&str>| {
        text.map(|text| required(option, kind, text)).transpose()
    };
    let by = text("--by", &NAME, said.by)?;
    let new = New {
        owner: text("--to", &OWNER, said.owner)?,
        ticket: text("--ticket", &TICKET, said.ticket)?,
        due_date: said.due_date,
        note: text("--note", &NOTE, said.note)?,
    };
    let (_lock, store) = open_for_decisions(settings)?;
    let ids = open_ids(&store, ids)?;
    let first = counts_from(settings, clock, &store)?;
    let before = decisions::assignments(&store, first)?;
    let mut assigned = Vec::new();
    for id in ids {
        let before = before.get(&id).cloned().unwrap_or_default();
        if before.is_none() && new.is_nothing() {
            return Err(DecisionError::NotAssigned { id }.into());
        }
        let after = new.after(&before, &said.cleared);
        let owners = [&after.owner, &before.owner].into_iter().find(|owner| !owner.is_empty());
        let who = by.as_ref().or(owners).ok_or(DecisionError::NobodySays { id: id.clone() })?;
        assigned.push((id, who.clone(), after));
    }
    let acts = assigned.iter().map(|(id, who, after)| NewAct {
        act: Act::Assign,
        subject: id,
        business_date: first,
        until: None,
        who,
        note: &after.note,
        assigned: Some(after),
    });
    Ok(trail::record_all(&store, &acts.collect::<Vec<_>>(), clock.now())?)
}

/// The fields to set, after the checks of their text.
struct New {
    owner: Option<String>,
    ticket: Option<String>,
    due_date: Option<NaiveDate>,
    note: Option<String>,
}

impl New {
    fn is_nothing(&self) -> bool {
        self.due_date.is_none()
            && [&self.owner, &self.ticket, &self.note].iter().all(|text| text.is_none())
    }

    fn after(&self, before: &Assignment, cleared: &[Cleared]) -> Assignment {
        let kept = |what: Cleared| !cleared.contains(&what);
        let text = |new: &Option<String>, before: &str, what: Cleared| {
            let before = Some(before.to_owned()).filter(|_| kept(what));
            new.clone().or(before).unwrap_or_default()
        };
        Assignment {
            owner: text(&self.owner, &before.owner, Cleared::Owner),
            ticket: text(&self.ticket, &before.ticket, Cleared::Ticket),
            due_date: self.due_date.or(before.due_date.filter(|_| kept(Cleared::Due))),
            note: text(&self.note, &before.note, Cleared::Note),
        }
    }
}
