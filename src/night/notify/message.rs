//! The notice: the outcome of a run in figures, without customers' names, keys or the path of an
//! address. Its JSON is a public contract; new fields are added only at the end.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use crate::exit::Exit;
use tieout_model::money::{Currency, Minor};
use tieout_model::{DiscrepancyStatus, Severity, StoreStamp, Verdict};
use tieout_report::aligned::counted;
use tieout_report::terminal::{DiscrepancyLine, new_errors};
use tieout_report::{
    ACCEPTED, DateReport, MoneyByCode, OpenCounts, Owed, open_counts, open_money, owed,
};
use tieout_store::NewestDay;

/// The version of the JSON.
pub const SCHEMA_VERSION: u32 = 1;

/// New errors that a notice lists for each date, and errors that are sent as notices of their own,
/// at most.
pub const MAX_NEW_ERRORS: usize = 20;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    pub schema_version: u32,
    pub tool_version: &'static str,
    /// `done`, `discrepancies`, `partial`, `failed`, `refused`, `locked` or `usage`; `test` for a
    /// notice without a run.
    pub outcome: &'static str,
    pub exit_code: u8,
    #[serde(skip)]
    pub exit: Exit,
    pub started: DateTime<Utc>,
    pub ended: DateTime<Utc>,
    pub duration_ms: i64,
    /// Requests sent to the API.
    pub requests: u64,
    /// The error that stopped the whole run.
    pub error: Option<String>,
    /// Oldest first, including dates that failed.
    pub dates: Vec<DateNotice>,
    /// The newest day in the files of each ledger and bank.
    pub files: Vec<NewestDay>,
    /// Dates between others that never ran; unknown when the run failed as a whole.
    pub missed: Option<u64>,
    /// The store, and the end of its audit trail after the run.
    pub store: Option<StoreStamp>,
    /// The first line, which names newly missing money.
    pub title: String,
}

/// The outcome of one business date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DateNotice {
    pub business_date: NaiveDate,
    /// `tied`, `in_transit`, `discrepancy`, `not_evaluated` or `failed`.
    pub verdict: &'static str,
    pub error: Option<String>,
    /// New and open discrepancies by code.
    pub discrepancies: Vec<CodeCount>,
    pub cleared: u64,
    /// By currency, the sum of the absolute differences of open discrepancies, in major units.
    pub money_at_risk: BTreeMap<String, String>,
    /// Distinct records received.
    pub records: u64,
    pub incomplete_listings: u64,
    pub not_evaluated: u64,
    /// Ledger and statement rows that were left out.
    pub quarantined: u64,
    /// As in `run.json`; empty for a date that failed.
    pub results_digest: String,
    /// By currency, open money in major units, each cause once and without signs, as at the top of
    /// the page. `new_money` is the new part of the four that follow it.
    pub new_money: MoneyByCode,
    pub overdue: MoneyByCode,
    pub short: MoneyByCode,
    pub over: MoneyByCode,
    pub unclear: MoneyByCode,
    pub accepted: MoneyByCode,
    /// New errors, at most [`MAX_NEW_ERRORS`].
    pub new_errors: Vec<DiscrepancyLine>,
    /// The address of the page, when `notify.reports_url` is configured.
    pub page: Option<String>,
    /// The money owed, as at the top of the page, and its new part.
    pub owed: Vec<Owed>,
    /// The verdict that follows from the date's new discrepancies.
    pub own_verdict: &'static str,
    /// Open errors and warnings, as at the top of the page.
    pub open: OpenCounts,
    /// The first-seen date of the oldest open error.
    pub oldest_error: Option<NaiveDate>,
}

/// A new error as a notice of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorNotice<'n> {
    pub schema_version: u32,
    pub tool_version: &'static str,
    /// `new_error`
    pub outcome: &'static str,
    pub business_date: NaiveDate,
    #[serde(flatten)]
    pub error: &'n DiscrepancyLine,
    pub page: Option<&'n str>,
}

/// The number of new and open discrepancies of a code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CodeCount {
    pub code: String,
    pub severity: &'static str,
    pub new: u64,
    pub open: u64,
}

