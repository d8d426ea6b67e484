//! Logging: to standard error, as text or JSON lines. Levels apply to this program alone; libraries
//! stay at warnings, as their debug output could hold a header or a body. A warning that repeats
//! for one subject after another is written once and counted.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata};
use tracing_subscriber::filter::{FilterExt, Targets};
use tracing_subscriber::layer::{Context, Filter, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// How a log line looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts logging. `verbosity` counts up with `-v` and down with `-q`; a second start in the
/// same process changes nothing.
pub fn start(format: LogFormat, verbosity: i16) {
    let levels = levels(verbosity).and(Repeats { are_written: verbosity > 0 });
    let stderr = tracing_subscriber::fmt::layer().with_writer(tieout_read::progress::writer);
    let started = match format {
        LogFormat::Text => tracing_subscriber::registry()
            .with(stderr.with_ansi(has_colours()).with_target(false).with_filter(levels))
            .try_init(),
        LogFormat::Json => tracing_subscriber::registry()
            .with(stderr.json().flatten_event(true).with_filter(levels))
            .try_init(),
    };
    // The error says that a subscriber is set already: in tests that share a process.
    drop(started);
}

fn has_colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn levels(verbosity: i16) -> Targets {
    let own = match verbosity {
        ..=-2 => LevelFilter::ERROR,
        -1 => LevelFilter::WARN,
        0 => LevelFilter::INFO,
        1 => LevelFilter::DEBUG,
        2.. => LevelFilter::TRACE,
    };
    let others = own.min(LevelFilter::WARN);
    Targets::new().with_default(others).with_target("tieout", own)
}

/// The warnings written so far, keyed by their text without the subject: the first, and the number
/// of repetitions.
static SAID: Mutex<BTreeMap<String, (String, u64)>> = Mutex::new(BTreeMap::new());

/// Drops a warning that was already written for another subject. The subject is in the field
/// `subject` or `listing`.
struct Repeats {
    are_written: bool,
}

impl<S> Filter<S> for Repeats {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        if self.are_written || *event.metadata().level() != Level::WARN {
            return true;
        }
        let mut said = Said::default();
        event.record(&mut said);
        if said.about.is_empty() {
            return true;
        }
        let cause = said.message.replace(&said.about, "");
        let mut causes = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, again)) = causes.get_mut(&cause) {
            *again += 1;
            return false;
        }
        causes.insert(cause, (said.message, 0));
        true
    }
}

/// The parts of an event.
#[derive(Default)]
struct Said {
    message: String,
    about: String,
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "listing" => self.about = format!("{value:?}"),
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "subject" {
            value.clone_into(&mut self.about);
        }
    }
}

/// Logs at the end of a run how often each warning was repeated.
pub fn count_repeats() {
    let said = std::mem::take(&mut *SAID.lock().unwrap_or_else(PoisonError::into_inner));
    for (first, again) in said.into_values().filter(|(_, again)| *again > 0) {
        tracing::warn!(again, "the same of {again} more: {first}");
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn raises_the_level_of_this_program_alone() {
        let cases = [
            (-2, false, false, false),
            (-1, true, false, false),
            (0, true, true, false),
            (1, true, true, true),
        ];
        for (verbosity, warns, informs, debugs) in cases {
            let levels = levels(verbosity);
            let enabled = |level| levels.would_enable("tieout::job", &level);
            let found = (enabled(Level::WARN), enabled(Level::INFO), enabled(Level::DEBUG));
            assert_eq!(found, (warns, informs, debugs), "verbosity {verbosity}");
            assert!(!levels.would_enable("hyper::proto", &Level::INFO));
        }
    }
}
