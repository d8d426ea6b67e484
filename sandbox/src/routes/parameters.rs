//! Query and path parameters, read once, with problems that name the parameter.

use chrono::{DateTime, NaiveDate, Utc};

use crate::wire::{FieldError, Problem};

/// The parameters of a query string, in order, including repeated ones.
pub struct Parameters {
    pairs: Vec<(String, String)>,
}

/// The parameters that may be sent more than once.
const LISTS: [&str; 2] = ["type", "status"];

impl Parameters {
    /// Decodes a query string.
    ///
    /// # Errors
    /// When a parameter with a single value is sent twice, since its value is then ambiguous.
    pub fn new(query: Option<&str>) -> Result<Self, Problem> {
        let pairs: Vec<(String, String)> =
            form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
        for (at, (name, _)) in pairs.iter().enumerate() {
            let is_repeated = pairs[..at].iter().any(|(other, _)| other == name);
            if is_repeated && !LISTS.contains(&name.as_str()) {
                return Err(wrong(name, "sent twice", format!("One value for {name} is needed")));
            }
        }
        Ok(Self { pairs })
    }

    /// Every pair except those with the given names, for the links.
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
        self.parsed(name, "not a date", "a date", calendar_date)
    }

    /// A timestamp.
    pub fn moment(&self, name: &str) -> Result<Option<DateTime<Utc>>, Problem> {
        self.parsed(name, "not a date and time", "a date and time", |text| {
            DateTime::parse_from_rfc3339(text).ok().map(|moment| moment.with_timezone(&Utc))
        })
    }

    /// An integer.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Problem> {
        self.parsed(name, "not a number", "a number", whole_number)
    }

    /// All values of that name, each out of `allowed`; empty when none was sent.
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

/// A 400 for one parameter.
pub fn wrong(name: &str, detail: &'static str, message: String) -> Problem {
    Problem::bad_request(FieldError::new(name, detail, message))
}

/// A 400 for a missing parameter.
pub fn missing(name: &str) -> Problem {
    wrong(name, "missing", format!("A value for {name} is needed"))
}

/// The id of a payment, a return or a refund in a path.
pub fn path_id(name: &str, text: &str) -> Result<(), Problem> {
    match text.chars().count() {
        10 => Ok(()),
        count => {
            let message = format!("Got {count} characters where 10 are needed");
            Err(wrong(name, "wrong length", message))
        }
    }
}

/// The number in a path.
pub fn path_number(name: &str, text: &str) -> Result<i64, Problem> {
    whole_number(text).ok_or_else(|| not_a_number(name, text))
}

/// A 400 for a value that is not a number.
pub fn not_a_number(name: &str, text: &str) -> Problem {
    wrong(name, "not a number", format!("Got {text} where a number is needed"))
}

/// An integer of any length. One that does not fit becomes the nearest that does, since no id,
/// count or page size is that large.
pub fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let furthest = if digits.len() == text.len() { i64::MAX } else { i64::MIN };
    Some(text.parse().unwrap_or(furthest))
}

/// A date in the form of the contract; the parser alone would also accept 2026-3-1.
fn calendar_date(text: &str) -> Option<NaiveDate> {
    let has_form = text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if has_form { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_whole_numbers_of_any_length() {
        let cases = [
            ("0", Some(0)),
            ("-17", Some(-17)),
            ("007", Some(7)),
            ("99999999999999999999", Some(i64::MAX)),
            ("-99999999999999999999", Some(i64::MIN)),
            ("", None),
            ("-", None),
            ("+7", None),
            ("1.0", None),
            ("1e3", None),
            ("٣", None),
        ];
        for (text, expected) in cases {
            assert_eq!(whole_number(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_dates_in_one_form_only() {
        assert!(calendar_date("2026-02-28").is_some());
        for text in ["2026-02-29", "2026-2-28", "+2026-2-28", "2026-02-28T", "2026/02/28", ""] {
            assert_eq!(calendar_date(text), None, "{text}");
        }
    }
}
