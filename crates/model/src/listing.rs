//! A request to the API: one complete paged read of one resource for one scope.

use std::fmt;

use chrono::NaiveDate;

use super::{
    Authorization, AuthorizationId, BankTransfer, Batch, BatchId, Deposit, DepositId, Dispute,
    DisputeId, DisputeStatus, Fee, MerchantSummary, TerminalId, Transaction, TransferId,
    TransferKind,
};

/// A resource of the API that the job reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    Deposits,
    Fees,
    Batches,
    Authorizations,
    Transactions,
    Payments,
    Refunds,
    Disputes,
    /// The statuses of one dispute, a list without pages.
    DisputeStatuses,
}

impl Resource {
    /// Every resource, in the order in which a night reads them.
    pub const ALL: [Self; 9] = [
        Self::Deposits,
        Self::Fees,
        Self::Batches,
        Self::Authorizations,
        Self::Transactions,
        Self::Payments,
        Self::Refunds,
        Self::Disputes,
        Self::DisputeStatuses,
    ];

    /// Its name in the store; but for the statuses of a dispute also its path segment under the
    /// API's base URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deposits => "ach-deposits",
            Self::Fees => "ach-deposit-fees",
            Self::Batches => "batches",
            Self::Authorizations => "authorizations",
            Self::Transactions => "transactions",
            Self::Payments => "bank-transfer-payments",
            Self::Refunds => "bank-transfer-refunds",
            Self::Disputes => "disputes",
            Self::DisputeStatuses => "dispute-statuses",
        }
    }
}

impl From<TransferKind> for Resource {
    fn from(kind: TransferKind) -> Self {
        match kind {
            TransferKind::Payment => Self::Payments,
            TransferKind::Refund => Self::Refunds,
        }
    }
}

/// The filter of a listing. A listing by id holds at most one record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector {
    /// `date=D` of a settlement report.
    Date(NaiveDate),
    /// `achDepositId=I` of the fees.
    Deposit(DepositId),
    /// `batchId=I` of the authorizations.
    Batch(BatchId),
    /// `settlementState=settled&settlementDate=D` of one terminal.
    Settled { terminal: TerminalId, date: NaiveDate },
    /// Transfers that ran on local date D on one terminal, requested one day wider on both sides.
    Run { terminal: TerminalId, date: NaiveDate },
    /// `settlementState=unsettled`: those of one terminal that ran from local date `from` to the end
    /// of `date`. The request begins a day earlier.
    Unsettled { terminal: TerminalId, date: NaiveDate, from: NaiveDate },
    /// `status=returned`: as above.
    Returned { terminal: TerminalId, date: NaiveDate, from: NaiveDate },
    /// `/disputes/I/statuses`.
    Dispute(DisputeId),
    /// `/ach-deposits/I`.
    DepositById(DepositId),
    /// `/batches/I`.
    BatchById(BatchId),
    /// `/authorizations/I`.
    AuthorizationById(AuthorizationId),
    /// `/bank-transfer-payments/I` or `/bank-transfer-refunds/I`.
    TransferById(TransferId),
}

/// One resource for one scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Listing {
    pub resource: Resource,
    pub selector: Selector,
}

impl Listing {
    /// The listing of `resource` selected by `selector`.
    pub fn new(resource: Resource, selector: Selector) -> Self {
        Self { resource, selector }
    }

    /// The name of the selector, the id it is about (or nothing) and its date, as stored.
    pub fn key(&self) -> (&'static str, String, Option<NaiveDate>) {
        match &self.selector {
            Selector::Date(date) => ("date", String::new(), Some(*date)),
            Selector::Deposit(id) => ("deposit", id.to_string(), None),
            Selector::Batch(id) => ("batch", id.to_string(), None),
            Selector::Settled { terminal, date } => ("settled", terminal.to_string(), Some(*date)),
            Selector::Run { terminal, date } => ("run", terminal.to_string(), Some(*date)),
            Selector::Unsettled { terminal, date, .. } => {
                ("unsettled", terminal.to_string(), Some(*date))
            }
            Selector::Returned { terminal, date, .. } => {
                ("returned", terminal.to_string(), Some(*date))
            }
            Selector::Dispute(id) => ("dispute", id.to_string(), None),
            Selector::DepositById(id) => ("id", id.to_string(), None),
            Selector::BatchById(id) => ("id", id.to_string(), None),
            Selector::AuthorizationById(id) => ("id", id.to_string(), None),
            Selector::TransferById(id) => ("id", id.to_string(), None),
        }
    }

    /// Whether its records count as received by a run. Records read by id do not, except
    /// authorizations, which are counted as they are written: the look-ups that a date needs depend
    /// on the dates read before it. Disputes never count.
    pub fn is_counted(&self) -> bool {
        match self.resource {
            Resource::Authorizations => true,
            // Not every key has these operations; a night without them is complete.
            Resource::Disputes | Resource::DisputeStatuses => false,
            _ => !self.is_single(),
        }
    }

    /// Whether it can be long and its cursors are ids of its own records: the card
    /// authorizations and transactions of a date.
    pub fn is_long(&self) -> bool {
        matches!(
            (self.resource, &self.selector),
            (Resource::Authorizations | Resource::Transactions, Selector::Date(_))
        )
    }

