//! The breakdown of an order: the requested breakdown with the amounts that follow from its
//! percentages, computed in integers and rounded half up.

use serde_json::{Map, Number, Value, json};

use super::body::Fields;

/// Percentages are read to this many decimals.
const DECIMALS: usize = 5;
/// A hundred percent, in units of the last decimal.
const WHOLE: i128 = 10_000_000;

/// Reads and completes a breakdown.
pub fn breakdown(fields: &Fields<'_>) -> Option<Value> {
    let subtotal = fields.needed_number("subtotal");
    let tip = fields.object("tip").map(|tip| read_tip(&tip, subtotal.unwrap_or(0)));
    let mut taxes = Vec::new();
    for tax in fields.objects("taxes", false) {
        tax.needed_choice("type", &["rate"]);
        let name = tax.needed_text("name", (1, 64));
        let rate = percentage(&tax, "rate", (0, WHOLE - 1));
        if rate.is_none() && !tax.has("rate") {
            tax.wrong("rate", "missing", "A percentage");
        }
        let (Some(name), Some((number, rate))) = (name, rate) else { continue };
        let mut entry = json!({"name": name, "rate": number});
        if let Some(amount) = share(subtotal.unwrap_or(0), rate) {
            entry["amount"] = amount.into();
        }
        taxes.push(entry);
    }
    let mut kept = Map::new();
    kept.insert("subtotal".to_owned(), subtotal?.into());
    if let Some(tip) = tip {
        kept.insert("tip".to_owned(), tip?);
    }
    if !taxes.is_empty() {
        kept.insert("taxes".to_owned(), taxes.into());
    }
    Some(kept.into())
}

fn read_tip(tip: &Fields<'_>, subtotal: i64) -> Option<Value> {
    let kind = tip.needed_choice("type", &["percentage", "fixedAmount"]);
    let is_sent = |name: &str| tip.as_map().get(name).is_some_and(|value| !value.is_null());
    let amount = if is_sent("amount") { tip.needed_positive("amount") } else { None };
    let percentage =
        if is_sent("percentage") { percentage(tip, "percentage", (1, WHOLE)) } else { None };
    let mut kept = json!({"type": kind?, "mode": "prompted"});
    if let Some((number, rate)) = percentage {
        kept["percentage"] = Value::Number(number.clone());
        if let Some(amount) = share(subtotal, rate) {
            kept["amount"] = amount.into();
        }
    }
    if let Some(amount) = amount {
        kept["amount"] = amount.into();
    }
    Some(kept)
}

/// A percentage between two bounds: as sent, and in units of the last decimal.
fn percentage<'b>(
    fields: &Fields<'b>,
    name: &str,
    (low, high): (i128, i128),
) -> Option<(&'b Number, i128)> {
    let value = fields.as_map().get(name)?;
    let read = value.as_number().and_then(|number| Some((number, units(number)?)));
    let read = read.filter(|(number, units)| {
        // A positive number smaller than a unit still counts as above zero.
        let is_above_zero = *units > 0 || number.as_f64().is_some_and(|number| number > 0.0);
        (low..=high).contains(units) || (low == 1 && *units == 0 && is_above_zero)
    });
    if read.is_none() {
        fields.wrong(name, "not such a percentage", "A percentage of at most 100");
    }
    read
}

/// The number in units of the last decimal, truncated there; `None` when it is out of range.
fn units(number: &Number) -> Option<i128> {
    let text = number.to_string();
    if let Some((_, exponent)) = text.split_once('e') {
        // A number with an exponent is below any unit or above any percentage.
        return (exponent.starts_with('-') && !text.starts_with('-')).then_some(0);
    }
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let decimals: String = decimals.chars().chain("00000".chars()).take(DECIMALS).collect();
    let is_negative = whole.starts_with('-');
    let units = format!("{whole}{decimals}").parse::<i128>().ok()?;
    // "-0.000001" is below zero although its units are zero.
    if is_negative && units == 0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        return None;
    }
    Some(units)
}

/// The share of `amount` at `rate`, when it is above zero.
fn share(amount: i64, rate: i128) -> Option<i64> {
    let share = (i128::from(amount) * rate * 2 + WHOLE) / (2 * WHOLE);
    i64::try_from(share).ok().filter(|share| *share > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_shares_in_whole_numbers() {
        let cases = [
            (3_600, "5", Some(180)),
            (3_600, "5.0", Some(180)),
            (1_000, "8.875", Some(89)),
            (1_000, "8.85", Some(89)),
            (1_000, "8.84999", Some(88)),
            (1, "0.00001", None),
            (i64::MAX, "100", Some(i64::MAX)),
            (-5, "10", None),
        ];
        for (amount, rate, expected) in cases {
            let number: Number = serde_json::from_str(rate).unwrap();
            assert_eq!(share(amount, units(&number).unwrap()), expected, "{amount} {rate}");
        }
    }

    #[test]
    fn reads_percentages_of_any_notation() {
        let cases = [
            ("99.99999", Some(9_999_999)),
            ("1e-9", Some(0)),
            ("1e30", None),
            ("-0.000001", None),
            ("-1e-9", None),
            ("0", Some(0)),
        ];
        for (text, expected) in cases {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(units(&number), expected, "{text}");
        }
    }
}
