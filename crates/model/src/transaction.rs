//! Card transactions in the settlement system: the only place that states which deposit pays for
//! which transaction.

use chrono::NaiveDate;

use super::{BatchId, DepositId, MerchantSummary, ShortText, TransactionId};
use crate::money::{Currency, Minor};

/// A sale or return with the batch that it was submitted in and the deposit that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    pub transaction_id: TransactionId,
    pub merchant: MerchantSummary,
    /// `capture`, `return`, or a word that the contract does not know.
    pub transaction_type: Option<ShortText>,
    pub currency: Option<Currency>,
    /// The sign of a return's amount is not published; its size is.
    pub amount: Option<Minor>,
    pub batch_id: Option<BatchId>,
    pub batch_date: Option<NaiveDate>,
    /// `None` as long as no deposit holds it.
    pub ach_deposit_id: Option<DepositId>,
    /// The state of its money: `paid`, `held`, or a word that the contract does not know.
    pub status: Option<ShortText>,
    /// The payer; free text, only `3rd party` is evaluated.
    pub settled_by: Option<ShortText>,
}
