//! Amounts and dates as machines write them in statements.

use chrono::NaiveDate;

use tieout_model::money::{Currency, MAX_AMOUNT_MINOR, Minor};

/// Reads digits with at most one decimal separator, in major units. Trailing zeros beyond the
/// currency's decimals are ignored.
pub(super) fn major(text: &str, separators: &[char], currency: Currency) -> Option<Minor> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = digits.split_once(separators).unwrap_or((digits, ""));
    if whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let exponent = currency.exponent() as usize;
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > exponent {
        return None;
    }
    let zeros = std::iter::repeat_n(b'0', exponent - decimals.len());
    let magnitude = digits_of(whole.bytes().chain(decimals.bytes()).chain(zeros))?;
    Some(Minor(if is_negative { -magnitude } else { magnitude }))
}

/// As `major`, where a machine may have written for people: the last separator is the decimal one,
/// other separators group thousands, and spaces are ignored.
pub(super) fn written(text: &str, currency: Currency) -> Option<Minor> {
    let text: String = text.chars().filter(|one| !one.is_whitespace()).collect();
    let Some(at) = text.rfind([',', '.']) else { return major(&text, &['.'], currency) };
    let (whole, decimals) = (&text[..at], &text[at + 1..]);
    let groups: Vec<&str> = whole.split([',', '.']).collect();
    let marks: Vec<char> = whole.chars().filter(|one| matches!(one, ',' | '.')).collect();
    let is_grouped = groups.iter().skip(1).all(|group| group.len() == 3)
        && marks.iter().all(|mark| !text[at..].starts_with(*mark));
    is_grouped.then(|| major(&format!("{}.{decimals}", groups.concat()), &['.'], currency))?
}

/// Reads digits in the minor unit, with or without a sign.
pub(super) fn minor(text: &str) -> Option<Minor> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() {
        return None;
    }
    let magnitude = digits_of(digits.bytes())?;
    Some(Minor(if is_negative { -magnitude } else { magnitude }))
}

fn digits_of(mut bytes: impl Iterator<Item = u8>) -> Option<i64> {
    bytes
        .try_fold(0_i64, |sum, byte| {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            sum.checked_mul(10)?.checked_add(digit)
        })
        .filter(|sum| *sum <= MAX_AMOUNT_MINOR)
}

/// `261120` as 20 November 2026.
pub(super) fn short_date(text: &str) -> Option<NaiveDate> {
    let is_plain = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { NaiveDate::parse_from_str(&format!("20{text}"), "%Y%m%d").ok() } else { None }
}

/// The date that `20261120…` or `2026-11-20…` begins with.
pub(super) fn leading_date(text: &str) -> Option<NaiveDate> {
    let plain = text.get(..8).filter(|head| head.bytes().all(|byte| byte.is_ascii_digit()));
    match plain {
        Some(plain) => NaiveDate::parse_from_str(plain, "%Y%m%d").ok(),
        None => text.get(..10)?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_amounts_to_the_minor_unit_or_not_at_all() {
        let usd = Currency::from_code("USD").unwrap();
        let jpy = Currency::from_code("JPY").unwrap();
        let cases = [
            ("12.34", usd, Some(1_234)),
            ("12", usd, Some(1_200)),
            ("12,", usd, Some(1_200)),
            ("12.5", usd, Some(1_250)),
            ("-12.34000", usd, Some(-1_234)),
            ("+0,01", usd, Some(1)),
            ("1200", jpy, Some(1_200)),
            ("1200.00", jpy, Some(1_200)),
            ("1200.5", jpy, None),
            ("12.345", usd, None),
            ("1.234,50", usd, None),
            ("", usd, None),
            (".", usd, None),
            ("1e3", usd, None),
            ("99999999999999999999", usd, None),
        ];
        let people = [
            ("1,234.50", Some(123_450)),
            ("1.234,5", Some(123_450)),
            ("- 20.00", Some(-2_000)),
            ("1,234", None),
            ("1.2.3", None),
            ("12", Some(1_200)),
        ];
        for (text, expected) in people {
            assert_eq!(written(text, usd), expected.map(Minor), "{text}");
        }
        for (text, currency, expected) in cases {
            assert_eq!(major(text, &['.', ','], currency), expected.map(Minor), "{text}");
        }
    }
}
