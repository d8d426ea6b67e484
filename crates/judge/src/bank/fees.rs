//! The fees of a month that name no deposit, which a line may take apart from the deposits.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::account::Account;
use crate::JudgeError;
use tieout_config::Merchant;
use tieout_matching::bank::{self, DepositState, Outcome};
use tieout_model::MerchantId;
use tieout_model::money::{Currency, Minor};
use tieout_store::{Store, banks};

/// The fees of a merchant's month.
pub(super) struct MonthFees<'a> {
    pub(super) merchant: &'a Merchant,
    /// The last day of the month.
    last: NaiveDate,
    amount: Minor,
    pub(super) currency: Currency,
}

impl MonthFees<'_> {
    /// In words, as the rest of a sentence.
    fn said(&self) -> String {
        let (month, merchant) = (self.last.format("%Y-%m"), &self.merchant.id);
        format!(
            "the fees of {month} of merchant {merchant} that name no deposit ({})",
            self.currency.in_words(self.amount)
        )
    }
}

/// The fees of every merchant's months since the start that no deposit has deducted to the cent.
pub(super) fn of_account<'a>(
    account: &Account<'a>,
    store: &Store,
) -> Result<Vec<MonthFees<'a>>, JudgeError> {
    let mut fees = Vec::new();
    for merchant in account.merchants.iter().copied() {
        let Some(currency) = merchant.currency else { continue };
        for (last, amount) in banks::monthly_fees(store, &merchant.id)? {
            fees.push(MonthFees { merchant, last, amount, currency });
        }
    }
    Ok(fees)
}

/// In the form that pairing takes; `number` tells the fees of one account apart.
pub(super) fn to_pair(account: &Account<'_>, number: i64, fees: &MonthFees<'_>) -> bank::Deposit {
    let until = account.sum_until(&fees.merchant.id, fees.last);
    bank::Deposit {
        id: -number,
        merchant_id: fees.merchant.id.clone(),
        earliest: fees.last,
        payment_date: fees.last,
        due: until,
        sum_until: until,
        amount: fees.amount.0,
        is_fees: true,
    }
}

/// The fees of an account and currency, which follow its deposits in the outcome of pairing.
pub(super) struct Fees<'a> {
    pub(super) months: &'a [MonthFees<'a>],
    pub(super) deposits: usize,
}

impl<'a> Fees<'a> {
    /// Those at the positions.
    pub(super) fn at<'s>(
        &'s self,
        positions: impl Iterator<Item = &'s usize> + 's,
    ) -> impl Iterator<Item = &'a MonthFees<'a>> + 's {
        positions.filter_map(|at| self.months.get(at.checked_sub(self.deposits)?))
    }

    /// Those at the position, in words.
    pub(super) fn said(&self, at: usize) -> String {
        self.at([at].iter()).map(MonthFees::said).collect()
    }

    /// The deposits of the ids, and the fees at the positions, in words.
    pub(super) fn said_of_set(&self, positions: &BTreeSet<usize>, ids: &[String]) -> String {
        let deposits = Some(format!("deposits {}", ids.join(", "))).filter(|_| !ids.is_empty());
        let fees = self.at(positions.iter()).map(MonthFees::said);
        deposits.into_iter().chain(fees).collect::<Vec<_>>().join(" and ")
    }

    /// The months, by their last days, whose fees a line took or may have taken.
    pub(super) fn taken(&self, outcome: &Outcome) -> Vec<(MerchantId, NaiveDate)> {
        let states = outcome.deposits.iter().skip(self.deposits);
        let is_open = |state: &DepositState| {
            matches!(state, DepositState::Missing | DepositState::TakenBack { .. })
        };
        let taken = self.months.iter().zip(states).filter(|(_, state)| !is_open(state));
        taken.map(|(fees, _)| (fees.merchant.id.clone(), fees.last)).collect()
    }
}
