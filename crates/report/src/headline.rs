//! The head of the reports: the money owed, the number of new findings, and the number carried from
//! earlier dates. Money is added up by cause, so that money shown by several checks counts once.
//! Page, workbook, terminal and notices take their figures from here.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::Serialize;

use super::DateReport;
use super::causes::{Cause, causes, causes_of};
use super::period_report::PeriodReport;
use super::totals::{Sums, Tally, is_open, major};
use tieout_model::money::grouped;
use tieout_model::{
    AcceptedRow, Discrepancy, DiscrepancyStatus, MoneyPart, ReportedChecks, Severity,
};

/// The findings that a head summarizes, with their checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Findings<'a> {
    pub rows: &'a [Discrepancy],
    pub accepted: &'a [AcceptedRow],
    pub checks: &'a ReportedChecks,
    /// Findings first seen on or after this date are new.
    pub since: NaiveDate,
    /// The date on which findings count as open.
    pub end: NaiveDate,
}

impl<'a> From<&'a DateReport<'_>> for Findings<'a> {
    fn from(report: &'a DateReport<'_>) -> Self {
        Self {
            rows: &report.discrepancies,
            accepted: &report.accepted,
            checks: &report.checks,
            since: report.business_date,
            end: report.business_date,
        }
    }
}

impl<'a> From<&'a PeriodReport> for Findings<'a> {
    fn from(report: &'a PeriodReport) -> Self {
        Self {
            rows: &report.discrepancies,
            accepted: &report.accepted,
            checks: &report.checks,
            since: report.first,
            end: report.last_reconciled,
        }
    }
}

impl<'a> Findings<'a> {
    /// The causes of the open findings, in the order in which a person should look at them.
    pub fn causes(&self) -> Vec<Cause<'a>> {
        causes(self.rows, self.end, self.checks)
    }

    /// Whether a row is new or reopened.
    pub fn is_new(&self, row: &Discrepancy) -> bool {
        row.status == DiscrepancyStatus::New || row.first_seen >= self.since
    }

    /// The findings that are accepted at the end.
    pub fn accepted(&self) -> impl Iterator<Item = &'a AcceptedRow> + use<'a> {
        let end = self.end;
        self.accepted.iter().filter(move |row| row.found.business_date == end)
    }
}

/// One of the sums of money at the top of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Without signs, each cause once.
    pub all: Sums,
    /// The part of it that is new.
    pub new: Sums,
}

impl Part {
    fn add(&mut self, cause: &Cause<'_>, is_new: bool) {
        let Some((amount, currency)) = cause.total() else { return };
        self.all.add_wide(amount, currency);
        if is_new {
            self.new.add_wide(amount, currency);
        }
    }
}

/// The figures at the top of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Headline {
    pub errors: Tally,
    pub warnings: Tally,
    pub notes: Tally,
    /// The new ones among the errors and the warnings.
    pub new_errors: u64,
    pub new_warnings: u64,
    /// The date on which the oldest open error or warning was first seen.
    pub oldest: Option<NaiveDate>,
    /// The same for errors and warnings that are not new.
    pub carried_since: Option<NaiveDate>,
    /// The money of open errors and warnings, without signs, each cause once.
    pub in_question: Sums,
    /// The parts of `in_question`.
    parts: BTreeMap<MoneyPart, Part>,
    /// The money of accepted findings that still exist.
    pub accepted: Part,
    pub accepted_count: u64,
}

impl Headline {
    /// The head of these findings.
    pub fn of(findings: Findings<'_>) -> Self {
        Self::with(findings, &findings.causes())
    }

