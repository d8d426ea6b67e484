//! The life of a discrepancy: new, open, cleared, and back again. Pure: takes the discrepancies
//! open on the latest earlier date and the findings of this one, and returns the rows of this date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::run::Findings;
use super::{AsOf, JudgeError};
use crate::Registry;
use tieout_config::{Merchant, Settings};
use tieout_model::calendar::Calendar;
use tieout_model::digest::sha256_hex;
use tieout_model::{Assignment, Discrepancy, DiscrepancyStatus, Figure, Finding, MerchantId};

/// Bytes of the hash that an id keeps: collisions stay out of reach, and it can be read aloud.
const ID_BYTES: usize = 8;

/// How the explanation of a finding of a closed date begins; the date comes next.
const PRIOR_PERIOD: &str = "Found in the prior period of ";

/// The text after the date.
const PRIOR_REST: &str = ", which is closed: ";

/// The closed date that an explanation names.
fn prior_period_of(explanation: &str) -> Option<NaiveDate> {
    let rest = explanation.strip_prefix(PRIOR_PERIOD)?;
    rest.split(',').next()?.parse().ok()
}

/// The inputs that a date's findings are joined with.
pub struct Lifecycle<'run> {
    pub asof: &'run AsOf,
    pub registry: &'run Registry,
    pub settings: &'run Settings,
    /// Discrepancies open when the latest earlier reconciled date closed.
    pub carried: &'run [Discrepancy],
    /// Discrepancies that existed and were accepted on that date. They stay accepted, are reopened
    /// when the acceptance has expired, or are cleared.
    pub was_accepted: &'run [Discrepancy],
    /// Findings of closed dates that this date reports.
    pub priors: &'run [Discrepancy],
    /// The closed date in which a discrepancy was found, by discrepancy id; includes those of this
    /// run.
    pub prior_dates: BTreeMap<String, NaiveDate>,
    /// The closed date of a restated record, by discrepancy id.
    pub restated_dates: &'run BTreeMap<String, NaiveDate>,
    /// Ids that a person has accepted as of the date.
    pub accepted: BTreeSet<String>,
    /// The assignments as of the date, by discrepancy id.
    pub assigned: BTreeMap<String, Assignment>,
    /// The first date on which a discrepancy existed, by id, if that is before this date.
    pub first_seen: BTreeMap<String, NaiveDate>,
    /// Ids of carried discrepancies whose records could not be read again.
    pub untested: &'run BTreeSet<String>,
    /// Merchants that the configuration names, or every one when it names none.
    pub is_checked: &'run dyn Fn(&MerchantId) -> bool,
    pub name_of: &'run dyn Fn(&MerchantId) -> String,
    pub calendar_of: &'run dyn Fn(&MerchantId) -> Calendar,
}

/// The id of a discrepancy: the same in every run, on every machine.
pub fn discrepancy_id(code: &str, merchant_id: &MerchantId, subject: &str) -> String {
    let mut digest = sha256_hex(format!("{code}\n{merchant_id}\n{subject}").as_bytes());
    digest.truncate(2 * ID_BYTES);
    digest
}

/// The discrepancies of a date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lives {
    /// New, open or cleared.
    pub rows: Vec<Discrepancy>,
    /// Existing and accepted: in no list of open discrepancies.
    pub accepted: Vec<Discrepancy>,
}

