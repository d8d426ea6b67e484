//! The stages of a run, and the results of its dates.

use std::fmt;
use std::path::PathBuf;

use chrono::NaiveDate;

use super::NightError;
use super::line::DateLine;
use crate::exit::Exit;
use tieout_model::{Severity, StoreStamp};
use tieout_store::{DayOutcome, NewestDay};

/// The stages that a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each stage is run or is not")]
pub struct Stages {
    pub fetch: bool,
    pub reconcile: bool,
    pub report: bool,
    /// Also writes the report of the period that the dates form.
    pub period: bool,
    /// Also refreshes, from the store, the later dates that this run has made stale.
    pub stale: bool,
    /// Matches the books afresh, and compares the result with the one that resumes from an earlier
    /// date.
    pub afresh: bool,
}

impl Stages {
    /// Fetch, reconcile and report.
    pub const ALL: Self = Self { fetch: true, reconcile: true, report: true, ..Self::NONE };

    /// The stages of a run without dates: the dates that it catches up may make later dates stale.
    pub const NIGHT: Self = Self { stale: true, ..Self::ALL };

    /// No stage, for a command to add its own.
    pub const NONE: Self = Self {
        fetch: false,
        reconcile: false,
        report: false,
        period: false,
        stale: false,
        afresh: false,
    };
}

/// The result of one date.
#[derive(Debug)]
pub struct DateResult {
    pub business_date: NaiveDate,
    /// `None` when only fetched.
    pub line: Option<DateLine>,
    pub error: Option<NightError>,
    /// Incomplete listings of the date.
    pub incomplete: Vec<String>,
    pub folder: Option<PathBuf>,
}

impl DateResult {
    /// The result of a date that failed.
    pub(super) fn failed(business_date: NaiveDate, error: NightError) -> Self {
        Self { business_date, line: None, error: Some(error), incomplete: Vec::new(), folder: None }
    }
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct RunResult {
    pub dates: Vec<DateResult>,
    /// The folder of the period's report.
    pub period: Option<PathBuf>,
    pub requests: u64,
    /// The newest day in the files of each ledger and bank.
    pub files: Vec<NewestDay>,
    /// Dates between the first and the newest reconciled one that were never reconciled.
    pub missed: u64,
    /// The store, and the end of its audit trail after the run.
    pub store: Option<StoreStamp>,
    /// Whether the configured dataset could not be written.
    pub is_dataset_behind: bool,
    pub(super) kept: Kept,
}

/// Reads the outcome of a date from the store or the shards.
#[derive(Default)]
pub(super) struct Kept(pub(super) Option<Box<ReadOutcome>>);

type ReadOutcome = dyn Fn(NaiveDate) -> Result<Option<DayOutcome>, NightError> + Send;

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Kept")
    }
}

impl RunResult {
    /// The outcome of a date that was judged; `None` for any other date.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn outcome(&self, date: NaiveDate) -> Result<Option<DayOutcome>, NightError> {
        let is_judged = |done: &DateResult| done.business_date == date && done.line.is_some();
        if !self.dates.iter().any(is_judged) {
            return Ok(None);
        }
        self.kept.0.as_ref().map_or(Ok(None), |read| read(date))
    }

    /// The exit code of the whole run.
    pub fn exit(&self, fail_on: Option<Severity>) -> Exit {
        let is_any_done = self.dates.iter().any(|date| date.error.is_none());
        let mut outcomes = Vec::new();
        if self.is_dataset_behind {
            outcomes.push(Exit::Partial);
        }
        for date in &self.dates {
            match &date.error {
                // A failed date does not undo the others.
                Some(_) if is_any_done => outcomes.push(Exit::Partial),
                Some(error) => outcomes.push(error.exit()),
                None => outcomes.extend(exits_of(date, fail_on)),
            }
        }
        Exit::first_that_applies(&outcomes)
    }
}

fn exits_of(date: &DateResult, fail_on: Option<Severity>) -> Vec<Exit> {
    let mut outcomes = Vec::new();
    let Some(line) = &date.line else {
        if !date.incomplete.is_empty() {
            outcomes.push(Exit::Partial);
        }
        return outcomes;
    };
    if line.is_partial {
        outcomes.push(Exit::Partial);
    }
    if fail_on.is_some_and(|level| line.worst >= Some(level)) {
        outcomes.push(Exit::Discrepancies);
    }
    outcomes
}
