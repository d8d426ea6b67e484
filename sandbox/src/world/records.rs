//! The records of a world in a compact form: a million authorizations must fit into memory without
//! their JSON. Amounts are minor units of the merchant's currency.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use super::details::Details;
use super::disputes::Dispute;
use crate::calendar::Calendar;

/// All records of a world, before they are indexed.
#[derive(Clone, Debug)]
pub struct Records {
    pub merchants: Vec<Merchant>,
    /// In order of id, and therefore of date.
    pub batches: Vec<Batch>,
    /// In order of id, and therefore of date and batch.
    pub authorizations: Vec<Authorization>,
    /// In order of id.
    pub deposits: Vec<Deposit>,
    /// In the order of their listing.
    pub fees: Vec<Fee>,
    /// Never reordered: they refer to each other by index.
    pub transfers: Vec<Transfer>,
    /// In order of id.
    pub disputes: Vec<Dispute>,
    pub late: Late,
}

/// Records that the service lists late, with the first day (UTC) on which each is listed.
#[derive(Clone, Debug, Default)]
pub struct Late {
    /// Batches by id; their authorizations are late as well.
    pub batches: BTreeMap<i64, NaiveDate>,
    /// Authorizations by id, in addition to those of late batches.
    pub authorizations: BTreeMap<i64, NaiveDate>,
    /// Deposits by id; their fees are late as well.
    pub deposits: BTreeMap<i64, NaiveDate>,
    /// Bank transfers by position: not settled before that day.
    pub transfers: BTreeMap<usize, NaiveDate>,
}

impl Records {
    /// `due` in the merchant's calendar.
    pub fn due(&self, merchant: usize, date: NaiveDate, days: u32) -> NaiveDate {
        self.merchants[merchant].calendar.due(date, days)
    }

    /// The authorizations of a batch, by its id.
    pub fn batch_items(&self, batch_id: i64) -> &[Authorization] {
        let first = self.authorizations.partition_point(|item| item.batch_id < batch_id);
        let rest = &self.authorizations[first..];
        &rest[..rest.partition_point(|item| item.batch_id == batch_id)]
    }

    /// The authorization with that key.
    pub fn authorization(&self, key: i64) -> Option<&Authorization> {
        let found = self.authorizations.binary_search_by_key(&key, |item| item.id);
        found.ok().map(|at| &self.authorizations[at])
    }
}

/// A merchant of the world.
#[derive(Clone, Debug)]
pub struct Merchant {
    /// The MID: ten digits.
    pub id: String,
    pub name: String,
    pub account_id: i64,
    pub time_zone: Tz,
    pub currency: &'static str,
    pub calendar: Calendar,
    pub terminals: Vec<String>,
    /// The weight of its share of the card authorizations.
    pub weight: u64,
    /// Percentage of days on which it submits nothing.
    pub skips_percent: u32,
    /// Whether the configuration of this world names it.
    pub is_configured: bool,
    /// Submits nothing at all, and has neither books nor a bank (a plant).
    pub is_silent: bool,
    /// Whether the configuration names its terminals.
    pub names_terminals: bool,
    /// `capture_tolerance_percent` of the configuration.
    pub capture_tolerance_percent: u32,
}

impl Merchant {
    /// ACH and PAD are offered only in the United States and Canada.
    pub fn takes_bank_transfers(&self) -> bool {
        matches!(self.currency, "USD" | "CAD")
    }
}

/// A batch header.
#[derive(Clone, Debug)]
pub struct Batch {
    pub id: i64,
    pub merchant: usize,
    pub date: NaiveDate,
    /// The second batch of a day runs in the evening cycle.
    pub is_evening: bool,
    pub sales: i64,
    pub returns: i64,
    pub count: i64,
}

/// The transaction of a card authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardKind {
    /// Declined, or never captured: no transaction.
    None,
    Capture,
    Return,
}

