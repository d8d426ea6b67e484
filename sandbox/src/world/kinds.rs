//! Events that a world can contain beside the plain life of every world. Each kind is named in the
//! options of a world; a world without kinds is the plain one.

use serde::{Deserialize, Serialize};

/// An event in settlement that is not a discrepancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One deposit pays for the batches of two or three consecutive dates.
    WeekendDeposits,
    /// The association date of a deposit is next to the batch date.
    DateBeside,
    /// An authorization is captured in two parts, on one day or on two.
    SplitCaptures,
    /// A capture exceeds its authorization by up to a fifth, and the configuration allows it.
    Tips,
    /// Disputes that are open, won or lost, with the adjustments that they explain.
    Disputes,
    /// A payment is returned on a day without a batch, and a deposit of that day deducts it.
    ReturnsWithoutBatch,
    /// A payment is returned without a date.
    UndatedReturns,
    /// Bank transfers in published statuses that are rare: expired, referral, pickup, accepted.
    RareStatuses,
    /// Transactions on hold. Clean only for a key with `/transactions`.
    Holds,
    /// Transactions that a third party pays for. Clean only for a key with `/transactions`.
    ThirdParty,
    /// Withdrawn transactions. Clean only for a key with `/transactions`.
    Withdrawn,
    /// Batches with their items, and bank transfers, that are listed a day late.
    LateRecords,
    /// Books spell order ids differently: with other zeros, in another case, with a leading sign.
    OrderSpellings,
    /// Books contain references as a spreadsheet changes them.
    DamagedReferences,
    /// Two files of a ledger share some rows.
    OverlappingExports,
    /// Books void a wrong invoice and enter it again.
    VoidedEntries,
    /// Books contain orders of 0.00.
    FreeOrders,
    /// A card company pays a merchant itself: its cards are in the batches and in no deposit.
    OwnContracts,
    /// A shop is closed on the first dates.
    ClosedFirst,
    /// A merchant makes the same sales to the same cards on two dates, as a canteen does.
    DailyRepeats,
    /// A return is deducted by a deposit of a later date.
    LateDeductions,
    /// A payment was returned before it was settled, and nothing is deducted.
    NeverSettledReturns,
    /// The returns of a payment include a notice of correction.
    CorrectionNotices,
    /// A return is dishonored, and the deducted amount is given back.
    DishonoredReturns,
    /// A returned payment is collected again under its order id.
    CollectedByHand,
    /// Recent bank transfers state no time.
    TimelessTransfers,
    /// A dispute is debited, won, and lost again.
    DisputesToAndFro,
    /// A dispute from before the first date is won.
    OldDisputes,
    /// A sale is returned in full, and the books void it.
    LateVoids,
    /// Payments of one amount under one order id, days apart.
    Subscriptions,
    /// Two payments of an order are two records with another split.
    OrdersInParts,
    /// Several records name one item.
    PaidTogether,
    /// The books have an order in two records, the second one a day later.
    Instalments,
    /// The books reverse a return with a record of its own.
    CounterEntries,
    /// A bank credits the deposits of a day in one line, for all merchants of the account.
    SharedCredits,
    /// A bank reverses a credit and makes it again.
    TakenBack,
    /// A bank credits a deposit in full and debits a fee beside it.
    ChargedApart,
    /// Fees name no deposit, and the bank debits them after the month, or credits less.
    MonthlyFees,
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

    /// Kinds that a world contains only when named, in the same order.
    pub const NAMED: [Self; 21] = [
        Self::OwnContracts,
        Self::ClosedFirst,
        Self::DailyRepeats,
        Self::LateDeductions,
        Self::NeverSettledReturns,
        Self::CorrectionNotices,
        Self::DishonoredReturns,
        Self::CollectedByHand,
        Self::TimelessTransfers,
        Self::DisputesToAndFro,
        Self::OldDisputes,
        Self::LateVoids,
        Self::Subscriptions,
        Self::OrdersInParts,
        Self::PaidTogether,
        Self::Instalments,
        Self::CounterEntries,
        Self::SharedCredits,
        Self::TakenBack,
        Self::ChargedApart,
        Self::MonthlyFees,
    ];

    /// Every kind.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::NAMED)
    }

    /// Whether worlds of this kind are clean only for a key with `/transactions`: without the
    /// operation a deposit is short of the amounts left out of it.
    pub fn needs_transactions(self) -> bool {
        matches!(self, Self::Holds | Self::ThirdParty | Self::Withdrawn)
    }

    /// The kinds that are clean for a key with or without `/transactions`. Either key needs
    /// `/disputes`: without it, an amount taken by a dispute gives a warning.
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
            Self::OwnContracts => "own-contracts",
            Self::ClosedFirst => "closed-first",
            Self::DailyRepeats => "daily-repeats",
            Self::LateDeductions => "late-deductions",
            Self::NeverSettledReturns => "never-settled-returns",
            Self::CorrectionNotices => "correction-notices",
            Self::DishonoredReturns => "dishonored-returns",
            Self::CollectedByHand => "collected-by-hand",
            Self::TimelessTransfers => "timeless-transfers",
            Self::DisputesToAndFro => "disputes-to-and-fro",
            Self::OldDisputes => "old-disputes",
            Self::LateVoids => "late-voids",
            Self::Subscriptions => "subscriptions",
            Self::OrdersInParts => "orders-in-parts",
            Self::PaidTogether => "paid-together",
            Self::Instalments => "instalments",
            Self::CounterEntries => "counter-entries",
            Self::SharedCredits => "shared-credits",
            Self::TakenBack => "taken-back",
            Self::ChargedApart => "charged-apart",
            Self::MonthlyFees => "monthly-fees",
        }
    }

    /// The kind of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::every().find(|kind| kind.name() == name)
    }
}
