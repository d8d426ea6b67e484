//! Amounts in major units with configured separators, read into integers.

use crate::money::{Currency, MAX_AMOUNT_MINOR, Minor};

use super::excerpt::excerpt;

/// The separators of a ledger file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separators {
    pub decimal: char,
    pub thousands: char,
}

/// Reads `cell`, such as `1,234.50`, `-12.34`, `12.34-` or `(12.34)`.
///
/// Thousands must stand in groups of three: read loosely, `12.34` in a file with decimal
/// commas would silently become 1,234.
pub(crate) fn parse(
    cell: &str,
    separators: Separators,
    currency: Currency,
) -> Result<Minor, String> {
    let (is_negative, digits) = split_sign(cell.trim());
    let unusable = || {
        format!(
            "expected an amount such as 1{}234{}50, found {}",
            separators.thousands,
            separators.decimal,
            excerpt(cell)
        )
    };
    let (whole, fraction) = match digits.split_once(separators.decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let whole = ungroup(whole, separators.thousands).ok_or_else(unusable)?;
    let decimals = fraction.unwrap_or("");
    let is_plain = decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain || (fraction.is_some() && decimals.is_empty()) {
        return Err(unusable());
    }
    if whole.is_empty() && decimals.is_empty() {
        return Err(unusable());
    }
    let exponent = currency.exponent() as usize;
    if decimals.len() > exponent {
        return Err(format!(
            "expected at most {exponent} decimals in {currency}, found {}",
            excerpt(cell)
        ));
    }
    let magnitude = whole
        .bytes()
        .chain(decimals.bytes())
        .chain(std::iter::repeat_n(b'0', exponent - decimals.len()))
        .try_fold(0_i64, |sum, digit| sum.checked_mul(10)?.checked_add(i64::from(digit - b'0')))
        .filter(|&minor| minor <= MAX_AMOUNT_MINOR)
        .ok_or_else(|| {
            let limit = currency.format(Minor(MAX_AMOUNT_MINOR));
            format!("expected at most {limit} {currency}, found {}", excerpt(cell))
        })?;
    Ok(Minor(if is_negative { -magnitude } else { magnitude }))
}

/// Takes one sign off: leading, trailing or parentheses.
fn split_sign(text: &str) -> (bool, &str) {
    const MINUS: [char; 2] = ['-', '\u{2212}'];
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return (true, inner.trim());
    }
    if let Some(rest) = text.strip_prefix(MINUS).or_else(|| text.strip_suffix(MINUS)) {
        return (true, rest.trim());
    }
    (false, text.strip_prefix('+').unwrap_or(text))
}

/// The digits without their separators; `None` when the groups are not of three.
fn ungroup(whole: &str, thousands: char) -> Option<String> {
    let is_separator = |character: char| {
        character == thousands
            || (thousands == ' ' && matches!(character, '\u{a0}' | '\u{202f}'))
            || (thousands == '\'' && character == '\u{2019}')
    };
    let mut groups = whole.split(is_separator);
    let first = groups.next().unwrap_or("");
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.is_empty() || first.len() > 3 {
            return None;
        }
        digits.push_str(group);
    }
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: Separators = Separators { decimal: '.', thousands: ',' };
    const COMMA: Separators = Separators { decimal: ',', thousands: '.' };
    const SPACE: Separators = Separators { decimal: ',', thousands: ' ' };

    fn read(cell: &str, separators: Separators, code: &str) -> Result<i64, String> {
        parse(cell, separators, Currency::from_code(code).unwrap()).map(|minor| minor.0)
    }

    #[test]
    fn reads_every_way_to_write_an_amount() {
        let cases = [
            ("12.34", POINT, "USD", 1234),
            ("12.3", POINT, "USD", 1230),
            ("12", POINT, "USD", 1200),
            (".50", POINT, "USD", 50),
            ("1,234.50", POINT, "USD", 123_450),
            ("1234.50", POINT, "USD", 123_450),
            ("1.234,50", COMMA, "USD", 123_450),
            ("1\u{a0}234,50", SPACE, "USD", 123_450),
            ("-12.34", POINT, "USD", -1234),
            ("\u{2212}12.34", POINT, "USD", -1234),
            ("12.34-", POINT, "USD", -1234),
            ("(12.34)", POINT, "USD", -1234),
            ("+12.34", POINT, "USD", 1234),
            ("1,200", POINT, "JPY", 1200),
            ("1.500", POINT, "KWD", 1500),
            ("0", POINT, "USD", 0),
        ];
        for (cell, separators, code, expected) in cases {
            assert_eq!(read(cell, separators, code), Ok(expected), "{cell} {code}");
        }
    }

    #[test]
    fn refuses_what_could_be_read_in_two_ways() {
        let cases = [
            ("12.34", COMMA, "USD"), // decimal point in a file with decimal commas
            ("12,34", POINT, "USD"),
            ("1,23,456.00", POINT, "USD"),
            ("1234,567.00", POINT, "USD"),
            ("12.345", POINT, "USD"),
            ("12.340", POINT, "USD"),
            ("1.0", POINT, "JPY"),
            ("12.", POINT, "USD"),
            ("$12.34", POINT, "USD"),
            ("-(12.34)", POINT, "USD"),
            ("--12.34", POINT, "USD"),
            ("1e3", POINT, "USD"),
            ("", POINT, "USD"),
            (".", POINT, "USD"),
            ("99999999999999999999", POINT, "USD"),
            ("10000000000000.01", POINT, "USD"),
        ];
        for (cell, separators, code) in cases {
            assert!(read(cell, separators, code).is_err(), "{cell} {code}");
        }
    }

    #[test]
    fn says_what_was_expected() {
        assert_eq!(
            read("12.345", POINT, "USD").unwrap_err(),
            "expected at most 2 decimals in USD, found \"12.345\""
        );
        assert_eq!(
            read("$5", COMMA, "USD").unwrap_err(),
            "expected an amount such as 1.234,50, found \"$5\""
        );
    }
}
