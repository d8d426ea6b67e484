//! The returns of a payment, and what each of them does to its money.

use chrono::NaiveDate;
use rusqlite::{Connection, named_params};

use tieout_model::{BankTransfer, TransferReturn};

use crate::REPRESENTED_UNKNOWN;

/// What an entry among a payment's returns does, by its NACHA code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// Takes the amount back.
    Return,
    /// Undoes the latest return: it is dishonored.
    Undo,
    /// Restores the return that was undone last: its dishonor is contested.
    Restore,
    /// Corrects how the payment is addressed: no money moves.
    Notice,
}

impl Deed {
    fn of(code: &str) -> Self {
        let number = code.strip_prefix('R').and_then(|digits| digits.parse().ok());
        match number {
            _ if code.starts_with('C') => Self::Notice,
            Some(61..=70) => Self::Undo,
            Some(71..=77) => Self::Restore,
            _ => Self::Return,
        }
    }
}

/// A return with its effect, as in the table.
#[derive(Debug, PartialEq, Eq)]
struct Effect<'a> {
    returned: &'a TransferReturn,
    /// 1 takes the amount back, -1 gives it back.
    sign: i64,
    undone_on: Option<NaiveDate>,
    /// The id of the return that it restores, else its own.
    stands_for: &'a str,
}

/// The effect of each return, by date. Notices have none.
fn effects(returns: &[TransferReturn]) -> Vec<Effect<'_>> {
    let mut sorted: Vec<&TransferReturn> = returns.iter().collect();
    sorted.sort_by_key(|one| one.date);
    let mut effects: Vec<Effect<'_>> = Vec::new();
    let (mut standing, mut undone): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for returned in sorted {
        let own = returned.return_id.as_str();
        let mut effect = Effect { returned, sign: 1, undone_on: None, stands_for: own };
        match Deed::of(&returned.code) {
            Deed::Notice => continue,
            Deed::Undo => {
                effect.sign = 0;
                if let Some(at) = standing.pop() {
                    effect.sign = -1;
                    effects[at].undone_on = Some(returned.date);
                    undone.push(at);
                }
            }
            Deed::Restore => {
                if let Some(at) = undone.pop() {
                    effect.stands_for = effects[at].stands_for;
                }
                standing.push(effects.len());
            }
            Deed::Return => standing.push(effects.len()),
        }
        effects.push(effect);
    }
    effects
}

/// Writes the returns of a payment.
pub(super) fn write(connection: &Connection, payment: &BankTransfer) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached(include_str!("../../sql/ingest/transfer_return.sql"))?;
    for Effect { returned, sign, undone_on, stands_for } in effects(&payment.returns) {
        insert.execute(named_params! {
            ":payment_id": payment.transfer_id.as_str(),
            ":return_id": returned.return_id.as_str(),
            ":return_date": returned.date.to_string(),
            ":code": returned.code,
            ":reason": returned.reason,
            ":represented": returned.represented.map_or(REPRESENTED_UNKNOWN, i64::from),
            ":closed": returned.closed,
            ":effect": sign,
            ":undone_on": undone_on.map(|date| date.to_string()),
            ":stands_for": stands_for,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id code day` of each return; `id effect undone_on stands_for` of each effect.
    fn told(returns: &str) -> String {
        let day = |text: &str| format!("2026-11-{text}").parse::<NaiveDate>().unwrap();
        let returns: Vec<TransferReturn> = returns
            .split(", ")
            .map(|one| {
                let words: Vec<&str> = one.split(' ').collect();
                TransferReturn {
                    return_id: words[0].into(),
                    date: day(words[2]),
                    code: words[1].to_owned(),
                    reason: None,
                    represented: Some(false),
                    closed: false,
                }
            })
            .collect();
        let told = effects(&returns).into_iter().map(|one| {
            let undone = one.undone_on.map(|date| date.format(" until %d").to_string());
            let stands = (one.stands_for != one.returned.return_id.as_str())
                .then(|| format!(" as {}", one.stands_for));
            let (id, sign) = (one.returned.return_id.as_str(), one.sign);
            format!("{id} {sign}{}{}", undone.unwrap_or_default(), stands.unwrap_or_default())
        });
        told.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_dishonored_return_is_undone_and_a_contested_one_restored() {
        let cases = [
            ("a R01 10", "a 1"),
            ("n C02 09, a R10 10", "a 1"),
            ("d R61 12, a R01 10", "a 1 until 12, d -1"),
            ("a R01 10, d R67 12, c R71 14", "a 1 until 12, d -1, c 1 as a"),
            (
                "a R01 10, d R67 12, c R74 14, e R69 16",
                "a 1 until 12, d -1, c 1 until 16 as a, e -1",
            ),
            ("a R01 10, b R01 12, d R61 13", "a 1, b 1 until 13, d -1"),
            ("d R61 13", "d 0"),
            ("a R01 10, d R61 11, e R61 12", "a 1 until 11, d -1, e 0"),
            ("a R60 10, b R78 11, c X61 12", "a 1, b 1, c 1"),
        ];
        for (returns, expected) in cases {
            assert_eq!(told(returns), expected, "{returns}");
        }
    }
}
