//! Why a decision of a person is refused.

use chrono::NaiveDate;

/// A decision that is refused; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    #[error("{option}: expected {expected}, found nothing")]
    Unsaid { option: &'static str, expected: &'static str },
    #[error("no discrepancy has the id \"{id}\"")]
    UnknownId { id: String },
    #[error("several discrepancies have ids that begin with \"{id}\"")]
    SeveralIds { id: String },
    #[error("discrepancy {id} is not open: it was cleared on {date}")]
    NotOpen { id: String, date: NaiveDate },
    #[error("discrepancy {id} is not carried: it stands in the report of {date} alone")]
    NotCarried { id: String, date: NaiveDate },
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
    #[error("{date} is not evaluated in full: {checks} checks could not be made")]
    NotEvaluated { date: NaiveDate, checks: usize },
    #[error("{date} is stale: an older date was reconciled after it")]
    Stale { date: NaiveDate },
}

impl DecisionError {
    /// The remedy.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownId { .. } => "tieout discrepancies list shows the ids".to_owned(),
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
            Self::SamePerson { .. } => "somebody else closes it".to_owned(),
            Self::Unsaid { .. } => "the audit trail says who did what and why".to_owned(),
            Self::NotOpen { .. }
            | Self::NotCarried { .. }
            | Self::NotAccepted { .. }
            | Self::TooEarly { .. }
            | Self::ClosedAlready { .. }
            | Self::NotClosed { .. } => return None,
        })
    }
}