/// A card authorization with its transaction.
///
/// Authorizations are kept in order of id, in which dates and batch ids never fall: a listing by
/// date or by batch is a slice.
#[derive(Clone, Debug)]
pub struct Authorization {
    /// Orders the records; also the authorization's id in the JSON, unless the record is a further
    /// part.
    pub id: i64,
    /// The id of the authorization that this is a further part of, or zero.
    pub part_of: i64,
    /// Without a transaction, the id of the last one before it: transaction ids never fall either.
    pub transaction_id: i64,
    /// The batch that contains it, or an id that no batch has (a plant).
    pub batch_id: i64,
    /// The deposit that pays for it, or zero.
    pub deposit_id: i64,
    /// The amount of the transaction, or the requested amount without one.
    pub amount: i64,
    pub preauthorization: Option<i64>,
    /// Day of the batch.
    pub date: NaiveDate,
    pub merchant: u32,
    pub kind: CardKind,
    /// Index into `RESPONSES`; `None` when the issuer's answer is not known.
    pub response: Option<u8>,
    /// Index into `CARDS`.
    pub card: u8,
    pub card_last4: u16,
    /// Whether the sale was made on the day before its batch.
    pub is_day_before: bool,
    pub role: Role,
    pub standing: Standing,
}

impl Authorization {
    /// `authorizationId`: parts of one authorization share it.
    pub fn authorization_id(&self) -> i64 {
        if self.part_of == 0 { self.id } else { self.part_of }
    }
}

/// The state of a transaction's money, as `status` and `settledBy` show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// `paid` once a deposit contains it, else `new`.
    Ordinary,
    Held,
    HeldFor30Days,
    HeldAsDuplicate,
    /// Released after a hold, and paid like any other.
    Released,
    ReleasedAfterAudit,
    /// The deposit contains a part of it.
    PartlyReleased,
    Withdrawn,
    PaidByThirdParty,
    /// `paid`, and `settledBy` names a third party without a deposit.
    SettledByThirdParty,
}

/// Whether an authorization is correct or planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Ordinary,
    /// A further authorization of a transaction that is listed under another one.
    Extra,
    /// Names a batch that is not listed.
    UnlistedBatch,
    /// Names no batch.
    NoBatch,
}

/// The issuers' answers that occur. The first eight are approvals.
pub const RESPONSES: [&str; 13] = [
    "approved",
    "approveVip",
    "approveWithId",
    "honorWithId",
    "successful",
    "noReasonToDecline",
    "partialApproval",
    "partialAuthorization",
    "doNotHonor",
    "insufficientFunds",
    "expiredCard",
    "suspectFraud",
    "exceedsWithdrawalAmountLimit",
];

/// Index of the plain approval in `RESPONSES`.
pub const APPROVED: u8 = 0;
/// Index of the partial approval in `RESPONSES`.
pub const PARTIAL_APPROVAL: u8 = 6;
/// Index of the first refusal in `RESPONSES`.
pub const FIRST_REFUSAL: u8 = 8;

/// First six digits of a card number and its type.
pub const CARDS: [(&str, &str); 6] = [
    ("411773", "visa"),
    ("453201", "visa"),
    ("520474", "masterCard"),
    ("222300", "masterCard"),
    ("601100", "discover"),
    ("371449", "amex"),
];

/// An ACH deposit.
#[derive(Clone, Debug)]
pub struct Deposit {
    pub id: i64,
    pub merchant: usize,
    pub association_date: NaiveDate,
    pub ach_date: NaiveDate,
    pub payment_date: NaiveDate,
    pub transactions: i64,
    pub sales: i64,
    pub returns: i64,
    pub daily_fees: i64,
    pub held_sales: i64,
    pub ach_adjustment: i64,
    pub holdback: i64,
    pub reserve_release: i64,
    pub net_amount: i64,
    /// Its appearance on the bank's statement.
    pub at_bank: AtBank,
}

/// The appearance of a deposit on the bank's statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtBank {
    /// A line, alone or together with other deposits.
    Shown,
    /// A line of the payment date.
    ShownAtOnce,
    /// No line: it did not arrive, or was carried into a later deposit.
    Nothing,
}

impl Deposit {
    /// The sum of the components.
    pub fn components(&self) -> i64 {
        self.sales
            - self.returns
            - self.daily_fees
            - self.held_sales
            - self.ach_adjustment
            - self.holdback
            + self.reserve_release
    }
}

/// A fee line.
#[derive(Clone, Debug)]
pub struct Fee {
    pub merchant: usize,
    /// The deposit that it names; planted fees name none, or an unknown one.
    pub deposit_id: Option<i64>,
    pub association_date: NaiveDate,
    pub adjustment_date: NaiveDate,
    /// The date on which it is listed: the payment date of its deposit.
    pub listed_date: NaiveDate,
    pub description: &'static str,
    pub amount: i64,
}

/// `transactionResult.type` of a bank transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferType {
    Payment,
    AccountVerification,
    Refund,
    UnreferencedRefund,
}

