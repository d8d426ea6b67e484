//! Balances and amounts in words.

use tieout_model::DepositId;
use tieout_model::money::{Currency, Minor};
use tieout_store::judging::BelowZero;

/// Adjustments that exceed a balance below zero, in words: the ids of their deposits, each with the
/// amount.
pub(super) fn exceeds(below: &BelowZero, by: &[(DepositId, i64)], currency: &str) -> String {
    let balance = balance(below);
    let each: Vec<String> =
        by.iter().map(|(id, sum)| format!("{id} ({})", money(*sum, currency))).collect();
    let beyond = by
        .iter()
        .try_fold(0_i64, |sum, one| sum.checked_add(one.1))
        .and_then(|sum| sum.checked_sub(below.owed))
        .map_or_else(String::new, |beyond| format!(" by {}", money(beyond, currency)));
    let (adjustments, verb) = match each.len() {
        1 => ("adjustment of deposit", "exceeds"),
        _ => ("adjustments of deposits", "exceed"),
    };
    format!(
        "The {adjustments} {} {verb} the negative balance of {balance} ({}){beyond}: no part of it \
         was carried.",
        each.join(" and "),
        money(below.owed, currency),
    )
}

/// The deposit or the batches of a balance below zero.
pub(super) fn balance(below: &BelowZero) -> String {
    match below.deposit {
        Some(id) => format!("deposit {id}"),
        None => format!("batch {} of {}", below.batch_ids.replace(';', ", "), below.batch_date),
    }
}

pub(super) fn money(amount: i64, currency: &str) -> String {
    Currency::from_code(currency)
        .map_or_else(|| format!("{amount} {currency}"), |known| known.in_words(Minor(amount)))
}
