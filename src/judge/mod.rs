//! The checks: a registry built from the files of `sql/checks`, a runner that tells what
//! fails and what cannot be told, and the life of a discrepancy from date to date.
//! Never formats a report and never changes a record.

mod aside;
mod asof;
pub(crate) mod banking;
mod cards;
mod custom;
mod life;
pub(crate) mod pairing;
#[cfg(test)]
mod plans;
pub mod reconcile;
pub mod record;
mod registry;
mod restated;
mod run;
pub(crate) mod transit;
pub(crate) mod verdicts;

pub use asof::{AsOf, prepare};
pub use life::{Lifecycle, Lives, continue_lives, discrepancy_id, prior_period_of};
pub use registry::{Bounds, Check, Need, Registry};
pub use restated::{compare_with_the_past, is_look_back_off};
pub use run::{Findings, Gap, evaluate};

include!(concat!(env!("OUT_DIR"), "/sql_files.rs"));

/// What can go wrong while a date is judged. A discrepancy is a result, not an error.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error("check {check}: the query failed")]
    Query {
        check: String,
        #[source]
        source: rusqlite::Error,
    },
    #[error("preparing {step} as of {business_date} failed")]
    Prepare {
        step: String,
        business_date: chrono::NaiveDate,
        #[source]
        source: rusqlite::Error,
    },
    #[error("check file {stem}.sql: {problem}")]
    File { stem: String, problem: String },
    #[error("your own check {}: {problem}", path.display())]
    Custom { path: std::path::PathBuf, problem: String },
    #[error("the difference between {actual} and {expected} of {code} {subject} overflows")]
    Overflow { code: String, subject: String, expected: i64, actual: i64 },
}
