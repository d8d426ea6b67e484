//! The state of a running service: the changes in its world, the answers given under an
//! Idempotency-Key, and the file that keeps both. One request at a time changes it.

use std::collections::{BTreeMap, VecDeque};

use super::journal::{Answered, Entry, Journal, StateError};
use super::live::{Command, Effect, Live, Refusal};
use super::world::World;

/// More answers than any client requests again; the oldest are dropped.
const MAX_ANSWERS: usize = 100_000;

/// The live state, with all data that must change together with it.
#[derive(Debug)]
pub struct ServiceState {
    pub live: Live,
    answers: BTreeMap<String, Answered>,
    /// Keys in order of arrival.
    keys: VecDeque<String>,
    journal: Option<Journal>,
}

impl ServiceState {
    /// The state over `live`, after the entries of its file.
    ///
    /// # Errors
    /// When the file contains a command that its own world refuses.
    pub fn open(
        world: &World,
        live: Live,
        journal: Option<(Journal, Vec<Entry>)>,
    ) -> Result<Self, StateError> {
        let mut state =
            Self { live, answers: BTreeMap::new(), keys: VecDeque::new(), journal: None };
        let Some((journal, entries)) = journal else { return Ok(state) };
        for entry in entries {
            if let Some(command) = &entry.command {
                let done = state.live.apply(world, command);
                done.map_err(|refusal| journal.refused(&entry, &refusal))?;
            }
            if let Some((key, answered)) = entry.answered {
                state.remember(key, answered);
            }
        }
        state.journal = Some(journal);
        Ok(state)
    }

    /// Executes `command`.
    ///
    /// # Errors
    /// When the state does not allow it.
    pub fn apply(&mut self, world: &World, command: &Command) -> Result<Effect, Refusal> {
        self.live.apply(world, command)
    }

    /// The answer given under this key.
    pub fn answered(&self, key: &str) -> Option<&Answered> {
        self.answers.get(key)
    }

    /// Keeps an executed command, and an answer with its key.
    ///
    /// # Errors
    /// When the file cannot be written. The command has taken effect all the same; the file is then
    /// behind, and every later write fails as well.
    pub fn keep(
        &mut self,
        command: Option<&Command>,
        answered: Option<(&str, &Answered)>,
    ) -> Result<(), StateError> {
        if let Some(journal) = &mut self.journal {
            journal.append(command, answered)?;
        }
        if let Some((key, answered)) = answered {
            self.remember(key.to_owned(), answered.clone());
        }
        Ok(())
    }

    fn remember(&mut self, key: String, answered: Answered) {
        self.answers.insert(key.clone(), answered);
        self.keys.push_back(key);
        if self.keys.len() > MAX_ANSWERS
            && let Some(oldest) = self.keys.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}
