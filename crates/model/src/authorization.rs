//! Card authorizations with the transaction that was submitted in a batch.

use chrono::NaiveDate;

use super::{AuthorizationId, BatchId, MerchantSummary, ShortText, TransactionId};
use crate::money::{Currency, Minor};

/// A card issuer's decision, with the batch and transaction it led to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Authorization {
    pub authorization_id: AuthorizationId,
    pub merchant: MerchantSummary,
    /// The issuer's answer as the API wrote it; the enum is open.
    pub authorization_response: Option<ShortText>,
    pub preauthorization_request_amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub batch_id: Option<BatchId>,
    pub batch_date: Option<NaiveDate>,
    /// The last four digits of the card number; nothing else of it is kept.
    pub card_last4: Option<ShortText>,
    /// The card's type as the API wrote it; the enum is open.
    pub card_type: Option<ShortText>,
    /// `None` when the API sent no transaction at all.
    pub transaction: Option<CardTransaction>,
}

impl Authorization {
    /// Distinguishes the records of one authorization that was captured in parts: the id of the
    /// record's transaction, 0 without one.
    pub fn transaction_key(&self) -> i64 {
        let transaction = self.transaction.as_ref();
        transaction.and_then(|card| card.transaction_id).map_or(0, |id| id.0)
    }
}

/// The transaction behind an authorization.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CardTransaction {
    pub transaction_id: Option<TransactionId>,
    /// `capture`, `return`, or a word that the contract does not know.
    pub transaction_type: Option<ShortText>,
    pub date: Option<NaiveDate>,
    pub amount: Option<Minor>,
}
