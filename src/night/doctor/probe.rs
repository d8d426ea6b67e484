//! The result of one probe.

use serde::Serialize;

use crate::exit::Exit;

/// How a probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    Warning,
    Failed,
}

/// The result of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    pub name: &'static str,
    pub state: State,
    pub found: String,
    /// The remedy, where there is one.
    pub hint: Option<String>,
    /// The exit code that a run would end with because of it.
    #[serde(skip)]
    pub exit: Exit,
}

impl Probe {
    pub(super) fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Ok, found: found.into(), hint: None, exit: Exit::Done }
    }

    pub(super) fn warning(name: &'static str, found: impl Into<String>, hint: &str) -> Self {
        let hint = Some(hint.to_owned());
        Self { name, state: State::Warning, found: found.into(), hint, exit: Exit::Done }
    }

    pub(super) fn failed(
        name: &'static str,
        found: impl Into<String>,
        hint: Option<String>,
    ) -> Self {
        Self { name, state: State::Failed, found: found.into(), hint, exit: Exit::Failed }
    }

    pub(super) fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }
}