/// Returns the rows of the date. The findings are moved out of `findings`: a ledger that matches
/// nothing makes so many that a second copy would not fit into memory.
///
/// # Errors
/// When a difference leaves the 64-bit range.
pub fn continue_lives(
    lifecycle: &Lifecycle<'_>,
    findings: &mut Findings,
) -> Result<Lives, JudgeError> {
    let carried: BTreeMap<&str, &Discrepancy> =
        lifecycle.carried.iter().map(|row| (row.discrepancy_id.as_str(), row)).collect();
    let mut rows = BTreeMap::new();
    for finding in std::mem::take(&mut findings.discrepancies) {
        let id = id_of(&finding);
        let was_open = carried.contains_key(id.as_str());
        rows.insert(id.clone(), found(lifecycle, finding, id, was_open)?);
    }
    let untold = findings.not_evaluated.iter().chain(&findings.awaited);
    let told = Told { untested: untold.map(id_of).collect(), findings };
    for prior in lifecycle.priors {
        let id = &prior.discrepancy_id;
        if !rows.contains_key(id) {
            rows.insert(id.clone(), late(lifecycle, prior, carried.contains_key(id.as_str())));
        }
    }
    for (id, before) in &carried {
        if !rows.contains_key(*id) {
            let stays = told.stays(lifecycle, before);
            let status = if stays { DiscrepancyStatus::Open } else { DiscrepancyStatus::Cleared };
            rows.insert((*id).to_owned(), carry(lifecycle, before, status));
        }
    }
    for before in lifecycle.was_accepted {
        let id = &before.discrepancy_id;
        if !rows.contains_key(id) && told.stays(lifecycle, before) {
            let mut row = carry(lifecycle, before, DiscrepancyStatus::New);
            row.is_reopened = true;
            rows.insert(id.clone(), row);
        }
    }
    let is_accepted = |stored: &Discrepancy| {
        stored.is_carried
            && stored.status != DiscrepancyStatus::Cleared
            && lifecycle.accepted.contains(&stored.discrepancy_id)
    };
    for (id, row) in &mut rows {
        row.assigned = lifecycle.assigned.get(id).cloned().unwrap_or_default();
    }
    let (mut accepted, rows): (Vec<_>, Vec<_>) = rows.into_values().partition(is_accepted);
    for stored in &mut accepted {
        stored.is_reopened = false;
    }
    Ok(Lives { rows, accepted })
}

/// The discrepancies that the checks could not evaluate.
struct Told<'run> {
    untested: BTreeSet<String>,
    findings: &'run Findings,
}

impl Told<'_> {
    /// Whether a discrepancy that existed before and was not found still stands. Absence of
    /// evidence never clears, nor do books or a bank that left the configuration; a discrepancy of
    /// a check that is turned off does not stand.
    fn stays(&self, lifecycle: &Lifecycle<'_>, before: &Discrepancy) -> bool {
        let code = before.code.as_str();
        let merchant = &before.merchant_id;
        let id = &before.discrepancy_id;
        let judges_unnamed = lifecycle.registry.says(code, |check| check.judges_unnamed);
        let is_unchecked = !judges_unnamed && !(lifecycle.is_checked)(merchant);
        let check = lifecycle.registry.find(code);
        let is_off = check.is_some_and(|check| check.level(lifecycle.settings, merchant).is_none());
        let configured = lifecycle.settings.merchant(merchant);
        let has = |side: fn(&Merchant) -> bool| configured.is_some_and(side);
        let is_uncompared = check.is_some_and(|check| {
            !check.is_setup
                && (check.is_for_ledger && !has(|one| one.ledger.is_some())
                    || check.is_for_bank && !has(|one| one.bank.is_some()))
        });
        !is_off
            && (self.untested.contains(id)
                || lifecycle.untested.contains(id)
                || self.findings.is_gapped(code, merchant)
                || is_unchecked
                || is_uncompared)
    }
}

fn id_of(finding: &Finding) -> String {
    discrepancy_id(&finding.code, &finding.merchant_id, &finding.subject)
}

