//! Disputes (chargebacks): amounts that a cardholder's bank takes back, status by status.

use chrono::NaiveDate;

/// A dispute of a card transaction.
#[derive(Clone, Debug)]
pub struct Dispute {
    pub id: i64,
    pub merchant: usize,
    /// Key of the authorization whose transaction is disputed; `None` when the processor found
    /// none.
    pub item: Option<i64>,
    pub kind: DisputeType,
    /// The day on which it is listed.
    pub created: NaiveDate,
    pub amount: i64,
    pub fee: i64,
    /// Oldest first, at least one; dates never fall.
    pub statuses: Vec<(DisputeStatus, NaiveDate)>,
}

impl Dispute {
    /// The statuses up to `date`; the first one even before its day.
    pub fn statuses_by(&self, date: NaiveDate) -> &[(DisputeStatus, NaiveDate)] {
        let count = self.statuses.iter().take_while(|(_, since)| *since <= date).count();
        &self.statuses[..count.max(1)]
    }
}

/// `disputeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeType {
    First,
    FirstWithReversal,
    Prearbitration,
}

impl DisputeType {
    /// The value in the JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "firstDispute",
            Self::FirstWithReversal => "firstDisputeWithReversal",
            Self::Prearbitration => "prearbitration",
        }
    }
}

/// `status` of a dispute, as far as generated worlds use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeStatus {
    New,
    RepresentmentInProgress,
    RepresentmentReceived,
    RepresentmentPaid,
    RepresentmentFailed,
    IssuerReversal,
    PrearbitrationInProcess,
    PrecomplianceInProcess,
    PrearbitrationAccepted,
    ArbitrationLost,
    Stand,
}

impl DisputeStatus {
    /// The value in the JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::RepresentmentInProgress => "representmentInProgress",
            Self::RepresentmentReceived => "representmentReceived",
            Self::RepresentmentPaid => "representmentPaid",
            Self::RepresentmentFailed => "representmentFailed",
            Self::IssuerReversal => "issuerReversal",
            Self::PrearbitrationInProcess => "prearbitrationInProcess",
            Self::PrecomplianceInProcess => "precomplianceInProcess",
            Self::PrearbitrationAccepted => "prearbitrationAccepted",
            Self::ArbitrationLost => "arbitrationLost",
            Self::Stand => "stand",
        }
    }
}
