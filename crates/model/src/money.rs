//! Integer money: amounts in a currency's minor unit, and currencies of ISO 4217.
//! Never a floating point number, never an unchecked sum.

use std::fmt;

use iso_currency::Currency as Iso;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest magnitude of one amount that the store takes, in minor units.
///
/// Ten trillion of a two-decimal currency. It leaves room to add nine thousand
/// amounts of that size in a 64-bit integer, so that a sum fails loudly in
/// `SQLite` (`sum()` raises an error) long before a subtraction could overflow.
pub const MAX_AMOUNT_MINOR: i64 = 1_000_000_000_000_000;

/// An amount in the minor unit of some currency (cents for USD, yen for JPY).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
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

    /// The absolute amount, or `None` for the one value without a positive counterpart.
    pub fn checked_abs(self) -> Option<Self> {
        self.0.checked_abs().map(Self)
    }

    /// The same number of major units in the decimals of `to`; `None` when they cannot state it.
    pub fn in_decimals_of(self, from: Currency, to: Currency) -> Option<Self> {
        let (from, to) = (from.exponent(), to.exponent());
        let factor = 10_i64.checked_pow(from.abs_diff(to))?;
        if to >= from {
            self.0.checked_mul(factor).map(Self)
        } else {
            (self.0 % factor == 0).then(|| Self(self.0 / factor))
        }
    }
}

/// A currency of ISO 4217 that has minor units, in use or withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency {
    code: &'static str,
    exponent: u8,
}

/// Currencies that ISO 4217 has withdrawn and that the list of the library lacks, with their
/// decimals: old records name them. Source: list three of ISO 4217; decimals as in the standard
/// library of Java.
const WITHDRAWN: [(&str, u8); 60] = [
    ("ADP", 0),
    ("AFA", 2),
    ("ANG", 2),
    ("ATS", 2),
    ("AYM", 2),
    ("AZM", 2),
    ("BEF", 0),
    ("BGL", 2),
    ("BYB", 0),
    ("BYR", 0),
    ("CHC", 2),
    ("CSD", 2),
    ("CYP", 2),
    ("DEM", 2),
    ("EEK", 2),
    ("ESP", 0),
    ("FIM", 2),
    ("FRF", 2),
    ("GHC", 2),
    ("GRD", 0),
    ("GWP", 2),
    ("HRD", 2),
    ("IEP", 2),
    ("ITL", 0),
    ("LTL", 2),
    ("LUF", 0),
    ("LVL", 2),
    ("MGF", 0),
    ("MRO", 2),
    ("MTL", 2),
    ("MXP", 2),
    ("MZM", 2),
    ("NLG", 2),
    ("PLZ", 2),
    ("PTE", 0),
    ("ROL", 2),
    ("RUR", 2),
    ("SDD", 2),
    ("SDP", 2),
    ("SIT", 2),
    ("SKK", 2),
    ("SRG", 2),
    ("STD", 2),
    ("TMM", 2),
    ("TPE", 0),
    ("TRL", 0),
    ("UAK", 2),
    ("USS", 2),
    ("VEB", 2),
    ("VEF", 2),
    ("YUM", 2),
    ("YUN", 2),
    ("ZAL", 2),
    ("ZMK", 2),
    ("ZRN", 2),
    ("ZRZ", 2),
    ("ZWC", 2),
    ("ZWD", 2),
    ("ZWN", 2),
    ("ZWR", 2),
];

impl Currency {
    /// Reads a three-letter code such as `USD`. `None` when ISO 4217 does not know it, or knows it
    /// without minor units (XAU, XDR, XXX): such an amount has no unit that could be counted.
    pub fn from_code(code: &str) -> Option<Self> {
        // The frequent ones first: every record names a currency, and the list is long.
        match code {
            "USD" => return Some(Self { code: "USD", exponent: 2 }),
            "CAD" => return Some(Self { code: "CAD", exponent: 2 }),
            _ => {}
        }
        if let Some(iso) = Iso::from_code(code) {
            let exponent = u8::try_from(iso.exponent()?).ok()?;
            return Some(Self { code: iso.code(), exponent });
        }
        let place = WITHDRAWN.binary_search_by_key(&code, |(withdrawn, _)| withdrawn).ok()?;
        let (code, exponent) = WITHDRAWN[place];
        Some(Self { code, exponent })
    }

    /// The three-letter code.
    pub fn code(self) -> &'static str {
        self.code
    }

    /// Decimals of the major unit: 0 for JPY, 2 for USD, 3 for KWD.
    pub fn exponent(self) -> u32 {
        u32::from(self.exponent)
    }

    /// `amount` in major units with all decimals of the currency: `-12.00`, `365`, `1.500`.
    pub fn format(self, amount: Minor) -> String {
        format_minor(amount, self.exponent())
    }

    /// `amount` as a sentence shows it, with the reader's separators: `1,234.50 USD`.
    pub fn in_words(self, amount: Minor) -> String {
        format!("{} {}", grouped(&self.format(amount)), self.code)
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// As its code.
impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code)
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        Self::from_code(&code)
            .ok_or_else(|| serde::de::Error::custom(format!("{code} is not a currency")))
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

/// The same for an unknown currency: `1,234 minor units`.
pub fn in_words(amount: Minor, currency: Option<Currency>) -> String {
    match currency {
        Some(currency) => currency.in_words(amount),
        None => format!("{} minor units", grouped(&amount.0.to_string())),
    }
}

/// `1234567.00` as `1,234,567.00`.
pub fn grouped(plain: &str) -> String {
    let (sign, magnitude) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain),
    };
    let (whole, decimals) = magnitude.split_at(magnitude.find('.').unwrap_or(magnitude.len()));
    let mut shown = sign.to_owned();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown + decimals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_thousands() {
        let cases = [
            ("0", "0"),
            ("-12.00", "-12.00"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.891", "-1,234,567.891"),
        ];
        for (plain, shown) in cases {
            assert_eq!(grouped(plain), shown);
        }
    }

    #[test]
    fn states_an_amount_in_the_decimals_of_another_currency_when_they_hold_it() {
        let currency = |code| Currency::from_code(code).unwrap();
        let cases = [
            (1_000, "USD", "CAD", Some(1_000)),
            (1_000, "USD", "JPY", Some(10)),
            (1_050, "USD", "JPY", None),
            (10, "JPY", "USD", Some(1_000)),
            (1_000, "USD", "KWD", Some(10_000)),
            (i64::MAX, "JPY", "USD", None),
        ];
        for (amount, from, to, expected) in cases {
            let found = Minor(amount).in_decimals_of(currency(from), currency(to));
            assert_eq!(found, expected.map(Minor), "{amount} {from} {to}");
        }
    }

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

    #[test]
    fn knows_withdrawn_currencies_with_their_decimals() {
        for (code, exponent) in [("ANG", 2), ("BYR", 0), ("LTL", 2), ("ZWL", 2), ("ITL", 0)] {
            let currency = Currency::from_code(code).unwrap();
            assert_eq!((currency.code(), currency.exponent()), (code, exponent));
        }
        assert!(WITHDRAWN.is_sorted());
    }

    #[test]
    fn refuses_a_currency_without_minor_units() {
        for code in ["XAU", "XDR", "XXX", "XTS"] {
            assert!(Currency::from_code(code).is_none(), "{code}");
        }
    }
}
