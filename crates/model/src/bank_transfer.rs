//! ACH and PAD payments and refunds, their returns and their summaries.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::{ShortText, TerminalId, TransferId};
use crate::money::{Currency, Minor};

/// Which of the two resources a bank transfer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TransferKind {
    Payment,
    Refund,
}

impl TransferKind {
    /// The word that the store, the ledger and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
        }
    }
}

/// A payment or a refund. It names neither a batch, a merchant nor a deposit,
/// and it carries no settlement date.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BankTransfer {
    pub kind: TransferKind,
    /// `paymentId` or `refundId`.
    pub transfer_id: TransferId,
    pub terminal_id: TerminalId,
    /// `order.orderId`; nothing says that it is unique.
    pub order_id: Option<ShortText>,
    /// `order.dateTime`, when it ran.
    pub run_at: Option<DateTime<Utc>>,
    /// `order.amount`: positive, also for a refund.
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    /// `transactionResult.type`: payment, refund, unreferencedRefund, accountVerification, …
    pub transfer_type: String,
    /// `transactionResult.status`: ready, pending, complete, declined, returned, reversal, admin, …
    pub status: String,
    /// The last four digits of the account number; nothing else of it is kept.
    pub account_last4: Option<ShortText>,
    /// Of a payment: its own `refunds[]`.
    pub refunds: Vec<RefundSummary>,
    /// Of a payment: its own `returns[]`.
    pub returns: Vec<TransferReturn>,
    /// Of a payment: the payment that presents it again.
    pub representment: Option<PaymentSummary>,
    /// Of a refund: the payment that it names.
    pub payment: Option<PaymentSummary>,
}

/// A payment as a refund or an original names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaymentSummary {
    pub payment_id: TransferId,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub status: Option<String>,
}

/// A refund as its payment names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefundSummary {
    pub refund_id: TransferId,
    pub run_at: Option<DateTime<Utc>>,
    pub currency: Option<Currency>,
    pub amount: Option<Minor>,
    pub status: Option<String>,
}

/// A time that a payment came back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TransferReturn {
    /// Id of the return itself, not of the payment.
    pub return_id: TransferId,
    pub date: NaiveDate,
    /// NACHA return code such as `R01`.
    pub code: String,
    pub reason: Option<String>,
    /// `None` when the API leaves it out.
    pub represented: Option<bool>,
    /// A missing value counts as false: the property is younger than the API.
    pub closed: bool,
}
