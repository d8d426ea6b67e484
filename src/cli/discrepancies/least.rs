//! The amount of `--min-amount`: in major units of any currency, compared without rounding.

use crate::cli::CliError;
use tieout_model::money::Currency;

/// An amount in major units of any currency, exactly as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Least {
    /// All digits, without the point.
    digits: i64,
    decimals: u32,
}

/// More decimals than any currency has.
const MAX_DECIMALS: usize = 6;

impl Least {
    /// Reads an amount such as `100` or `12.50`.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let refused = || CliError::Amount { text: text.to_owned() };
        let trimmed = text.trim();
        let (whole, decimals) = match trimmed.split_once('.') {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (trimmed, None),
        };
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let are_numbers = is_number(whole) && decimals.is_none_or(is_number);
        let decimals = decimals.unwrap_or_default();
        if !are_numbers || decimals.len() > MAX_DECIMALS {
            return Err(refused());
        }
        Ok(Self {
            digits: format!("{whole}{decimals}").parse().map_err(|_| refused())?,
            decimals: u32::try_from(decimals.len()).map_err(|_| refused())?,
        })
    }

    /// Whether the absolute difference is at least this much.
    pub fn is_reached_by(self, difference: i64, currency: Currency) -> bool {
        // At most 19 digits, and as many zeros as the other side has decimals: no overflow.
        let size = i128::from(difference).abs() * 10_i128.pow(self.decimals);
        size >= i128::from(self.digits) * 10_i128.pow(currency.exponent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_amounts_in_major_units_without_rounding() {
        for (text, code, difference, is_reached) in [
            ("12.5", "USD", 1_250, true),
            ("12.5", "USD", -1_250, true),
            ("12.5", "USD", 1_249, false),
            ("12.505", "USD", 1_250, false),
            ("12.505", "USD", 1_251, true),
            ("12.5", "JPY", 12, false),
            ("12.5", "JPY", 13, true),
            ("1.500", "KWD", 1_500, true),
            ("1.5001", "KWD", 1_500, false),
            ("0", "USD", 0, true),
            ("9223372036854775807", "USD", i64::MAX, false),
            ("0.01", "USD", i64::MIN, true),
        ] {
            let currency = Currency::from_code(code).unwrap();
            let least = Least::parse(text).unwrap();
            let found = least.is_reached_by(difference, currency);
            assert_eq!(found, is_reached, "{text} {code}, {difference}");
        }
    }

    #[test]
    fn refuses_text_that_is_not_an_amount() {
        for text in [
            "",
            " ",
            "-1",
            "ten",
            "1,000.00",
            "1.",
            ".5",
            "1.2.3",
            "1e3",
            "1.1234567",
            "99999999999999999999",
        ] {
            assert!(Least::parse(text).is_err(), "{text}");
        }
    }
}
