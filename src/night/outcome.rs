//! Which stages a run has, and what became of its dates.

use std::path::PathBuf;

use chrono::NaiveDate;

use super::NightError;
use crate::exit::Exit;
use tieout_judge::record;
use tieout_model::{DiscrepancyStatus, Severity, StoreStamp};
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
    /// Matches the books afresh, and compares what going on from an earlier date comes to.
    pub afresh: bool,
}

impl Stages {
    /// Fetch, reconcile and report.
    pub const ALL: Self = Self { fetch: true, reconcile: true, report: true, ..Self::NONE };

    /// Nothing, for the stages of a command to be added.
    pub const NONE: Self =
        Self { fetch: false, reconcile: false, report: false, period: false, afresh: false };
}

/// What became of one date.
#[derive(Debug)]
pub struct DateResult {
    pub business_date: NaiveDate,
    /// `None` after `fetch` alone.
    pub outcome: Option<DayOutcome>,
    pub error: Option<NightError>,
    /// Listings of the date that are not complete.
    pub incomplete: Vec<String>,
    pub folder: Option<PathBuf>,
}

impl DateResult {
    /// Of a date that failed.
    pub(super) fn failed(business_date: NaiveDate, error: NightError) -> Self {
        Self {
            business_date,
            outcome: None,
            error: Some(error),
            incomplete: Vec::new(),
            folder: None,
        }
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
    /// The store, and how its audit trail ended after the run.
    pub store: Option<StoreStamp>,
    /// Whether the dataset that the configuration names could not be written.
    pub is_dataset_behind: bool,
}

impl RunResult {
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
    let Some(outcome) = &date.outcome else {
        if !date.incomplete.is_empty() {
            outcomes.push(Exit::Partial);
        }
        return outcomes;
    };
    if record::is_partial(outcome) {
        outcomes.push(Exit::Partial);
    }
    if let Some(level) = fail_on {
        let fails = outcome
            .discrepancies
            .iter()
            .any(|stored| stored.status != DiscrepancyStatus::Cleared && stored.severity >= level);
        if fails {
            outcomes.push(Exit::Discrepancies);
        }
    }
    outcomes
}
