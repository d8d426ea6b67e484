//! Bank transfers: payments and refunds, with what customers' data the service sends along.
//! Every name, address and number in it is made up.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use super::{Link, Sent};
use crate::sandbox::random::mix;
use crate::sandbox::world::records::{
    HOLDERS, PaymentLink, RETURN_CODES, Records, Transfer, TransferStatus, TransferType,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Payment<'w> {
    payment_id: &'w str,
    processing_terminal_id: &'w str,
    order: Order<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    customer: Sent<Customer>,
    bank_account: BankAccount,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    refunds: Sent<Vec<RefundSummary<'w>>>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    returns: Sent<Vec<ReturnSummary<'w>>>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    representment: Sent<PaymentSummary<'w>>,
    transaction_result: TransactionResult<'w>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refund<'w> {
    refund_id: &'w str,
    processing_terminal_id: &'w str,
    order: Order<'w>,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    customer: Sent<Customer>,
    bank_account: BankAccount,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    payment: Sent<PaymentSummary<'w>>,
    transaction_result: TransactionResult<'w>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Order<'w> {
    order_id: &'w str,
    #[serde(skip_serializing_if = "Sent::is_absent")]
    date_time: Sent<String>,
    description: &'static str,
    amount: i64,
    currency: &'w str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Customer {
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
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum BankAccount {
    Ach {
        sec_code: &'static str,
        name_on_account: &'static str,
        account_number: String,
        routing_number: &'static str,
    },
    Pad {
        name_on_account: &'static str,
        account_number: String,
        transit_number: &'static str,
        institution_number: &'static str,
    },
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
    pub fn new(records: &'w Records, transfer: &'w Transfer) -> Self {
        let hash = hash(transfer);
        let refunds: Vec<_> =
            transfer.refunds.iter().map(|at| refund_summary(records, *at)).collect();
        let returns: Vec<_> = transfer
            .returns
            .iter()
            .map(|entry| {
                let id = &records.transfers[entry.transfer].id;
                let (return_code, return_reason) = RETURN_CODES[entry.code];
                ReturnSummary {
                    payment_id: id,
                    date: entry.date.to_string(),
                    return_code,
                    return_reason,
                    represented: entry.represented,
                    closed: entry.closed,
                    link: Link::new("self", &format!("/bank-transfer-payments/{id}")),
                }
            })
            .collect();
        let representment =
            transfer.representment.map(|at| payment_summary(records, &records.transfers[at]));
        Self {
            payment_id: &transfer.id,
            processing_terminal_id: terminal(records, transfer),
            order: order(records, transfer, hash),
            customer: customer(transfer, hash),
            bank_account: bank_account(records, transfer, hash),
            refunds: listed(refunds, hash >> 1),
            returns: listed(returns, hash >> 2),
            representment: Sent::from_option(representment, hash >> 3),
            transaction_result: result(records, transfer, hash),
        }
    }
}

impl<'w> Refund<'w> {
    pub fn new(records: &'w Records, transfer: &'w Transfer) -> Self {
        let hash = hash(transfer);
        let payment = match &transfer.payment {
            PaymentLink::None => None,
            PaymentLink::Known(at) => Some(payment_summary(records, &records.transfers[*at])),
            // Nobody knows this payment, so the refund's own figures stand in for it.
            PaymentLink::Unknown(id) => {
                Some(PaymentSummary { payment_id: id, ..payment_summary(records, transfer) })
            }
        };
        Self {
            refund_id: &transfer.id,
            processing_terminal_id: terminal(records, transfer),
            order: order(records, transfer, hash),
            customer: customer(transfer, hash),
            bank_account: bank_account(records, transfer, hash),
            payment: Sent::from_option(payment, hash >> 1),
            transaction_result: result(records, transfer, hash),
        }
    }
}

fn hash(transfer: &Transfer) -> u64 {
    let moment = transfer.run_at.timestamp().unsigned_abs();
    mix(moment ^ (u64::from(transfer.account_last4) << 40))
}

fn terminal<'w>(records: &'w Records, transfer: &Transfer) -> &'w str {
    &records.merchants[transfer.merchant].terminals[transfer.terminal]
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// An empty list is written as one, as null, or not at all.
fn listed<T>(entries: Vec<T>, coin: u64) -> Sent<Vec<T>> {
    if entries.is_empty() && !coin.is_multiple_of(3) {
        Sent::unknown(coin)
    } else {
        Sent::Value(entries)
    }
}

fn order<'w>(records: &'w Records, transfer: &'w Transfer, hash: u64) -> Order<'w> {
    let date_time = transfer.shows_time.then(|| moment(transfer.run_at));
    Order {
        order_id: &transfer.order_id,
        date_time: Sent::from_option(date_time, hash >> 4),
        description: if transfer.transfer_type.is_refund() { "Goods sent back" } else { "Order" },
        amount: transfer.amount,
        currency: records.merchants[transfer.merchant].currency,
    }
}

fn customer(transfer: &Transfer, hash: u64) -> Sent<Customer> {
    if hash.is_multiple_of(3) {
        return Sent::unknown(hash >> 5);
    }
    let name = HOLDERS[transfer.holder].to_lowercase().replace(' ', ".");
    Sent::Value(Customer {
        notification_language: if hash.is_multiple_of(5) { "fr" } else { "en" },
        contact_methods: [Contact { contact_type: "email", value: format!("{name}@example.org") }],
    })
}

/// Now and then a number is not masked, as in some published samples.
fn bank_account(records: &Records, transfer: &Transfer, hash: u64) -> BankAccount {
    let last4 = transfer.account_last4;
    let is_masked = !hash.is_multiple_of(10);
    let name_on_account = HOLDERS[transfer.holder];
    if records.merchants[transfer.merchant].currency == "CAD" {
        let head = if is_masked { "*****" } else { "41882" };
        BankAccount::Pad {
            name_on_account,
            account_number: format!("{head}{last4:04}"),
            transit_number: "20418",
            institution_number: "009",
        }
    } else {
        let head = if is_masked { "********" } else { "00441882" };
        BankAccount::Ach {
            sec_code: if hash.is_multiple_of(4) { "ccd" } else { "web" },
            name_on_account,
            account_number: format!("{head}{last4:04}"),
            routing_number: if is_masked { "*****0021" } else { "021000021" },
        }
    }
}

fn refund_summary(records: &Records, at: usize) -> RefundSummary<'_> {
    let refund = &records.transfers[at];
    let (response_code, response_message) = response(refund.status);
    RefundSummary {
        refund_id: &refund.id,
        date_time: moment(refund.run_at),
        currency: records.merchants[refund.merchant].currency,
        amount: refund.amount,
        status: refund.status.as_str(),
        response_code,
        response_message,
        link: Link::new("self", &format!("/bank-transfer-refunds/{}", refund.id)),
    }
}

fn payment_summary<'w>(records: &'w Records, payment: &'w Transfer) -> PaymentSummary<'w> {
    let (response_code, response_message) = response(payment.status);
    PaymentSummary {
        payment_id: &payment.id,
        date_time: moment(payment.run_at),
        currency: records.merchants[payment.merchant].currency,
        amount: payment.amount,
        status: payment.status.as_str(),
        response_code,
        response_message,
    }
}

fn response(status: TransferStatus) -> (&'static str, &'static str) {
    match status {
        TransferStatus::Declined => ("D", "Declined"),
        TransferStatus::Returned => ("D", "Returned"),
        TransferStatus::Pending => ("P", "Pending"),
        TransferStatus::Ready
        | TransferStatus::Complete
        | TransferStatus::Reversal
        | TransferStatus::Admin => ("A", "Accepted"),
    }
}

fn result<'w>(records: &'w Records, transfer: &Transfer, hash: u64) -> TransactionResult<'w> {
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
        // A refund's amount is below zero here, and above it in the order.
        authorized_amount: if is_refund { -transfer.amount } else { transfer.amount },
        currency: records.merchants[transfer.merchant].currency,
        response_code,
        response_message: Sent::from_option(
            (!hash.is_multiple_of(7)).then_some(message),
            hash >> 6,
        ),
        processor_response_code: Sent::Value(code),
    }
}
