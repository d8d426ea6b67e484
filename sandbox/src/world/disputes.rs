//! Disputes (chargebacks): what a cardholder's bank takes back, status by status.

use chrono::NaiveDate;

/// A dispute of a card transaction.
#[derive(Clone, Debug)]
pub struct Dispute {
    pub id: i64,
    pub merchant: usize,
    /// Key of the authorization whose transaction is in question; `None` when the processor
    /// found none.
    pub item: Option<i64>,
    pub kind: DisputeType,
    /// The day that lists it.
    pub created: NaiveDate,
    pub amount: i64,
    pub fee: i64,
    /// Oldest first, at least one; each date is that of the one before or later.
    pub statuses: Vec<(DisputeStatus, NaiveDate)>,
}

impl Dispute {
    /// The statuses that it has had by `date`; the first one even before its day.
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
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "firstDispute",
            Self::FirstWithReversal => "firstDisputeWithReversal",
            Self::Prearbitration => "prearbitration",
        }
    }
}

/// `status` of a dispute; those that generated worlds use.
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
    /// The word on the wire.
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
