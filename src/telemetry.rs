//! Logging: to standard error, as text or JSON lines. Levels apply to this program alone;
//! libraries stay at warnings, as their chatter could hold a header or a body.

use std::io::{self, IsTerminal};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt};
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
    let levels = levels(verbosity);
    let stderr = tracing_subscriber::fmt::layer().with_writer(crate::progress::writer);
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
    Targets::new().with_default(others).with_target(env!("CARGO_CRATE_NAME"), own)
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