    /// The same, if their causes are already known.
    pub fn with(findings: Findings<'_>, causes: &[Cause<'_>]) -> Self {
        let mut headline = Self::default();
        for row in findings.rows.iter().filter(|row| is_open(row, findings.end)) {
            headline.count(row, findings.is_new(row));
        }
        for cause in causes {
            headline.add(cause, findings);
        }
        let accepted: Vec<&AcceptedRow> = findings.accepted().collect();
        headline.accepted_count = accepted.len() as u64;
        let rows = accepted.iter().map(|row| &row.found).collect();
        for cause in causes_of(rows, findings.checks) {
            let id = &cause.lead.discrepancy_id;
            let lead = accepted.iter().find(|row| row.found.discrepancy_id == *id);
            headline.accepted.add(&cause, lead.is_some_and(|row| row.is_new()));
        }
        headline
    }

    fn count(&mut self, row: &Discrepancy, is_new: bool) {
        match row.severity {
            Severity::Error => {
                self.errors.add(row);
                self.new_errors += u64::from(is_new);
            }
            Severity::Warning => {
                self.warnings.add(row);
                self.new_warnings += u64::from(is_new);
            }
            Severity::Info => return self.notes.add(row),
        }
        let earliest = |known: Option<NaiveDate>| {
            Some(known.map_or(row.first_seen, |date| date.min(row.first_seen)))
        };
        self.oldest = earliest(self.oldest);
        if !is_new {
            self.carried_since = earliest(self.carried_since);
        }
    }

    fn add(&mut self, cause: &Cause<'_>, findings: Findings<'_>) {
        let Some((amount, currency)) = cause.total() else { return };
        self.in_question.add_wide(amount, currency);
        let part = cause.part(findings.checks);
        self.parts.entry(part).or_default().add(cause, findings.is_new(cause.lead));
    }

    /// The parts of the money owed, in the order of the reports; accepted money comes last.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let owed = self.parts.iter().map(|(part, sums)| (part.name(), sums));
        owed.chain([(ACCEPTED, &self.accepted)]).filter(|(_, part)| !part.all.is_empty())
    }

    /// Number of open errors and warnings.
    pub fn open(&self) -> u64 {
        self.errors.count + self.warnings.count
    }

    /// Number of new ones among them.
    pub fn are_new(&self) -> u64 {
        self.new_errors + self.new_warnings
    }

    /// Number of those carried from earlier dates.
    pub fn carried(&self) -> u64 {
        self.open() - self.are_new()
    }

    fn part(&self, part: MoneyPart) -> Part {
        self.parts.get(&part).cloned().unwrap_or_default()
    }
}

/// The name of accepted money, beside [`MoneyPart::name`].
pub const ACCEPTED: &str = "Accepted";

/// Amounts in major units, by currency code.
pub type MoneyByCode = BTreeMap<String, String>;

/// The open money of a date, each cause once and without signs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenMoney {
    /// The new part of overdue, short, over and unclear.
    pub new: MoneyByCode,
    pub overdue: MoneyByCode,
    pub short: MoneyByCode,
    pub over: MoneyByCode,
    pub unclear: MoneyByCode,
    pub accepted: MoneyByCode,
}

/// The money at the top of the page of a date.
pub fn open_money(report: &DateReport<'_>) -> OpenMoney {
    let headline = Headline::of(report.into());
    let mut new = Sums::default();
    for (currency, sum) in headline.parts.values().flat_map(|part| part.new.iter()) {
        new.add_wide(sum, currency);
    }
    let of = |part| by_code(&headline.part(part).all);
    OpenMoney {
        new: by_code(&new),
        overdue: of(MoneyPart::Overdue),
        short: of(MoneyPart::Short),
        over: of(MoneyPart::Over),
        unclear: of(MoneyPart::Unclear),
        accepted: by_code(&headline.accepted.all),
    }
}

/// One of the sums at the top of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Owed {
    /// The name that people read.
    pub name: &'static str,
    pub all: MoneyByCode,
    /// The new part of it.
    pub new: MoneyByCode,
}

impl Owed {
    /// `Overdue 12,690.43 USD, 36,181 JPY (new 44.84 USD)`.
    pub fn in_words(&self) -> String {
        let new = match in_words(&self.new) {
            new if new.is_empty() => String::new(),
            _ if self.new == self.all => " (all new)".to_owned(),
            new => format!(" (new {new})"),
        };
        format!("{} {}{new}", self.name, in_words(&self.all))
    }

    /// `Overdue new: 44.84 USD`; `None` if nothing is new.
    pub fn new_in_words(&self) -> Option<String> {
        let new = Some(in_words(&self.new)).filter(|new| !new.is_empty())?;
        Some(format!("{} new: {new}", self.name))
    }
}

/// `12,690.43 USD, 36,181 JPY`.
fn in_words(money: &MoneyByCode) -> String {
    let sums = money.iter().map(|(code, amount)| format!("{} {code}", grouped(amount)));
    sums.collect::<Vec<_>>().join(", ")
}

/// The money owed at the top of a date's page, in its order.
pub fn owed(report: &DateReport<'_>) -> Vec<Owed> {
    let headline = Headline::of(report.into());
    let parts = headline.parts();
    let owed =
        parts.map(|(name, part)| Owed { name, all: by_code(&part.all), new: by_code(&part.new) });
    owed.collect()
}

fn by_code(sums: &Sums) -> MoneyByCode {
    let sums = sums.iter();
    sums.map(|(currency, sum)| (currency.code().to_owned(), major(sum, currency))).collect()
}

/// Number of open errors and warnings of a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenCounts {
    pub new: u64,
    /// Those carried from earlier dates.
    pub carried: u64,
    /// The date on which the oldest carried one was first seen.
    pub carried_since: Option<NaiveDate>,
    pub accepted: u64,
}

/// The counts at the top of the page of a date.
pub fn open_counts(report: &DateReport<'_>) -> OpenCounts {
    let headline = Headline::of(report.into());
    OpenCounts {
        new: headline.are_new(),
        carried: headline.carried(),
        carried_since: headline.carried_since,
        accepted: headline.accepted_count,
    }
}
