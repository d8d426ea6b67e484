//! The checks as their files describe themselves: a header of `-- key: value` lines, then
//! a query that selects the failing rows.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{CHECK_FILES, CheckError, custom};
use crate::config::{CustomChecks, Settings};
use crate::digest::Digester;
use crate::model::{Figure, Resource, Severity};

/// A listing of the date itself that a check cannot do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub resource: Resource,
    /// `date` for the listing of the whole date, else one listing for each terminal.
    pub selector: String,
}

/// One check.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line of the header by itself")]
pub struct Check {
    /// Name of the file, of the test case and of the anchor in the documents.
    pub stem: String,
    /// The stem in upper case: the code in the reports.
    pub code: String,
    /// As the file says; the configuration can change it.
    pub severity: Severity,
    /// `None` when expected and actual stay empty.
    pub figure: Option<Figure>,
    /// `false` when expected and actual cannot be compared, as those of two currencies.
    pub has_difference: bool,
    /// Whether it concerns merchants that name a ledger, and no others.
    pub is_for_ledger: bool,
    /// Whether it concerns merchants that name a bank, and no others.
    pub is_for_bank: bool,
    pub subject: String,
    /// Whether a deposit row, a batch row takes its verdict from this check.
    pub names_deposit: bool,
    pub names_batch: bool,
    /// Whether it stays open on later dates and counts in the roll-forward.
    pub is_carried: bool,
    pub needs: Vec<Need>,
    pub means: String,
    /// A sentence with `{column}` in place of the figures.
    pub explanation: String,
    pub action: String,
    pub sql: String,
    /// A check of the user's own: what it may do is bounded.
    pub custom: Option<Bounds>,
}

impl Check {
    /// Its severity under a configuration; `None` when that turns it off.
    pub fn level(&self, configured: &BTreeMap<String, Option<Severity>>) -> Option<Severity> {
        configured.get(&self.code).copied().unwrap_or(Some(self.severity))
    }
}

/// What a check of the user's own may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub timeout: Duration,
}

/// Every check, in order of code.
#[derive(Clone, Debug)]
pub struct Registry {
    checks: Vec<Check>,
}

impl Registry {
    /// The checks that come with the program.
    ///
    /// # Errors
    /// When a header lacks a key; a test sees to it that none does.
    pub fn built_in() -> Result<Self, CheckError> {
        let checks = CHECK_FILES
            .iter()
            .map(|(stem, sql)| {
                let check = parse(stem, sql)?;
                let expected = stem.to_uppercase();
                if check.code == expected {
                    return Ok(check);
                }
                let problem = format!("the header says {}, expected {expected}", check.code);
                Err(CheckError::File { stem: (*stem).to_owned(), problem })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { checks })
    }

    /// The checks that come with the program and the user's own.
    ///
    /// # Errors
    /// When one of the user's own cannot be used: it is named, and none is run.
    pub fn for_settings(settings: &Settings) -> Result<Self, CheckError> {
        let mut registry = Self::built_in()?;
        let own = custom::load(&settings.custom_checks)?;
        custom::try_out(settings, &own)?;
        registry.checks.extend(own);
        registry.checks.sort_by(|one, other| one.code.cmp(&other.code));
        Ok(registry)
    }

    /// Every check, in order of code.
    pub fn iter(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter()
    }

    /// A digest of the settings together with the user's own checks: these decide what is
    /// found as settings do.
    pub fn digest_with(&self, settings: &str) -> String {
        let mut digester = Digester::default();
        let mut own = self.checks.iter().filter(|check| check.custom.is_some()).peekable();
        if own.peek().is_none() {
            return settings.to_owned();
        }
        digester.add(settings.as_bytes());
        for check in own {
            digester.add(check.stem.as_bytes());
            digester.add(check.sql.as_bytes());
        }
        digester.finish()
    }

    /// The check of that code.
    pub fn find(&self, code: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.code == code)
    }

    /// Every code that a configuration may name.
    ///
    /// # Errors
    /// When the folder of the user's own checks cannot be read.
    pub fn codes(own: &CustomChecks) -> Result<Vec<String>, CheckError> {
        let mut codes: Vec<String> =
            CHECK_FILES.iter().map(|(stem, _)| stem.to_uppercase()).collect();
        codes.extend(custom::load(own)?.into_iter().map(|check| check.code));
        Ok(codes)
    }
}

