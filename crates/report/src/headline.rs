//! The head of the reports: what is owed, how many findings are new, and how many are carried from
//! earlier dates. Money is added up by cause: what shows in several checks is money once. Page,
//! workbook, terminal and notices take it from here.

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

/// The findings that a head speaks of, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Findings<'a> {
    pub rows: &'a [Discrepancy],
    pub accepted: &'a [AcceptedRow],
    pub checks: &'a ReportedChecks,
    /// What was first seen from here on is new.
    pub since: NaiveDate,
    /// What is open is open on it.
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
    /// The causes of what is open, in the order in which a person should look at them.
    pub fn causes(&self) -> Vec<Cause<'a>> {
        causes(self.rows, self.end, self.checks)
    }

    /// Whether a row is new, or there again.
    pub fn is_new(&self, row: &Discrepancy) -> bool {
        row.status == DiscrepancyStatus::New || row.first_seen >= self.since
    }

    /// What is accepted at the end.
    pub fn accepted(&self) -> impl Iterator<Item = &'a AcceptedRow> + use<'a> {
        let end = self.end;
        self.accepted.iter().filter(move |row| row.found.business_date == end)
    }
}

/// Some of the money at the top of a report.
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

/// What stands at the top of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Headline {
    pub errors: Tally,
    pub warnings: Tally,
    pub notes: Tally,
    /// Of the errors and of the warnings those that are new.
    pub new_errors: u64,
    pub new_warnings: u64,
    /// When the oldest open error or warning was first seen.
    pub oldest: Option<NaiveDate>,
    /// The same of those that are not new.
    pub carried_since: Option<NaiveDate>,
    /// What open errors and warnings come to, without signs, each cause once.
    pub in_question: Sums,
    /// What it is made of.
    parts: BTreeMap<MoneyPart, Part>,
    /// What people have accepted and is still there.
    pub accepted: Part,
    pub accepted_count: u64,
}

impl Headline {
    /// Of these findings.
    pub fn of(findings: Findings<'_>) -> Self {
        Self::with(findings, &findings.causes())
    }

    /// The same, where their causes are known already.
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

    /// What is owed, in the order of the reports; what people have accepted comes last.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let owed = self.parts.iter().map(|(part, sums)| (part.name(), sums));
        owed.chain([(ACCEPTED, &self.accepted)]).filter(|(_, part)| !part.all.is_empty())
    }

    /// Open errors and warnings.
    pub fn open(&self) -> u64 {
        self.errors.count + self.warnings.count
    }

    /// Those that are new.
    pub fn are_new(&self) -> u64 {
        self.new_errors + self.new_warnings
    }

    /// Those that are carried from earlier dates.
    pub fn carried(&self) -> u64 {
        self.open() - self.are_new()
    }

    fn part(&self, part: MoneyPart) -> Part {
        self.parts.get(&part).cloned().unwrap_or_default()
    }
}

/// The name of what people have accepted, beside [`MoneyPart::name`].
pub const ACCEPTED: &str = "Accepted";

/// By code of the currency, in major units.
pub type MoneyByCode = BTreeMap<String, String>;

/// What is open of a date, each cause once and without signs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenMoney {
    /// The part of overdue, short, over and unclear that is new.
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
    /// As people read it.
    pub name: &'static str,
    pub all: MoneyByCode,
    /// The part of it that is new.
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

    /// `Overdue new: 44.84 USD`; nothing without anything new.
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

/// What is owed at the top of the page of a date, in its order.
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

/// How many errors and warnings of a date are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenCounts {
    pub new: u64,
    /// From earlier dates.
    pub carried: u64,
    /// When the oldest of those was first seen.
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
