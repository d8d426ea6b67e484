//! Bank transfers: payments and refunds, with the customers' data that the service includes. Data
//! without a request is generated: every name, address and number of a generated transfer.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::Value;

use super::bank_account::BankAccount;
use super::{Link, Sent};
use crate::live::Book;
use crate::random::mix;
use crate::world::details::RETURN_CODES;
use crate::world::records::{HOLDERS, PaymentLink, Transfer, TransferStatus, TransferType};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Payment<'w> {
    payment_id: &'w str,
    processing_terminal_id: &'w str,
    order: Order<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    customer: Sent<Customer<'w>>,
    bank_account: BankAccount<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    refunds: Sent<Vec<RefundSummary<'w>>>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    returns: Sent<Vec<ReturnSummary<'w>>>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    representment: Sent<PaymentSummary<'w>>,
    transaction_result: TransactionResult<'w>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_fields: Option<&'w Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refund<'w> {
    refund_id: &'w str,
    processing_terminal_id: &'w str,
    order: Order<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    customer: Sent<Customer<'w>>,
    bank_account: BankAccount<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    payment: Sent<PaymentSummary<'w>>,
    transaction_result: TransactionResult<'w>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_fields: Option<&'w Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Order<'w> {
    order_id: &'w str,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    date_time: Sent<String>,
    description: &'w str,
    amount: i64,
    currency: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    breakdown: Option<&'w Value>,
}

/// The customer from a request, or a generated one.
#[derive(Serialize)]
#[serde(untagged)]
enum Customer<'w> {
    Given(&'w Value),
    MadeUp(MadeUpCustomer),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MadeUpCustomer {
    notification_language: &'static str,
    contact_methods: [Contact; 1],
}

#[derive(Serialize)]
struct Contact {
    #[serde(rename = "type")]
    contact_type: &'static str,
    value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RefundSummary<'w> {
    refund_id: &'w str,
    date_time: String,
    currency: &'w str,
    amount: i64,
    status: &'static str,
    response_code: &'static str,
    response_message: &'static str,
    link: Link,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReturnSummary<'w> {
    payment_id: &'w str,
    date: String,
    return_code: &'static str,
    return_reason: &'static str,
    represented: bool,
    closed: bool,
    link: Link,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PaymentSummary<'w> {
    payment_id: &'w str,
    date_time: String,
    currency: &'w str,
    amount: i64,
    status: &'static str,
    response_code: &'static str,
    response_message: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TransactionResult<'w> {
    #[serde(rename = "type")]
    transfer_type: &'static str,
    status: &'static str,
    authorized_amount: i64,
    currency: &'w str,
    response_code: &'static str,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    response_message: Sent<&'static str>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    processor_response_code: Sent<&'static str>,
}

impl<'w> Payment<'w> {
    pub fn new(book: Book<'w>, transfer: &'w Transfer) -> Self {
        let hash = hash(transfer);
        let refunds: Vec<_> = transfer.refunds.iter().map(|at| refund_summary(book, *at)).collect();
        let returns: Vec<_> = transfer
            .returns
            .iter()
            .map(|entry| {
                let id = &book.transfer(entry.transfer).id;
                let (return_code, return_reason) = RETURN_CODES[entry.code];
                ReturnSummary {
                    payment_id: id,
                    date: entry.date.to_string(),
                    return_code,
                    return_reason,
                    represented: entry.represented,
                    closed: entry.closed,
                    link: Link::new(book, "self", &format!("/bank-transfer-payments/{id}")),
                }
            })
            .collect();
        let representment =
            transfer.representment.map(|at| payment_summary(book, book.transfer(at)));
        Self {
            payment_id: &transfer.id,
            processing_terminal_id: terminal(book, transfer),
            order: order(book, transfer, hash),
            customer: customer(transfer, hash),
            bank_account: bank_account(book, transfer, hash),
            refunds: listed(refunds, hash >> 1),
            returns: listed(returns, hash >> 2),
            representment: Sent::from_option(representment, hash >> 3),
            transaction_result: result(book, transfer, hash),
            custom_fields: transfer.details.as_ref().and_then(|known| known.custom_fields.as_ref()),
        }
    }
}

impl<'w> Refund<'w> {
    pub fn new(book: Book<'w>, transfer: &'w Transfer) -> Self {
        let hash = hash(transfer);
        let payment = match &transfer.payment {
            PaymentLink::None => None,
            PaymentLink::Known(at) => Some(payment_summary(book, book.transfer(*at))),
            // The payment is unknown, so the refund's own figures stand in for it.
            PaymentLink::Unknown(id) => {
                Some(PaymentSummary { payment_id: id, ..payment_summary(book, transfer) })
            }
        };
        Self {
            refund_id: &transfer.id,
            processing_terminal_id: terminal(book, transfer),
            order: order(book, transfer, hash),
            customer: customer(transfer, hash),
            bank_account: bank_account(book, transfer, hash),
            payment: Sent::from_option(payment, hash >> 1),
            transaction_result: result(book, transfer, hash),
            custom_fields: transfer.details.as_ref().and_then(|known| known.custom_fields.as_ref()),
        }
    }
}

fn hash(transfer: &Transfer) -> u64 {
    let moment = transfer.run_at.timestamp().unsigned_abs();
    mix(moment ^ (u64::from(transfer.account_last4) << 40))
}

fn terminal<'w>(book: Book<'w>, transfer: &Transfer) -> &'w str {
    &book.merchant(transfer.merchant).terminals[transfer.terminal]
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// An empty list is sent as such, as null, or left out.
fn listed<T>(entries: Vec<T>, coin: u64) -> Sent<Vec<T>> {
    if entries.is_empty() && !coin.is_multiple_of(3) {
        Sent::unknown(coin)
    } else {
        Sent::Value(entries)
    }
}

