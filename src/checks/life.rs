//! The life of a discrepancy: new, open, cleared, and back again. Pure: what was open on the
//! latest earlier date and what was found on this one go in, the rows of this date come out.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::run::{Finding, Findings};
use super::{AsOf, CheckError};
use crate::calendar::Calendar;
use crate::digest::sha256_hex;
use crate::model::{DiscrepancyRow, DiscrepancyStatus};
use crate::store::StoredDiscrepancy;

/// Bytes of the hash that an id keeps: collisions stay out of reach, and it can be read aloud.
const ID_BYTES: usize = 8;

/// What a date's discrepancies are joined with.
pub struct Lifecycle<'run> {
    pub asof: &'run AsOf,
    /// What was open when the latest earlier reconciled date closed.
    pub carried: Vec<StoredDiscrepancy>,
    /// Of discrepancies that existed on an earlier date: the first such date.
    pub first_seen: BTreeMap<String, NaiveDate>,
    /// Ids of carried discrepancies whose records could not be read again.
    pub untested: &'run BTreeSet<String>,
    /// Merchants that the configuration names, or every one when it names none.
    pub is_checked: &'run dyn Fn(&str) -> bool,
    pub name_of: &'run dyn Fn(&str) -> String,
    pub calendar_of: &'run dyn Fn(&str) -> Calendar,
}

/// The id of a discrepancy: the same in every run, on every machine.
pub fn discrepancy_id(code: &str, merchant_id: &str, subject: &str) -> String {
    let mut digest = sha256_hex(format!("{code}\n{merchant_id}\n{subject}").as_bytes());
    digest.truncate(2 * ID_BYTES);
    digest
}

/// The rows of the date.
///
/// # Errors
/// When a difference leaves the 64-bit range.
pub fn continue_lives(
    lifecycle: &Lifecycle<'_>,
    findings: &Findings,
) -> Result<Vec<StoredDiscrepancy>, CheckError> {
    let carried: BTreeMap<&str, &StoredDiscrepancy> =
        lifecycle.carried.iter().map(|row| (row.row.discrepancy_id.as_str(), row)).collect();
    let untested: BTreeSet<String> = findings.not_evaluated.iter().map(id_of).collect();
    let mut rows = BTreeMap::new();
    for finding in &findings.discrepancies {
        let id = id_of(finding);
        let row = found(lifecycle, finding, &id, carried.contains_key(id.as_str()))?;
        rows.insert(id, row);
    }
    for (id, before) in carried {
        if rows.contains_key(id) {
            continue;
        }
        let code = before.row.code.as_str();
        let merchant = before.row.merchant_id.as_str();
        let is_unchecked = code != "UNKNOWN_MERCHANT" && !(lifecycle.is_checked)(merchant);
        // Absence of evidence never clears. A check that is turned off no longer holds.
        let stays = !findings.off.iter().any(|off| off == code)
            && (untested.contains(id)
                || lifecycle.untested.contains(id)
                || findings.is_gapped(code, merchant)
                || is_unchecked);
        let status = if stays { DiscrepancyStatus::Open } else { DiscrepancyStatus::Cleared };
        rows.insert(id.to_owned(), carry(lifecycle, before, status));
    }
    Ok(rows.into_values().collect())
}

fn id_of(finding: &Finding) -> String {
    discrepancy_id(&finding.code, &finding.merchant_id, &finding.subject)
}

fn found(
    lifecycle: &Lifecycle<'_>,
    finding: &Finding,
    id: &str,
    was_open: bool,
) -> Result<StoredDiscrepancy, CheckError> {
    let business_date = lifecycle.asof.business_date;
    let earlier = lifecycle.first_seen.get(id).copied();
    let first_seen =
        if finding.is_carried { earlier.unwrap_or(business_date) } else { business_date };
    let difference = match (finding.expected, finding.actual) {
        (Some(expected), Some(actual)) if finding.has_difference => {
            Some(actual.checked_sub(expected).ok_or_else(|| CheckError::Overflow {
                code: finding.code.clone(),
                subject: finding.subject.clone(),
                expected,
                actual,
            })?)
        }
        _ => None,
    };
    let id_column = |name: &str| finding.ids.get(name).cloned().unwrap_or_default();
    let status = if was_open { DiscrepancyStatus::Open } else { DiscrepancyStatus::New };
    Ok(StoredDiscrepancy {
        subject: finding.subject.clone(),
        is_carried: finding.is_carried,
        has_difference: finding.has_difference,
        is_reopened: finding.is_carried && !was_open && earlier.is_some(),
        row: DiscrepancyRow {
            discrepancy_id: id.to_owned(),
            code: finding.code.clone(),
            severity: finding.severity,
            status,
            business_date,
            first_seen,
            age_days: age(lifecycle, &finding.merchant_id, first_seen),
            merchant_id: finding.merchant_id.clone(),
            merchant_name: (lifecycle.name_of)(&finding.merchant_id),
            currency: finding.currency,
            figure: finding.figure,
            expected: finding.expected,
            actual: finding.actual,
            difference,
            batch_date: finding.batch_date,
            batch_id: id_column("batch_id"),
            ach_deposit_id: id_column("ach_deposit_id"),
            authorization_id: id_column("authorization_id"),
            transaction_id: id_column("transaction_id"),
            payment_id: id_column("payment_id"),
            refund_id: id_column("refund_id"),
            order_id: id_column("order_id"),
            ledger_id: id_column("ledger_id"),
            explanation: finding.explanation.clone(),
            action: finding.action.clone(),
        },
    })
}

/// What was open before, with the figures of its last open day.
fn carry(
    lifecycle: &Lifecycle<'_>,
    before: &StoredDiscrepancy,
    status: DiscrepancyStatus,
) -> StoredDiscrepancy {
    let mut after = before.clone();
    after.is_reopened = false;
    after.row.status = status;
    after.row.business_date = lifecycle.asof.business_date;
    after.row.age_days = age(lifecycle, &before.row.merchant_id, before.row.first_seen);
    after
}

fn age(lifecycle: &Lifecycle<'_>, merchant_id: &str, first_seen: NaiveDate) -> u32 {
    (lifecycle.calendar_of)(merchant_id)
        .banking_days_after(first_seen, lifecycle.asof.business_date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_a_discrepancy_the_same_id_everywhere() {
        let id = discrepancy_id("DEPOSIT_NET_MISMATCH", "4525644354", "99");
        assert_eq!(id, discrepancy_id("DEPOSIT_NET_MISMATCH", "4525644354", "99"));
        assert_ne!(id, discrepancy_id("DEPOSIT_NET_MISMATCH", "4525644354", "98"));
        assert_eq!(id.len(), 2 * ID_BYTES);
    }
}