fn found(
    lifecycle: &Lifecycle<'_>,
    finding: Finding,
    id: String,
    was_open: bool,
) -> Result<Discrepancy, JudgeError> {
    let business_date = lifecycle.asof.business_date;
    let check = lifecycle.registry.find(&finding.code).ok_or_else(|| JudgeError::File {
        stem: finding.code.to_lowercase(),
        problem: "a finding has a code without a check".to_owned(),
    })?;
    let configured = lifecycle.settings.check_level(&check.code, &finding.merchant_id).flatten();
    let severity = configured.or(finding.severity).unwrap_or(check.severity);
    let earlier = lifecycle.first_seen.get(&id).copied();
    // A finding of a closed date existed then, although no file of that date lists it.
    let prior = lifecycle.prior_dates.get(&id).copied();
    let first_seen = if check.is_carried {
        earlier.into_iter().chain(prior).min().unwrap_or(business_date)
    } else {
        business_date
    };
    let difference = match (finding.expected, finding.actual) {
        (Some(expected), Some(actual)) if check.has_difference => {
            Some(actual.checked_sub(expected).ok_or_else(|| JudgeError::Overflow {
                code: finding.code.clone(),
                subject: finding.subject.clone(),
                expected,
                actual,
            })?)
        }
        _ => None,
    };
    let status = if was_open { DiscrepancyStatus::Open } else { DiscrepancyStatus::New };
    Ok(Discrepancy {
        code: finding.code,
        severity,
        status,
        business_date,
        first_seen,
        age_days: age(lifecycle, &finding.merchant_id, first_seen),
        merchant_name: (lifecycle.name_of)(&finding.merchant_id),
        merchant_id: finding.merchant_id,
        subject: finding.subject,
        currency: finding.currency,
        figure: check.figure.unwrap_or(Figure::Amount),
        expected: finding.expected,
        actual: finding.actual,
        difference,
        batch_date: finding.batch_date,
        ids: finding.ids,
        explanation: explanation(
            prior.or_else(|| lifecycle.restated_dates.get(&id).copied()),
            finding.explanation,
        ),
        also_near: finding.also_near,
        discrepancy_id: id,
        action: finding.action.unwrap_or_else(|| check.action.clone()),
        is_carried: check.is_carried,
        is_reopened: check.is_carried && !was_open && earlier.is_some(),
        has_difference: check.has_difference,
        expected_currency: finding.expected_currency,
        assigned: Assignment::default(),
    })
}

/// An explanation without its prefix about the closed date.
pub(crate) fn without_prior_period(text: &str) -> &str {
    match (prior_period_of(text), text.split_once(PRIOR_REST)) {
        (Some(_), Some((_, rest))) => rest,
        _ => text,
    }
}

/// Adds the prefix about the closed date; the explanation keeps it for as long as it is listed.
fn explanation(prior: Option<NaiveDate>, text: String) -> String {
    match prior {
        Some(closed) => format!("{PRIOR_PERIOD}{closed}{PRIOR_REST}{text}"),
        None => text,
    }
}

/// A finding of a closed date, as the row of the date that reports it.
fn late(lifecycle: &Lifecycle<'_>, prior: &Discrepancy, was_open: bool) -> Discrepancy {
    let mut row = prior.clone();
    let business_date = lifecycle.asof.business_date;
    row.status = if was_open { DiscrepancyStatus::Open } else { DiscrepancyStatus::New };
    row.business_date = business_date;
    let earlier = lifecycle.first_seen.get(&row.discrepancy_id).copied();
    row.first_seen = if row.is_carried {
        earlier.into_iter().chain([prior.business_date]).min().unwrap_or(business_date)
    } else {
        business_date
    };
    row.age_days = age(lifecycle, &row.merchant_id, row.first_seen);
    row.merchant_name = (lifecycle.name_of)(&row.merchant_id);
    row.explanation = explanation(Some(prior.business_date), std::mem::take(&mut row.explanation));
    row.is_reopened = row.is_carried && !was_open && earlier.is_some();
    row
}

/// A discrepancy that was open before, with the figures of its last open day.
fn carry(
    lifecycle: &Lifecycle<'_>,
    before: &Discrepancy,
    status: DiscrepancyStatus,
) -> Discrepancy {
    let mut after = before.clone();
    after.is_reopened = false;
    after.status = status;
    after.business_date = lifecycle.asof.business_date;
    after.age_days = age(lifecycle, &before.merchant_id, before.first_seen);
    after
}

fn age(lifecycle: &Lifecycle<'_>, merchant_id: &MerchantId, first_seen: NaiveDate) -> u32 {
    (lifecycle.calendar_of)(merchant_id)
        .banking_days_after(first_seen, lifecycle.asof.business_date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_a_discrepancy_the_same_id_everywhere() {
        let of = |subject| discrepancy_id("DEPOSIT_NET_MISMATCH", &"4525644354".into(), subject);
        let id = of("99");
        assert_eq!(id, of("99"));
        assert_ne!(id, of("98"));
        assert_eq!(id.len(), 2 * ID_BYTES);
    }
}
