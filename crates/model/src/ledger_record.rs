//! One line of a merchant's own books, as imported from a ledger file.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{MerchantId, ShortText};
use crate::money::{Currency, Minor};

/// Money received, or money given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LedgerKind {
    Payment,
    Refund,
}

impl LedgerKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Payment, Self::Refund];

    /// The word that ledger files and the store use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
        }
    }

    /// The kind of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name))
    }
}

/// The status of the record in the books. Only `Paid` is expected at the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LedgerStatus {
    Paid,
    Void,
    Declined,
    Returned,
}

impl LedgerStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Paid, Self::Void, Self::Declined, Self::Returned];

    /// The word that ledger files and the store use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Void => "void",
            Self::Declined => "declined",
            Self::Returned => "returned",
        }
    }

    /// The status of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(name))
    }
}

/// One payment or refund in the merchant's own books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// Name of the ledger in the configuration.
    pub ledger: ShortText,
    pub merchant_id: MerchantId,
    /// The id column; nothing says that it is unique.
    pub ledger_id: ShortText,
    /// The line of the file on which the row begins, counted from 1.
    pub line: u64,
    pub kind: LedgerKind,
    pub date: NaiveDate,
    /// Never negative, also of a refund.
    pub amount: Minor,
    pub currency: Currency,
    pub order_id: Option<ShortText>,
    /// A paymentId, refundId, transactionId or authorizationId.
    pub reference: Option<ShortText>,
    /// Four digits; nothing else of the number is kept.
    pub last4: Option<ShortText>,
    pub status: LedgerStatus,
}
