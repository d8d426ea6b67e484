//! Bank accounts in answers.

use serde::Serialize;

use super::Link;
use crate::live::Book;
use crate::world::details::{Account, Bank, SecureToken};
use crate::world::records::{HOLDERS, Transfer};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BankAccount<'w> {
    Ach {
        #[serde(skip_serializing_if = "Option::is_none")]
        sec_code: Option<&'w str>,
        name_on_account: &'w str,
        account_number: String,
        routing_number: &'w str,
        #[serde(skip_serializing_if = "Option::is_none")]
        secure_token: Option<SecureTokenSummary<'w>>,
    },
    Pad {
        name_on_account: &'w str,
        account_number: String,
        transit_number: &'w str,
        institution_number: &'w str,
        #[serde(skip_serializing_if = "Option::is_none")]
        secure_token: Option<SecureTokenSummary<'w>>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecureTokenSummary<'w> {
    secure_token_id: &'w str,
    customer_name: &'w str,
    token: &'w str,
    status: &'static str,
    link: Link,
}

impl<'w> BankAccount<'w> {
    /// The account from a request or a token.
    pub fn of(book: Book<'w>, account: &'w Account) -> Self {
        let secure_token = account
            .secure_token
            .as_ref()
            .map(|stored| SecureTokenSummary::new(book, account, stored));
        let account_number = account.number.clone();
        match &account.bank {
            Bank::Routing(routing_number) => Self::Ach {
                sec_code: account.sec_code.as_deref(),
                name_on_account: &account.name,
                account_number,
                routing_number,
                secure_token,
            },
            Bank::Branch { transit, institution } => Self::Pad {
                name_on_account: &account.name,
                account_number,
                transit_number: transit,
                institution_number: institution,
                secure_token,
            },
        }
    }

    /// The account of a generated transfer. Now and then a number is not masked, as in some
    /// published samples.
    pub fn made_up(currency: &str, transfer: &Transfer, hash: u64) -> Self {
        let last4 = transfer.account_last4;
        let is_masked = !hash.is_multiple_of(10);
        let name_on_account = HOLDERS[transfer.holder];
        if currency == "CAD" {
            let head = if is_masked { "*****" } else { "41882" };
            Self::Pad {
                name_on_account,
                account_number: format!("{head}{last4:04}"),
                transit_number: "20418",
                institution_number: "009",
                secure_token: None,
            }
        } else {
            let head = if is_masked { "********" } else { "00441882" };
            Self::Ach {
                sec_code: Some(if hash.is_multiple_of(4) { "ccd" } else { "web" }),
                name_on_account,
                account_number: format!("{head}{last4:04}"),
                routing_number: if is_masked { "*****0021" } else { "021000021" },
                secure_token: None,
            }
        }
    }
}

impl<'w> SecureTokenSummary<'w> {
    fn new(book: Book<'_>, account: &'w Account, stored: &'w SecureToken) -> Self {
        let terminal = percent_encoded(&stored.terminal);
        let id = percent_encoded(&stored.id);
        let path = format!("/processing-terminals/{terminal}/secure-tokens/{id}");
        Self {
            secure_token_id: &stored.id,
            customer_name: &account.name,
            token: &stored.token,
            status: "notValidated",
            link: Link::new(book, "self", &path),
        }
    }
}

/// Percent-encodes all characters that could end or change a path or a query string.
pub fn percent_encoded(text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for nibble in [byte >> 4, byte & 15] {
                encoded.push(char::from(DIGITS[usize::from(nibble)]));
            }
        }
    }
    encoded
}
