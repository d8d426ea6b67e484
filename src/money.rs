//! Integer money: amounts in a currency's minor unit, and currencies of ISO 4217.
//! Never a floating point number, never an unchecked sum.

use std::fmt;

use iso_currency::Currency as Iso;

/// The largest magnitude of one amount that the store takes, in minor units.
///
/// Ten trillion of a two-decimal currency. It leaves room to add nine thousand
/// amounts of that size in a 64-bit integer, so that a sum fails loudly in
/// `SQLite` (`sum()` raises an error) long before a subtraction could overflow.
pub const MAX_AMOUNT_MINOR: i64 = 1_000_000_000_000_000;

/// An amount in the minor unit of some currency (cents for USD, yen for JPY).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minor(pub i64);

impl Minor {
    /// The sum, or `None` when it leaves the 64-bit range.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` when it leaves the 64-bit range.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The same amount without its sign, or `None` for the one value that has no counterpart.
    pub fn checked_abs(self) -> Option<Self> {
        self.0.checked_abs().map(Self)
    }
}

/// A currency that ISO 4217 knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(Iso);

impl Currency {
    /// Reads a three-letter code such as `USD`; `None` when ISO 4217 does not know it.
    pub fn from_code(code: &str) -> Option<Self> {
        // Every record names one, and the list is long.
        match code {
            "USD" => Some(Self(Iso::USD)),
            "CAD" => Some(Self(Iso::CAD)),
            _ => Iso::from_code(code).map(Self),
        }
    }

    /// The three-letter code.
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// Decimals of the major unit: 0 for JPY, 2 for USD, 3 for KWD.
    pub fn exponent(self) -> u32 {
        u32::from(self.0.exponent().unwrap_or(2))
    }

    /// `amount` in major units with all decimals of the currency: `-12.00`, `365`, `1.500`.
    pub fn format(self, amount: Minor) -> String {
        format_minor(amount, self.exponent())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// `amount` with `exponent` decimals and a leading minus when negative.
pub fn format_minor(amount: Minor, exponent: u32) -> String {
    let sign = if amount.0 < 0 { "-" } else { "" };
    let magnitude = amount.0.unsigned_abs();
    if exponent == 0 {
        return format!("{sign}{magnitude}");
    }
    let scale = 10_u64.pow(exponent);
    let width = exponent as usize;
    format!("{sign}{}.{:0width$}", magnitude / scale, magnitude % scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_with_the_decimals_of_the_currency() {
        let cases = [
            ("USD", 36_500, "365.00"),
            ("USD", -1_200, "-12.00"),
            ("USD", -5, "-0.05"),
            ("JPY", 1_200, "1200"),
            ("KWD", 1_500, "1.500"),
            ("CAD", 0, "0.00"),
        ];
        for (code, minor, expected) in cases {
            let currency = Currency::from_code(code).unwrap();
            assert_eq!(currency.format(Minor(minor)), expected, "{code} {minor}");
        }
    }

    #[test]
    fn formats_the_most_negative_amount() {
        assert_eq!(format_minor(Minor(i64::MIN), 2), "-92233720368547758.08");
    }

    #[test]
    fn refuses_a_currency_that_iso_4217_does_not_know() {
        assert!(Currency::from_code("XYZ").is_none());
        assert!(Currency::from_code("usd").is_none());
    }
}
