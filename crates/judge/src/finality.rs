//! The date up to which a merchant is final: everything expected has arrived and ties out. Later
//! money in transit never keeps an earlier date from being final.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::{JudgeError, Rules};
use tieout_config::Merchant;
use tieout_model::{DiscrepancyStatus, Finding, MerchantId};
use tieout_store::{DayOutcome, Store, days, judging};

/// The first date with something open, by merchant; the empty id stands for all merchants.
struct OpenSince(BTreeMap<MerchantId, NaiveDate>);

impl OpenSince {
    fn note(&mut self, merchant: &MerchantId, date: NaiveDate) {
        let first = self.0.entry(merchant.clone()).or_insert(date);
        *first = (*first).min(date);
    }

    fn of(&self, merchant: &MerchantId) -> Option<NaiveDate> {
        self.0.get(merchant).into_iter().chain(self.0.get(MerchantId::NONE)).min().copied()
    }
}

/// By merchant, the latest date that is final as of the prepared one together with every reconciled
/// date before it. Merchants without such a date are absent.
///
/// # Errors
/// When the store refuses.
pub(crate) fn final_dates(
    rules: &Rules<'_>,
    store: &Store,
    date: NaiveDate,
    outcome: &DayOutcome,
    awaited: &[Finding],
) -> Result<BTreeMap<MerchantId, NaiveDate>, JudgeError> {
    let start = days::start(store, date)?;
    let mut open = open_since(rules, store, (start, date), outcome)?;
    for one in awaited {
        let day = one.batch_date.unwrap_or(start);
        if day >= start {
            open.note(&one.merchant_id, day);
        }
    }
    let reconciled = days::reconciled_between(store, start, date)?;
    let last = |merchant: &Merchant| {
        let first = open.of(&merchant.id);
        let calendar = rules.settings.calendar(merchant.calendar);
        let is_final = |day: &&NaiveDate| {
            first.is_none_or(|first| **day < first)
                && (merchant.ledger.is_none()
                    || calendar.due(**day, merchant.terms.window_days) <= date)
        };
        reconciled.iter().rev().find(is_final).copied()
    };
    let merchants = rules.settings.merchants.iter();
    Ok(merchants.filter_map(|one| Some((one.id.clone(), last(one)?))).collect())
}

fn open_since(
    rules: &Rules<'_>,
    store: &Store,
    (start, date): (NaiveDate, NaiveDate),
    outcome: &DayOutcome,
) -> Result<OpenSince, JudgeError> {
    let mut open = OpenSince(BTreeMap::new());
    let bank_days = rules.settings.settlement.bank_days;
    let has_bank = |id: &MerchantId| {
        id.is_empty() || rules.settings.merchant(id).is_some_and(|one| one.bank.is_some())
    };
    for (merchant, day) in judging::open_since(store, bank_days)? {
        if day >= start && has_bank(&merchant) {
            open.note(&merchant, day);
        }
    }
    for transit in &outcome.in_transit {
        if let Some(day) = transit.date.filter(|day| *day >= start) {
            open.note(&transit.merchant_id, day);
        }
    }
    let is_open = |status| status != DiscrepancyStatus::Cleared;
    for stored in outcome.discrepancies.iter().filter(|stored| is_open(stored.status)) {
        let day = stored.batch_date.unwrap_or(start);
        if day >= start && rules.registry.says(&stored.code, |check| !check.is_final_without) {
            open.note(&stored.merchant_id, day);
        }
    }
    for missing in &outcome.not_evaluated {
        open.note(&missing.merchant_id, date);
    }
    Ok(open)
}