fn order<'w>(book: Book<'w>, transfer: &'w Transfer, hash: u64) -> Order<'w> {
    let known = transfer.details.as_deref();
    let made_up = if transfer.transfer_type.is_refund() { "Goods sent back" } else { "Order" };
    let date_time = transfer.shows_time.then(|| moment(transfer.run_at));
    Order {
        order_id: &transfer.order_id,
        date_time: Sent::from_option(date_time, hash >> 4),
        description: known.and_then(|known| known.description.as_deref()).unwrap_or(made_up),
        amount: transfer.amount,
        currency: book.merchant(transfer.merchant).currency,
        breakdown: known.and_then(|known| known.breakdown.as_ref()),
    }
}

fn customer(transfer: &Transfer, hash: u64) -> Sent<Customer<'_>> {
    if let Some(known) = transfer.details.as_deref() {
        return known
            .customer
            .as_ref()
            .map_or(Sent::Absent, |customer| Sent::Value(Customer::Given(customer)));
    }
    if hash.is_multiple_of(3) {
        return Sent::unknown(hash >> 5);
    }
    let name = HOLDERS[transfer.holder].to_lowercase().replace(' ', ".");
    Sent::Value(Customer::MadeUp(MadeUpCustomer {
        notification_language: if hash.is_multiple_of(5) { "fr" } else { "en" },
        contact_methods: [Contact { contact_type: "email", value: format!("{name}@example.org") }],
    }))
}

fn bank_account<'w>(book: Book<'w>, transfer: &'w Transfer, hash: u64) -> BankAccount<'w> {
    match transfer.details.as_deref().and_then(|known| known.account.as_ref()) {
        Some(account) => BankAccount::of(book, account),
        None => BankAccount::made_up(book.merchant(transfer.merchant).currency, transfer, hash),
    }
}

fn refund_summary(book: Book<'_>, at: usize) -> RefundSummary<'_> {
    let refund = book.transfer(at);
    let (response_code, response_message) = response(refund.status);
    RefundSummary {
        refund_id: &refund.id,
        date_time: moment(refund.run_at),
        currency: book.merchant(refund.merchant).currency,
        amount: refund.amount,
        status: refund.status.as_str(),
        response_code,
        response_message,
        link: Link::new(book, "self", &format!("/bank-transfer-refunds/{}", refund.id)),
    }
}

fn payment_summary<'w>(book: Book<'w>, payment: &'w Transfer) -> PaymentSummary<'w> {
    let (response_code, response_message) = response(payment.status);
    PaymentSummary {
        payment_id: &payment.id,
        date_time: moment(payment.run_at),
        currency: book.merchant(payment.merchant).currency,
        amount: payment.amount,
        status: payment.status.as_str(),
        response_code,
        response_message,
    }
}

fn response(status: TransferStatus) -> (&'static str, &'static str) {
    match status {
        TransferStatus::Declined | TransferStatus::Expired => ("D", "Declined"),
        TransferStatus::Referral => ("R", "Referral"),
        TransferStatus::Pickup => ("C", "Pickup"),
        TransferStatus::Returned => ("D", "Returned"),
        TransferStatus::Pending | TransferStatus::Accepted => ("P", "Pending"),
        TransferStatus::Ready
        | TransferStatus::Complete
        | TransferStatus::Reversal
        | TransferStatus::Admin => ("A", "Accepted"),
    }
}

fn result<'w>(book: Book<'w>, transfer: &Transfer, hash: u64) -> TransactionResult<'w> {
    let (response_code, message) = response(transfer.status);
    let is_refund =
        matches!(transfer.transfer_type, TransferType::Refund | TransferType::UnreferencedRefund);
    let code = match transfer.returns.first() {
        Some(entry) => RETURN_CODES[entry.code].0,
        None => "0",
    };
    TransactionResult {
        transfer_type: transfer.transfer_type.as_str(),
        status: transfer.status.as_str(),
        // A refund's amount is negative here, and positive in the order.
        authorized_amount: if is_refund { -transfer.amount } else { transfer.amount },
        currency: book.merchant(transfer.merchant).currency,
        response_code,
        response_message: Sent::from_option(
            (!hash.is_multiple_of(7)).then_some(message),
            hash >> 6,
        ),
        processor_response_code: Sent::Value(code),
    }
}
