//! The result of a reconciled business date: the rows that the reports are written from. Amounts
//! are minor units of the row's currency; `None` means unknown and is written empty.

use chrono::NaiveDate;

use super::ShortText;
use crate::money::{Currency, Minor};
use crate::{BatchId, DepositId, MerchantId};

/// Verdict of a deposit, a batch or a merchant, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    NotEvaluated,
    Discrepancy,
    InTransit,
    Tied,
}

impl Verdict {
    /// The word that the store and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotEvaluated => "not_evaluated",
            Self::Discrepancy => "discrepancy",
            Self::InTransit => "in_transit",
            Self::Tied => "tied",
        }
    }
}

/// A row of `deposits.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepositRow {
    pub ach_deposit_id: DepositId,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    /// Unknown: every amount is written empty.
    pub currency: Option<Currency>,
    pub association_date: Option<NaiveDate>,
    pub ach_date: Option<NaiveDate>,
    pub payment_date: Option<NaiveDate>,
    pub transactions: Option<i64>,
    pub sales: Option<Minor>,
    pub returns: Option<Minor>,
    pub daily_fees: Option<Minor>,
    pub held_sales: Option<Minor>,
    pub ach_adjustment: Option<Minor>,
    pub holdback: Option<Minor>,
    pub reserve_release: Option<Minor>,
    pub net_amount: Option<Minor>,
    pub net_expected: Option<Minor>,
    pub batch_sales: Option<Minor>,
    pub batch_returns: Option<Minor>,
    pub batch_transactions: Option<i64>,
    pub fees_total: Option<Minor>,
    pub returned_amount: Option<Minor>,
    pub unexplained: Option<Minor>,
    pub verdict: Verdict,
    /// The part of its adjustment that disputes explain.
    pub disputed_amount: Option<Minor>,
    /// When the bank credited it, or debited it when it is below zero.
    pub bank_date: Option<NaiveDate>,
    pub bank_amount: Option<Minor>,
    /// As in `bank_matches.csv`; empty for a merchant without a bank.
    pub bank_verdict: String,
    /// The batch dates that it pays for, joined with `;`.
    pub pays_for: String,
}

/// A row of `batches.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRow {
    pub batch_id: BatchId,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub batch_date: NaiveDate,
    pub transaction_count: Option<i64>,
    pub sale_amount: Option<Minor>,
    pub return_amount: Option<Minor>,
    pub items_count: Option<i64>,
    pub items_sales: Option<Minor>,
    pub items_returns: Option<Minor>,
    /// The group's deposits paid so far, joined with `;`.
    pub ach_deposit_id: String,
    pub verdict: Verdict,
    /// `None` where the key cannot read the state of transactions.
    pub on_hold: Option<Minor>,
    pub settled_elsewhere: Option<Minor>,
    pub withdrawn: Option<Minor>,
}

/// A row of `in_transit.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitRow {
    /// `batch`, `payment`, `refund` or `held`.
    pub kind: String,
    pub id: String,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    /// `None` for a bank transfer without a time.
    pub date: Option<NaiveDate>,
    /// `None` when the due date is unknown.
    pub due_date: Option<NaiveDate>,
    /// Negative for a refund.
    pub amount: Option<Minor>,
    /// The processor's status of money without a due date; empty for money that is merely not due.
    pub status: String,
}

/// A row of `matches.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// `capture`, `return`, `payment` or `refund`.
    pub item_type: ShortText,
    pub item_id: ShortText,
    pub ledger_id: ShortText,
    pub merchant_id: MerchantId,
    pub currency: Currency,
    pub item_date: NaiveDate,
    pub ledger_date: NaiveDate,
    pub item_amount: Option<Minor>,
    pub ledger_amount: Option<Minor>,
    pub difference: Option<Minor>,
    /// `reference`, `order`, `same_day`, `nearby_day` or `unique`.
    pub pass: ShortText,
    pub order_id: ShortText,
    /// A remark on the pair for the reader.
    pub note: ShortText,
}

/// The steps from the opening to the closing amount, in absolute differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RollAmounts {
    pub opening: Option<Minor>,
    pub new: Option<Minor>,
    pub cleared: Option<Minor>,
    pub accepted: Option<Minor>,
    pub changed: Option<Minor>,
}

/// A row of `summary.csv`. A figure whose listing is not complete is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRow {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub deposits: Option<i64>,
    pub deposited_net: Option<Minor>,
    pub batches: Option<i64>,
    pub items: Option<i64>,
    pub items_amount: Option<Minor>,
    pub ledger_records: Option<i64>,
    pub matched: Option<i64>,
    pub in_transit_amount: Option<Minor>,
    pub opening: i64,
    /// Reopened ones included.
    pub new: i64,
    pub cleared: i64,
    pub closing: i64,
    pub closing_amount: Option<Minor>,
    pub verdict: Verdict,
    /// The absolute differences of those that `opening` counts, as the earlier date closed with
    /// them: opening + new - cleared - accepted + changed = closing.
    pub opening_amount: Option<Minor>,
    pub new_amount: Option<Minor>,
    pub cleared_amount: Option<Minor>,
    /// Those that left because a person accepted them, not in `cleared`.
    pub accepted: Option<i64>,
    pub accepted_amount: Option<Minor>,
    pub on_hold_amount: Option<Minor>,
    pub overdue_amount: Option<Minor>,
    /// The latest business date that, with every one before it, is final.
    pub final_date: Option<NaiveDate>,
    /// The change in the absolute differences of those that stayed open; negative where they
    /// shrank.
    pub changed_amount: Option<Minor>,
}

impl SummaryRow {
    /// The steps from `opening_amount` to `closing_amount`.
    pub fn roll(&self) -> RollAmounts {
        RollAmounts {
            opening: self.opening_amount,
            new: self.new_amount,
            cleared: self.cleared_amount,
            accepted: self.accepted_amount,
            changed: self.changed_amount,
        }
    }
}
