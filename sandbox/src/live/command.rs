//! What can be done to the state, and why that can be refused. Commands are what a state file
//! keeps: doing them again gives the same state.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::world::details::{Account, Details};

/// One thing that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Runs a sale.
    Pay(NewTransfer),
    /// Gives money back that is tied to no payment.
    GiveBack(NewTransfer),
    /// Takes a payment out of the open batch.
    ReversePayment { payment_id: String },
    /// Takes a refund out of the open batch.
    ReverseRefund { refund_id: String },
    /// Gives money of a payment back; a payment in the open batch is reversed instead.
    Refund { payment_id: String, amount: i64, description: String },
    /// Presents a returned payment again.
    Represent { return_id: String, source: Option<Source> },
    /// Closes a return.
    Close { return_id: String },
    /// Moves the clock.
    Advance { now: DateTime<Utc> },
    /// Makes a settled payment come back today.
    ComeBack { payment_id: String, code: usize },
    /// Changes one amount by hand.
    Change(Change),
}

/// A transfer that is to be created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewTransfer {
    pub terminal: String,
    pub order_id: String,
    pub amount: i64,
    pub currency: String,
    pub details: Details,
    pub source: Source,
    /// Whether to store the account under a secure token, and under which id of the merchant's.
    pub tokenize: bool,
    pub secure_token_id: Option<String>,
}

/// Where the money comes from, or goes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    Account(Account),
    SecureToken {
        token: String,
        sec_code: Option<String>,
    },
    /// The digest of a token that works once.
    SingleUse {
        digest: String,
        sec_code: Option<String>,
    },
}

/// An amount that a person changes by hand, to see what the job makes of it.
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
    // Of a deposit.
    NetAmount,
    Sales,
    Returns,
    Transactions,
    DailyFees,
    AchAdjustment,
    // Of a batch.
    SaleAmount,
    ReturnAmount,
    TransactionCount,
    // Of a payment or refund.
    Amount,
}

/// Why something is not done. Nothing has changed then.
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
    #[error("the clock stands at {now} and runs forwards, {max} days at once")]
    Clock { now: DateTime<Utc>, max: i64 },
    #[error("the sandbox holds as many transfers as it can")]
    Full,
}
