//! Runs the checks as of a date: what fails, and what cannot be told.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row};

use super::aside::Aside;
use super::registry::{Check, Registry};
use super::{AsOf, CheckError, custom};
use crate::config::{Merchant, Settings};
use crate::model::{Figure, Finding, IdColumn, RecordIds, Resource};
use crate::money::{Currency, Minor, format_minor};
use crate::store::Store;

/// A listing of the date that is not complete, and what that costs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    pub code: String,
    /// Empty when every merchant is concerned.
    pub merchant_id: String,
    pub reason: String,
}

/// What the checks of a date came to.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub discrepancies: Vec<Finding>,
    pub not_evaluated: Vec<Finding>,
    pub gaps: BTreeSet<Gap>,
    /// Codes of the checks that ran.
    pub evaluated: Vec<String>,
    /// Codes that the configuration turns off.
    pub off: Vec<String>,
    /// What was open and cannot be told: code, merchant, subject, reason.
    pub not_told: BTreeSet<(String, String, String, String)>,
}

impl Findings {
    /// Whether a check could not run for a merchant at all.
    pub fn is_gapped(&self, code: &str, merchant_id: &str) -> bool {
        self.gaps.iter().any(|gap| {
            gap.code == code && (gap.merchant_id.is_empty() || gap.merchant_id == merchant_id)
        })
    }
}

/// Runs every check that is not off. The temporary tables of the date must be prepared.
///
/// # Errors
/// When a query fails or a row of it is not understood.
pub fn evaluate(
    store: &Store,
    registry: &Registry,
    settings: &Settings,
    asof: &AsOf,
) -> Result<Findings, CheckError> {
    let connection = store.connection();
    let mut aside = Aside::new(store, &settings.settlement.extra_holidays);
    let mut findings = Findings::default();
    let mut verdicts = Verdicts::of_date(asof.business_date);
    for check in registry.iter() {
        if check.level(&settings.checks).is_none() {
            findings.off.push(check.code.clone());
            continue;
        }
        findings.evaluated.push(check.code.clone());
        findings.gaps.extend(gaps(connection, &mut verdicts, check, settings, asof)?);
        let found = match check.custom {
            None => select_rows(connection, check, usize::MAX)?,
            Some(bounds) => match aside.select(check, bounds) {
                Ok(found) => found,
                Err(error) => {
                    // The user's own check stands in nobody's way: it is said that it did not run.
                    let reason = custom::reason(&error, check);
                    let (code, merchant_id) = (check.code.clone(), String::new());
                    findings.gaps.insert(Gap { code, merchant_id, reason });
                    continue;
                }
            },
        };
        for finding in found {
            // What rests on an incomplete listing of the date is neither reported nor cleared.
            if findings.is_gapped(&finding.code, &finding.merchant_id) {
                continue;
            }
            if finding.problem.is_some() {
                findings.not_evaluated.push(finding);
            } else {
                findings.discrepancies.push(finding);
            }
        }
    }
    Ok(findings)
}

/// What the listings of a date have come to, as they were asked for: many checks need the same.
struct Verdicts {
    date: String,
    /// Why a listing is not complete; `None` when it is.
    known: HashMap<(Resource, String, String), Option<String>>,
}

impl Verdicts {
    fn of_date(date: NaiveDate) -> Self {
        Self { date: date.to_string(), known: HashMap::new() }
    }

