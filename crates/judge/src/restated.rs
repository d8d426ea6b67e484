//! Compares records with their state when their date was reconciled. Finds changed figures, field
//! by field, and records that are no longer listed.

mod fields;

use serde_json::{Map, Value};

use fields::{Kind, fields_of};

use super::run::Found;
use super::{AsOf, JudgeError};
use tieout_config::Settings;
use tieout_model::money::{Currency, Minor, in_words};
use tieout_model::{Finding, RecordIds};
use tieout_store::judging::{self, Compared, Fate, UnreadAgain};
use tieout_store::{StatementError, Store};

const RESTATED: &str = "RESTATED_AFTER_RECONCILED";
const VANISHED: &str = "VANISHED_AFTER_RECONCILED";

/// Whether both checks are off; then no listing is re-read for them.
pub fn is_look_back_off(settings: &Settings) -> bool {
    [RESTATED, VANISHED].iter().all(|code| settings.is_off_for_all(code))
}

/// A field whose value has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    name: &'static str,
    kind: Kind,
    before: Value,
    after: Value,
}

/// The fields with a known value before and another known value now. A field that was or is left
/// out is unknown, not changed.
fn changes(kind: &str, before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Change> {
    let known = |record: &Map<String, Value>, name: &str| {
        record.get(name).filter(|value| !value.is_null()).cloned()
    };
    fields_of(kind)
        .iter()
        .filter_map(|&(name, kind)| {
            let (before, after) = known(before, name).zip(known(after, name))?;
            (before != after).then_some(Change { name, kind, before, after })
        })
        .collect()
}

/// The records of the prepared date that have changed since their date was reconciled, and those
/// that are no longer listed.
///
/// # Errors
/// When the store refuses or holds data that this version never writes.
pub fn find(store: &Store, asof: &AsOf) -> Result<Found, JudgeError> {
    let failed = |source| JudgeError::Prepare {
        step: "the restated records".to_owned(),
        business_date: asof.business_date,
        source,
    };
    let findings = compare(store).map_err(failed)?;
    Ok(Found { findings, gaps: Vec::new() })
}

fn compare(store: &Store) -> Result<Vec<Finding>, StatementError> {
    let mut findings: Vec<Finding> =
        judging::compared(store)?.iter().flat_map(findings_of).collect();
    findings.extend(judging::unread_again(store)?.iter().flat_map(undecided));
    Ok(findings)
}

/// Neither check can be evaluated for a listing that could not be re-read.
fn undecided(unread: &UnreadAgain) -> [Finding; 2] {
    let UnreadAgain { merchant_id, resource, selector, scope, business_date, error } = unread;
    let of = if scope.is_empty() { String::new() } else { format!(" of terminal {scope}") };
    let which = if selector == "date" { String::new() } else { format!("{selector} ") };
    [RESTATED, VANISHED].map(|code| Finding {
        code: code.to_owned(),
        merchant_id: merchant_id.clone(),
        subject: format!("{resource}/{selector}/{scope}/{business_date}"),
        problem: Some(format!(
            "the {which}{resource}{of} for {business_date} could not be read again: {error}"
        )),
        ..Finding::default()
    })
}

fn findings_of(record: &Compared) -> Vec<Finding> {
    match record.fate {
        Fate::Unknown => vec![Finding {
            problem: Some(format!(
                "{} left the listings of {} and could not be looked up by its id",
                name_of(record),
                record.listed_on
            )),
            ..about(VANISHED, record)
        }],
        // An earlier restatement of the record stays until the first values come back.
        Fate::Vanished => changed(record).into_iter().chain([vanished(record)]).collect(),
        Fate::Listed => changed(record).into_iter().collect(),
    }
}

fn vanished(record: &Compared) -> Finding {
    let gone = amount_of(record);
    let figure = gone.map_or_else(String::new, |gone| {
        format!(" with {}", money(&Value::from(gone), record.currency))
    });
    Finding {
        currency: record.currency,
        expected: gone,
        actual: gone.map(|_| 0),
        explanation: format!(
            "{} was listed for {}{figure} when that date was reconciled, and is no longer listed.",
            name_of(record),
            record.listed_on
        ),
        ..about(VANISHED, record)
    }
}

/// A restatement finding, if a figure has changed.
fn changed(record: &Compared) -> Option<Finding> {
    let mut changes = changes(&record.kind, &record.before, &record.after);
    // A missing settlement date of a vanished record is reported as VANISHED alone.
    changes.retain(|change| record.fate == Fate::Listed || change.name != "settlement_date");
    if changes.is_empty() {
        return None;
    }
    // Amounts of two currencies cannot be compared in one column.
    let is_comparable = changes.iter().all(|change| change.name != "currency");
    let first = changes.iter().find(|change| change.kind == Kind::Amount).filter(|_| is_comparable);
    Some(Finding {
        currency: record.currency,
        expected: first.and_then(|change| change.before.as_i64()),
        actual: first.and_then(|change| change.after.as_i64()),
        explanation: explanation(record, &changes),
        ..about(RESTATED, record)
    })
}

/// The common fields of every finding about the record.
fn about(code: &str, record: &Compared) -> Finding {
    let id_of = |kind: &str| if record.kind == kind { record.id.clone() } else { String::new() };
    let transaction_id = record.before.get("transaction_id").filter(|id| !id.is_null());
    Finding {
        code: code.to_owned(),
        merchant_id: record.merchant_id.clone(),
        subject: record.subject.clone(),
        batch_date: record.batch_date.as_deref().and_then(|date| date.parse().ok()),
        ids: RecordIds {
            batch_id: id_of("batch"),
            ach_deposit_id: id_of("deposit"),
            authorization_id: id_of("authorization"),
            transaction_id: transaction_id.map(plain).unwrap_or_default(),
            payment_id: id_of("payment"),
            refund_id: id_of("refund"),
            order_id: record.order_id.clone(),
            ..RecordIds::default()
        },
        listed_on: record.listed_on.parse().ok(),
        ..Finding::default()
    }
}

fn explanation(record: &Compared, changes: &[Change]) -> String {
    let after = currency_in(&record.after).or(record.currency);
    let said: Vec<String> = changes
        .iter()
        .map(|change| {
            let show = |value: &Value, currency| match change.kind {
                Kind::Amount => money(value, currency),
                Kind::Other => plain(value),
            };
            format!(
                "{} was {} and is {}",
                change.name.replace('_', " "),
                show(&change.before, record.currency),
                show(&change.after, after)
            )
        })
        .collect();
    format!(
        "{} has changed since {} was reconciled: {}.",
        name_of(record),
        record.listed_on,
        said.join(", ")
    )
}

fn name_of(record: &Compared) -> String {
    let kind = match record.kind.as_str() {
        "deposit" => "Deposit",
        "batch" => "Batch",
        "authorization" => "Authorization",
        "payment" => "Payment",
        _ => "Refund",
    };
    format!("{kind} {}", record.id)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn money(value: &Value, currency: Option<Currency>) -> String {
    value.as_i64().map_or_else(|| plain(value), |amount| in_words(Minor(amount), currency))
}

/// The amount of the record: a deposit's net amount, a batch's sales less its returns.
fn amount_of(record: &Compared) -> Option<i64> {
    let field = |name: &str| record.before.get(name).and_then(Value::as_i64);
    match record.kind.as_str() {
        "deposit" => field("net_amount"),
        "batch" => field("sale_amount")?.checked_sub(field("return_amount")?),
        _ => field("amount"),
    }
}

fn currency_in(record: &Map<String, Value>) -> Option<Currency> {
    record.get("currency").and_then(Value::as_str).and_then(Currency::from_code)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn names_the_fields_that_were_known_and_are_known_differently() {
        let before = record(&json!({
            "sale_amount": 1000, "return_amount": null, "transaction_count": 5, "currency": "USD",
        }));
        let after = record(&json!({
            "sale_amount": 1007, "return_amount": 3, "transaction_count": 6, "currency": "USD",
        }));
        let names: Vec<&str> =
            changes("batch", &before, &after).iter().map(|change| change.name).collect();
        assert_eq!(names, ["transaction_count", "sale_amount"]);
        assert!(changes("batch", &before, &before).is_empty());
    }

    #[test]
    fn leaves_out_what_is_no_figure_of_the_record() {
        let before = record(&json!({ "batch_id": 1, "response": "approved", "amount": 500 }));
        let after = record(&json!({ "batch_id": 2, "response": "declined", "amount": 500 }));
        assert!(changes("authorization", &before, &after).is_empty());
    }
}
