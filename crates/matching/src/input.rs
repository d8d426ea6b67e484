//! The input of matching: one merchant's items, ledger records and known bank transfers.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU16;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::days::BankingDays;
use super::standing::Standing;
use tieout_model::AuthorizationId;
use tieout_model::money::{Currency, Minor};
use tieout_model::{LedgerKind, LedgerStatus, ShortText, TransferKind};

/// The last four digits of a card or account number. Stored as the number plus one, so that
/// `Option<Last4>` needs no extra space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Last4(NonZeroU16);

impl Last4 {
    /// Reads exactly four ASCII digits; `None` for anything else.
    pub fn from_digits(text: &str) -> Option<Self> {
        let is_four_digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: u16 = text.parse().ok().filter(|_| is_four_digits)?;
        NonZeroU16::new(number + 1).map(Self)
    }

    pub(super) fn number(self) -> u16 {
        self.0.get() - 1
    }
}

impl fmt::Display for Last4 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}", self.number())
    }
}

/// The kind of an item at the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ItemKind {
    /// A card sale.
    Capture,
    /// A card return.
    Return,
    /// A settled bank transfer payment.
    Payment,
    /// A settled bank transfer refund.
    Refund,
}

impl ItemKind {
    /// The word that the store and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Return => "return",
            Self::Payment => "payment",
            Self::Refund => "refund",
        }
    }

    /// The kind of ledger record that it can be matched with.
    pub fn ledger_kind(self) -> LedgerKind {
        match self {
            Self::Capture | Self::Payment => LedgerKind::Payment,
            Self::Return | Self::Refund => LedgerKind::Refund,
        }
    }

    /// Whether it was paid by card, not by bank transfer.
    pub fn is_card(self) -> bool {
        matches!(self, Self::Capture | Self::Return)
    }
}

/// `transactionResult.status` of a bank transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TransferStatus {
    Ready,
    Pending,
    Complete,
    Declined,
    Returned,
    Reversal,
    Admin,
    /// A status that the API's contract does not publish, or none.
    Unknown,
}

impl TransferStatus {
    /// The status of that name, in the spelling of the API.
    pub fn from_name(name: &str) -> Self {
        match name {
            "ready" => Self::Ready,
            // Accepted and not answered yet.
            "pending" | "accepted" => Self::Pending,
            "complete" => Self::Complete,
            // Other names for a refusal.
            "declined" | "referral" | "pickup" | "expired" => Self::Declined,
            "returned" => Self::Returned,
            "reversal" => Self::Reversal,
            "admin" => Self::Admin,
            _ => Self::Unknown,
        }
    }

    /// The spelling of the API; `unknown` for a status that its contract does not publish.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Pending => "pending",
            Self::Complete => "complete",
            Self::Declined => "declined",
            Self::Returned => "returned",
            Self::Reversal => "reversal",
            Self::Admin => "admin",
            Self::Unknown => "unknown",
        }
    }
}

/// One return of a bank transfer payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReturnFact {
    pub date: NaiveDate,
    /// The date of a later entry that undoes it.
    pub undone_on: Option<NaiveDate>,
    pub is_closed: bool,
    /// `None` if the API leaves it out.
    pub is_represented: Option<bool>,
}

impl ReturnFact {
    /// Whether nothing has undone it by `date`.
    pub(super) fn is_whole(&self, date: NaiveDate) -> bool {
        self.undone_on.is_none_or(|day| day > date)
    }

    /// Whether the payment has come back by it, as of `date`.
    pub(super) fn stands(&self, date: NaiveDate) -> bool {
        self.date <= date && self.is_whole(date)
    }
}

/// The latest reading of a bank transfer's status and returns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TransferFacts {
    pub status: TransferStatus,
    pub returns: Vec<ReturnFact>,
    /// For a payment that presents another one again: the id of that payment.
    pub representment_of: Option<ShortText>,
}

/// One money movement at the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub kind: ItemKind,
    /// The transactionId, else the authorizationId, of a card item; the paymentId; or the refundId.
    pub item_id: ShortText,
    /// For a card item: its authorization.
    pub authorization_id: Option<AuthorizationId>,
    /// The batch date, or the settlement date under which it was listed.
    pub day: NaiveDate,
    /// The transaction date, or the date on which a bank transfer ran; later passes accept it too.
    pub second_day: Option<NaiveDate>,
    /// An item without an amount can be matched by reference only.
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    /// Set for a bank transfer only.
    pub order_id: Option<ShortText>,
    pub last4: Option<Last4>,
    /// `None` for a card item. Boxed to keep items small, since most are card items.
    pub facts: Option<Box<TransferFacts>>,
}

impl Item {
    /// Its day and its second day; the day twice if the second is unknown.
    pub fn days(&self) -> [NaiveDate; 2] {
        [self.day, self.second_day.unwrap_or(self.day)]
    }

    /// For a payment that presents another one again: the id of that payment.
    pub fn representment_of(&self) -> Option<&str> {
        self.facts.as_ref()?.representment_of.as_deref()
    }

