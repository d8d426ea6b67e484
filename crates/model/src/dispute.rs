//! Disputes: a cardholder's challenge of a card transaction, with its statuses.

use chrono::NaiveDate;

use super::{DisputeId, MerchantSummary, ShortText, TransactionId};
use crate::money::{Currency, Minor};

/// A dispute as a listing states it. It names no deposit: whether and when it moves money is not
/// published.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dispute {
    pub dispute_id: DisputeId,
    pub merchant: MerchantSummary,
    /// `firstDispute`, or a word that the contract does not know.
    pub dispute_type: Option<ShortText>,
    /// The newest status when it was read.
    pub status: Option<ShortText>,
    pub status_date: Option<NaiveDate>,
    pub created_date: Option<NaiveDate>,
    /// When the acquiring bank received it.
    pub received_date: Option<NaiveDate>,
    pub reference_number: Option<ShortText>,
    pub amount: Option<Minor>,
    /// The processor's fee for the dispute.
    pub fee: Option<Minor>,
    pub currency: Option<Currency>,
    pub card_last4: Option<ShortText>,
    pub transaction: DisputedTransaction,
}

/// The card transaction that a dispute is about; all unknown where none was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DisputedTransaction {
    pub transaction_id: Option<TransactionId>,
    pub transaction_type: Option<ShortText>,
    pub date: Option<NaiveDate>,
    pub amount: Option<Minor>,
}

/// One status that a dispute has had. It does not name its dispute: the listing does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DisputeStatus {
    pub dispute_status_id: Option<i64>,
    /// `new`, or a word that the contract does not know.
    pub status: Option<ShortText>,
    pub date: Option<NaiveDate>,
}
