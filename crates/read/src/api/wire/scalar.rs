//! Conversion of the API's scalar properties. Lenient with ids, strict with money.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, Utc};
use compact_str::ToCompactString;

use super::field::Shape;
use tieout_model::ShortText;
use tieout_model::dates::EARLIEST_YEAR;
use tieout_model::money::{Currency, MAX_AMOUNT_MINOR, Minor};

type Found = Cow<'static, str>;

/// Free text and open enums, as the API wrote them.
impl Shape<'_> for String {
    const EXPECTED: &'static str = "text";

    fn text(text: &str) -> Result<Self, Found> {
        Ok(text.to_owned())
    }
}

impl Shape<'_> for ShortText {
    const EXPECTED: &'static str = "text";

    fn text(text: &str) -> Result<Self, Found> {
        Ok(text.into())
    }
}

impl Shape<'_> for bool {
    const EXPECTED: &'static str = "true or false";

    fn boolean(value: bool) -> Result<Self, Found> {
        Ok(value)
    }
}

/// An amount in minor units.
impl Shape<'_> for Minor {
    const EXPECTED: &'static str = "an integer number of minor units";

    fn integer(number: i64) -> Result<Self, Found> {
        if number.unsigned_abs() > MAX_AMOUNT_MINOR.unsigned_abs() {
            return Err(format!("an amount beyond {MAX_AMOUNT_MINOR}").into());
        }
        Ok(Self(number))
    }
}

/// A number of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count(pub(super) i64);

impl Shape<'_> for Count {
    const EXPECTED: &'static str = "an integer";

    fn integer(number: i64) -> Result<Self, Found> {
        // The bound of amounts, for the same reason: counts are added up as well.
        if number.unsigned_abs() > MAX_AMOUNT_MINOR.unsigned_abs() {
            return Err(format!("a count beyond {MAX_AMOUNT_MINOR}").into());
        }
        Ok(Self(number))
    }
}

/// An id that is a number here and a string of digits in other parts of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumericId(pub(super) i64);

impl Shape<'_> for NumericId {
    const EXPECTED: &'static str = "a number";

    fn integer(number: i64) -> Result<Self, Found> {
        Ok(Self(number))
    }

    fn text(text: &str) -> Result<Self, Found> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        number.map(Self).ok_or_else(|| "text that is not a number".into())
    }
}

/// A text id whose leading zeros are significant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextId(pub(super) ShortText);

impl TextId {
    /// The id, `None` when it is empty.
    pub(super) fn filled(self) -> Option<ShortText> {
        Some(self.0).filter(|text| !text.is_empty())
    }
}

impl Shape<'_> for TextId {
    const EXPECTED: &'static str = "an id";

    fn text(text: &str) -> Result<Self, Found> {
        Ok(Self(text.into()))
    }

    fn integer(number: i64) -> Result<Self, Found> {
        Ok(Self(number.to_compact_string()))
    }
}

impl Shape<'_> for Currency {
    const EXPECTED: &'static str = "a currency of ISO 4217";

    fn text(text: &str) -> Result<Self, Found> {
        Self::from_code(text).ok_or_else(|| {
            // A short word in capitals contains no private data and identifies the fault.
            if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
                text.to_owned().into()
            } else {
                "other text".into()
            }
        })
    }
}

/// A calendar date, never converted.
impl Shape<'_> for NaiveDate {
    const EXPECTED: &'static str = "a date such as 2026-11-20";

    fn text(text: &str) -> Result<Self, Found> {
        date(text).ok_or_else(|| "text that is not such a date".into())
    }
}

/// A timestamp.
impl Shape<'_> for DateTime<Utc> {
    const EXPECTED: &'static str = "a moment such as 2026-11-20T17:05:31Z";

    fn text(text: &str) -> Result<Self, Found> {
        DateTime::parse_from_rfc3339(text)
            .map(|moment| moment.to_utc())
            .map_err(|_| "text that is not such a moment".into())
    }
}

/// The last four digits of a card or account number; `None` when it does not end with four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastFour(pub(super) Option<ShortText>);

