//! Adds up rows for the page and the workbook's first sheet. Judges nothing: every figure is a
//! sum or a count over the rows that the CSV files hold.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use tieout_model::money::{Currency, Minor};
use tieout_model::{
    DepositRow, Discrepancy, DiscrepancyStatus, Figure, ReportedChecks, RunRecord, Severity,
    SummaryRow, TransitRow, Verdict, is_on_the_way,
};

/// A sum for each currency, wide enough for any number of rows. Unknown amounts are counted, never
/// added as zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    by_code: BTreeMap<&'static str, (Currency, i128)>,
    /// Number of unknown amounts.
    pub unknown: u64,
}

impl Sums {
    /// Adds an amount; one without a currency is unknown.
    pub fn add(&mut self, amount: Option<Minor>, currency: Option<Currency>) {
        match amount.zip(currency) {
            Some((amount, currency)) => self.add_wide(i128::from(amount.0), currency),
            None => self.unknown += 1,
        }
    }

    /// Adds a sum.
    pub fn add_wide(&mut self, amount: i128, currency: Currency) {
        self.by_code.entry(currency.code()).or_insert((currency, 0)).1 += amount;
    }

    /// Whether nothing was added, not even an unknown amount.
    pub fn is_empty(&self) -> bool {
        self.by_code.is_empty() && self.unknown == 0
    }

    /// Currencies and their sums, in order of code.
    pub fn iter(&self) -> impl Iterator<Item = (Currency, i128)> + '_ {
        self.by_code.values().copied()
    }
}

impl FromIterator<(Option<Minor>, Option<Currency>)> for Sums {
    fn from_iter<T: IntoIterator<Item = (Option<Minor>, Option<Currency>)>>(amounts: T) -> Self {
        let mut sums = Self::default();
        for (amount, currency) in amounts {
            sums.add(amount, currency);
        }
        sums
    }
}

/// `sum` in major units with all decimals of the currency, as CSV writes amounts.
pub(super) fn major(sum: i128, currency: Currency) -> String {
    let sign = if sum < 0 { "-" } else { "" };
    let magnitude = sum.unsigned_abs();
    let scale = 10_u128.pow(currency.exponent());
    let whole = magnitude / scale;
    match currency.exponent() as usize {
        0 => format!("{sign}{whole}"),
        width => format!("{sign}{whole}.{:0width$}", magnitude % scale),
    }
}

/// A number and the amounts behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub count: u64,
    /// Absolute differences; rows without one add nothing.
    pub differences: Sums,
}

impl Tally {
    /// Counts a discrepancy with its absolute difference.
    pub fn add(&mut self, row: &Discrepancy) {
        self.count += 1;
        if let Some(difference) = absolute_difference(row) {
            self.differences.add(Some(difference), row.currency);
        }
    }
}

/// The difference without its sign; `None` for a count, and without a difference or a currency.
pub(super) fn absolute_difference(row: &Discrepancy) -> Option<Minor> {
    let is_money = row.figure == Figure::Amount && row.currency.is_some();
    row.difference.filter(|_| is_money).and_then(|difference| Minor(difference).checked_abs())
}

/// Whether a row is new or open on `end`. A period also holds rows that were shown only on an
/// earlier day, and are neither open nor cleared on its last.
pub(super) fn is_open(row: &Discrepancy, end: NaiveDate) -> bool {
    row.status != DiscrepancyStatus::Cleared && row.business_date == end
}

/// The worst of the merchants' verdicts; not evaluated if a check could not be evaluated. A
/// merchant that the configuration does not name is not evaluated, but that is a finding: the date
/// itself is evaluated in full.
pub fn verdict_of_date(merchants: &[SummaryRow], run: &RunRecord) -> Verdict {
    let worst = merchants.iter().map(|row| row.verdict).min().unwrap_or(Verdict::Tied);
    match worst {
        _ if run.is_partial() => Verdict::NotEvaluated,
        Verdict::NotEvaluated => Verdict::Discrepancy,
        worst => worst,
    }
}

/// The verdict of a date by its new findings; carried ones are counted beside it.
pub fn own_verdict(
    discrepancies: &[Discrepancy],
    is_moving: bool,
    checks: &ReportedChecks,
    run: &RunRecord,
) -> Verdict {
    let is_wrong = |row: &Discrepancy| {
        row.status == DiscrepancyStatus::New
            && row.severity >= Severity::Warning
            && !checks.of(&row.code).is_aside
    };
    match is_moving {
        _ if run.is_partial() => Verdict::NotEvaluated,
        _ if discrepancies.iter().any(is_wrong) => Verdict::Discrepancy,
        true => Verdict::InTransit,
        false => Verdict::Tied,
    }
}

/// Whether money is in transit: to be paid, or to arrive at a bank.
pub fn is_moving(in_transit: &[TransitRow], deposits: &[DepositRow]) -> bool {
    !in_transit.is_empty() || deposits.iter().any(|row| is_on_the_way(&row.bank_verdict))
}

/// The date up to which all merchants are final; `None` while one has no such date.
pub fn final_until(merchants: &[SummaryRow]) -> Option<NaiveDate> {
    let dates = merchants.iter().map(|row| row.final_date).collect::<Option<Vec<_>>>()?;
    dates.into_iter().min()
}

/// One amount of every merchant, added up by currency. A row without an amount or a currency counts
/// as unknown.
pub(super) fn sum_of(rows: &[SummaryRow], amount: fn(&SummaryRow) -> Option<Minor>) -> Sums {
    let mut sums = Sums::default();
    for row in rows {
        sums.add(amount(row), row.currency);
    }
    sums
}