impl TransferType {
    /// The value in the JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::AccountVerification => "accountVerification",
            Self::Refund => "refund",
            Self::UnreferencedRefund => "unreferencedRefund",
        }
    }

    /// Checks whether it is listed under the refunds.
    pub fn is_refund(self) -> bool {
        matches!(self, Self::Refund | Self::UnreferencedRefund)
    }
}

/// `transactionResult.status` of a bank transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferStatus {
    Ready,
    Pending,
    Complete,
    Declined,
    Reversal,
    Returned,
    Admin,
    Accepted,
    Expired,
    Referral,
    Pickup,
}

impl TransferStatus {
    /// The value in the JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Pending => "pending",
            Self::Complete => "complete",
            Self::Declined => "declined",
            Self::Reversal => "reversal",
            Self::Returned => "returned",
            Self::Admin => "admin",
            Self::Accepted => "accepted",
            Self::Expired => "expired",
            Self::Referral => "referral",
            Self::Pickup => "pickup",
        }
    }
}

/// A bank transfer: payment, refund, account verification, or the return of a payment.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "a field called type is no Rust")]
pub struct Transfer {
    /// Ten capital letters and digits.
    pub id: String,
    pub merchant: usize,
    pub terminal: usize,
    pub order_id: String,
    pub run_at: DateTime<Utc>,
    /// The local date of `run_at`.
    pub run_date: NaiveDate,
    /// False when `order.dateTime` is not sent.
    pub shows_time: bool,
    pub amount: i64,
    pub transfer_type: TransferType,
    pub status: TransferStatus,
    /// The batch date in which it was submitted.
    pub settled: Option<NaiveDate>,
    /// A second batch date under which it is also listed as settled (a plant).
    pub settled_again: Option<NaiveDate>,
    pub account_last4: u16,
    /// Index into `HOLDERS`.
    pub holder: usize,
    /// Indices of its refunds.
    pub refunds: Vec<usize>,
    pub returns: Vec<Return>,
    /// Index of the payment that presents it again.
    pub representment: Option<usize>,
    /// For a refund, the payment that it names.
    pub payment: PaymentLink,
    /// Index of the payment that this one presents again.
    pub represents: Option<usize>,
    /// Index of the payment whose return this is; it is then neither a payment nor an item.
    pub return_of: Option<usize>,
    /// False for a return that can only be read by its id.
    pub is_listed: bool,
    /// The details from a request; a generated transfer has none.
    pub details: Option<Box<Details>>,
}

impl Transfer {
    /// Checks that it is in the open batch and can still be taken out.
    pub fn is_open(&self) -> bool {
        self.settled.is_none()
            && self.return_of.is_none()
            && self.transfer_type != TransferType::AccountVerification
            && matches!(self.status, TransferStatus::Ready | TransferStatus::Pending)
    }

    /// Checks that its batch is closed and the money was not returned.
    pub fn is_kept(&self) -> bool {
        self.settled.is_some()
            && self.return_of.is_none()
            && self.transfer_type != TransferType::AccountVerification
            && matches!(self.status, TransferStatus::Pending | TransferStatus::Complete)
    }

    /// Checks that it is a payment that is complete, without any later event.
    pub fn is_plain_payment(&self) -> bool {
        self.transfer_type == TransferType::Payment
            && self.status == TransferStatus::Complete
            && self.return_of.is_none()
            && self.refunds.is_empty()
            && self.returns.is_empty()
            && self.represents.is_none()
    }

    /// Checks that it moves money in its settlement batch.
    pub fn is_item(&self) -> bool {
        self.settled.is_some()
            && self.return_of.is_none()
            && self.transfer_type != TransferType::AccountVerification
    }
}

/// The payment that a refund names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentLink {
    None,
    Known(usize),
    /// An id that is not in the world (a plant).
    Unknown(String),
}

/// A return of a payment.
#[derive(Clone, Debug)]
pub struct Return {
    /// Index of the return itself among the transfers.
    pub transfer: usize,
    pub date: NaiveDate,
    /// Index into `RETURN_CODES`.
    pub code: usize,
    pub represented: bool,
    pub closed: bool,
}

/// Fictitious account holders.
pub const HOLDERS: [&str; 8] = [
    "Noor Ibsen",
    "Ada Quill",
    "Teo Marsh",
    "Ines Falk",
    "Ravi Stone",
    "Mina Okafor",
    "Leon Birch",
    "Yara Novak",
];
