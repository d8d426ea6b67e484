//! What stands at the top of the page: how many, how much, since when. Money is added up by cause: what
//! shows in several checks is money once.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::DateReport;
use super::causes::{Cause, causes};
use super::totals::{Sums, Tally, is_open, major};
use tieout_model::money::Minor;
use tieout_model::{Discrepancy, DiscrepancyStatus, Severity};

/// What stands at the top of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Headline {
    pub errors: Tally,
    pub warnings: Tally,
    pub notes: Tally,
    /// When the oldest open error or warning was first seen.
    pub oldest: Option<NaiveDate>,
    /// What open errors and warnings come to, without signs, each cause once.
    pub in_question: Sums,
    /// The part of it that is new.
    pub new_money: Sums,
    /// The part where more is stated than was expected.
    pub over: Sums,
    /// The part where less is, below zero.
    pub short: Sums,
}

/// What is open of a date: by code of the currency in major units, each cause once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenMoney {
    pub new: BTreeMap<String, String>,
    pub over: BTreeMap<String, String>,
    /// Below zero.
    pub short: BTreeMap<String, String>,
}

/// The money at the top of the page of a date.
pub fn open_money(report: &DateReport<'_>) -> OpenMoney {
    let headline = Headline::of(&report.discrepancies, report.business_date);
    let by_code = |sums: &Sums| {
        let sums = sums.iter();
        sums.map(|(currency, sum)| (currency.code().to_owned(), major(sum, currency))).collect()
    };
    OpenMoney {
        new: by_code(&headline.new_money),
        over: by_code(&headline.over),
        short: by_code(&headline.short),
    }
}

impl Headline {
    /// Of the rows that are open on `end`.
    pub fn of(rows: &[Discrepancy], end: NaiveDate) -> Self {
        Self::with(rows, &causes(rows, end), end)
    }

    /// The same, where their causes are known already.
    pub fn with(rows: &[Discrepancy], causes: &[Cause<'_>], end: NaiveDate) -> Self {
        let mut headline = Self::default();
        for row in rows.iter().filter(|row| is_open(row, end)) {
            match row.severity {
                Severity::Error => headline.errors.add(row),
                Severity::Warning => headline.warnings.add(row),
                Severity::Info => {
                    headline.notes.add(row);
                    continue;
                }
            }
            headline.oldest =
                Some(headline.oldest.map_or(row.first_seen, |date| date.min(row.first_seen)));
        }
        for cause in causes {
            headline.add(cause);
        }
        headline
    }

    fn add(&mut self, cause: &Cause<'_>) {
        let Some((amount, currency)) = cause.total() else { return };
        self.in_question.add_wide(amount, currency);
        if cause.lead.status == DiscrepancyStatus::New {
            self.new_money.add_wide(amount, currency);
        }
        let difference = cause.lead.difference.map(Minor);
        if difference > Some(Minor(0)) {
            self.over.add(difference, Some(currency));
        } else {
            self.short.add(difference, Some(currency));
        }
    }

    /// The parts of what is in question.
    pub fn parts(&self) -> [(&'static str, &Sums); 3] {
        [("Of it new", &self.new_money), ("Of it over", &self.over), ("Of it short", &self.short)]
    }

    /// Open errors and warnings.
    pub fn open(&self) -> u64 {
        self.errors.count + self.warnings.count
    }
}
