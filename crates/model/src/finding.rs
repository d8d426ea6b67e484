//! The result of a finder: a difference, or the reason why a check could not decide.

use chrono::NaiveDate;

use super::{MerchantId, Severity};
use crate::money::Currency;

/// The ids of the records that a finding is about, as the report's columns show them: several ids
/// of one kind are joined with `;`, ascending; empty when there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordIds {
    pub batch_id: String,
    pub ach_deposit_id: String,
    pub authorization_id: String,
    pub transaction_id: String,
    pub payment_id: String,
    pub refund_id: String,
    pub order_id: String,
    pub ledger_id: String,
    pub dispute_id: String,
}

/// A column of [`RecordIds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdColumn {
    Batch,
    Deposit,
    Authorization,
    Transaction,
    Payment,
    Refund,
    Order,
    Ledger,
    Dispute,
}

impl IdColumn {
    /// Every column, in the order of the report.
    pub const ALL: [Self; 9] = [
        Self::Batch,
        Self::Deposit,
        Self::Authorization,
        Self::Transaction,
        Self::Payment,
        Self::Refund,
        Self::Order,
        Self::Ledger,
        Self::Dispute,
    ];

    /// The name of the column in the store and in the reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch_id",
            Self::Deposit => "ach_deposit_id",
            Self::Authorization => "authorization_id",
            Self::Transaction => "transaction_id",
            Self::Payment => "payment_id",
            Self::Refund => "refund_id",
            Self::Order => "order_id",
            Self::Ledger => "ledger_id",
            Self::Dispute => "dispute_id",
        }
    }
}

impl RecordIds {
    /// The ids of one column, joined.
    pub fn get(&self, column: IdColumn) -> &str {
        match column {
            IdColumn::Batch => &self.batch_id,
            IdColumn::Deposit => &self.ach_deposit_id,
            IdColumn::Authorization => &self.authorization_id,
            IdColumn::Transaction => &self.transaction_id,
            IdColumn::Payment => &self.payment_id,
            IdColumn::Refund => &self.refund_id,
            IdColumn::Order => &self.order_id,
            IdColumn::Ledger => &self.ledger_id,
            IdColumn::Dispute => &self.dispute_id,
        }
    }

    /// The same, to be written.
    pub fn get_mut(&mut self, column: IdColumn) -> &mut String {
        match column {
            IdColumn::Batch => &mut self.batch_id,
            IdColumn::Deposit => &mut self.ach_deposit_id,
            IdColumn::Authorization => &mut self.authorization_id,
            IdColumn::Transaction => &mut self.transaction_id,
            IdColumn::Payment => &mut self.payment_id,
            IdColumn::Refund => &mut self.refund_id,
            IdColumn::Order => &mut self.order_id,
            IdColumn::Ledger => &mut self.ledger_id,
            IdColumn::Dispute => &mut self.dispute_id,
        }
    }

    /// The ids of one column, one by one.
    pub fn each(&self, column: IdColumn) -> impl Iterator<Item = &str> {
        self.get(column).split(';').filter(|id| !id.is_empty())
    }

    /// The ids of one column as numbers; ids that are not numeric are left out.
    pub fn numbers(&self, column: IdColumn) -> impl Iterator<Item = i64> + '_ {
        self.each(column).filter_map(|id| id.parse().ok())
    }
}

/// The result of a finder. Severity, figure and life come from the check with this code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    pub code: String,
    /// Empty when no merchant is named.
    pub merchant_id: MerchantId,
    /// Identifies the finding among those of its code and merchant.
    pub subject: String,
    pub currency: Option<Currency>,
    /// The currency of `expected` where it differs; the amount itself is stored in the decimals of
    /// `currency`.
    pub expected_currency: Option<Currency>,
    pub expected: Option<i64>,
    pub actual: Option<i64>,
    pub batch_date: Option<NaiveDate>,
    pub ids: RecordIds,
    pub explanation: String,
    /// The next nearest sets of open entries, each with what it comes to, joined with `;`. Only
    /// shown with the discrepancy alone.
    pub also_near: String,
    /// Replaces the severity of its check, unless the configuration names one.
    pub severity: Option<Severity>,
    /// Replaces the action that the check proposes.
    pub action: Option<String>,
    /// Why the check could not decide; `None` for a discrepancy.
    pub problem: Option<String>,
    /// Whether the cause that keeps the check from deciding is expected to end by itself: neither a
    /// discrepancy nor a partial run, and open discrepancies stay open.
    pub is_awaited: bool,
    /// For a restated or vanished record: the date that listed it when it was reconciled.
    pub listed_on: Option<NaiveDate>,
}
