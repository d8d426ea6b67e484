//! Turns the rows that a check's query selects into findings.

use std::collections::BTreeMap;

use super::JudgeError;
use super::check::Check;
use tieout_model::money::{Currency, Minor, grouped};
use tieout_model::{Figure, Finding, IdColumn, RecordIds, Severity};
use tieout_store::{Store, StoredCell, judging};

/// The rows that a check selects. More than `limit` rows are an error.
pub(crate) fn select_rows(
    store: &Store,
    check: &Check,
    limit: usize,
) -> Result<Vec<Finding>, JudgeError> {
    let mut rows = 0;
    let read = |values: &BTreeMap<&str, StoredCell<'_>>| {
        rows += 1;
        if rows > limit {
            let problem = format!("it selects more than {limit} rows");
            return Err(JudgeError::File { stem: check.stem.clone(), problem });
        }
        finding(check, values)
    };
    judging::select(store, &check.sql, read)
        .map_err(|source| JudgeError::Query { check: check.code.clone(), source })?
}

fn finding(check: &Check, values: &BTreeMap<&str, StoredCell<'_>>) -> Result<Finding, JudgeError> {
    let wrong = |problem: String| JudgeError::File { stem: check.stem.clone(), problem };
    let text = |name: &str| match values.get(name) {
        None | Some(StoredCell::Unknown) => Ok(None),
        Some(StoredCell::Text(text)) => Ok(Some((*text).to_owned())),
        Some(StoredCell::Integer(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(wrong(format!("column {name} is neither text nor an integer"))),
    };
    // SQLite turns a sum beyond 64 bits into a real number; it must never be rounded.
    let integer = |name: &str| match values.get(name) {
        None | Some(StoredCell::Unknown) => Ok(None),
        Some(StoredCell::Integer(number)) => Ok(Some(*number)),
        Some(_) => Err(wrong(format!("column {name} is not an integer: an amount overflows"))),
    };
    let currency = text("currency")?.and_then(|code| Currency::from_code(&code));
    let batch_date = text("batch_date")?
        .map(|date| date.parse().map_err(|_| wrong(format!("batch_date is {date}"))))
        .transpose()?;
    let mut ids = RecordIds::default();
    for column in IdColumn::ALL {
        *ids.get_mut(column) = text(column.as_str())?.unwrap_or_default();
    }
    let has_figures = check.figure.is_some();
    let figure = check.figure.unwrap_or(Figure::Amount);
    let (expected, actual) =
        if has_figures { (integer("expected")?, integer("actual")?) } else { (None, None) };
    let subject = text("subject")?.ok_or_else(|| wrong("a row has no subject".to_owned()))?;
    let mut rendered = BTreeMap::new();
    for (name, value) in values {
        rendered.insert(*name, render(name, *value, figure, currency));
    }
    Ok(Finding {
        code: check.code.clone(),
        merchant_id: text("merchant_id")?.unwrap_or_default(),
        subject,
        currency,
        expected_currency: None,
        expected,
        actual,
        batch_date,
        ids,
        explanation: fill(&check.explanation, &rendered),
        severity: text("severity")?
            .map(|name| {
                Severity::from_name(&name).ok_or_else(|| wrong(format!("severity is {name}")))
            })
            .transpose()?,
        // Replaces the action of the header where the direction of the difference needs another
        // one.
        action: text("action")?,
        problem: text("problem")?,
        ..Finding::default()
    })
}

/// A value as a sentence shows it: amounts in major units, ids joined with commas.
fn render(name: &str, value: StoredCell<'_>, figure: Figure, currency: Option<Currency>) -> String {
    let is_amount = name.ends_with("_minor")
        || (figure == Figure::Amount && (name == "expected" || name == "actual"));
    match value {
        StoredCell::Integer(amount) if is_amount => match currency {
            Some(currency) => grouped(&currency.format(Minor(amount))),
            // Without a currency the position of the decimal point is unknown.
            None => grouped(&amount.to_string()),
        },
        StoredCell::Integer(number) => number.to_string(),
        StoredCell::Text(text) if name.ends_with("_id") => text.replace(';', ", "),
        StoredCell::Text(text) => text.to_owned(),
        StoredCell::Unknown if name == "currency" => "minor units".to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// Puts the values into the `{column}` places of a sentence.
fn fill(template: &str, values: &BTreeMap<&str, String>) -> String {
    let mut sentence = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        sentence.push_str(&rest[..start]);
        let name = &rest[start + 1..start + length];
        sentence.push_str(values.get(name).map_or("unknown", String::as_str));
        rest = &rest[start + length + 1..];
    }
    sentence.push_str(rest);
    sentence
}
