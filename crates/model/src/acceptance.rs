//! The accepted discrepancies as of a business date.

use chrono::{DateTime, NaiveDate, Utc};

use super::Discrepancy;

/// Who accepted a discrepancy, and until when, as the audit trail had it when the date was
/// reconciled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    pub discrepancy_id: String,
    pub who: String,
    pub moment: DateTime<Utc>,
    pub note: String,
    /// The first business date of the acceptance.
    pub since: NaiveDate,
    /// The last business date of the acceptance; `None` until a person withdraws it.
    pub until: Option<NaiveDate>,
    /// Whether the discrepancy was open when the earlier date closed.
    pub is_new: bool,
}

/// A discrepancy that is there and accepted: in no list of open ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRow {
    pub found: Discrepancy,
    /// `None` where the store holds no act about it.
    pub by: Option<Acceptance>,
}

impl AcceptedRow {
    /// Joins accepted discrepancies with their acceptances by id. The parts of a merged date arrive
    /// shard by shard, so the result is sorted by id.
    pub fn joined(accepted: &[Discrepancy], acceptances: &[Acceptance]) -> Vec<Self> {
        let by = |id: &str| acceptances.iter().find(|one| one.discrepancy_id == id).cloned();
        let row =
            |found: &Discrepancy| Self { by: by(&found.discrepancy_id), found: found.clone() };
        let mut rows: Vec<Self> = accepted.iter().map(row).collect();
        rows.sort_by(|one, other| one.found.discrepancy_id.cmp(&other.found.discrepancy_id));
        rows
    }

    /// Whether it was accepted on the date itself.
    pub fn is_new(&self) -> bool {
        self.by.as_ref().is_some_and(|by| by.is_new)
    }
}
