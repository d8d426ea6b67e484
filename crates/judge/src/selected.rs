//! Turns the rows that a check's query selects into findings.

use std::collections::BTreeMap;

use super::check::Check;
use super::{JudgeError, hint, problem};
use tieout_model::money::{Currency, Minor, grouped};
use tieout_model::{Figure, Finding, IdColumn, RecordIds, Severity};
use tieout_store::{Store, StoredCell, judging};

/// The word for a value that is null.
const UNKNOWN: &str = "unknown";

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
    let (expected, actual) = if check.figure.is_some() {
        (integer("expected")?, integer("actual")?)
    } else {
        (None, None)
    };
    let subject = text("subject")?.ok_or_else(|| wrong("a row has no subject".to_owned()))?;
    let shown = Shown { check, values, currency };
    let told = |name: &str| text(name)?.map(|_| shown.told(name).map_err(wrong)).transpose();
    Ok(Finding {
        code: check.code.clone(),
        merchant_id: text("merchant_id")?.unwrap_or_default().into(),
        subject,
        currency,
        expected_currency: None,
        expected,
        actual,
        batch_date,
        ids,
        explanation: fill(&check.explanation, |name| shown.told(name)).map_err(wrong)?,
        also_near: text("also_near")?.unwrap_or_default(),
        severity: text("severity")?
            .map(|name| {
                Severity::from_name(&name).ok_or_else(|| wrong(format!("severity is {name}")))
            })
            .transpose()?,
        // Replaces the action of the header where the direction of the difference needs another
        // one.
        action: told("action")?,
        problem: told("problem")?,
        ..Finding::default()
    })
}

/// A row as the sentences of its check show it.
struct Shown<'row> {
    check: &'row Check,
    values: &'row BTreeMap<&'row str, StoredCell<'row>>,
    currency: Option<Currency>,
}

impl Shown<'_> {
    /// The sentence of a column, or its value where it has none. The columns of problems and hints
    /// have sentences that checks share; a check of the user's own may select its own there.
    fn told(&self, name: &str) -> Result<String, String> {
        let StoredCell::Text(word) = self.cell(name) else { return Ok(self.value(name)) };
        let words = self.check.words.get(name);
        let sentence = match (name, words) {
            ("problem", None) => problem::sentence(word),
            ("hint", None) => hint::sentences(word),
            (_, Some(words)) if words.keys().any(|word| word != UNKNOWN) => {
                words.get(word).map(|text| fill(text, |name| Ok(self.value(name)))).transpose()?
            }
            _ => Some(self.value(name)),
        };
        let own = (words.is_none() && self.check.custom.is_some()).then(|| self.value(name));
        sentence.or(own).ok_or_else(|| format!("column {name} is {word}, which has no sentence"))
    }

    /// A value: amounts in major units, several ids joined with commas or with `and`.
    fn value(&self, name: &str) -> String {
        let figure = self.check.figure.unwrap_or(Figure::Amount);
        let is_amount = name.ends_with("_minor")
            || (figure == Figure::Amount && (name == "expected" || name == "actual"));
        match self.cell(name) {
            StoredCell::Integer(amount) if is_amount => match self.currency {
                Some(currency) => grouped(&currency.format(Minor(amount))),
                // Without a currency the position of the decimal point is unknown.
                None => grouped(&amount.to_string()),
            },
            StoredCell::Integer(number) => number.to_string(),
            StoredCell::Text(text) if name.ends_with("_id") => text.replace(';', ", "),
            StoredCell::Text(text) if name.ends_with("_ids") => text.replace(';', " and "),
            StoredCell::Text(text) => text.to_owned(),
            StoredCell::Unknown if name == "currency" => "minor units".to_owned(),
            StoredCell::Unknown => self.unknown(name),
            StoredCell::Other => UNKNOWN.to_owned(),
        }
    }

    /// A column with sentences shows nothing where it is null, unless one of them is for that.
    fn unknown(&self, name: &str) -> String {
        match self.check.words.get(name) {
            Some(words) => words.get(UNKNOWN).cloned().unwrap_or_default(),
            None => UNKNOWN.to_owned(),
        }
    }

    fn cell(&self, name: &str) -> StoredCell<'_> {
        self.values.get(name).copied().unwrap_or(StoredCell::Unknown)
    }
}

/// Puts the values into the `{column}` places of a sentence. The space before a place is left out
/// where the value is empty or begins with a comma.
fn fill(template: &str, shown: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut sentence = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        sentence.push_str(&rest[..start]);
        let value = shown(&rest[start + 1..start + length])?;
        if (value.is_empty() || value.starts_with(',')) && sentence.ends_with(' ') {
            sentence.pop();
        }
        sentence.push_str(&value);
        rest = &rest[start + length + 1..];
    }
    sentence.push_str(rest);
    Ok(sentence)
}

#[cfg(test)]
mod tests {
    use crate::Registry;

    use super::UNKNOWN;

    /// The expression that a statement selects as a column; `None` if it is not named there.
    fn expression<'sql>(sql: &'sql str, column: &str) -> Option<&'sql str> {
        let names = [format!("as {column}\n"), format!("as {column},"), format!("as \"{column}\"")];
        let end = names.iter().filter_map(|name| sql.find(name.as_str())).min()?;
        let mut depth = 0;
        let begins = |character: char| {
            depth += i32::from(character == ')') - i32::from(character == '(');
            depth < 0 || (depth == 0 && character == ',')
        };
        Some(&sql[sql[..end].rfind(begins).map_or(0, |at| at + 1)..end])
    }

    /// The words that an expression can give: its literals, but those that it compares.
    fn words(expression: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for (at, part) in expression.split(" in (").enumerate() {
            let listed = if at == 0 { 0 } else { part.find(')').unwrap_or(part.len()) };
            let pieces: Vec<&str> = part[listed..].split('\'').collect();
            for piece in pieces.chunks_exact(2) {
                let before = piece[0].trim_end();
                if !before.ends_with('=') && !before.ends_with("when") {
                    found.push(piece[1]);
                }
            }
        }
        found
    }

    #[test]
    fn has_a_sentence_for_every_word_of_a_statement() {
        for check in Registry::built_in().unwrap().iter() {
            for (column, sentences) in &check.words {
                if sentences.keys().all(|word| word == UNKNOWN) {
                    continue;
                }
                let shared = tieout_store::ASOF_FILES.iter().map(|(_, sql)| *sql);
                let mut files = std::iter::once(check.sql.as_str()).chain(shared);
                let selected = files.find_map(|sql| expression(sql, column));
                let selected = selected.unwrap_or_else(|| panic!("{}: no {column}", check.stem));
                let given = words(selected);
                for word in &given {
                    assert!(sentences.contains_key(*word), "{}: {column} {word}", check.stem);
                }
                for word in sentences.keys().filter(|_| !given.is_empty()) {
                    let literal = format!("'{word}'");
                    let is_used = given.contains(&word.as_str()) || check.sql.contains(&literal);
                    assert!(is_used, "{}: {column} is never {word}", check.stem);
                }
            }
        }
    }
}