impl Notice {
    /// A notice without a run.
    pub fn test(now: DateTime<Utc>) -> Self {
        Self {
            outcome: "test",
            title: "tieout: a test of the notices; nothing was run".to_owned(),
            ..Self::new(Exit::Done, now, now)
        }
    }

    /// The notice of a run that ended with `exit`; the caller reads the clock.
    pub fn new(exit: Exit, started: DateTime<Utc>, ended: DateTime<Utc>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            outcome: word(exit),
            exit_code: exit.code(),
            exit,
            started,
            ended,
            // A clock that was set back must not give a negative duration.
            duration_ms: (ended - started).num_milliseconds().max(0),
            requests: 0,
            error: None,
            dates: Vec::new(),
            files: Vec::new(),
            missed: None,
            store: None,
            title: String::new(),
        }
    }

    /// Adds the first line: `tieout: Overdue new: 12,690.43 USD (2026-11-20)`.
    #[must_use]
    pub fn titled(mut self) -> Self {
        let ended = match self.outcome {
            "done" | "discrepancies" => None,
            "partial" => Some("done in part"),
            "refused" => Some("settlement run refused by the API"),
            "locked" => Some("settlement run not started, another one is in progress"),
            _ => Some("settlement run failed"),
        };
        let has_finished = has_finished(self.exit);
        let new = has_finished.then(|| self.new_in_words());
        let parts: Vec<String> = ended.map(str::to_owned).into_iter().chain(new).collect();
        self.title = format!("tieout: {}", parts.join("; "));
        self
    }

    /// The newly missing money of the newest date that has any, else the number of new findings, else
    /// what is open.
    fn new_in_words(&self) -> String {
        let money = |date: &DateNotice| {
            let owed = date.owed.iter().filter(|owed| owed.name != ACCEPTED);
            let new: Vec<String> = owed.filter_map(Owed::new_in_words).collect();
            (!new.is_empty()).then(|| format!("{} ({})", new.join("; "), date.business_date))
        };
        let count = |date: &DateNotice| {
            let new = counted(date.open.new, "finding", "findings");
            (date.open.new > 0).then(|| format!("{new} new ({})", date.business_date))
        };
        let newest = || self.dates.iter().rev();
        let found = newest().find_map(money).or_else(|| newest().find_map(count));
        let open = newest().next().into_iter().flat_map(|date| &date.owed);
        let open = open.filter(|owed| owed.name != ACCEPTED && !owed.all.is_empty());
        let open: Vec<String> = open.map(Owed::in_words).collect();
        let open = (!open.is_empty()).then(|| format!("nothing new; open: {}", open.join("; ")));
        found.or(open).unwrap_or_else(|| "nothing new".to_owned())
    }
}

impl DateNotice {
    /// The notice of a date with this report.
    pub fn of(report: &DateReport<'_>) -> Self {
        let (run, open) = (&report.run, open_money(report));
        let listings = run.listings.iter().filter(|listing| listing.verdict != "complete");
        Self {
            business_date: report.business_date,
            verdict: verdict(report),
            error: None,
            discrepancies: by_code(report),
            cleared: count(report, |status| status == DiscrepancyStatus::Cleared),
            money_at_risk: money_at_risk(report),
            records: run.records.received.count,
            incomplete_listings: listings.count() as u64,
            not_evaluated: run.checks.not_evaluated.len() as u64,
            quarantined: run.ledger.quarantined.count,
            results_digest: run.results_digest.clone(),
            new_money: open.new,
            overdue: open.overdue,
            short: open.short,
            over: open.over,
            unclear: open.unclear,
            accepted: open.accepted,
            new_errors: new_errors(report, MAX_NEW_ERRORS),
            page: None,
            owed: owed(report),
            own_verdict: report.own_verdict().as_str(),
            open: open_counts(report),
            oldest_error: oldest_error(report),
        }
    }

