//! Reads the requests of the contract into commands. The schemas of the contract are checked here;
//! its rules about the state are checked by the state.

use serde_json::{Map, Value, json};

use super::body::{Errors, Fields, finish};
use super::money;
use crate::digest::sha256_hex;
use crate::live::{Command, NewTransfer, Source};
use crate::wire::Problem;
use crate::world::details::{Account, AccountKind, Bank, Details, masked};

const SEC_CODES: [&str; 4] = ["web", "tel", "ccd", "ppd"];
const ACCOUNT_TYPES: [&str; 2] = ["checking", "savings"];
const TERMINAL_LENGTH: (usize, usize) = (4, 50);

/// A request to verify bank details.
pub struct Verification {
    pub terminal: String,
    pub account: Account,
    /// Whether the routing number, if there is one, has a correct check digit.
    pub is_bank_good: bool,
}

/// `POST /bank-transfer-payments`
pub fn payment(body: &Value) -> Result<Command, Problem> {
    let errors = Errors::default();
    let fields = Fields::of_body(body, &errors)?;
    let terminal = fields.needed_text("processingTerminalId", TERMINAL_LENGTH);
    let order = fields.needed_object("order");
    let order = order.as_ref().and_then(|order| read_order(order, (1, 256), false));
    let customer = read_customer(&fields);
    let (tokenize, secure_token_id) = read_credential(&fields);
    let kinds = ["ach", "pad", "secureToken", "singleUseToken"];
    let source = read_source(&fields, "paymentMethod", &kinds);
    let custom_fields = read_custom_fields(&fields);
    let read = (|| {
        let order = order?;
        Some(NewTransfer {
            terminal: terminal?.to_owned(),
            order_id: order.id,
            amount: order.amount,
            currency: order.currency,
            details: Details {
                description: order.description,
                breakdown: order.breakdown,
                customer,
                custom_fields,
                account: None,
            },
            source: source?,
            tokenize,
            secure_token_id,
        })
    })();
    finish(read, errors).map(Command::Pay)
}

/// `POST /bank-transfer-refunds`
pub fn unreferenced_refund(body: &Value) -> Result<Command, Problem> {
    let errors = Errors::default();
    let fields = Fields::of_body(body, &errors)?;
    let terminal = fields.needed_text("processingTerminalId", TERMINAL_LENGTH);
    let order = fields.needed_object("order");
    let order = order.as_ref().and_then(|order| read_order(order, (0, 256), true));
    let customer = read_customer(&fields);
    let source = read_source(&fields, "refundMethod", &["ach", "secureToken"]);
    let custom_fields = read_custom_fields(&fields);
    let read = (|| {
        let order = order?;
        Some(NewTransfer {
            terminal: terminal?.to_owned(),
            order_id: order.id,
            amount: order.amount,
            currency: order.currency,
            details: Details {
                description: order.description,
                breakdown: None,
                customer,
                custom_fields,
                account: None,
            },
            source: source?,
            tokenize: false,
            secure_token_id: None,
        })
    })();
    finish(read, errors).map(Command::GiveBack)
}

/// `POST /bank-transfer-payments/{paymentId}/refund`
pub fn refund(payment_id: &str, body: &Value) -> Result<Command, Problem> {
    let errors = Errors::default();
    let fields = Fields::of_body(body, &errors)?;
    let amount = fields.needed_number("amount");
    let description = fields.needed_text("description", (1, 100));
    let read = amount.zip(description).map(|(amount, description)| Command::Refund {
        payment_id: payment_id.to_owned(),
        amount,
        description: description.to_owned(),
    });
    finish(read, errors)
}

/// `POST /bank-transfer-payments/{paymentId}/represent`: without a body the earlier bank details
/// are used.
pub fn represent(return_id: &str, body: Option<&Value>) -> Result<Command, Problem> {
    let return_id = return_id.to_owned();
    let Some(body) = body else { return Ok(Command::Represent { return_id, source: None }) };
    let errors = Errors::default();
    let fields = Fields::of_body(body, &errors)?;
    let source = fields
        .has("paymentMethod")
        .then(|| read_source(&fields, "paymentMethod", &["ach", "secureToken"]))
        .flatten();
    finish(Some(Command::Represent { return_id, source }), errors)
}

/// `POST /bank-accounts/verify`
pub fn verification(body: &Value) -> Result<Verification, Problem> {
    let errors = Errors::default();
    let fields = Fields::of_body(body, &errors)?;
    let terminal = fields.needed_text("processingTerminalId", TERMINAL_LENGTH);
    let account = fields.needed_object("bankAccount");
    let account = account.as_ref().and_then(|account| {
        let kind = account.needed_choice("type", &["ach", "pad"])?;
        let routing = account.as_map().get("routingNumber").and_then(Value::as_str);
        let is_bank_good = kind == "pad" || routing.is_some_and(has_good_check_digit);
        Some((read_account(account, kind)?, is_bank_good))
    });
    let read = terminal.zip(account).map(|(terminal, (account, is_bank_good))| Verification {
        terminal: terminal.to_owned(),
        account,
        is_bank_good,
    });
    finish(read, errors)
}

struct Order {
    id: String,
    description: Option<String>,
    amount: i64,
    currency: String,
    breakdown: Option<Value>,
}

fn read_order(
    order: &Fields<'_>,
    description: (usize, usize),
    needs_description: bool,
) -> Option<Order> {
    let id = order.needed_text("orderId", (1, 24));
    let description = if needs_description {
        order.needed_text("description", description)
    } else {
        order.text("description", description)
    };
    let amount = order.needed_number("amount");
    let currency = order.needed_text("currency", (3, 3));
    // An unreferenced refund has no breakdown; unknown properties are ignored.
    let parts = if needs_description { None } else { order.object("breakdown") };
    let breakdown = parts.as_ref().and_then(money::breakdown);
    Some(Order {
        id: id?.to_owned(),
        description: description.map(str::to_owned),
        amount: amount?,
        currency: currency?.to_owned(),
        breakdown,
    })
}

