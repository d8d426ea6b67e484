//! One line of a bank statement that the processor caused.

use chrono::NaiveDate;

use crate::MerchantId;
use crate::digest::sha256_hex;
use crate::money::{Currency, Minor};

/// Money that the processor moved on the merchant's bank account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankLine {
    /// The same for the same line in every file that repeats it.
    pub key: String,
    /// The line number in its file, counted from 1.
    pub line: u64,
    /// The last four characters of the account's number; the number itself is not kept.
    pub account_last4: String,
    /// When the bank booked it.
    pub date: NaiveDate,
    /// Positive for a credit, negative for a debit.
    pub amount: Minor,
    pub currency: Currency,
    /// The merchant whose id the line's text contains, when exactly one does.
    pub merchant_id: Option<MerchantId>,
    /// Digests of the numbers in its text; one may be the id of a deposit.
    pub names: Vec<String>,
    /// Whether it is of a report that was made before its day was over.
    pub is_interim: bool,
    /// The bank's own id of the line, hashed: a correction names it.
    pub id_hash: Option<String>,
}

/// A credit whose text does not name the processor. Never stored: the text may name a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherCredit {
    pub date: NaiveDate,
    pub amount: Minor,
    pub currency: Currency,
    pub text: String,
}

/// Hexadecimal digits of a digest: enough to distinguish the deposits of an account.
const DIGEST_DIGITS: usize = 12;

/// The digest by which a number is known.
pub fn number_digest(number: &str) -> String {
    let mut digest = sha256_hex(format!("a number in a bank line\n{number}").as_bytes());
    digest.truncate(DIGEST_DIGITS);
    digest
}
