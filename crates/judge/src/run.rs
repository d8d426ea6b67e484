//! Runs the checks as of a date. Returns failures and the checks that could not be evaluated.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;

use super::check::{Check, Finder};
use super::custom::{reason, select_aside};
use super::registry::Registry;
use super::selected::select_rows;
use super::{AsOf, JudgeError};
use tieout_config::{Merchant, Settings};
use tieout_model::{Finding, HINT, MerchantId, Resource};
use tieout_store::judging::{self, Aside};
use tieout_store::{StatementError, Store};

/// A check that could not be evaluated for a merchant, and the reason, such as an incomplete
/// listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    pub code: String,
    /// Empty if the gap concerns every merchant.
    pub merchant_id: MerchantId,
    pub reason: String,
}

impl Gap {
    /// The check cannot be evaluated for a merchant because `unlisted` is in no listing.
    pub(crate) fn of_unlisted(code: &str, merchant_id: &MerchantId, unlisted: &MerchantId) -> Self {
        Self {
            code: code.to_owned(),
            merchant_id: merchant_id.clone(),
            reason: format!(
                "merchant {unlisted} was in no listing of the API{HINT}Compare the id of merchant \
                 {unlisted} in the configuration with the processor's, and ask the processor \
                 whether the API key may see it."
            ),
        }
    }
}

/// The results of the checks of a date.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub discrepancies: Vec<Finding>,
    pub not_evaluated: Vec<Finding>,
    /// Findings that a bank statement which may still come will decide.
    pub awaited: Vec<Finding>,
    pub gaps: BTreeSet<Gap>,
    /// Codes of the checks that ran.
    pub evaluated: Vec<String>,
    /// Codes that the configuration turns off.
    pub off: Vec<String>,
    /// Open discrepancies that could not be evaluated: code, merchant, subject, reason.
    pub not_told: BTreeSet<(String, MerchantId, String, String)>,
}

impl Findings {
    /// Sorts the findings. A finding that rests on an incomplete listing of the date is dropped:
    /// neither reported nor cleared.
    fn add(&mut self, found: Vec<Finding>) {
        for finding in found {
            if self.is_gapped(&finding.code, &finding.merchant_id) {
                continue;
            }
            if finding.is_awaited {
                self.awaited.push(finding);
            } else if finding.problem.is_some() {
                self.not_evaluated.push(finding);
            } else {
                self.discrepancies.push(finding);
            }
        }
    }

    /// Whether a check could not run at all for a merchant.
    pub(crate) fn is_gapped(&self, code: &str, merchant_id: &MerchantId) -> bool {
        self.gaps.iter().any(|gap| {
            gap.code == code && (gap.merchant_id.is_empty() || gap.merchant_id == *merchant_id)
        })
    }
}

/// The findings and gaps of a finder other than SQL.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub findings: Vec<Finding>,
    pub gaps: Vec<Gap>,
}

impl Found {
    pub fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.gaps.extend(other.gaps);
    }

    /// The findings of each code, in order of merchant and subject; only the first of each subject.
    fn by_code(findings: Vec<Finding>) -> BTreeMap<String, Vec<Finding>> {
        let mut by_code: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
        for finding in findings {
            by_code.entry(finding.code.clone()).or_default().push(finding);
        }
        for findings in by_code.values_mut() {
            let key = |one: &Finding| (one.merchant_id.clone(), one.subject.clone());
            findings.sort_by_cached_key(key);
            findings.dedup_by(|one, first| {
                (&one.merchant_id, &one.subject) == (&first.merchant_id, &first.subject)
            });
        }
        by_code
    }
}

/// Runs every check that is not off and joins the results with the findings of the other finders.
/// The temporary tables of the date must be prepared.
///
/// # Errors
/// When a query fails or a row of it cannot be parsed.
pub fn evaluate(
    store: &Store,
    registry: &Registry,
    settings: &Settings,
    asof: &AsOf,
    found: Found,
) -> Result<Findings, JudgeError> {
    let mut aside = Aside::new(store, &settings.settlement.extra_holidays);
    let mut findings = Findings::default();
    let mut verdicts = Verdicts::of_date(asof.business_date);
    let Found { findings: others, gaps: unread } = found;
    let mut others = Found::by_code(others);
    for check in registry.iter() {
        if settings.is_off_for_all(&check.code) {
            findings.off.push(check.code.clone());
            continue;
        }
        findings.evaluated.push(check.code.clone());
        // Merchants for which the check is off have no gaps either.
        let is_on = |merchant_id: &MerchantId| {
            merchant_id.is_empty() || check.level(settings, merchant_id).is_some()
        };
        let own = unread.iter().filter(|gap| gap.code == check.code).cloned();
        let unread = own.chain(gaps(store, &mut verdicts, check, settings, asof)?);
        findings.gaps.extend(unread.filter(|gap| is_on(&gap.merchant_id)));
        let mut found = match (check.finder, check.custom) {
            (Finder::Sql, None) => select_rows(store, check, usize::MAX)?,
            (Finder::Sql, Some(bounds)) => match select_aside(&mut aside, check, bounds) {
                Ok(found) => found,
                Err(error) => {
                    // The run continues; the report says that the check did not run.
                    let reason = reason(&error, check);
                    let (code, merchant_id) = (check.code.clone(), MerchantId::default());
                    findings.gaps.insert(Gap { code, merchant_id, reason });
                    continue;
                }
            },
            _ => others.remove(&check.code).unwrap_or_default(),
        };
        found.retain(|finding: &Finding| is_on(&finding.merchant_id));
        findings.add(found);
    }
    Ok(findings)
}

