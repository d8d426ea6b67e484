//! The commands that change the state, and the reasons to refuse one. A state file keeps the
//! commands: executing them again gives the same state.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::world::details::{Account, Details};

/// One command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Runs a sale.
    Pay(NewTransfer),
    /// Gives money back without a reference to a payment.
    GiveBack(NewTransfer),
    /// Takes a payment out of the open batch.
    ReversePayment { payment_id: String },
    /// Takes a refund out of the open batch.
    ReverseRefund { refund_id: String },
    /// Gives back money of a payment; a payment in the open batch is reversed instead.
    Refund { payment_id: String, amount: i64, description: String },
    /// Presents a returned payment again.
    Represent { return_id: String, source: Option<Source> },
    /// Closes a return.
    Close { return_id: String },
    /// Moves the clock.
    Advance { now: DateTime<Utc> },
    /// Returns a settled payment today.
    ComeBack { payment_id: String, code: usize },
    /// Changes one amount by hand.
    Change(Change),
}

/// A transfer to create.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewTransfer {
    pub terminal: String,
    pub order_id: String,
    pub amount: i64,
    pub currency: String,
    pub details: Details,
    pub source: Source,
    /// Whether to store the account under a secure token, and the merchant's id for it.
    pub tokenize: bool,
    pub secure_token_id: Option<String>,
}

/// The source or destination of the money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    Account(Account),
    SecureToken {
        token: String,
        sec_code: Option<String>,
    },
    /// The digest of a single-use token.
    SingleUse {
        digest: String,
        sec_code: Option<String>,
    },
}

/// An amount that a person changes by hand, to test the job's reaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub id: String,
    pub field: ChangedField,
    pub amount: i64,
}

/// The amounts that can be changed, named as the contract names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangedField {
    // In a deposit.
    NetAmount,
    Sales,
    Returns,
    Transactions,
    DailyFees,
    AchAdjustment,
    // In a batch.
    SaleAmount,
    ReturnAmount,
    TransactionCount,
    // In a payment or refund.
    Amount,
}

/// Why a command is refused; nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no terminal of the caller has this id")]
    UnknownTerminal,
    #[error("the terminal takes no transfers of this kind")]
    NotCapable { parameter: &'static str },
    #[error("an amount from 1 to {most} is needed, found {found}")]
    Amount { parameter: &'static str, found: i64, most: i64 },
    #[error("the terminal runs in {expected}, found {found}")]
    WrongCurrency { expected: &'static str, found: String },
    #[error("no bank details are stored under this token")]
    UnknownToken { parameter: &'static str },
    #[error("the token was used before")]
    UsedToken { parameter: &'static str },
    #[error("no {what} has this id")]
    NotFound { what: &'static str },
    #[error("{because}")]
    State { because: &'static str },
    #[error("{asked} is more than the {left} that can still be refunded")]
    TooMuch { asked: i64, left: i64 },
    #[error("the clock shows {now} and moves only forwards, at most {max} days at once")]
    Clock { now: DateTime<Utc>, max: i64 },
    #[error("the sandbox holds as many transfers as it can")]
    Full,
}
