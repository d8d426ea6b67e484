//! Why a run ended early, with its exit code and remedy.

use chrono::NaiveDate;

use super::decision_error::DecisionError;
use super::lock::LockError;
use super::merge::MergeError;
use super::verify::VerifyError;
use crate::exit::Exit;
use crate::export::ExportError;
use crate::limit;
use tieout_import::ImportError;
use tieout_judge::JudgeError;
use tieout_read::ReadError;
use tieout_report::{KeyError, ReportError};
use tieout_store::StoreError;

/// An error that stops a run, or one date of it.
#[derive(Debug, thiserror::Error)]
pub enum NightError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Judge(JudgeError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Decision(#[from] DecisionError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error("{business_date} was never fetched")]
    NeverFetched { business_date: NaiveDate },
    #[error("{business_date} was never reconciled")]
    NeverReconciled { business_date: NaiveDate },
    #[error("{business_date}: the decision is in the audit trail, but no file shows it yet")]
    NotShown { business_date: NaiveDate, source: Box<NightError> },
    #[error("stopped by a signal")]
    Stopped,
    #[error("schedule: {0}")]
    Schedule(String),
    #[error("the totals do not add up: {0}")]
    NotConserved(String),
}

/// Errors of the store, the reading or the date itself keep their own kind.
impl From<JudgeError> for NightError {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Store(error) => Self::Store(error),
            JudgeError::Read(error) => Self::Read(error),
            JudgeError::NeverFetched { business_date } => Self::NeverFetched { business_date },
            JudgeError::NotConserved(problem) => Self::NotConserved(problem),
            other => Self::Judge(other),
        }
    }
}

impl NightError {
    /// The exit code of the error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Read(ReadError::Api(error)) if error.is_refusal() => Exit::Refused,
            Self::Read(ReadError::Api(error)) if error.is_configuration() => Exit::Usage,
            Self::Read(ReadError::NothingRead { is_refusal: true, .. }) => Exit::Refused,
            Self::Lock(LockError::Held { .. }) => Exit::Locked,
            Self::Export(error) if error.is_held() => Exit::Locked,
            Self::Decision(_)
            | Self::Key(_)
            | Self::Schedule(_)
            | Self::Verify(VerifyError::NoReports { .. })
            | Self::Judge(JudgeError::Custom { .. })
            | Self::Store(
                StoreError::OtherShare { .. }
                | StoreError::Foreign { .. }
                | StoreError::Lost { .. },
            ) => Exit::Usage,
            Self::Merge(error) if error.is_usage() => Exit::Usage,
            Self::Export(error) if error.is_usage() => Exit::Usage,
            Self::Read(_)
            | Self::Import(_)
            | Self::Store(_)
            | Self::Judge(_)
            | Self::Report(_)
            | Self::Lock(_)
            | Self::Verify(_)
            | Self::Merge(_)
            | Self::Export(_)
            | Self::NeverFetched { .. }
            | Self::NeverReconciled { .. }
            | Self::NotShown { .. }
            | Self::Stopped
            | Self::NotConserved(_) => Exit::Failed,
        }
    }

    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<String> {
        let own = self.own_hint();
        match (limit::remedy(self), own) {
            // The decision is recorded; only its files are missing.
            (Some(limit), Some(own)) if matches!(self, Self::NotShown { .. }) => {
                Some(format!("{limit}; {own}"))
            }
            (Some(limit), _) => Some(limit.to_owned()),
            (None, own) => own,
        }
    }

    fn own_hint(&self) -> Option<String> {
        match self {
            Self::Read(error) => error.hint(),
            Self::Import(error) => error.hint(),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::NeverFetched { business_date } => {
                Some(format!("run it first: tieout run --date {business_date}"))
            }
            Self::NeverReconciled { business_date } => {
                Some(format!("run it first: tieout reconcile --date {business_date}"))
            }
            Self::NotShown { business_date, .. } => {
                Some(format!("write its files: tieout report --date {business_date}"))
            }
            Self::Lock(error) => Some(error.hint()),
            Self::Decision(error) => error.hint(),
            Self::Merge(error) => error.hint(),
            Self::Export(error) => error.hint(),
            Self::Verify(_) => {
                Some("name a report folder, such as reports/2026-11-20, or reports".to_owned())
            }
            Self::Report(error) => error.hint(),
            Self::Judge(JudgeError::Custom { .. }) => Some(
                "fix the file or remove it from the folder; docs/own-checks.md describes the file \
                 of a check"
                    .to_owned(),
            ),
            Self::Stopped => {
                Some("the next run resumes after the last page that was stored".to_owned())
            }
            Self::Judge(_) | Self::Key(_) | Self::NotConserved(_) | Self::Schedule(_) => None,
        }
    }
}

impl NightError {
    /// Checks that the error concerns the whole run and not only one date: the store itself failed.
    pub(super) fn ends_the_run(&self) -> bool {
        match self {
            Self::Store(error) => !matches!(error, StoreError::Altered { .. }),
            Self::Read(ReadError::Store(_)) => true,
            _ => false,
        }
    }
}

/// An error with its causes, on one line.
pub fn in_one_line(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line
}
