//! What the store reads for matching: one merchant's books and what the processor holds of it.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::input::{Dispute, Item, KnownTransfer, LeftOutRow, MerchantInput, Record, Terms};
use super::standing::Standing;
use tieout_model::ShortText;

/// Ids of an item that matching does not look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardIds {
    pub transaction_id: Option<i64>,
    pub batch_id: Option<i64>,
}

/// A card transaction that may be an item of the merchant. One of which it is not known whether it
/// is a capture or a return is listed as either.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unclear {
    pub item: Item,
    /// What is wrong with it, as the rest of a sentence.
    pub problem: ShortText,
}

/// One merchant's side of the books and of the processor, as of a date.
#[derive(Clone, Debug, Default)]
pub struct LedgerInput {
    pub items: Vec<Item>,
    /// One for each item.
    pub card_ids: Vec<CardIds>,
    pub unclear: Vec<Unclear>,
    pub records: Vec<Record>,
    pub transfers: Vec<KnownTransfer>,
    pub other_references: Vec<ShortText>,
    /// Whether the bank transfers that came back could not all be read.
    pub returns_unread: bool,
    /// The card items that were disputed, with what was not won; `None` when the key may not read
    /// disputes.
    pub disputed: Option<HashMap<ShortText, Vec<Dispute>>>,
    /// Rows of the ledger that could not be read and may be this merchant's.
    pub left_out: Vec<LeftOutRow>,
    /// Since the start date: the days on which all of its items were read.
    pub days_read: BTreeSet<NaiveDate>,
    /// Before the start date: the days on which some of its items were asked for and not read, or
    /// of which it is not known whether a deposit pays for them.
    pub early_failed: BTreeSet<NaiveDate>,
    /// What stands from an earlier date; `None` when everything is at hand.
    pub standing: Option<Box<Standing>>,
}

impl LedgerInput {
    /// What the passes read.
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