pub(crate) fn parse(stem: &str, sql: &str) -> Result<Check, CheckError> {
    let wrong = |problem: String| CheckError::File { stem: stem.to_owned(), problem };
    let header: BTreeMap<&str, &str> = sql
        .lines()
        .map_while(|line| line.strip_prefix("-- "))
        .filter_map(|line| line.split_once(": "))
        .collect();
    let value = |key: &str| {
        header
            .get(key)
            .map(|text| (*text).to_owned())
            .ok_or_else(|| wrong(format!("the header has no line \"-- {key}: …\"")))
    };
    let code = value("code")?;
    if !is_code(&code) {
        return Err(wrong(format!(
            "code is {code:?}, expected upper-case letters, digits and underscores"
        )));
    }
    let severity = value("severity")?;
    let figure = match value("figure")?.as_str() {
        "amount" => Some(Figure::Amount),
        "count" => Some(Figure::Count),
        "none" => None,
        other => return Err(wrong(format!("figure is {other}, expected amount, count or none"))),
    };
    let names = value("names")?;
    Ok(Check {
        stem: stem.to_owned(),
        code,
        severity: Severity::from_name(&severity).ok_or_else(|| {
            wrong(format!("severity is {severity}, expected info, warning or error"))
        })?,
        figure,
        has_difference: header.get("difference").is_none_or(|difference| *difference != "none"),
        is_for_ledger: header.get("for").is_some_and(|who| *who == "ledger"),
        is_for_bank: header.get("for").is_some_and(|who| *who == "bank"),
        subject: value("subject")?,
        names_deposit: names.split(' ').any(|name| name == "deposit"),
        names_batch: names.split(' ').any(|name| name == "batch"),
        is_carried: header.get("carried").is_none_or(|carried| *carried != "no"),
        needs: value("needs")?
            .split(' ')
            .filter(|need| *need != "nothing")
            .map(|need| parse_need(need).ok_or_else(|| wrong(format!("needs names {need}"))))
            .collect::<Result<_, _>>()?,
        means: value("means")?,
        explanation: value("explanation")?,
        action: value("action")?,
        sql: sql.to_owned(),
        custom: None,
    })
}

fn is_code(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_part)
}

fn parse_need(text: &str) -> Option<Need> {
    let (resource, selector) = text.split_once('/').unwrap_or((text, "date"));
    let resource = Resource::ALL.into_iter().find(|known| known.as_str() == resource)?;
    Some(Need { resource, selector: selector.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_check_file() {
        let registry = Registry::built_in().unwrap();
        assert_eq!(registry.iter().count(), CHECK_FILES.len());
        assert_eq!(registry.find("FUNDS_HELD").unwrap().severity, Severity::Info);
        assert!(!registry.find("FUNDS_HELD").unwrap().is_carried);
        assert!(registry.find("DEPOSIT_SALES_MISMATCH").unwrap().names_batch);
        let foreign = registry.find("CURRENCY_MISMATCH").unwrap();
        assert!(foreign.is_for_ledger && !foreign.has_difference);
        let ledger_codes = registry.iter().filter(|check| check.is_for_ledger).count();
        assert_eq!(ledger_codes, crate::matching::LedgerCode::ALL.len());
    }

    #[test]
    fn has_a_plant_for_every_check() {
        let plants = tieout_sandbox::plant_codes();
        // A world stands still, so that nothing in it is ever restated.
        let is_planted = |check: &&Check| !check.code.ends_with("_AFTER_RECONCILED");
        for check in Registry::built_in().unwrap().iter().filter(is_planted) {
            assert!(plants.contains(&check.code.as_str()), "{} has no plant", check.code);
        }
    }

    #[test]
    fn refuses_a_header_without_an_action() {
        let error = parse("a_check", "-- code: A_CHECK\n-- severity: error\nselect 1").unwrap_err();
        assert!(error.to_string().contains("a_check.sql"), "{error}");
    }
}
