//! What a world can hold beside the plain life of every world. Each kind is named where a world
//! is asked for; a world without kinds is the plain one.

use serde::{Deserialize, Serialize};

/// Something that happens in settlement and is no discrepancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One deposit pays for the batches of two or three dates in a row.
    WeekendDeposits,
    /// The association date of a deposit is a day beside the batch date.
    DateBeside,
    /// An authorization is captured in two parts, on one day or on two.
    SplitCaptures,
    /// A capture is up to a fifth more than was authorized, and the configuration allows it.
    Tips,
    /// Disputes that are open, won or lost, with the adjustments that they explain.
    Disputes,
    /// A payment comes back on a day without a batch, and a deposit of that day takes it back.
    ReturnsWithoutBatch,
    /// A payment has come back and does not say when.
    UndatedReturns,
    /// Bank transfers in statuses that are published and rarely seen: expired, referral, pickup,
    /// accepted.
    RareStatuses,
    /// Transactions that the processor holds. Clean only for a key with `/transactions`.
    Holds,
    /// Transactions that somebody else pays for. Clean only for a key with `/transactions`.
    ThirdParty,
    /// Transactions that are withdrawn. Clean only for a key with `/transactions`.
    Withdrawn,
    /// Batches with their items, and bank transfers, that are listed a day late.
    LateRecords,
    /// Books spell order ids in their own way: other zeros, another case, a sign in front.
    OrderSpellings,
    /// Books write references as a spreadsheet leaves them.
    DamagedReferences,
    /// Two files of a ledger hold some rows in common.
    OverlappingExports,
    /// Books void a wrong invoice and enter it again.
    VoidedEntries,
    /// Books hold orders of 0.00.
    FreeOrders,
}

impl Kind {
    /// Every kind, in the order in which they are worked into a world.
    pub const ALL: [Self; 17] = [
        Self::WeekendDeposits,
        Self::DateBeside,
        Self::SplitCaptures,
        Self::Tips,
        Self::Disputes,
        Self::ReturnsWithoutBatch,
        Self::UndatedReturns,
        Self::RareStatuses,
        Self::Holds,
        Self::ThirdParty,
        Self::Withdrawn,
        Self::LateRecords,
        Self::OrderSpellings,
        Self::DamagedReferences,
        Self::OverlappingExports,
        Self::VoidedEntries,
        Self::FreeOrders,
    ];

    /// Whether worlds of this kind are clean for a key that may read `/transactions` alone: to
    /// any other a deposit is short of what is not in it.
    pub fn needs_transactions(self) -> bool {
        matches!(self, Self::Holds | Self::ThirdParty | Self::Withdrawn)
    }

    /// The kinds that are clean for a key with `/transactions`, or without. Both may read
    /// `/disputes`: without it, what disputes take is a warning.
    pub fn clean_for(has_transactions: bool) -> Vec<Self> {
        let all = Self::ALL.into_iter();
        all.filter(|kind| has_transactions || !kind.needs_transactions()).collect()
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::WeekendDeposits => "weekend-deposits",
            Self::DateBeside => "date-beside",
            Self::SplitCaptures => "split-captures",
            Self::Tips => "tips",
            Self::Disputes => "disputes",
            Self::ReturnsWithoutBatch => "returns-without-batch",
            Self::UndatedReturns => "undated-returns",
            Self::RareStatuses => "rare-statuses",
            Self::Holds => "holds",
            Self::ThirdParty => "third-party",
            Self::Withdrawn => "withdrawn",
            Self::LateRecords => "late-records",
            Self::OrderSpellings => "order-spellings",
            Self::DamagedReferences => "damaged-references",
            Self::OverlappingExports => "overlapping-exports",
            Self::VoidedEntries => "voided-entries",
            Self::FreeOrders => "free-orders",
        }
    }

    /// The kind of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
