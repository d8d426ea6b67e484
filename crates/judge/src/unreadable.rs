//! Sets aside findings that rest on a record that could not be read.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::check::{Check, Reread};
use super::opening::Opening;
use super::pairing::NamedTransfers;
use super::{Findings, JudgeError, Registry, Rules};
use tieout_config::Settings;
use tieout_matching::LedgerCode;
use tieout_model::{Finding, HINT, IdColumn, Listing, MerchantId, NotEvaluated, RecordIds};
use tieout_store::{FailedRead, Store, plan};

/// The check whose ledger records may name a bank transfer that no listing holds.
const MISSING_AT_PROCESSOR: &str = LedgerCode::MissingAtProcessor.as_str();

/// The findings of ledger records without an item, with the bank transfer that the record names: a
/// transfer that the processor knows is not missing there.
pub(crate) fn named_transfers<'run>(
    findings: &'run Findings,
    named: &'run NamedTransfers,
) -> impl Iterator<Item = (&'run Finding, &'run Listing)> {
    let missing = findings.discrepancies.iter();
    let missing = missing.filter(|finding| finding.code == MISSING_AT_PROCESSOR);
    missing.filter_map(|finding| {
        let subject = (finding.merchant_id.clone(), finding.subject.clone());
        Some((finding, named.get(&subject)?))
    })
}

/// By merchant and subject, why a ledger record cannot be called missing at the processor: the
/// transfer that it names could not be looked up, or is of a terminal that is not read.
pub(crate) fn unread_names(
    settings: &Settings,
    store: &Store,
    findings: &Findings,
    named: &NamedTransfers,
    failed: &[FailedRead],
) -> Result<BTreeMap<(MerchantId, String), String>, JudgeError> {
    let mut unread = BTreeMap::new();
    for (finding, listing) in named_transfers(findings, named) {
        let (selector, id, _) = listing.key();
        let resource = listing.resource.as_str();
        let is_same = |read: &&FailedRead| {
            (read.resource.as_str(), read.selector.as_str(), read.scope.as_str())
                == (resource, selector, id.as_str())
        };
        let reason = match failed.iter().find(is_same) {
            Some(read) => format!("{resource} {id} could not be looked up: {}", read.error),
            None => match plan::terminal_of(store, listing)? {
                Some(terminal) if !settings.names_terminal(&terminal) => format!(
                    "{resource} {id} is of terminal {terminal}, which the configuration does \
                     not name{HINT}Add terminal {terminal} to the key terminals of its merchant."
                ),
                _ => continue,
            },
        };
        unread.insert((finding.merchant_id.clone(), finding.subject.clone()), reason);
    }
    Ok(unread)
}

/// Moves findings that rest on an unreadable record to the not-evaluated ones. Returns the ids of
/// the open discrepancies that cannot be tested for the same reason.
pub(crate) fn set_aside_unreadable(
    registry: &Registry,
    findings: &mut Findings,
    opening: &Opening,
    failed: &[FailedRead],
    unread: &BTreeMap<(MerchantId, String), String>,
) -> BTreeSet<String> {
    if failed.is_empty() && unread.is_empty() {
        return BTreeSet::new();
    }
    let why = |finding: &Finding| {
        let subject = (finding.merchant_id.clone(), finding.subject.clone());
        let named = unread.get(&subject).filter(|_| finding.code == MISSING_AT_PROCESSOR).cloned();
        named.or_else(|| reason(registry, failed, &finding.code, &finding.ids))
    };
    for mut finding in std::mem::take(&mut findings.discrepancies) {
        finding.problem = why(&finding);
        match finding.problem {
            Some(_) => findings.not_evaluated.push(finding),
            None => findings.discrepancies.push(finding),
        }
    }
    let mut untested = BTreeSet::new();
    for open in opening.tested() {
        let row = &open;
        if let Some(reason) = reason(registry, failed, &row.code, &row.ids) {
            untested.insert(row.discrepancy_id.clone());
            findings.not_told.insert((
                row.code.clone(),
                row.merchant_id.clone(),
                open.subject.clone(),
                reason,
            ));
        }
    }
    untested
}

/// Why a discrepancy about these ids cannot be evaluated; `None` if it can.
fn reason(
    registry: &Registry,
    failed: &[FailedRead],
    code: &str,
    ids: &RecordIds,
) -> Option<String> {
    let rereads = |what| registry.says(code, |check| check.rereads.contains(&what));
    failed.iter().find_map(|read| {
        let column = match (read.resource.as_str(), read.selector.as_str()) {
            ("ach-deposits", "id") => IdColumn::Deposit,
            ("ach-deposit-fees", "deposit") if rereads(Reread::Fees) => IdColumn::Deposit,
            ("authorizations", "batch") if rereads(Reread::Items) => IdColumn::Batch,
            ("batches", "id") if registry.says(code, is_about_group) => IdColumn::Batch,
            ("authorizations", "id") => IdColumn::Authorization,
            ("bank-transfer-payments", "id") => IdColumn::Payment,
            ("bank-transfer-refunds", "id") => IdColumn::Refund,
            _ => return None,
        };
        ids.each(column).any(|id| id == read.scope).then(|| {
            format!("{} {} could not be read again: {}", read.resource, read.scope, read.error)
        })
    })
}

fn is_about_group(check: &Check) -> bool {
    check.reopens.iter().any(|what| what == "group")
}

/// Every check that could not be evaluated, with merchant and scope.
pub fn not_evaluated(
    rules: &Rules<'_>,
    findings: &Findings,
    nameless: &[(String, String)],
    date: NaiveDate,
) -> Vec<NotEvaluated> {
    let mut entries = BTreeSet::new();
    for gap in &findings.gaps {
        entries.insert(NotEvaluated::because(&gap.code, &gap.merchant_id, "", &gap.reason));
    }
    for finding in &findings.not_evaluated {
        let Finding { code, merchant_id, subject, problem, .. } = finding;
        let problem = problem.as_deref().unwrap_or_default();
        entries.insert(NotEvaluated::because(code, merchant_id, subject, problem));
    }
    for (code, merchant_id, scope, reason) in &findings.not_told {
        entries.insert(NotEvaluated::because(code, merchant_id, scope, reason));
    }
    for (kind, id) in nameless {
        // A check that is turned off has nothing to evaluate.
        let check = rules.registry.nameless(kind);
        let Some(check) = check.filter(|check| !rules.settings.is_off_for_all(&check.code)) else {
            continue;
        };
        let problem = format!(
            "{kind} {id}, listed for {date}, names no merchant{HINT}Ask the processor which \
             merchant the {kind} is of."
        );
        let scope = format!("{kind} {id}");
        entries.insert(NotEvaluated::because(&check.code, MerchantId::NONE, &scope, &problem));
    }
    entries.into_iter().collect()
}
