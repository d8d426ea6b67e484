//! The data that the store reads for matching: one merchant's books and its items at the processor.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::input::{Dispute, Item, KnownTransfer, LeftOutRow, MerchantInput, Record, Terms};
use super::standing::Standing;
use tieout_model::ShortText;
use tieout_model::{BatchId, TransactionId};

/// Ids of an item that matching does not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardIds {
    pub transaction_id: Option<TransactionId>,
    pub batch_id: Option<BatchId>,
}

/// A card transaction that may be an item of the merchant. If it may be a capture or a return, it
/// is listed as each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unclear {
    pub item: Item,
    /// The data that it lacks, as the rest of a sentence.
    pub problem: ShortText,
}

/// One merchant's side of the books and of the processor, as of a date.
#[derive(Clone, Debug, Default)]
pub struct LedgerInput {
    pub items: Vec<Item>,
    /// Parallel to `items`.
    pub card_ids: Vec<CardIds>,
    pub unclear: Vec<Unclear>,
    pub records: Vec<Record>,
    pub transfers: Vec<KnownTransfer>,
    pub other_references: Vec<ShortText>,
    /// Whether some returned bank transfers could not be read.
    pub returns_unread: bool,
    /// The disputes that were lost or may have been debited, by card item; `None` if the key may not read disputes.
    pub disputed: Option<HashMap<ShortText, Vec<Dispute>>>,
    /// Rows of the ledger that could not be read and may belong to this merchant.
    pub left_out: Vec<LeftOutRow>,
    /// Days since the start date on which all of its items were read.
    pub days_read: BTreeSet<NaiveDate>,
    /// Days before the start date whose items were requested but not all read, or whose items may
    /// not be paid by a deposit.
    pub early_failed: BTreeSet<NaiveDate>,
    /// The results kept from an earlier date; `None` if all entries are loaded.
    pub standing: Option<Box<Standing>>,
}

impl LedgerInput {
    /// The input of the passes.
    pub fn merchant_input<'a>(&'a self, terms: &'a Terms) -> MerchantInput<'a> {
        MerchantInput {
            terms,
            items: &self.items,
            records: &self.records,
            transfers: &self.transfers,
            other_references: &self.other_references,
            returns_unread: self.returns_unread,
            disputed: self.disputed.as_ref(),
            left_out: &self.left_out,
            standing: self.standing.as_deref(),
        }
    }
}
