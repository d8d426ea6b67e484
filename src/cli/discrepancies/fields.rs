//! One discrepancy as the commands show it: figures with their currency, and its columns as JSON.

use serde_json::{Value, json};

use tieout_model::money::{Currency, Minor, grouped, in_words};
use tieout_model::{Discrepancy, Figure};

/// A figure of a discrepancy in major units, with its currency; a plain number for a count.
pub(super) fn figure(row: &Discrepancy, value: Option<i64>) -> String {
    match (value, row.figure, row.currency) {
        (None, ..) => String::new(),
        (Some(value), Figure::Count, _) => grouped(&value.to_string()),
        (Some(value), _, currency) => in_words(Minor(value), currency),
    }
}

/// The expected amount, in its own currency.
pub(super) fn expected(row: &Discrepancy) -> String {
    match (row.expected_currency, row.expected_money()) {
        (Some(_), Some((amount, currency))) => currency.in_words(amount),
        _ => figure(row, row.expected),
    }
}

/// The columns of `discrepancies.csv` as a JSON object; unknown is null.
pub(super) fn json_of(row: &Discrepancy) -> Value {
    let amount = |value: Option<i64>| match (row.figure, row.currency) {
        (Figure::Count, _) => json!(value),
        (_, Some(currency)) => json!(value.map(|value| currency.format(Minor(value)))),
        (_, None) => Value::Null,
    };
    let assigned = &row.assigned;
    let text = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    json!({
        "discrepancy_id": row.discrepancy_id,
        "code": row.code,
        "severity": row.severity.as_str(),
        "status": row.status.as_str(),
        "business_date": row.business_date,
        "first_seen": row.first_seen,
        "age_days": row.age_days,
        "merchant_id": row.merchant_id,
        "merchant_name": text(&row.merchant_name),
        // A count has no currency.
        "currency": row.currency.filter(|_| row.figure == Figure::Amount).map(Currency::code),
        "expected": amount(row.expected),
        // Where it is not that of the row.
        "expected_currency": row.expected_currency.map(Currency::code),
        "actual": amount(row.actual),
        "difference": amount(row.difference),
        "batch_date": row.batch_date,
        "batch_id": text(&row.ids.batch_id),
        "ach_deposit_id": text(&row.ids.ach_deposit_id),
        "authorization_id": text(&row.ids.authorization_id),
        "transaction_id": text(&row.ids.transaction_id),
        "payment_id": text(&row.ids.payment_id),
        "refund_id": text(&row.ids.refund_id),
        "order_id": text(&row.ids.order_id),
        "ledger_id": text(&row.ids.ledger_id),
        "dispute_id": text(&row.ids.dispute_id),
        "explanation": row.explanation,
        "action": row.action,
        "owner": text(&assigned.owner),
        "ticket": text(&assigned.ticket),
        "due_date": assigned.due_date,
        "note": text(&assigned.note),
    })
}
