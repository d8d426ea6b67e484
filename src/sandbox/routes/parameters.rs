//! Query and path parameters: read once, with problems that name the parameter.

use chrono::{DateTime, NaiveDate, Utc};

use crate::sandbox::wire::{FieldError, Problem};

/// The parameters of a query string, in order, as often as they were sent.
pub struct Parameters {
    pairs: Vec<(String, String)>,
}

impl Parameters {
    /// Wraps the decoded pairs.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        Self { pairs }
    }

    /// Every pair but those of that name, for the links.
    pub fn without(&self, names: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first value of that name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// A text between `low` and `high` characters.
    pub fn bounded(&self, name: &str, low: usize, high: usize) -> Result<Option<&str>, Problem> {
        let text = self.text(name);
        match text.filter(|text| !(low..=high).contains(&text.chars().count())) {
            Some(text) => Err(wrong(
                name,
                "wrong length",
                format!("Got {} characters where {low} to {high} are needed", text.chars().count()),
            )),
            None => Ok(text),
        }
    }

    /// A calendar date.
    pub fn date(&self, name: &str) -> Result<Option<NaiveDate>, Problem> {
        self.parsed(name, "not a date", "a date", |text| {
            // chrono alone would also take 2026-3-1.
            (text.len() == 10).then(|| text.parse().ok()).flatten()
        })
    }

    /// A moment.
    pub fn moment(&self, name: &str) -> Result<Option<DateTime<Utc>>, Problem> {
        self.parsed(name, "not a date and time", "a date and time", |text| {
            DateTime::parse_from_rfc3339(text).ok().map(|moment| moment.with_timezone(&Utc))
        })
    }

    /// A whole number.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Problem> {
        self.parsed(name, "not a number", "a number", |text| text.parse().ok())
    }

    /// All values of that name, each one of `allowed`; empty when none was sent.
    pub fn choices(&self, name: &str, allowed: &[&str]) -> Result<Vec<&str>, Problem> {
        let values: Vec<&str> = self.all(name).collect();
        match values.iter().find(|value| !allowed.contains(value)) {
            Some(value) => {
                let message = format!("Got {value} where one of {} is needed", allowed.join(", "));
                Err(wrong(name, "not an allowed value", message))
            }
            None => Ok(values),
        }
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let wanted = name.to_owned();
        self.pairs.iter().filter(move |(name, _)| *name == wanted).map(|(_, value)| value.as_str())
    }

    fn parsed<T>(
        &self,
        name: &str,
        detail: &'static str,
        needed: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match parse(text) {
            Some(value) => Ok(Some(value)),
            None => Err(wrong(name, detail, format!("Got {text} where {needed} is needed"))),
        }
    }
}

/// A 400 about one parameter.
pub fn wrong(name: &str, detail: &'static str, message: String) -> Problem {
    Problem::bad_request(FieldError::new(name, detail, message))
}

/// A 400 about a parameter that was not sent.
pub fn missing(name: &str) -> Problem {
    wrong(name, "missing", format!("A value for {name} is needed"))
}

/// The number in a path.
pub fn path_number(name: &str, text: &str) -> Result<i64, Problem> {
    text.parse()
        .map_err(|_| wrong(name, "not a number", format!("Got {text} where a number is needed")))
}
