//! What matching is given: one merchant's items, ledger records and known bank transfers.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU16;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::days::BankingDays;
use super::standing::Standing;
use tieout_model::money::{Currency, Minor};
use tieout_model::{LedgerKind, LedgerStatus, ShortText, TransferKind};

/// The last four digits of a card or account number: the number that they are, and one, so that
/// none takes no room of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Last4(NonZeroU16);

impl Last4 {
    /// Reads exactly four ASCII digits; anything else is no last four.
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

/// What an item is at the processor.
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

    /// Whether it came by card, and not by bank transfer.
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
    /// A word that the contract does not know, or none.
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
            // Refused in other words.
            "declined" | "referral" | "pickup" | "expired" => Self::Declined,
            "returned" => Self::Returned,
            "reversal" => Self::Reversal,
            "admin" => Self::Admin,
            _ => Self::Unknown,
        }
    }

    /// The spelling of the API; `unknown` for a word that the contract does not know.
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

/// A time that a bank transfer payment came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReturnFact {
    pub date: NaiveDate,
    pub is_closed: bool,
    /// `None` when it is not said.
    pub is_represented: Option<bool>,
}

/// What became of a bank transfer, as it was read last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TransferFacts {
    pub status: TransferStatus,
    pub returns: Vec<ReturnFact>,
    /// Of a payment that presents another again: that payment's id.
    pub representment_of: Option<ShortText>,
}

/// One money movement at the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub kind: ItemKind,
    /// The transactionId, else the authorizationId; the paymentId; the refundId.
    pub item_id: ShortText,
    /// Of a card item: the authorization behind it.
    pub authorization_id: Option<i64>,
    /// The batch date, or the settlement date that it was listed under.
    pub day: NaiveDate,
    /// The date of its transaction, or on which a bank transfer ran: later passes accept it too.
    pub second_day: Option<NaiveDate>,
    /// Unknown: it can be matched by reference only.
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    /// Of a bank transfer.
    pub order_id: Option<ShortText>,
    pub last4: Option<Last4>,
    /// Of a bank transfer; `None` for a card item. Set apart, as most items are card items.
    pub facts: Option<Box<TransferFacts>>,
}

impl Item {
    /// Its day, then its second day; the same twice when only one is known.
    pub fn days(&self) -> [NaiveDate; 2] {
        [self.day, self.second_day.unwrap_or(self.day)]
    }

    /// Of a payment that presents another again: that payment's id.
    pub fn representment_of(&self) -> Option<&str> {
        self.facts.as_ref()?.representment_of.as_deref()
    }

    /// Whether it is a payment that came back, whenever.
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

/// A dispute of a card item that was not won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// Of its first status.
    pub date: NaiveDate,
    pub amount: Option<Minor>,
    /// Else it is not decided.
    pub is_lost: bool,
}

/// One record of the merchant's ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub ledger_id: ShortText,
    /// Of its file; the largest number there is stands for any that is larger.
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
    /// The processor's listings of its date were not read.
    pub day_not_read: bool,
}

impl Record {
    /// What it names at the processor, without what a spreadsheet has wrapped around it.
    pub fn named(&self) -> Option<&str> {
        self.reference.as_deref().map(unwrapped).filter(|name| !name.is_empty())
    }
}

/// A ledger row that could not be read, as far as it could; what is `None` may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOutRow {
    pub kind: Option<LedgerKind>,
    pub date: Option<NaiveDate>,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub reference: Option<ShortText>,
    /// The file, the line and the reason, for a person.
    pub place: String,
}

/// A reference as it was before a spreadsheet forced it to stay text: `'123` and `="123"`.
pub fn unwrapped(reference: &str) -> &str {
    let formula = reference.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    formula.unwrap_or_else(|| reference.strip_prefix('\'').unwrap_or(reference))
}

/// A bank transfer that the processor knows and that is no item: not settled up to the
/// business date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTransfer {
    pub kind: TransferKind,
    pub transfer_id: ShortText,
    pub order_id: Option<ShortText>,
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub last4: Option<Last4>,
    pub run_date: Option<NaiveDate>,
    /// Whether a listing holds it. Else it was looked up by its id, because something names it.
    pub is_listed: bool,
    pub facts: TransferFacts,
}

impl KnownTransfer {
    /// The kind of ledger record that it can be named by.
    pub fn ledger_kind(&self) -> LedgerKind {
        match self.kind {
            TransferKind::Payment => LedgerKind::Payment,
            TransferKind::Refund => LedgerKind::Refund,
        }
    }
}

/// Dates and limits that are the same for all merchants of a run with one calendar.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The first business date ever reconciled into the store.
    pub start: NaiveDate,
    pub business_date: NaiveDate,
    pub window_days: u32,
    pub tolerance_minor: i64,
    /// Ten-thousandths of the larger amount; 0 is not set.
    pub tolerance_basis_points: u32,
    pub settle_days: u32,
    pub ledger_days: u32,
    /// Calendar days for which a listing looks back at a bank transfer that has not settled.
    pub lookback_days: u32,
    /// Made for the three values at the top by [`BankingDays::new`].
    pub banking_days: BankingDays,
}

impl Terms {
    /// Banking days between a date and the nearer of an item's days.
    pub(super) fn away(&self, item: &Item, date: NaiveDate) -> u32 {
        let [first, second] = item.days();
        let days = &self.banking_days;
        days.distance(first, date).min(days.distance(second, date))
    }

    /// The day by which what the books date `date` has settled, when that is not after the
    /// business date.
    pub(super) fn record_due(&self, date: NaiveDate) -> Option<NaiveDate> {
        let days = self.settle_days.saturating_add(self.ledger_days);
        self.banking_days.due_by(date, days, self.business_date)
    }
}

/// One merchant's records. Nothing in it needs to be ordered.
#[derive(Clone, Copy, Debug)]
pub struct MerchantInput<'a> {
    pub terms: &'a Terms,
    pub items: &'a [Item],
    pub records: &'a [Record],
    /// Bank transfers of the merchant that are no items.
    pub transfers: &'a [KnownTransfer],
    /// Other ids that the processor knows: of authorizations that are no items, of returns.
    /// A record that names one contradicts every item.
    pub other_references: &'a [ShortText],
    /// Whether not all bank transfers that came back could be read. A payment record that names
    /// what nobody knows may name one of them, and is paired with nothing else.
    pub returns_unread: bool,
    /// The card items that were disputed, with what was not won; `None` when the key may not read
    /// disputes.
    pub disputed: Option<&'a HashMap<ShortText, Vec<Dispute>>>,
    /// Rows of the ledger that could not be read and may be this merchant's.
    pub left_out: &'a [LeftOutRow],
    /// What stands from an earlier date; `None` when everything is at hand.
    pub standing: Option<&'a Standing>,
}
