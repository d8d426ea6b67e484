//! A deposit and its credit at the bank: a row of `bank_matches.csv`.

use chrono::NaiveDate;

use super::Verdict;
use crate::money::{Currency, Minor};
use crate::{DepositId, MerchantId};

/// The state of a deposit, or of a line of the processor, at the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BankVerdict {
    Found,
    Late,
    AmountDiffers,
    Missing,
    /// It need not have arrived yet.
    Due,
    /// It is due, and the statement that would show it has not come yet.
    AwaitingStatement,
    UnknownCredit,
    Ambiguous,
    NotEvaluated,
}

impl BankVerdict {
    /// The word that the store and the reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Late => "late",
            Self::AmountDiffers => "amount_differs",
            Self::Missing => "missing",
            Self::Due => "due",
            Self::AwaitingStatement => "awaiting_statement",
            Self::UnknownCredit => "unknown_credit",
            Self::Ambiguous => "ambiguous",
            Self::NotEvaluated => "not_evaluated",
        }
    }
}

/// Whether the word of a verdict says that the bank shows the deposit with its amount.
pub fn is_at_bank(verdict: &str) -> bool {
    [BankVerdict::Found, BankVerdict::Late].iter().any(|one| one.as_str() == verdict)
}

/// Whether the word of a verdict says that the deposit is on its way to the bank as far as is known:
/// not due there yet, or its statement is awaited.
pub fn is_on_the_way(verdict: &str) -> bool {
    [BankVerdict::Due, BankVerdict::AwaitingStatement].iter().any(|one| one.as_str() == verdict)
}

/// A deposit with its bank lines, or a line that no deposit explains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankMatchRow {
    /// `None` for a line that no deposit explains.
    pub ach_deposit_id: Option<DepositId>,
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub payment_date: Option<NaiveDate>,
    pub due_date: Option<NaiveDate>,
    pub net_amount: Option<Minor>,
    /// The bank section's name.
    pub bank: String,
    /// The last of its lines, when there are several.
    pub bank_date: Option<NaiveDate>,
    /// Its share of a line that pays several deposits.
    pub bank_amount: Option<Minor>,
    /// Files and lines, each joined with `;`.
    pub bank_file: String,
    pub bank_line: String,
    pub verdict: String,
    /// The verdict of the deposit itself as of the date, independent of the bank; `None` for a
    /// line, and for a deposit whose payment date was not reconciled.
    pub deposit_verdict: Option<Verdict>,
}

impl BankMatchRow {
    /// The bank's amount less the amount that the deposit states; `None` without both.
    pub fn difference(&self) -> Option<Minor> {
        let (net, bank) = self.net_amount.zip(self.bank_amount)?;
        bank.0.checked_sub(net.0).map(Minor)
    }
}
