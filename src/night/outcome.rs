//! Which stages a run has, and what became of its dates.

use std::fmt;
use std::path::PathBuf;

use chrono::NaiveDate;

use super::NightError;
use super::line::DateLine;
use crate::exit::Exit;
use tieout_model::{Severity, StoreStamp};
use tieout_store::{DayOutcome, NewestDay};

/// Which stages a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each stage is run or is not")]
pub struct Stages {
    pub fetch: bool,
    pub reconcile: bool,
    pub report: bool,
    /// Also the report of the period that the dates are.
    pub period: bool,
    /// Also, from the store, the later dates that this has made stale.
    pub stale: bool,
    /// Matches the books afresh, and compares what going on from an earlier date comes to.
    pub afresh: bool,
}

impl Stages {
    /// Fetch, reconcile and report.
    pub const ALL: Self = Self { fetch: true, reconcile: true, report: true, ..Self::NONE };

    /// What a run without dates does: what it catches up may make later dates stale.
    pub const NIGHT: Self = Self { stale: true, ..Self::ALL };

    /// Nothing, for the stages of a command to be added.
    pub const NONE: Self = Self {
        fetch: false,
        reconcile: false,
        report: false,
        period: false,
        stale: false,
        afresh: false,
    };
}

/// What became of one date.
#[derive(Debug)]
pub struct DateResult {
    pub business_date: NaiveDate,
    /// `None` after `fetch` alone.
    pub line: Option<DateLine>,
    pub error: Option<NightError>,
    /// Listings of the date that are not complete.
    pub incomplete: Vec<String>,
    pub folder: Option<PathBuf>,
}

impl DateResult {
    /// Of a date that failed.
    pub(super) fn failed(business_date: NaiveDate, error: NightError) -> Self {
        Self { business_date, line: None, error: Some(error), incomplete: Vec::new(), folder: None }
    }
}

/// What became of a run.
#[derive(Debug, Default)]
pub struct RunResult {
    pub dates: Vec<DateResult>,
    /// The folder of the period's report.
    pub period: Option<PathBuf>,
    pub requests: u64,
    /// How far the files of each ledger and bank reach.
    pub files: Vec<NewestDay>,
    /// Dates between the first and the newest one reconciled that never were.
    pub missed: u64,
    /// The store, and how its audit trail ended after the run.
    pub store: Option<StoreStamp>,
    /// Whether the dataset that the configuration names could not be written.
    pub is_dataset_behind: bool,
    pub(super) kept: Kept,
}

/// Reads what a date came to from where it is kept.
#[derive(Default)]
pub(super) struct Kept(pub(super) Option<Box<ReadOutcome>>);

type ReadOutcome = dyn Fn(NaiveDate) -> Result<Option<DayOutcome>, NightError> + Send;

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Kept")
    }
}

impl RunResult {
    /// What a date that was judged came to; `None` of any other.
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
                // One date that fails does not make the others undone.
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
