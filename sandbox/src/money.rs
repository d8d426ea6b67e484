//! Amounts as texts, in the three currencies of the worlds.

/// `amount` (minor units) in major units, with all decimals of the currency.
pub fn major_units(amount: i64, currency: &str) -> String {
    let decimals = if currency == "JPY" { 0 } else { 2 };
    let sign = if amount < 0 { "-" } else { "" };
    // At least the decimals and one digit before the point.
    let mut digits = format!("{:0width$}", amount.unsigned_abs(), width = decimals + 1);
    if decimals > 0 {
        digits.insert(digits.len() - decimals, '.');
    }
    format!("{sign}{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_all_decimals_of_the_currency() {
        for (amount, currency, expected) in [
            (36_500, "USD", "365.00"),
            (-5, "CAD", "-0.05"),
            (0, "USD", "0.00"),
            (-1_200, "JPY", "-1200"),
            (i64::MIN, "USD", "-92233720368547758.08"),
        ] {
            assert_eq!(major_units(amount, currency), expected);
        }
    }
}