    /// The listing of that name, selector, scope and date, as [`Listing::key`] gives them. The
    /// begin of a look-back is not part of the key: here it is the date.
    pub fn from_key(
        resource: &str,
        selector: &str,
        scope: &str,
        date: Option<NaiveDate>,
    ) -> Option<Self> {
        let resource = Resource::ALL.into_iter().find(|known| known.as_str() == resource)?;
        let terminal = || TerminalId::from(scope);
        let selector = match selector {
            "date" => Selector::Date(date?),
            "deposit" => Selector::Deposit(DepositId(scope.parse().ok()?)),
            "batch" => Selector::Batch(BatchId(scope.parse().ok()?)),
            "dispute" => Selector::Dispute(DisputeId(scope.parse().ok()?)),
            "settled" => Selector::Settled { terminal: terminal(), date: date? },
            "run" => Selector::Run { terminal: terminal(), date: date? },
            "unsettled" => Selector::Unsettled { terminal: terminal(), date: date?, from: date? },
            "returned" => Selector::Returned { terminal: terminal(), date: date?, from: date? },
            "id" => match resource {
                Resource::Deposits => Selector::DepositById(DepositId(scope.parse().ok()?)),
                Resource::Batches => Selector::BatchById(BatchId(scope.parse().ok()?)),
                Resource::Authorizations => {
                    Selector::AuthorizationById(AuthorizationId(scope.parse().ok()?))
                }
                _ => Selector::TransferById(TransferId::from(scope)),
            },
            _ => return None,
        };
        Some(Self { resource, selector })
    }

    /// Whether it reads one record by its id, where 404 is an answer and not a failure.
    pub fn is_single(&self) -> bool {
        self.key().0 == "id"
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (selector, scope, date) = self.key();
        write!(formatter, "{} by {selector}", self.resource.as_str())?;
        if !scope.is_empty() {
            write!(formatter, " {scope}")?;
        }
        match date {
            Some(date) if selector == "date" => write!(formatter, " {date}"),
            Some(date) => write!(formatter, " on {date}"),
            None => Ok(()),
        }
    }
}

/// The fault of a record that one listing holds twice with different content.
pub const TWO_CONTENTS: &str = "listed again with another content";

/// A record of any resource, as a page holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Record {
    Deposit(Deposit),
    Fee(Fee),
    Batch(Batch),
    Authorization(Authorization),
    Transaction(Transaction),
    /// Boxed: it is twice as large as an authorization, and authorizations are far more frequent.
    BankTransfer(Box<BankTransfer>),
    Dispute(Box<Dispute>),
    DisputeStatus(DisputeStatus),
}

impl Record {
    /// The merchant of the record; `None` for a bank transfer, which names a terminal, and for the
    /// status of a dispute.
    pub fn merchant(&self) -> Option<&MerchantSummary> {
        Some(match self {
            Self::Deposit(deposit) => &deposit.merchant,
            Self::Fee(fee) => &fee.merchant,
            Self::Batch(batch) => &batch.merchant,
            Self::Authorization(authorization) => &authorization.merchant,
            Self::Transaction(transaction) => &transaction.merchant,
            Self::Dispute(dispute) => &dispute.merchant,
            Self::BankTransfer(_) | Self::DisputeStatus(_) => return None,
        })
    }

    /// The identity of the record; `None` for a fee, which has no id, and for a status without one.
    pub fn key(&self) -> Option<RecordKey<'_>> {
        Some(match self {
            Self::Deposit(deposit) => RecordKey::Number("deposit", deposit.ach_deposit_id.0),
            Self::Fee(_) => return None,
            Self::Dispute(dispute) => RecordKey::Number("dispute", dispute.dispute_id.0),
            Self::DisputeStatus(status) => {
                RecordKey::Number("dispute status", status.dispute_status_id?)
            }
            Self::Batch(batch) => RecordKey::Number("batch", batch.batch_id.0),
            Self::Authorization(authorization) => RecordKey::Authorization(
                authorization.authorization_id.0,
                authorization.transaction_key(),
            ),
            Self::Transaction(transaction) => {
                RecordKey::Number("transaction", transaction.transaction_id.0)
            }
            Self::BankTransfer(transfer) => {
                RecordKey::Text(transfer.kind.as_str(), transfer.transfer_id.as_str())
            }
        })
    }
}

/// The kind of a record, and its id; shown as `batch 90211`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKey<'a> {
    Number(&'static str, i64),
    /// An authorization with one of its transactions; 0 without one.
    Authorization(i64, i64),
    Text(&'static str, &'a str),
}

impl RecordKey<'_> {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Number(kind, _) | Self::Text(kind, _) => kind,
            Self::Authorization(..) => "authorization",
        }
    }

    /// The id as text.
    pub fn id(&self) -> String {
        match self {
            Self::Number(_, id) | Self::Authorization(id, _) => id.to_string(),
            Self::Text(_, id) => (*id).to_owned(),
        }
    }
}

impl fmt::Display for RecordKey<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(kind, id) => write!(formatter, "{kind} {id}"),
            Self::Authorization(id, _) => write!(formatter, "authorization {id}"),
            Self::Text(kind, id) => write!(formatter, "{kind} {id}"),
        }
    }
}
