//! The input of every command beside its own arguments: the global flags, the environment and the
//! clock. Settings are resolved when a command needs them, as some need none.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use chrono::NaiveDate;
use serde::Serialize;

use super::{CliError, GlobalArguments, LogFormatName};
use crate::night::NightError;
use tieout_config::{ConfigError, EffectiveValue, Settings, Sources};
use tieout_judge::check_codes;
use tieout_model::clock::{Clock, NOW_VARIABLE};
use tieout_model::dates;
use tieout_report::terminal;

/// The surroundings of a command.
#[derive(Clone, Debug)]
pub struct Context {
    pub global: GlobalArguments,
    pub environment: BTreeMap<String, String>,
    pub clock: Clock,
}

impl Context {
    /// Reads the clock, once for the whole invocation.
    ///
    /// # Errors
    /// When `TIEOUT_NOW` is not a moment.
    pub fn new(
        global: GlobalArguments,
        environment: BTreeMap<String, String>,
    ) -> Result<Self, CliError> {
        let substitute = environment.get(NOW_VARIABLE).filter(|value| !value.is_empty());
        let clock = Clock::read(substitute.map(String::as_str))?;
        Ok(Self { global, environment, clock })
    }

    /// The settings from file, environment and flags.
    ///
    /// # Errors
    /// When anything in them is wrong.
    pub fn settings(&self) -> Result<Settings, CliError> {
        self.with_checks(Settings::load)
    }

    /// Every key of the configuration with its value and where it comes from.
    ///
    /// # Errors
    /// When anything in it is wrong.
    pub fn effective(&self) -> Result<Vec<EffectiveValue>, CliError> {
        self.settings()?;
        self.with_checks(Settings::effective)
    }

    /// The result of `read` for the sources and the codes of all checks.
    fn with_checks<T>(
        &self,
        read: impl Fn(&Sources, &[&str]) -> Result<T, ConfigError>,
    ) -> Result<T, CliError> {
        let sources = Sources {
            config_file: self.global.config.clone(),
            environment: self.environment.clone(),
            db: self.global.db.clone(),
            out: self.global.out.clone(),
        };
        let custom = Settings::custom_checks(&sources)?;
        let codes = check_codes(&custom).map_err(NightError::from)?;
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        Ok(read(&sources, &codes)?)
    }

    /// The business dates that `text` names, sorted.
    ///
    /// # Errors
    /// When it names none that can be run.
    pub fn dates(&self, text: &str, settings: &Settings) -> Result<Vec<NaiveDate>, CliError> {
        dates::parse(text, self.clock.today(settings.time_zone)).map_err(CliError::Date)
    }

    /// The one business date that `text` names.
    ///
    /// # Errors
    /// When it names no date that can be run, or several.
    pub fn date(
        &self,
        option: &'static str,
        text: &str,
        settings: &Settings,
    ) -> Result<NaiveDate, CliError> {
        match self.dates(text, settings)?.as_slice() {
            [date] => Ok(*date),
            dates => Err(CliError::OneDate { option, found: dates.len() }),
        }
    }

    /// Writes `text` to standard output. A closed pipe, as after `head`, is not an error: the exit
    /// code still states how the command ended.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&self, text: &[u8]) -> Result<(), CliError> {
        write_to_reader(&mut io::stdout().lock(), text).map_err(CliError::Output)
    }

    /// Writes lines about something that failed to standard error, while the command goes on.
    pub fn complain(&self, text: &str) {
        // When standard error is closed as well, only the exit code is left.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Writes `value` to standard output as indented JSON.
    ///
    /// # Errors
    /// As [`Context::print`].
    pub fn print_json(&self, value: &impl Serialize) -> Result<(), CliError> {
        let mut text = serde_json::to_vec_pretty(value)
            .map_err(|error| CliError::Output(io::Error::other(error)))?;
        text.push(b'\n');
        self.print(&text)
    }

    /// Whether standard output shows colours.
    pub fn is_coloured(&self) -> bool {
        terminal::is_coloured(self.environment.get("NO_COLOR").map(String::as_str))
    }

    /// Whether progress bars are shown: on a terminal that nothing else is to be read from.
    pub fn shows_progress(&self) -> bool {
        !self.global.no_progress
            && self.global.quiet == 0
            && self.global.log_format == LogFormatName::Text
            && io::stderr().is_terminal()
    }
}

fn write_to_reader(out: &mut dyn Write, text: &[u8]) -> io::Result<()> {
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn carries_on_when_the_reader_has_gone() {
        assert!(write_to_reader(&mut Broken(io::ErrorKind::BrokenPipe), b"x").is_ok());
        assert!(write_to_reader(&mut Broken(io::ErrorKind::StorageFull), b"x").is_err());
    }
}
