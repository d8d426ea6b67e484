//! The checks: a registry of their properties, the finders of failures and of checks that cannot be
//! evaluated, and the life of a discrepancy from date to date. Never formats a report and never
//! changes a record.

pub mod adjustments;
mod asof;
mod bank;
mod book_terms;
mod books_compared;
mod cards;
mod check;
mod custom;
mod error;
mod finality;
mod go_on;
mod hint;
mod journal;
mod judgement;
mod lateness;
mod life;
pub mod listings;
mod merchant_books;
mod nearest;
mod opening;
pub mod pairing;
mod places;
mod problem;
pub mod reconcile;
mod registry;
mod reread;
mod restated;
mod run;
pub mod run_record;
mod selected;
pub mod standing;
mod stands_for;
mod summary;
pub mod transit;
mod unreadable;
pub mod verdicts;

pub use asof::{AsOf, prepare, prepare_merchants};
pub use check::{Bounds, Check, Finder, Need};
pub use custom::{check_codes, registry_for};
pub use error::JudgeError;
pub use life::{Lifecycle, Lives, continue_lives, discrepancy_id};
pub use registry::Registry;
pub use restated::is_look_back_off;
pub use run::{Findings, Gap};

use chrono::NaiveDate;

use tieout_config::{BankSettings, Settings};
use tieout_model::OtherCredit;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// Finder, stem and text of every check, in order of stem.
fn check_files() -> Vec<(Finder, &'static str, &'static str)> {
    let all = [
        (Finder::Sql, tieout_store::SQL_CHECKS),
        (Finder::Ledger, embedded::LEDGER_CHECKS),
        (Finder::Bank, embedded::BANK_CHECKS),
        (Finder::Restated, embedded::RESTATED_CHECKS),
    ];
    let each = |(finder, files): (Finder, &'static [(&'static str, &'static str)])| {
        files.iter().map(move |(stem, text)| (finder, *stem, *text))
    };
    let mut files: Vec<_> = all.into_iter().flat_map(each).collect();
    files.sort_by_key(|(_, stem, _)| *stem);
    files
}

/// The inputs by which every date is judged.
#[derive(Clone, Copy)]
pub struct Rules<'run> {
    pub settings: &'run Settings,
    pub registry: &'run Registry,
    pub configuration_digest: &'run str,
    /// Today's date in the configured time zone: this business date is not over.
    pub today: NaiveDate,
    pub afresh: Afresh,
    /// Reads from the files the credits of a bank that do not name the processor.
    pub other_credits: fn(&Settings, &BankSettings) -> Vec<OtherCredit>,
}

/// Whether matching resumes from the books kept of an earlier date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Afresh {
    /// It does, where the kept books are enough.
    #[default]
    AsNeeded,
    /// All books are matched again, and the result is compared with resuming.
    Compared,
}
