//! The total order of items and records, which makes every result independent of the input's order;
//! and the conditions under which an item and a record can be one movement.

use std::cmp::Ordering;

use super::input::{Item, Last4, Record, Terms};
use tieout_model::money::Currency;

/// Compares all-digit ids as numbers and puts them before all other ids, so that the order is
/// total.
pub(super) fn compare_ids(one: &str, other: &str) -> Ordering {
    let number = |id: &str| -> Option<usize> {
        let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| id.len() - id.trim_start_matches('0').len())
    };
    match (number(one), number(other)) {
        (Some(zeros), Some(other_zeros)) => {
            let (digits, other_digits) = (&one[zeros..], &other[other_zeros..]);
            digits
                .len()
                .cmp(&other_digits.len())
                .then_with(|| digits.cmp(other_digits))
                .then_with(|| one.cmp(other))
        }
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.cmp(other),
    }
}

/// By id, then by every other field: only equal items compare as equal.
pub(super) fn compare_items(one: &Item, other: &Item) -> Ordering {
    compare_ids(&one.item_id, &other.item_id)
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| one.day.cmp(&other.day))
        .then_with(|| one.second_day.cmp(&other.second_day))
        .then_with(|| one.amount.cmp(&other.amount))
        .then_with(|| code(one.currency).cmp(&code(other.currency)))
        .then_with(|| one.authorization_id.cmp(&other.authorization_id))
        .then_with(|| one.order_id.cmp(&other.order_id))
        .then_with(|| one.last4.cmp(&other.last4))
        .then_with(|| one.facts.cmp(&other.facts))
}

/// By ledger id, then by content, and last by line: the file and the line of a row are no part of
/// its content.
pub fn compare_records(one: &Record, other: &Record) -> Ordering {
    compare_ids(&one.ledger_id, &other.ledger_id)
        .then_with(|| one.date.cmp(&other.date))
        .then_with(|| one.amount.cmp(&other.amount))
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| one.currency.code().cmp(other.currency.code()))
        .then_with(|| one.status.cmp(&other.status))
        .then_with(|| one.order_id.cmp(&other.order_id))
        .then_with(|| one.reference.cmp(&other.reference))
        .then_with(|| one.last4.cmp(&other.last4))
        .then_with(|| one.day_not_read.cmp(&other.day_not_read))
        .then_with(|| one.line.cmp(&other.line))
}

fn code(currency: Option<Currency>) -> Option<&'static str> {
    currency.map(Currency::code)
}

/// Whether two last fours are compatible: they are unless both are known and differ.
pub fn last4_agree(one: Option<Last4>, other: Option<Last4>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Whether an item and a record could be the same money movement: no field that both carry rules it
/// out. An unknown field rules nothing out.
pub fn could_pair(item: &Item, record: &Record, terms: &Terms) -> bool {
    let has_same_order = match (&item.order_id, &record.order_id) {
        (Some(one), Some(other)) if one != other => return false,
        (one, other) => one.is_some() && other.is_some(),
    };
    item.kind.ledger_kind() == record.kind
        && item.amount.is_none_or(|amount| amount == record.amount)
        && item.currency.is_none_or(|currency| currency == record.currency)
        && last4_agree(item.last4, record.last4)
        && (has_same_order
            || terms.banking_days.distance(record.date, item.day) <= terms.window_days)
}