/// The states of the date's listings, cached because many checks need the same listing.
struct Verdicts {
    date: String,
    /// Why a listing is not complete; `None` if it is complete.
    known: HashMap<(Resource, String, String), Option<String>>,
}

impl Verdicts {
    fn of_date(date: NaiveDate) -> Self {
        Self { date: date.to_string(), known: HashMap::new() }
    }

    fn of(
        &mut self,
        store: &Store,
        (resource, selector, scope): (Resource, &str, &str),
    ) -> Result<Option<String>, StatementError> {
        let key = (resource, selector.to_owned(), scope.to_owned());
        if let Some(verdict) = self.known.get(&key) {
            return Ok(verdict.clone());
        }
        let listing = (resource.as_str(), selector, self.date.as_str(), scope);
        let verdict = match judging::listing_verdict(store, listing)? {
            Some((verdict, _)) if verdict == "complete" => None,
            Some((_, Some(error))) => Some(format!("incomplete: {error}")),
            Some((_, None)) => Some("incomplete: its reading was interrupted".to_owned()),
            None => Some("not read".to_owned()),
        };
        self.known.insert(key, verdict.clone());
        Ok(verdict)
    }
}

/// Gaps for the incomplete listings of the date that the check needs.
fn gaps(
    store: &Store,
    verdicts: &mut Verdicts,
    check: &Check,
    settings: &Settings,
    asof: &AsOf,
) -> Result<Vec<Gap>, JudgeError> {
    if settings.merchants.iter().all(|merchant| !concerns(check, merchant))
        && (check.is_for_ledger || check.is_for_bank)
    {
        return Ok(Vec::new());
    }
    let failed = |source| JudgeError::Query { check: check.code.clone(), source };
    let date = asof.business_date;
    let mut verdict = |resource: Resource, selector: &str, scope: &str| {
        verdicts.of(store, (resource, selector, scope)).map_err(failed)
    };
    let mut found = Vec::new();
    for need in &check.needs {
        let name = need.resource.as_str();
        if need.selector == "date" {
            if let Some(state) = verdict(need.resource, "date", "")? {
                found.push(Gap {
                    code: check.code.clone(),
                    merchant_id: MerchantId::default(),
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
                        merchant_id: merchant.id.clone(),
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

/// Whether the check applies to the merchant.
fn concerns(check: &Check, merchant: &Merchant) -> bool {
    (!check.is_for_ledger || merchant.ledger.is_some())
        && (!check.is_for_bank || merchant.bank.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_files, prepare};
    use tieout_config::Sources;

    #[test]
    fn runs_every_check_over_an_empty_store_and_evaluates_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        let settings = Settings::load(&Sources::default(), &[]).unwrap();
        let date = "2026-11-20".parse().unwrap();
        let asof = AsOf::first(date);
        let registry = Registry::built_in().unwrap();
        prepare(&store, &settings, &registry, &asof, &[], &[]).unwrap();
        let findings = evaluate(&store, &registry, &settings, &asof, Found::default()).unwrap();
        assert!(findings.discrepancies.is_empty());
        assert_eq!(findings.evaluated.len(), registry.iter().count());
        assert!(findings.is_gapped("DEPOSIT_NET_MISMATCH", &"4525644354".into()));
        // A second date on the same connection starts from a clean slate.
        prepare(&store, &settings, &registry, &asof, &[], &[]).unwrap();
        for rows in [
            judging::unjudged_deposits(&store).unwrap().len(),
            judging::in_transit(&store).unwrap().len(),
        ] {
            assert_eq!(rows, 0);
        }
        assert!(judging::unjudged_batches(&store).unwrap().is_empty());
        assert!(judging::summary_figures(&store).unwrap().is_empty());
        assert!(judging::date_listings(&store).unwrap().is_empty());
        assert!(judging::nameless_records(&store).unwrap().is_empty());
        assert!(judging::failed_reads(&store, date).unwrap().is_empty());
    }

    const EXTRA: &str = "\
-- code: SUNDAY_BATCH
-- severity: info
-- figure: none
-- subject: batch
-- names: batch
-- needs: nothing
-- means: A batch is dated on a Sunday.
-- explanation: Batch {batch_id} is dated on a {weekday}. {bank}
-- weekday seventh: Sunday
-- bank closed: The bank is closed.
-- action: Nothing.
select '1' as merchant_id, '7' as subject, '7' as batch_id,
    'seventh' as weekday, null as bank
";

    /// The findings of `registry` in an empty store: code and explanation.
    fn found_by(registry: &Registry) -> Vec<(String, String)> {
        let store = Store::in_memory().unwrap();
        let settings = Settings::load(&Sources::default(), &[]).unwrap();
        let asof = AsOf::first("2026-11-20".parse().unwrap());
        prepare(&store, &settings, registry, &asof, &[], &[]).unwrap();
        let found = evaluate(&store, registry, &settings, &asof, Found::default()).unwrap();
        let rows = found.discrepancies.into_iter();
        rows.map(|finding| (finding.code, finding.explanation)).collect()
    }

    #[test]
    fn finds_with_a_check_as_soon_as_its_file_is_there_and_no_longer() {
        let extra = (Finder::Sql, "sunday_batch", EXTRA);
        let with = Registry::of(check_files().into_iter().chain([extra])).unwrap();
        let expected = ("SUNDAY_BATCH".to_owned(), "Batch 7 is dated on a Sunday.".to_owned());
        assert_eq!(found_by(&with), [expected]);
        assert_eq!(found_by(&Registry::of(check_files()).unwrap()), []);
    }
}