    /// Whether it is a payment with a return of any date.
    pub fn has_returns(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| !facts.returns.is_empty())
    }

    /// Whether a ledger record's reference is one of its ids.
    pub fn is_named(&self, reference: Option<&str>) -> bool {
        let authorization = self.authorization_id.map(|id| id.to_string());
        reference.map(unwrapped).is_some_and(|name| {
            name == self.item_id.as_str() || Some(name) == authorization.as_deref()
        })
    }
}

/// A dispute of a card item that was lost, or may have been debited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// The date of its first status.
    pub date: NaiveDate,
    pub amount: Option<Minor>,
    /// False if it is undecided.
    pub is_lost: bool,
}

/// One record of the merchant's ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub ledger_id: ShortText,
    /// The line in its file; the largest number stands for all larger ones.
    pub line: u32,
    pub kind: LedgerKind,
    pub date: NaiveDate,
    /// Never negative.
    pub amount: Minor,
    pub currency: Currency,
    pub order_id: Option<ShortText>,
    pub reference: Option<ShortText>,
    pub last4: Option<Last4>,
    pub status: LedgerStatus,
    /// True if the processor's listings of its date were not read.
    pub day_not_read: bool,
}

impl Record {
    /// The id that it names at the processor, without the characters that a spreadsheet wraps
    /// around it.
    pub fn named(&self) -> Option<&str> {
        self.reference.as_deref().map(unwrapped).filter(|name| !name.is_empty())
    }
}

/// The readable part of a ledger row that could not be read; a `None` field may have any value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOutRow {
    pub kind: Option<LedgerKind>,
    pub date: Option<NaiveDate>,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub reference: Option<ShortText>,
    /// File, line and reason, for the explanation.
    pub place: String,
}

/// A reference without the wrapping by which a spreadsheet keeps it text: `'123` and `="123"`.
pub fn unwrapped(reference: &str) -> &str {
    let formula = reference.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    formula.unwrap_or_else(|| reference.strip_prefix('\'').unwrap_or(reference))
}

/// A bank transfer that the processor knows and that is no item, because it has not settled up to
/// the business date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTransfer {
    pub kind: TransferKind,
    pub transfer_id: ShortText,
    pub order_id: Option<ShortText>,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub last4: Option<Last4>,
    pub run_date: Option<NaiveDate>,
    /// Whether a listing holds it. If not, it was looked up by its id, because a record names it.
    pub is_listed: bool,
    pub facts: TransferFacts,
}

impl KnownTransfer {
    /// The kind of ledger record that can name it.
    pub fn ledger_kind(&self) -> LedgerKind {
        match self.kind {
            TransferKind::Payment => LedgerKind::Payment,
            TransferKind::Refund => LedgerKind::Refund,
        }
    }
}

/// Dates and limits shared by all merchants of a run with the same calendar.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The first business date ever reconciled into the store.
    pub start: NaiveDate,
    pub business_date: NaiveDate,
    pub window_days: u32,
    pub tolerance_minor: i64,
    /// Ten-thousandths of the larger amount; 0 means not set.
    pub tolerance_basis_points: u32,
    pub settle_days: u32,
    pub ledger_days: u32,
    /// Calendar days for which a listing looks back for a bank transfer that has not settled.
    pub lookback_days: u32,
    /// Made by [`BankingDays::new`] from the first three fields.
    pub banking_days: BankingDays,
}

impl Terms {
    /// Banking days between a date and the nearer of an item's days.
    pub(super) fn away(&self, item: &Item, date: NaiveDate) -> u32 {
        let [first, second] = item.days();
        let days = &self.banking_days;
        days.distance(first, date).min(days.distance(second, date))
    }

    /// The day by which a record dated `date` must have settled, if that is not after the business
    /// date.
    pub(super) fn record_due(&self, date: NaiveDate) -> Option<NaiveDate> {
        let days = self.settle_days.saturating_add(self.ledger_days);
        self.banking_days.due_by(date, days, self.business_date)
    }
}

/// One merchant's entries, in any order.
#[derive(Clone, Copy, Debug)]
pub struct MerchantInput<'a> {
    pub terms: &'a Terms,
    pub items: &'a [Item],
    pub records: &'a [Record],
    /// The merchant's bank transfers that are no items.
    pub transfers: &'a [KnownTransfer],
    /// Other ids that the processor knows: of authorizations that are no items, and of returns. A
    /// record that names one contradicts every item.
    pub other_references: &'a [ShortText],
    /// Whether some returned bank transfers could not be read. A payment record with an unknown
    /// reference may name one of these, and is not paired with anything else.
    pub returns_unread: bool,
    /// The disputes that were lost or may have been debited, by card item; `None` if the key may not read disputes.
    pub disputed: Option<&'a HashMap<ShortText, Vec<Dispute>>>,
    /// Rows of the ledger that could not be read and may belong to this merchant.
    pub left_out: &'a [LeftOutRow],
    /// The results kept from an earlier date; `None` if all entries are loaded.
    pub standing: Option<&'a Standing>,
}