impl Shape<'_> for LastFour {
    const EXPECTED: &'static str = "a masked number";

    fn text(text: &str) -> Result<Self, Found> {
        Ok(Self(last_four(text).map(ShortText::from)))
    }

    fn integer(number: i64) -> Result<Self, Found> {
        Self::text(&number.to_string())
    }
}

/// The last four characters when they are digits.
pub(in crate::api) fn last_four(text: &str) -> Option<&str> {
    let start = text.len().checked_sub(4)?;
    let digits = text.get(start..)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

/// Accepts only `YYYY-MM-DD`. A page has hundreds of dates, so no general parser is used.
fn date(text: &str) -> Option<NaiveDate> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_u32, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
        })
    };
    let year = i32::try_from(number(&bytes[..4])?).ok().filter(|year| *year >= EARLIEST_YEAR)?;
    NaiveDate::from_ymd_opt(year, number(&bytes[5..7])?, number(&bytes[8..])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::wire::field::Field;

    fn read<T: for<'de> Shape<'de>>(json: &str) -> Field<T> {
        serde_json::from_str(json).unwrap()
    }

    fn found<T: for<'de> Shape<'de> + std::fmt::Debug>(json: &str) -> String {
        match read::<T>(json) {
            Field::Wrong(found) => found.into_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn is_strict_with_amounts() {
        assert_eq!(read::<Minor>("-12"), Field::Known(Minor(-12)));
        assert_eq!(read::<Minor>("-0"), Field::Known(Minor(0)));
        assert_eq!(read::<Minor>("1000000000000000"), Field::Known(Minor(MAX_AMOUNT_MINOR)));
        assert_eq!(read::<Minor>("null"), Field::Absent);
        for (json, expected) in [
            ("1000000000000001", "an amount beyond 1000000000000000"),
            ("-9223372036854775808", "an amount beyond 1000000000000000"),
            ("18446744073709551615", "a number beyond 64 bits"),
            ("1e2", "a number with decimals or beyond 64 bits"),
            ("12.0", "a number with decimals or beyond 64 bits"),
            ("99999999999999999999", "a number with decimals or beyond 64 bits"),
            ("\"12\"", "text"),
            ("true", "true or false"),
            ("[1]", "a list"),
            ("{\"a\":1}", "an object"),
        ] {
            assert_eq!(found::<Minor>(json), expected, "{json}");
        }
    }

    #[test]
    fn is_lenient_with_ids() {
        assert_eq!(read::<NumericId>("\"0070418\""), Field::Known(NumericId(70_418)));
        assert_eq!(read::<TextId>("7300419926"), Field::Known(TextId("7300419926".into())));
        assert_eq!(found::<NumericId>("\"x7\""), "text that is not a number");
        assert_eq!(found::<NumericId>("\"\""), "text that is not a number");
        assert_eq!(found::<NumericId>("\"-7\""), "text that is not a number");
    }

    #[test]
    fn refuses_dates_that_do_not_exist() {
        assert!(matches!(read::<NaiveDate>("\"2024-02-29\""), Field::Known(_)));
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "2026-11-20T00:00:00Z",
            "2026/11/20",
            "1969-12-31",
        ] {
            let json = format!("\"{text}\"");
            assert_eq!(found::<NaiveDate>(&json), "text that is not such a date", "{text}");
        }
        assert_eq!(found::<DateTime<Utc>>("\"2026-11-20\""), "text that is not such a moment");
        let zoned = read::<DateTime<Utc>>("\"2026-11-20T18:00:00-05:00\"");
        assert_eq!(zoned, read("\"2026-11-20T23:00:00Z\""));
    }

    #[test]
    fn names_a_currency_that_iso_4217_does_not_know_unless_it_is_other_text() {
        assert_eq!(found::<Currency>("\"XYZ\""), "XYZ");
        assert_eq!(found::<Currency>("\"Noor Ibsen\""), "other text");
        assert_eq!(found::<Currency>("\"\""), "other text");
    }

    #[test]
    fn keeps_no_more_than_the_last_four_digits() {
        for (text, expected) in [
            ("411773******2045", Some("2045")),
            ("3307", Some("3307")),
            ("12345678901", Some("8901")),
            ("*****330", None),
            ("1234x", None),
            ("é123", None),
            ("", None),
        ] {
            assert_eq!(last_four(text), expected, "{text}");
        }
    }
}
