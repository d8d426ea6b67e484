//! Why a decision of a person is refused.

use chrono::NaiveDate;

/// A refused decision; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    #[error("{option}: expected {expected}, found nothing")]
    Unsaid { option: &'static str, expected: &'static str },
    #[error("{option}: \"{shown}\" holds a character that cannot be shown")]
    Hidden { option: &'static str, shown: String },
    #[error("{option}: expected at most {most} characters, found {found}")]
    TooLong { option: &'static str, found: usize, most: usize },
    #[error("no discrepancy has the id \"{id}\"")]
    UnknownId { id: String },
    #[error("several discrepancies have ids that begin with \"{id}\"")]
    SeveralIds { id: String },
    #[error("discrepancy {id} is not open: it was cleared on {date}")]
    NotOpen { id: String, date: NaiveDate },
    #[error("discrepancy {id} is not carried: only the report of {date} has it")]
    NotCarried { id: String, date: NaiveDate },
    #[error("discrepancy {id} is not open: the run of {run} over {date} withdrew it")]
    Withdrawn { id: String, date: NaiveDate, run: String },
    #[error("discrepancy {id} has no owner, ticket, due date or note")]
    NotAssigned { id: String },
    #[error("discrepancy {id} has no owner, and no person is named")]
    NobodySays { id: String },
    #[error("discrepancy {id} is not accepted")]
    NotAccepted { id: String },
    #[error("--until: {until} is before {first}, the first date that an acceptance counts for")]
    TooEarly { until: NaiveDate, first: NaiveDate },
    #[error("{date} was never reconciled")]
    NeverReconciled { date: NaiveDate },
    #[error("{date} is closed already")]
    ClosedAlready { date: NaiveDate },
    #[error("{date} was prepared by {who}, and two people sign a date off")]
    SamePerson { date: NaiveDate, who: String },
    #[error("{date} is not closed")]
    NotClosed { date: NaiveDate },
    #[error("{date}: {open}, and the sign-off has no note")]
    ErrorsOpen { date: NaiveDate, open: String },
    #[error("{date} is not evaluated in full: {checks} checks could not be made")]
    NotEvaluated { date: NaiveDate, checks: usize },
    #[error(
        "{date} is stale: an older date was reconciled, or records of it were listed, after it ran"
    )]
    Stale { date: NaiveDate },
}

impl DecisionError {
    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownId { .. } => {
                "tieout discrepancies list shows the ids; nothing was changed".to_owned()
            }
            Self::Hidden { .. } => "type it on one line, without control characters".to_owned(),
            Self::TooLong { .. } => "shorten it, and name the place of the full text".to_owned(),
            Self::NotOpen { id, .. } | Self::NotCarried { id, .. } | Self::Withdrawn { id, .. } => {
                format!("tieout discrepancies show {id} prints its history; nothing was changed")
            }
            Self::NotAccepted { id } => {
                format!("tieout discrepancies show {id} prints its decisions; nothing was changed")
            }
            Self::NotAssigned { .. } => "name the owner with --to".to_owned(),
            Self::NobodySays { .. } => {
                "name the person with --by, or the owner with --to".to_owned()
            }
            Self::ErrorsOpen { date, .. } => format!(
                "say it with --note; tieout discrepancies list --date {date} --severity error \
                 shows them"
            ),
            Self::SeveralIds { .. } => "write the whole id".to_owned(),
            Self::NotEvaluated { date, .. } => format!(
                "run it again: tieout run --date {date}; or close it with --force and a --note"
            ),
            Self::Stale { .. } => {
                "bring it up to date: tieout reconcile --stale; or close it with --force and a \
                 --note"
                    .to_owned()
            }
            Self::NeverReconciled { date } => format!("run it first: tieout run --date {date}"),
            Self::SamePerson { .. } => "a second person closes it".to_owned(),
            Self::Unsaid { .. } => "the audit trail records the person and the reason".to_owned(),
            Self::TooEarly { .. } | Self::ClosedAlready { .. } | Self::NotClosed { .. } => {
                return None;
            }
        })
    }
}
