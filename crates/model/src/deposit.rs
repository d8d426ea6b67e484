//! ACH deposits and the fee lines that name them.

use chrono::NaiveDate;

use super::{DepositId, MerchantSummary};
use crate::money::Minor;

/// One transfer to one merchant. It carries no currency.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deposit {
    pub ach_deposit_id: DepositId,
    pub merchant: MerchantSummary,
    /// The batch date that this deposit pays for.
    pub association_date: Option<NaiveDate>,
    pub ach_date: Option<NaiveDate>,
    /// When the merchant received it; the `date` filter of the listing.
    pub payment_date: Option<NaiveDate>,
    /// How many transactions it covers.
    pub transactions: Option<i64>,
    pub sales: Option<Minor>,
    pub returns: Option<Minor>,
    pub daily_fees: Option<Minor>,
    pub held_sales: Option<Minor>,
    pub ach_adjustment: Option<Minor>,
    pub holdback: Option<Minor>,
    pub reserve_release: Option<Minor>,
    pub net_amount: Option<Minor>,
}

/// One fee line. It has no id: two equal lines are two fees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fee {
    pub merchant: MerchantSummary,
    pub ach_deposit_id: Option<DepositId>,
    pub association_date: Option<NaiveDate>,
    pub adjustment_date: Option<NaiveDate>,
    pub description: Option<String>,
    pub amount: Option<Minor>,
}
