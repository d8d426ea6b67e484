//! The results of matching one merchant.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::Rules;
use super::book_terms::DaysRead;
use super::go_on::MatchedMerchant;
use super::lateness::newest_unposted;
use tieout_matching::{
    self as matching, LedgerCode, Matched, RecordState, Row, Subjects, Tally, Totals, findings,
    keep, ledger_rows,
};
use tieout_model::{Finding, LedgerStatus, MatchRow, MerchantId};
use tieout_store::{KeptBooks, OpenFinding, Seen};

/// Paid ledger records of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayCount {
    pub records: i64,
    pub matched: i64,
}

/// The results of matching one merchant.
pub(super) struct MerchantBooks {
    pub(super) merchant_id: MerchantId,
    pub(super) totals: Totals,
    /// Unmatched items whose ledger record is not due yet.
    pub(super) not_due: Tally,
    pub(super) matches: Vec<MatchRow>,
    pub(super) findings: Vec<Row>,
    /// `None` if some of the day's records are out of scope because days were not read.
    pub(super) days: Option<BTreeMap<&'static str, DayCount>>,
    /// Records that are out of scope because a day that they depend on was not read.
    pub(super) not_read: u64,
    /// The newest day before the business date with an item that matches no record.
    pub(super) unposted: Option<NaiveDate>,
    /// The books to keep, from which the next date resumes.
    pub(super) kept: Option<KeptBooks>,
}

/// The results of one merchant; its books rest on an earlier date where `rests_on` is given.
pub(super) fn judge(
    rules: &Rules<'_>,
    one: MatchedMerchant<'_>,
    open: &[OpenFinding],
    rests_on: Option<(Seen, &String)>,
) -> MerchantBooks {
    let MatchedMerchant { merchant, terms, input, outcome } = one;
    let days = DaysRead::new(rules, merchant, &terms, &input.days_read, &input.early_failed);
    let paid_not_read = input
        .records
        .iter()
        .filter(|record| record.day_not_read && record.status == LedgerStatus::Paid);
    let not_read = paid_not_read.count() as u64;
    let merchant_id = &merchant.id;
    let matched = Matched::of(merchant_id, &input, &terms, &outcome);
    let found = findings(&matched.merchant_input(), &outcome);
    let mut rows = ledger_rows(&matched, &found);
    let told: BTreeSet<(&str, String)> =
        rows.iter().map(|row| (row.finding.code.as_str(), row.finding.subject.clone())).collect();
    let is_absent = |one: &&OpenFinding| {
        one.merchant_id == *merchant_id && !told.contains(&(one.code.as_str(), one.subject.clone()))
    };
    let absent: Vec<&OpenFinding> = open.iter().filter(is_absent).collect();
    rows.extend(not_evaluated(&matched, &absent, &days));
    let kept = keep(&matched, &found).zip(rests_on);
    let kept = kept.map(|((kept, names), (seen, made_for))| KeptBooks {
        merchant_id: merchant_id.clone(),
        made_for: made_for.clone(),
        seen,
        kept,
        names,
    });
    MerchantBooks {
        kept,
        matches: matching::matches(&matched),
        days: is_day_counted(&matched).then(|| day_counts(&matched)),
        findings: rows,
        not_read,
        unposted: newest_unposted(&input, &outcome, terms.business_date),
        not_due: matching::items_not_due(&matched.merchant_input(), &outcome),
        totals: outcome.totals,
        merchant_id: merchant_id.clone(),
    }
}

impl MerchantBooks {
    /// A warning about records that cannot be matched yet.
    pub(super) fn out_of_scope(&self) -> Option<String> {
        let Self { not_read, merchant_id, .. } = self;
        (*not_read > 0).then(|| {
            format!(
                "{not_read} ledger records of merchant {merchant_id} are out of scope: days that \
                 they could have settled on were not read completely"
            )
        })
    }
}

/// Not-evaluated rows for open discrepancies that were not found and can no longer be tested,
/// because a day behind them, or behind a possible pair, is no longer read completely. Absence of
/// evidence never clears.
fn not_evaluated(matched: &Matched<'_>, absent: &[&OpenFinding], days: &DaysRead<'_>) -> Vec<Row> {
    let is_any_not_read = matched.input.records.iter().any(|record| record.day_not_read);
    let beside = (is_any_not_read && !absent.is_empty())
        .then(|| (Subjects::of(matched), matched.unknowns()));
    let why = |code: LedgerCode, one: &OpenFinding| {
        let day = one.batch_date?;
        if !days.are_read(day) {
            let merchant_id = matched.merchant_id;
            return Some(format!(
                "the settled items of merchant {merchant_id} around {day} were not read completely"
            ));
        }
        let (subjects, unknowns) = beside.as_ref()?;
        unknowns.why_still_open(&subjects.about(code, &one.subject))
    };
    let rows = absent.iter().filter_map(|one| {
        let code = LedgerCode::ALL.into_iter().find(|code| code.as_str() == one.code)?;
        let finding = Finding {
            code: code.as_str().to_owned(),
            merchant_id: one.merchant_id.clone(),
            subject: one.subject.clone(),
            batch_date: one.batch_date,
            problem: Some(why(code, one)?),
            ..Finding::default()
        };
        Some(Row { finding, named: None })
    });
    rows.collect()
}

/// Whether all paid records dated the business date are in scope, as far as days were read.
fn is_day_counted(matched: &Matched<'_>) -> bool {
    !(0..).zip(&matched.input.records).any(|(position, record)| {
        record.date == matched.terms.business_date
            && record.status == LedgerStatus::Paid
            && (record.day_not_read || matched.failed_before(position).is_some())
    })
}

/// The paid records dated the business date, by currency.
fn day_counts(matched: &Matched<'_>) -> BTreeMap<&'static str, DayCount> {
    let mut counts: BTreeMap<&'static str, DayCount> = BTreeMap::new();
    for (record, state) in matched.input.records.iter().zip(&matched.outcome.records) {
        let is_counted = record.date == matched.terms.business_date
            && record.status == LedgerStatus::Paid
            && !record.day_not_read
            && !matches!(state, RecordState::OutOfScope | RecordState::Later);
        if is_counted {
            let count = counts.entry(record.currency.code()).or_default();
            count.records += 1;
            count.matched += i64::from(matches!(state, RecordState::Matched { .. }));
        }
    }
    counts
}