fn read_customer(fields: &Fields<'_>) -> Option<Value> {
    let customer = fields.object("customer")?;
    let mut kept = Map::new();
    let language = customer.as_map().get("notificationLanguage");
    if language.is_some_and(|language| !language.is_null()) {
        let language = customer.choice("notificationLanguage", &["en", "fr"])?;
        kept.insert("notificationLanguage".to_owned(), language.into());
    }
    let mut contacts = Vec::new();
    for contact in customer.objects("contactMethods", true) {
        let kind = contact.needed_choice("type", &["email", "phone", "mobile", "fax"]);
        let most = if kind == Some("email") { 50 } else { 15 };
        let value = contact.needed_text("value", (0, most));
        contacts.extend(kind.zip(value).map(|(kind, value)| json!({"type": kind, "value": value})));
    }
    if !contacts.is_empty() {
        kept.insert("contactMethods".to_owned(), contacts.into());
    }
    Some(kept.into())
}

/// Whether to store the account under a secure token, and the id for it.
fn read_credential(fields: &Fields<'_>) -> (bool, Option<String>) {
    let Some(credential) = fields.object("credentialOnFile") else { return (false, None) };
    credential.flag("externalVault");
    credential.choice("mitAgreement", &["unscheduled", "recurring", "installment"]);
    let id = credential.text("secureTokenId", (0, 200)).map(str::to_owned);
    (credential.flag("tokenize").unwrap_or(false), id)
}

fn read_custom_fields(fields: &Fields<'_>) -> Option<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for field in fields.objects("customFields", false) {
        let name = field.needed_text("name", (1, 56));
        let value = field.needed_text("value", (1, 100));
        kept.extend(name.zip(value).map(|(name, value)| json!({"name": name, "value": value})));
    }
    (!kept.is_empty()).then(|| kept.into())
}

/// Bank details, or a token for them, of one of `kinds`.
fn read_source(fields: &Fields<'_>, name: &str, kinds: &[&str]) -> Option<Source> {
    let method = fields.needed_object(name)?;
    let kind = method.needed_choice("type", kinds)?;
    if matches!(kind, "ach" | "pad") {
        return read_account(&method, kind).map(Source::Account);
    }
    method.choice("accountType", &ACCOUNT_TYPES);
    let sec_code = method.choice("secCode", &SEC_CODES).map(str::to_owned);
    if kind == "secureToken" {
        let token = method.needed_text("token", (12, 19))?.to_owned();
        return Some(Source::SecureToken { token, sec_code });
    }
    read_card_details(&method);
    let token = method.needed_text("token", (128, 128))?;
    Some(Source::SingleUse { digest: sha256_hex(token.as_bytes()), sec_code })
}

/// Parts of the shared schema that a bank transfer does not use; invalid ones are refused.
fn read_card_details(method: &Fields<'_>) {
    if let Some(pin) = method.object("pinDetails") {
        pin.needed_text("pin", (1, usize::MAX));
        if pin.needed_choice("dataFormat", &["dukpt", "raw"]) == Some("dukpt") {
            pin.needed_text("pinKsn", (20, 20));
        }
    }
    if let Some(benefit) = method.object("ebtDetails") {
        benefit.needed_choice("benefitCategory", &["cash", "foodStamp"]);
        benefit.flag("withdrawal");
        if let Some(voucher) = benefit.object("voucher") {
            voucher.needed_text("approvalCode", (6, 6));
            voucher.needed_text("serialNumber", (7, 15));
        }
    }
}

fn read_account(method: &Fields<'_>, kind: &str) -> Option<Account> {
    method.choice("accountType", &ACCOUNT_TYPES);
    if kind == "pad" {
        let name = method.needed_text("nameOnAccount", (1, 29));
        let number = method.needed_digits("accountNumber", (7, 12));
        let transit = method.needed_digits("transitNumber", (5, 5));
        let institution = method.needed_digits("institutionNumber", (3, 3));
        return Some(Account {
            kind: AccountKind::Pad,
            name: name?.to_owned(),
            number: masked(number?),
            sec_code: None,
            bank: Bank::Branch {
                transit: transit?.to_owned(),
                institution: institution?.to_owned(),
            },
            secure_token: None,
        });
    }
    let sec_code = method.choice("secCode", &SEC_CODES).map(str::to_owned);
    let name = method.needed_text("nameOnAccount", (1, 50));
    let number = method.needed_digits("accountNumber", (4, 17));
    let routing = method.needed_digits("routingNumber", (9, 9));
    Some(Account {
        kind: AccountKind::Ach,
        name: name?.to_owned(),
        number: masked(number?),
        sec_code,
        bank: Bank::Routing(masked(routing?)),
        secure_token: None,
    })
}

/// The checksum of the American Bankers Association: weights 3, 7, 1, a multiple of ten.
fn has_good_check_digit(routing: &str) -> bool {
    let digits = routing.bytes().filter(u8::is_ascii_digit).map(|byte| u32::from(byte - b'0'));
    let sum: u32 =
        digits.zip([3, 7, 1].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    sum > 0 && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_routing_number_by_its_check_digit() {
        for (routing, expected) in
            [("021000021", true), ("011401533", true), ("021000022", false), ("000000000", false)]
        {
            assert_eq!(has_good_check_digit(routing), expected, "{routing}");
        }
    }
}
