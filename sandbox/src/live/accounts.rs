//! The source of the money of a new transfer: bank details, or the token for them.

use super::command::{NewTransfer, Refusal, Source};
use super::{Book, Live};
use crate::random::mix;
use crate::world::details::{Account, AccountKind, Bank, SecureToken, masked};
use crate::world::records::HOLDERS;

/// The prefix of every secure token.
const TOKEN_PREFIX: &str = "296753";

/// Checks the form of a secure token: digits with the prefix. The last one should be a check digit,
/// but the contract's own example has a wrong one, so it is not checked.
fn is_good_token(token: &str) -> bool {
    (12..=19).contains(&token.len())
        && token.starts_with(TOKEN_PREFIX)
        && token.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digit that makes the Luhn sum of `digits` and itself a multiple of ten.
fn check_digit(digits: &str) -> char {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0');
            let weighted = if place % 2 == 0 { digit * 2 } else { digit };
            weighted / 10 + weighted % 10
        })
        .sum();
    char::from_digit((10 - sum % 10) % 10, 10).unwrap_or('0')
}

/// The names of the properties in a request that name the source.
pub(super) struct Named {
    kind: &'static str,
    token: &'static str,
}

pub(super) const PAYMENT_METHOD: Named =
    Named { kind: "paymentMethod.type", token: "paymentMethod.token" };
pub(super) const REFUND_METHOD: Named =
    Named { kind: "refundMethod.type", token: "refundMethod.token" };

/// The account of `source`, for a terminal that takes accounts of `kind`.
pub(super) fn account(
    live: &Live,
    source: &Source,
    kind: AccountKind,
    named: &Named,
) -> Result<Account, Refusal> {
    let (account, sec_code) = match source {
        Source::Account(account) => (account.clone(), &account.sec_code),
        Source::SecureToken { token, sec_code } => {
            let account = match live.stored.get(token) {
                Some(account) => account.clone(),
                // Tokens are also created outside of this contract.
                None if is_good_token(token) => made_up(seed(token), kind),
                None => return Err(Refusal::UnknownToken { parameter: named.token }),
            };
            (account, sec_code)
        }
        Source::SingleUse { digest, sec_code } => {
            if live.used.contains(digest) {
                return Err(Refusal::UsedToken { parameter: named.token });
            }
            (made_up(seed(digest), kind), sec_code)
        }
    };
    if account.kind != kind {
        return Err(Refusal::NotCapable { parameter: named.kind });
    }
    let sec_code = sec_code.clone().or_else(|| account.sec_code.clone());
    Ok(Account { sec_code, ..account })
}

/// Stores the account of a new transfer under a secure token when requested, and remembers a used
/// single-use token.
pub(super) fn keep_tokens(live: &mut Live, new: &NewTransfer, account: &mut Account) {
    if let Source::SingleUse { digest, .. } = &new.source {
        live.used.insert(digest.clone());
    }
    if !new.tokenize || account.secure_token.is_some() {
        return;
    }
    let ordinal = live.stored.len() as u64 + 1;
    let body = format!("{TOKEN_PREFIX}{:09}", mix(ordinal) % 1_000_000_000);
    let token = format!("{body}{}", check_digit(&body));
    let given = new.secure_token_id.clone().filter(|id| !id.is_empty());
    account.secure_token = Some(SecureToken {
        id: given.unwrap_or_else(|| format!("TOKEN-{ordinal:06}")),
        token: token.clone(),
        terminal: new.terminal.clone(),
    });
    live.stored.insert(token, account.clone());
}

/// The terminal and the kind of account that it takes, when it takes bank transfers.
pub(super) fn capability(
    book: Book<'_>,
    terminal: &str,
) -> Result<((usize, usize), AccountKind), Refusal> {
    let place = book.terminal(terminal).ok_or(Refusal::UnknownTerminal)?;
    let kind = book.account_kind(place.0);
    let kind = kind.ok_or(Refusal::NotCapable { parameter: "processingTerminalId" })?;
    Ok((place, kind))
}

fn seed(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

/// The account of a token created elsewhere: the same token gives the same account. Its digits stay
/// below those that make a test account fail.
fn made_up(seed: u64, kind: AccountKind) -> Account {
    let last4 = seed % 9_000;
    let holder = usize::try_from(seed >> 32).unwrap_or(0) % HOLDERS.len();
    let bank = match kind {
        AccountKind::Ach => Bank::Routing(masked("021000021")),
        AccountKind::Pad => {
            Bank::Branch { transit: "20418".to_owned(), institution: "010".to_owned() }
        }
    };
    Account {
        kind,
        name: HOLDERS[holder].to_owned(),
        number: masked(&format!("00000000{last4:04}")),
        sec_code: None,
        bank,
        secure_token: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_secure_token_by_its_form() {
        assert!(is_good_token("2967530041885524"));
        for other in ["296753123456789012345", "1967531234567", "29675312345é", "", "29675312345"]
        {
            assert!(!is_good_token(other), "{other}");
        }
    }

    #[test]
    fn computes_the_check_digit_of_a_published_example() {
        // 7992739871 with its check digit 3 is the example that every description uses.
        assert_eq!(check_digit("7992739871"), '3');
    }
}
