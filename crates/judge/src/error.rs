//! Why a date could not be judged. A discrepancy is a result, not an error.

use std::path::PathBuf;

use chrono::NaiveDate;

use tieout_read::ReadError;
use tieout_store::{StatementError, StoreError};

/// The errors of judging a date.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    #[error("check {check}: the query failed")]
    Query {
        check: String,
        #[source]
        source: StatementError,
    },
    #[error("preparing {step} as of {business_date} failed")]
    Prepare {
        step: String,
        business_date: NaiveDate,
        #[source]
        source: StatementError,
    },
    #[error("check {stem}: {problem}")]
    File { stem: String, problem: String },
    #[error("your own check {}: {problem}", path.display())]
    Custom { path: PathBuf, problem: String },
    #[error("the difference between {actual} and {expected} of {code} {subject} overflows")]
    Overflow { code: String, subject: String, expected: i64, actual: i64 },
    #[error("{business_date} was never fetched")]
    NeverFetched { business_date: NaiveDate },
    #[error("the totals do not add up: {0}")]
    NotConserved(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Read(#[from] ReadError),
}