    /// The notice of a date that failed.
    pub fn failed(business_date: NaiveDate, error: String) -> Self {
        Self {
            business_date,
            verdict: "failed",
            error: Some(error),
            discrepancies: Vec::new(),
            cleared: 0,
            money_at_risk: BTreeMap::new(),
            records: 0,
            incomplete_listings: 0,
            not_evaluated: 0,
            quarantined: 0,
            results_digest: String::new(),
            new_money: MoneyByCode::new(),
            overdue: MoneyByCode::new(),
            short: MoneyByCode::new(),
            over: MoneyByCode::new(),
            unclear: MoneyByCode::new(),
            accepted: MoneyByCode::new(),
            new_errors: Vec::new(),
            page: None,
            owed: Vec::new(),
            own_verdict: "failed",
            open: OpenCounts::default(),
            oldest_error: None,
        }
    }

    /// The number of new errors, listed or not.
    pub fn errors_new(&self) -> u64 {
        let errors = self.discrepancies.iter();
        errors.filter(|one| one.severity == Severity::Error.as_str()).map(|one| one.new).sum()
    }

    /// The date's new errors, each as a notice.
    pub fn error_notices(&self) -> impl Iterator<Item = ErrorNotice<'_>> {
        self.new_errors.iter().map(|error| ErrorNotice {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            outcome: "new_error",
            business_date: self.business_date,
            error,
            page: self.page.as_deref(),
        })
    }
}

/// The word for an exit code.
fn word(exit: Exit) -> &'static str {
    match exit {
        Exit::Done => "done",
        Exit::Failed => "failed",
        Exit::Usage => "usage",
        Exit::Discrepancies => "discrepancies",
        Exit::Partial => "partial",
        Exit::Refused => "refused",
        Exit::Locked => "locked",
    }
}

fn verdict(report: &DateReport<'_>) -> &'static str {
    if !report.run.checks.not_evaluated.is_empty() {
        return Verdict::NotEvaluated.as_str();
    }
    let worst = report.summary.iter().map(|row| row.verdict).min().unwrap_or(Verdict::Tied);
    // A merchant that is not configured is a finding; the date was evaluated in full.
    if worst == Verdict::NotEvaluated { Verdict::Discrepancy.as_str() } else { worst.as_str() }
}

fn count(report: &DateReport<'_>, holds: impl Fn(DiscrepancyStatus) -> bool) -> u64 {
    report.discrepancies.iter().filter(|row| holds(row.status)).count() as u64
}

fn oldest_error(report: &DateReport<'_>) -> Option<NaiveDate> {
    let open = report
        .discrepancies
        .iter()
        .filter(|row| row.severity == Severity::Error && row.status != DiscrepancyStatus::Cleared);
    open.map(|row| row.first_seen).min()
}

fn by_code(report: &DateReport<'_>) -> Vec<CodeCount> {
    let mut counts: BTreeMap<(&str, &'static str), (u64, u64)> = BTreeMap::new();
    for row in report.discrepancies.iter() {
        let entry = counts.entry((&row.code, row.severity.as_str())).or_default();
        match row.status {
            DiscrepancyStatus::New => entry.0 += 1,
            DiscrepancyStatus::Open => entry.1 += 1,
            DiscrepancyStatus::Cleared => {}
        }
    }
    counts
        .into_iter()
        .filter(|(_, (new, open))| new + open > 0)
        .map(|((code, severity), (new, open))| CodeCount {
            code: code.to_owned(),
            severity,
            new,
            open,
        })
        .collect()
}

fn money_at_risk(report: &DateReport<'_>) -> BTreeMap<String, String> {
    let mut sums: BTreeMap<&'static str, (Currency, Option<Minor>)> = BTreeMap::new();
    for row in report.summary.iter() {
        let (Some(currency), Some(amount)) = (row.currency, row.closing_amount) else { continue };
        let sum = &mut sums.entry(currency.code()).or_insert((currency, Some(Minor(0)))).1;
        *sum = sum.and_then(|sum| sum.checked_add(amount));
    }
    sums.into_iter()
        .filter_map(|(code, (currency, sum))| Some((code.to_owned(), currency.format(sum?))))
        .collect()
}

/// Checks that a run was completed, in whole or in part. A missing heartbeat tells an operator that
/// it was not.
pub fn has_finished(exit: Exit) -> bool {
    match exit {
        Exit::Done | Exit::Discrepancies | Exit::Partial => true,
        Exit::Failed | Exit::Usage | Exit::Refused | Exit::Locked => false,
    }
}
