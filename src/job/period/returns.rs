//! The return rates that the rules of the ACH network watch: debits that came back, of debits
//! that were sent, over the sixty days that end with the period.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};

use crate::config::Merchant;
use crate::job::JobError;
use crate::model::{ReturnCodeRow, ReturnMeasure, ReturnRateRow};
use crate::money::Currency;
use crate::store::{DebitDay, ReturnDay, Store};

/// The window that the rules name.
const WINDOW_DAYS: u64 = 60;

/// Rates and codes of every merchant with debits, over the window that ends on `last`. The
/// names are those that the reports show.
pub(super) fn rates(
    store: &Store,
    merchants: &[Merchant],
    last: NaiveDate,
    names: &BTreeMap<String, String>,
) -> Result<(Vec<ReturnRateRow>, Vec<ReturnCodeRow>), JobError> {
    let first = last.checked_sub_days(Days::new(WINDOW_DAYS - 1)).unwrap_or(last);
    let debits = store.debits(first, last)?;
    let returns = store.returned_debits(first, last)?;
    let mut rates = Vec::new();
    let mut codes = Vec::new();
    for merchant in merchants.iter().filter(|merchant| !merchant.terminals.is_empty()) {
        let window = Window::of(merchant, &debits, &returns);
        if window.is_silent() {
            continue;
        }
        let name = names.get(merchant.id.as_str()).map_or("", String::as_str);
        rates.extend(window.rates(merchant, name, (first, last)));
        codes.extend(window.codes(merchant, name)?);
    }
    Ok((rates, codes))
}

/// One merchant's part of the window: days on which every terminal was read, and what those
/// days hold. A return on a day that was not read stays out, as the debits of that day do.
struct Window<'a> {
    days_read: BTreeSet<NaiveDate>,
    debits: i64,
    returns: Vec<&'a ReturnDay>,
}

impl<'a> Window<'a> {
    fn of(merchant: &Merchant, debits: &[DebitDay], returns: &'a [ReturnDay]) -> Self {
        let is_own = |terminal: &str| merchant.terminals.iter().any(|own| own.as_str() == terminal);
        let mut terminals_read: BTreeMap<NaiveDate, usize> = BTreeMap::new();
        for day in debits.iter().filter(|day| is_own(&day.terminal_id)) {
            *terminals_read.entry(day.day).or_default() += 1;
        }
        let days_read: BTreeSet<NaiveDate> = terminals_read
            .into_iter()
            .filter(|(_, terminals)| *terminals == merchant.terminals.len())
            .map(|(day, _)| day)
            .collect();
        let is_counted =
            |terminal: &str, day: NaiveDate| is_own(terminal) && days_read.contains(&day);
        let sent = debits.iter().filter(|day| is_counted(&day.terminal_id, day.day));
        let debits = sent.map(|day| day.debits).sum();
        let returns = returns.iter().filter(|one| is_counted(&one.terminal_id, one.day)).collect();
        Self { days_read, debits, returns }
    }

    /// A merchant without debits has no rates: most take cards alone.
    fn is_silent(&self) -> bool {
        self.debits == 0 && self.returns.is_empty()
    }

    fn rates(
        &self,
        merchant: &Merchant,
        name: &str,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Vec<ReturnRateRow> {
        let returned = |measure: ReturnMeasure| {
            self.returns
                .iter()
                .filter(|one| measure.counts(&one.code))
                .map(|one| one.returned)
                .sum()
        };
        ReturnMeasure::ALL
            .into_iter()
            .map(|measure| ReturnRateRow {
                merchant_id: merchant.id.to_string(),
                merchant_name: name.to_owned(),
                measure,
                window_from: first,
                window_to: last,
                days_read: i64::try_from(self.days_read.len()).unwrap_or(i64::MAX),
                returned: returned(measure),
                debits: self.debits,
            })
            .collect()
    }

    fn codes(&self, merchant: &Merchant, name: &str) -> Result<Vec<ReturnCodeRow>, JobError> {
        let Some(currency) = Currency::from_code("USD") else { return Ok(Vec::new()) };
        let mut rows: BTreeMap<&str, ReturnCodeRow> = BTreeMap::new();
        for one in &self.returns {
            let row = rows.entry(&one.code).or_insert_with(|| ReturnCodeRow {
                merchant_id: merchant.id.to_string(),
                merchant_name: name.to_owned(),
                code: one.code.clone(),
                reason: String::new(),
                currency,
                returned: 0,
                amount: Some(crate::money::Minor::default()),
            });
            row.returned += one.returned;
            row.amount = match row.amount.zip(one.amount) {
                Some((sum, more)) => Some(sum.checked_add(more).ok_or_else(|| {
                    JobError::NotConserved("the sum of returned debits overflows".to_owned())
                })?),
                None => None,
            };
            // The longest wording, so that the order of the days does not matter.
            if (one.reason.len(), &one.reason) > (row.reason.len(), &row.reason) {
                row.reason.clone_from(&one.reason);
            }
        }
        Ok(rows.into_values().collect())
    }
}