    fn of(
        &mut self,
        connection: &Connection,
        (resource, selector, scope): (Resource, &str, &str),
    ) -> rusqlite::Result<Option<String>> {
        let key = (resource, selector.to_owned(), scope.to_owned());
        if let Some(verdict) = self.known.get(&key) {
            return Ok(verdict.clone());
        }
        let row: Option<(String, Option<String>)> = connection
            .prepare_cached(include_str!("../../sql/report/listing_verdict.sql"))?
            .query_row((resource.as_str(), selector, &self.date, scope), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let verdict = match row {
            Some((verdict, _)) if verdict == "complete" => None,
            Some((_, Some(error))) => Some(format!("incomplete: {error}")),
            Some((_, None)) => Some("incomplete: its reading was interrupted".to_owned()),
            None => Some("not read".to_owned()),
        };
        self.known.insert(key, verdict.clone());
        Ok(verdict)
    }
}

/// The listings of the date that the check needs and that are not complete.
fn gaps(
    connection: &Connection,
    verdicts: &mut Verdicts,
    check: &Check,
    settings: &Settings,
    asof: &AsOf,
) -> Result<Vec<Gap>, CheckError> {
    if settings.merchants.iter().all(|merchant| !concerns(check, merchant))
        && (check.is_for_ledger || check.is_for_bank)
    {
        return Ok(Vec::new());
    }
    let failed = |source| CheckError::Query { check: check.code.clone(), source };
    let date = asof.business_date;
    let mut verdict = |resource: Resource, selector: &str, scope: &str| {
        verdicts.of(connection, (resource, selector, scope)).map_err(failed)
    };
    let mut found = unread_files(connection, check).map_err(failed)?;
    for need in &check.needs {
        let name = need.resource.as_str();
        if need.selector == "date" {
            if let Some(state) = verdict(need.resource, "date", "")? {
                found.push(Gap {
                    code: check.code.clone(),
                    merchant_id: String::new(),
                    reason: format!("the {name} of {date} are {state}"),
                });
            }
            continue;
        }
        let concerned = settings.merchants.iter().filter(|merchant| concerns(check, merchant));
        for merchant in concerned {
            for terminal in &merchant.terminals {
                if let Some(state) = verdict(need.resource, &need.selector, terminal.as_str())? {
                    found.push(Gap {
                        code: check.code.clone(),
                        merchant_id: merchant.id.to_string(),
                        reason: format!(
                            "the {} {name} of terminal {terminal} for {date} are {state}",
                            need.selector
                        ),
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Whether the check is about the merchant at all.
fn concerns(check: &Check, merchant: &Merchant) -> bool {
    (!check.is_for_ledger || merchant.ledger.is_some())
        && (!check.is_for_bank || merchant.bank.is_some())
}

/// The merchants whose ledger, or bank statements, could not be read for the check.
fn unread_files(connection: &Connection, check: &Check) -> rusqlite::Result<Vec<Gap>> {
    let sql = match (check.is_for_ledger, check.is_for_bank) {
        (true, _) => "select merchant_id, reason from temp.ledger_unread where code in ('', ?1)",
        (_, true) => "select merchant_id, reason from temp.bank_unread where code = ?1",
        _ => return Ok(Vec::new()),
    };
    connection
        .prepare_cached(sql)?
        .query_map([&check.code], |row| {
            Ok(Gap {
                code: check.code.clone(),
                merchant_id: row.get("merchant_id")?,
                reason: row.get("reason")?,
            })
        })?
        .collect()
}

/// The rows that a check selects; more than `limit` are refused.
pub(crate) fn select_rows(
    connection: &Connection,
    check: &Check,
    limit: usize,
) -> Result<Vec<Finding>, CheckError> {
    let failed = |source| CheckError::Query { check: check.code.clone(), source };
    let mut statement = connection.prepare(&check.sql).map_err(failed)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).map_err(failed)?;
    let mut findings = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        if findings.len() == limit {
            return Err(CheckError::File {
                stem: check.stem.clone(),
                problem: format!("it selects more than {limit} rows"),
            });
        }
        let values = read_row(row, &columns).map_err(failed)?;
        findings.push(finding(check, &values)?);
    }
    Ok(findings)
}

fn read_row(row: &Row<'_>, columns: &[String]) -> rusqlite::Result<BTreeMap<String, Value>> {
    columns
        .iter()
        .enumerate()
        .map(|(index, name)| Ok((name.clone(), row.get::<_, Value>(index)?)))
        .collect()
}

fn finding(check: &Check, values: &BTreeMap<String, Value>) -> Result<Finding, CheckError> {
    let wrong = |problem: String| CheckError::File { stem: check.stem.clone(), problem };
    let text = |name: &str| match values.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text.clone())),
        Some(Value::Integer(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(wrong(format!("column {name} is neither text nor an integer"))),
    };
    // A sum that leaves the integers turns into a real number: it must never be rounded.
    let integer = |name: &str| match values.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Integer(number)) => Ok(Some(*number)),
        Some(_) => Err(wrong(format!("column {name} is no integer: an amount overflows"))),
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
        rendered.insert(name.as_str(), render(name, value, figure, currency));
    }
    Ok(Finding {
        code: check.code.clone(),
        merchant_id: text("merchant_id")?.unwrap_or_default(),
        subject,
        currency,
        expected,
        actual,
        batch_date,
        ids,
        explanation: fill(&check.explanation, &rendered),
        action: None,
        problem: text("problem")?,
    })
}

/// A value as a sentence shows it: amounts in major units, ids joined with commas.
fn render(name: &str, value: &Value, figure: Figure, currency: Option<Currency>) -> String {
    let is_amount = name.ends_with("_minor")
        || (figure == Figure::Amount && (name == "expected" || name == "actual"));
    match value {
        Value::Integer(amount) if is_amount => match currency {
            Some(currency) => currency.format(Minor(*amount)),
            // Without a currency nobody knows where the decimal point belongs.
            None => format_minor(Minor(*amount), 0),
        },
        Value::Integer(number) => number.to_string(),
        Value::Text(text) if name.ends_with("_id") => text.replace(';', ", "),
        Value::Text(text) => text.clone(),
        Value::Null if name == "currency" => "minor units".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;
    use crate::judge::prepare;

    #[test]
    fn runs_every_check_over_an_empty_store_and_evaluates_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        let settings = Settings::load(&Sources::default(), &[]).unwrap();
        let date = "2026-11-20".parse().unwrap();
        let asof = AsOf::first(date);
        prepare(&store, &settings, &asof, &[], &[]).unwrap();
        let registry = Registry::built_in().unwrap();
        let findings = evaluate(&store, &registry, &settings, &asof).unwrap();
        assert!(findings.discrepancies.is_empty());
        assert_eq!(findings.evaluated.len(), registry.iter().count());
        assert!(findings.is_gapped("DEPOSIT_NET_MISMATCH", "4525644354"));
        // A second date on the same connection starts from a clean slate.
        prepare(&store, &settings, &asof, &[], &[]).unwrap();
        for rows in [store.unjudged_deposits().unwrap().len(), store.in_transit().unwrap().len()] {
            assert_eq!(rows, 0);
        }
        assert!(store.unjudged_batches().unwrap().is_empty());
        assert!(store.summary_figures().unwrap().is_empty());
        assert!(store.date_listings().unwrap().is_empty());
        assert!(store.nameless_records().unwrap().is_empty());
        assert!(store.failed_reads(date).unwrap().is_empty());
    }
}
