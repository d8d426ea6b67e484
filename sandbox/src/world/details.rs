//! The details that a request gave for a bank transfer. Account and routing numbers are masked
//! before they are stored here: no later code sees more than the last four digits.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The parts of a created bank transfer that are made up for a generated one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Details {
    pub description: Option<String>,
    /// The breakdown as it is returned, with the computed amounts.
    pub breakdown: Option<Value>,
    pub customer: Option<Value>,
    pub custom_fields: Option<Value>,
    pub account: Option<Account>,
}

impl Details {
    /// No details are known: all are made up, as for a generated transfer.
    pub fn unknown() -> Self {
        Self {
            description: None,
            breakdown: None,
            customer: None,
            custom_fields: None,
            account: None,
        }
    }
}

/// The two kinds of bank account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountKind {
    /// In the United States.
    Ach,
    /// In Canada.
    Pad,
}

impl AccountKind {
    /// The kind that terminals in that currency take; `None` where neither is offered.
    pub fn of_currency(currency: &str) -> Option<Self> {
        match currency {
            "USD" => Some(Self::Ach),
            "CAD" => Some(Self::Pad),
            _ => None,
        }
    }
}

/// A bank account, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub kind: AccountKind,
    pub name: String,
    /// As long as the number, with stars for all but the last four digits.
    pub number: String,
    pub sec_code: Option<String>,
    /// Masked routing number (ACH), or transit and institution number (PAD).
    pub bank: Bank,
    pub secure_token: Option<SecureToken>,
}

/// The bank of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bank {
    Routing(String),
    Branch { transit: String, institution: String },
}

/// Stored bank details with their token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecureToken {
    pub id: String,
    pub token: String,
    /// The terminal under which it was created.
    pub terminal: String,
}

/// The fate of a transfer from an account; test accounts decide it by their last digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Collected and paid, without later events.
    Kept,
    /// Declined at once.
    Declined,
    /// Flagged and put under review at once.
    Reviewed,
    /// Returned, with the index of its return code.
    Returned(usize),
}

/// NACHA return codes with their reasons. Generated worlds draw from the first five.
pub const RETURN_CODES: [(&str, &str); 16] = [
    ("R01", "Not enough funds"),
    ("R02", "Account closed"),
    ("R03", "No account or unable to locate account"),
    ("R08", "Payment stopped"),
    (
        "R10",
        "Customer Advises Originator is Not Known to Receiver and/or Originator is Not Authorized \
         by Receiver to Debit Receiver's Account",
    ),
    ("R04", "Invalid account number"),
    ("R05", "Unauthorized Debit to Consumer Account Using Corporate SEC Code"),
    ("R07", "Authorization revoked by the customer"),
    ("R09", "Uncollected funds"),
    ("R11", "Entry not in accordance with the authorization"),
    ("R16", "Account frozen"),
    ("R20", "Not a transaction account"),
    ("R29", "Corporate customer advises not authorized"),
    ("R51", "Item related to RCK Entry is Ineligible or RCK Entry is Improper"),
    ("C01", "Incorrect account number: the account has another one now"),
    ("R61", "Misrouted return"),
];

/// Return codes with a special meaning: a notice that moves no money, and the reversal of the
/// latest return.
pub const CORRECTION_NOTICE: usize = 14;
pub const DISHONORED: usize = 15;

/// Number of return codes that occur in generated worlds.
pub const GENERATED_RETURN_CODES: usize = 5;

/// The last four digits of the account numbers that are declined and reviewed at once.
pub const DECLINED_LAST4: u16 = 9_999;
pub const REVIEWED_LAST4: u16 = 9_998;
/// A payment from an account number that ends with 99 and the digits of a return code is returned
/// with that code.
const RETURNED_LAST4: u16 = 9_900;

impl Account {
    /// The last four digits.
    pub fn last4(&self) -> u16 {
        let digits: String = self.number.chars().rev().take(4).collect();
        digits.chars().rev().collect::<String>().parse().unwrap_or(0)
    }

    /// The fate of transfers from this account.
    pub fn fate(&self) -> Fate {
        match self.last4() {
            DECLINED_LAST4 => Fate::Declined,
            REVIEWED_LAST4 => Fate::Reviewed,
            last4 => RETURN_CODES[..CORRECTION_NOTICE]
                .iter()
                .position(|(code, _)| {
                    code[1..].parse().is_ok_and(|code: u16| RETURNED_LAST4 + code == last4)
                })
                .map_or(Fate::Kept, Fate::Returned),
        }
    }
}

/// Stars for all but the last four characters.
pub fn masked(number: &str) -> String {
    let hidden = number.chars().count().saturating_sub(4);
    "*".repeat(hidden) + &number.chars().skip(hidden).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(number: &str) -> Account {
        Account {
            kind: AccountKind::Ach,
            name: "Noor Ibsen".to_owned(),
            number: masked(number),
            sec_code: None,
            bank: Bank::Routing(masked("021000021")),
            secure_token: None,
        }
    }

    #[test]
    fn keeps_the_last_four_digits_and_no_others() {
        assert_eq!(masked("004418823307"), "********3307");
        assert_eq!(masked("3307"), "3307");
        assert_eq!(account("004418823307").last4(), 3_307);
    }

    #[test]
    fn decides_by_the_last_digits_what_becomes_of_a_transfer() {
        let cases = [
            ("4418823307", Fate::Kept),
            ("4418829901", Fate::Returned(0)),
            ("4418829929", Fate::Returned(12)),
            ("4418829900", Fate::Kept),
            ("4418829930", Fate::Kept),
            ("4418829998", Fate::Reviewed),
            ("9999", Fate::Declined),
        ];
        for (number, fate) in cases {
            assert_eq!(account(number).fate(), fate, "{number}");
        }
    }
}
