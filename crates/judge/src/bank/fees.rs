//! The fees of a month that name no deposit, which a line may take apart from the deposits.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::account::Account;
use crate::JudgeError;
use tieout_config::Merchant;
use tieout_matching::bank::{self, DepositState, LineState, Outcome};
use tieout_model::MerchantId;
use tieout_model::money::{Currency, Minor};
use tieout_store::{BankedLine, Store, bank_fees};

/// The fees of a merchant's month.
pub(super) struct MonthFees<'a> {
    pub(super) merchant: &'a Merchant,
    pub(super) currency: Currency,
    of: bank_fees::MonthFees,
    /// The last day of a line that takes them together with others.
    until: NaiveDate,
}

impl MonthFees<'_> {
    /// In words, as the rest of a sentence.
    fn said(&self) -> String {
        let (month, merchant) = (self.of.last.format("%Y-%m"), &self.merchant.id);
        format!(
            "the fees of {month} of merchant {merchant} that name no deposit ({})",
            self.currency.in_words(self.of.amount)
        )
    }

    /// Whether the line may take these and others of the month, from before the start.
    fn may_be_part_of(&self, line: &BankedLine) -> bool {
        let is_its = line.merchant_id.as_ref().is_none_or(|id| *id == self.merchant.id);
        let is_near = (self.of.last..=self.until).contains(&line.date);
        self.of.is_partial && is_its && is_near && line.amount < self.of.amount.min(Minor(0))
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
        for of in bank_fees::monthly_fees(store, &merchant.id)? {
            let until = account.sum_until(&merchant.id, of.last);
            fees.push(MonthFees { merchant, currency, of, until });
        }
    }
    Ok(fees)
}

/// In the form that pairing takes; `number` tells the fees of one account apart.
pub(super) fn to_pair(number: i64, fees: &MonthFees<'_>) -> bank::Deposit {
    bank::Deposit {
        id: -number,
        merchant_id: fees.merchant.id.clone(),
        earliest: fees.of.last,
        payment_date: fees.of.last,
        due: fees.until,
        sum_until: fees.until,
        amount: fees.of.amount.0,
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

    /// Whether the line may take fees of a month that began before the start.
    pub(super) fn may_be_in(&self, line: &BankedLine) -> bool {
        self.months.iter().any(|fees| fees.may_be_part_of(line))
    }

    /// The months, by their last days, whose fees a line took or may have taken.
    pub(super) fn taken(
        &self,
        outcome: &Outcome,
        lines: &[&BankedLine],
    ) -> Vec<(MerchantId, NaiveDate)> {
        let states = outcome.deposits.iter().skip(self.deposits);
        let left = lines.iter().zip(&outcome.lines).filter(|one| *one.1 == LineState::Unknown);
        let is_taken = |(fees, state): &(&MonthFees<'_>, &DepositState)| match state {
            DepositState::Missing | DepositState::TakenBack { .. } => {
                left.clone().any(|(line, _)| fees.may_be_part_of(line))
            }
            _ => true,
        };
        let taken = self.months.iter().zip(states).filter(is_taken);
        taken.map(|(fees, _)| (fees.merchant.id.clone(), fees.of.last)).collect()
    }
}
