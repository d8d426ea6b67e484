//! One value of a report with its kind, and its form in CSV. A cell of text never begins with a
//! character that makes a spreadsheet read a formula.

use std::borrow::Cow;

use chrono::NaiveDate;

use super::visible::visible;
use tieout_model::money::{Currency, Minor};

/// A column of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnKind,
    /// The words of its heading, if they differ from its name.
    words: Option<&'static str>,
    /// Whether its amounts of several rows may be added up.
    pub adds_up: bool,
}

impl Column {
    /// A column whose heading has the words of its name, and whose amounts add up.
    pub const fn new(name: &'static str, kind: ColumnKind) -> Self {
        Self { name, kind, words: None, adds_up: true }
    }

    /// The same with another heading.
    #[must_use]
    pub const fn headed(self, words: &'static str) -> Self {
        Self { words: Some(words), ..self }
    }

    /// The same for amounts that have no total: of several dates, or of several kinds.
    #[must_use]
    pub const fn without_total(self) -> Self {
        Self { adds_up: false, ..self }
    }

    /// Its heading: `Batch ID` for `batch_id`.
    pub fn heading(&self) -> Cow<'static, str> {
        if let Some(words) = self.words {
            return Cow::Borrowed(words);
        }
        let mut words = self.name.replace('_', " ");
        if let Some(stem) =
            words.strip_suffix("id").filter(|stem| stem.ends_with([' ']) || stem.is_empty())
        {
            words = format!("{stem}ID");
        }
        Cow::Owned(capitalized(&words))
    }
}

/// `text` with a capital first letter.
pub fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The kind of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Amount,
    Count,
    Date,
    /// Percent with one decimal.
    Rate,
    /// Percent with two decimals.
    FineRate,
}

/// A value. `None` is unknown and written empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    Text(Cow<'a, str>),
    /// Also unknown if its currency is.
    Amount(Option<Minor>, Option<Currency>),
    /// An integer in a column of amounts: the figure of a check that counts.
    CountedAmount(Option<i64>),
    Count(Option<i64>),
    Date(Option<NaiveDate>),
    /// Tenths of a percent.
    Rate(Option<i64>),
    /// Hundredths of a percent.
    FineRate(Option<i64>),
}

impl<'a> Cell<'a> {
    /// A cell of text.
    pub fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// The code of a currency.
    pub fn currency(currency: Option<Currency>) -> Self {
        Self::Text(Cow::Borrowed(currency.map_or("", Currency::code)))
    }

    /// The cell as CSV holds it, before quoting.
    pub fn to_csv(&self) -> Cow<'_, str> {
        let written = match self {
            Self::Text(text) => return guarded(text),
            Self::Amount(Some(amount), Some(currency)) => Some(currency.format(*amount)),
            Self::Amount(..) => None,
            Self::CountedAmount(count) | Self::Count(count) => count.map(|count| count.to_string()),
            Self::Date(date) => date.map(|date| date.to_string()),
            Self::Rate(tenths) => tenths.map(|tenths| format!("{}.{}", tenths / 10, tenths % 10)),
            Self::FineRate(parts) => {
                parts.map(|parts| format!("{}.{:02}", parts / 100, parts % 100))
            }
        };
        Cow::Owned(written.unwrap_or_default())
    }
}

/// A leading apostrophe makes a spreadsheet show the text instead of evaluating it.
fn guarded(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if shown.starts_with(['=', '+', '-', '@']) { Cow::Owned(format!("'{shown}")) } else { shown }
}

/// `part` in tenths of a percent of `whole`, rounded half up; `None` without a whole.
pub fn rate_tenths(part: Option<i64>, whole: Option<i64>) -> Option<i64> {
    rate(part, whole, 1_000)
}

/// `part` in hundredths of a percent of `whole`, rounded half up; `None` without a whole, and for a
/// negative part.
pub fn rate_hundredths(part: Option<i64>, whole: Option<i64>) -> Option<i64> {
    rate(part, whole, 10_000)
}

fn rate(part: Option<i64>, whole: Option<i64>, scale: i128) -> Option<i64> {
    let (part, whole) = (i128::from(part?), i128::from(whole?));
    if whole <= 0 || part < 0 {
        return None;
    }
    i64::try_from((part * scale * 2 + whole) / (whole * 2)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_the_rate_half_up_with_integers() {
        let cases = [
            (0, 3, "0.0"),
            (1, 3, "33.3"),
            (2, 3, "66.7"),
            (3, 3, "100.0"),
            (1, 2_000, "0.1"), // 0.05 exactly
            (1_999, 2_000, "100.0"),
        ];
        for (part, whole, expected) in cases {
            let rate = Cell::Rate(rate_tenths(Some(part), Some(whole)));
            assert_eq!(rate.to_csv(), expected, "{part} of {whole}");
        }
        assert_eq!(rate_tenths(Some(0), Some(0)), None);
        assert_eq!(rate_tenths(None, Some(1)), None);
    }

    #[test]
    fn guards_text_that_a_spreadsheet_would_compute() {
        for (text, shown) in [("\tx", "\\tx"), ("\rx", "\\rx"), ("\n", "\\n")] {
            assert_eq!(Cell::text(text).to_csv(), shown);
        }
        for text in ["=1+1", "+1", "-1", "@sum"] {
            assert_eq!(Cell::text(text).to_csv(), format!("'{text}"));
        }
        for text in ["", "'=1", "a=b", "Pizza Doe", " =1"] {
            assert_eq!(Cell::text(text).to_csv(), text);
        }
        let usd = Currency::from_code("USD");
        assert_eq!(Cell::Amount(Some(Minor(-1_200)), usd).to_csv(), "-12.00");
        assert_eq!(Cell::Amount(Some(Minor(-1_200)), None).to_csv(), "");
    }
}
