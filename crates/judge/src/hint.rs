//! Hints of a finding about a group: what is near its difference. A statement selects them as plain
//! values: JSON arrays of a kind and its values. Makes the sentences.

use serde_json::Value;

use super::problem::parts;
use tieout_model::money::{Currency, Minor, in_words};

/// The kinds, each with the number of its values.
#[cfg(test)]
pub(crate) const KINDS: [(&str, usize); 4] =
    [("untold", 0), ("elsewhere", 3), ("cancelled_by", 1), ("nearest_run", 8)];

/// The sentences of the hints as a statement selects them, separated by spaces; `None` if one of
/// them is not known.
pub(crate) fn sentences(hints: &str) -> Option<String> {
    let each = parts(hints)?.into_iter().map(|(kind, values)| sentence(&kind, &values));
    Some(each.collect::<Option<Vec<_>>>()?.join(" "))
}

fn sentence(kind: &str, values: &[Value]) -> Option<String> {
    Some(match (kind, values) {
        ("untold", []) => {
            "Money may be on hold or settled elsewhere; this key cannot tell.".to_owned()
        }
        ("elsewhere", [amount, currency, card_type]) => format!(
            "{} of card type {} count as paid by that card company and are taken off.",
            money(amount.as_i64()?, currency),
            card_type.as_str()?,
        ),
        ("cancelled_by", [day]) => format!("The difference of {} cancels it.", day.as_str()?),
        ("nearest_run", [first, last, paid_first, paid_last, difference @ ..]) => format!(
            "The nearest run is the batches of {} with the deposits for {}, which {}.",
            span(first, last)?,
            span(paid_first, paid_last)?,
            stated(difference)?,
        ),
        _ => return None,
    })
}

/// One day, or the first and the last of several.
fn span(first: &Value, last: &Value) -> Option<String> {
    let (first, last) = (first.as_str()?, last.as_str()?);
    Some(if first == last { first.to_owned() } else { format!("{first} to {last}") })
}

/// The sales, the returns and the transactions that deposits state beyond the batches.
fn stated(difference: &[Value]) -> Option<String> {
    let [sales, returns, transactions, currency] = difference else { return None };
    let (sales, returns) = (sales.as_i64()?, returns.as_i64()?);
    let transactions = transactions.as_i64()?;
    let side = |figure: i64| if figure < 0 { "less" } else { "more" };
    let mut stated = Vec::new();
    for (figure, name) in [(sales, "sales"), (returns, "returns")] {
        if figure != 0 {
            let amount = money(figure.checked_abs()?, currency);
            stated.push(format!("{name} of {amount} {}", side(figure)));
        }
    }
    if transactions != 0 {
        let noun = if transactions.abs() == 1 { "transaction" } else { "transactions" };
        stated.push(format!("{} {noun} {}", transactions.abs(), side(transactions)));
    }
    Some(if stated.is_empty() {
        "fit, as others do as well or were sent too early".to_owned()
    } else {
        format!("state {}", stated.join(", "))
    })
}

fn money(amount: i64, currency: &Value) -> String {
    in_words(Minor(amount), currency.as_str().and_then(Currency::from_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest_run_with_its_difference() {
        for (difference, expected) in [
            ("0,0,0", "fit, as others do as well or were sent too early"),
            ("-1200,0,1", "state sales of 12.00 USD less, 1 transaction more"),
            (
                "123456,5,-2",
                "state sales of 1,234.56 USD more, returns of 0.05 USD more, 2 transactions less",
            ),
        ] {
            let run = format!(r#"["nearest_run","a","b","c","c",{difference},"USD"]"#);
            let expected = format!(
                "The difference of d cancels it. The nearest run is the batches of a to b with the \
                 deposits for c, which {expected}."
            );
            let told = format!(r#"["cancelled_by","d"]{run}"#);
            assert_eq!(sentences(&told), Some(expected));
        }
        assert_eq!(sentences(""), Some(String::new()));
        assert_eq!(sentences(r#"["cancelled_by"]"#), None);
    }
}
