//! Bank transfer payments and refunds as the API writes them. The two differ in the name of their
//! id and in their links, so one struct reads both.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;

use super::every_record::{Wire, filled};
use super::field::{Field, FieldFault, object_shapes};
use super::scalar::{LastFour, TextId};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BankTransfer, PaymentSummary, Record, RefundSummary, Resource, ShortText, TerminalId,
    TransferId, TransferKind, TransferReturn, mask_card_numbers,
};

object_shapes!(
    WireTransfer,
    WireOrder,
    WireAccount,
    WireResult,
    WirePaymentSummary,
    WireRefundSummary,
    WireReturn,
);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireTransfer {
    payment_id: Field<TextId>,
    refund_id: Field<TextId>,
    processing_terminal_id: Field<TextId>,
    order: Field<WireOrder>,
    bank_account: Field<WireAccount>,
    transaction_result: Field<WireResult>,
    refunds: Field<Vec<Field<WireRefundSummary>>>,
    returns: Field<Vec<Field<WireReturn>>>,
    representment: Field<WirePaymentSummary>,
    payment: Field<WirePaymentSummary>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireOrder {
    order_id: Field<TextId>,
    date_time: Field<DateTime<Utc>>,
    amount: Field<Minor>,
    currency: Field<Currency>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireAccount {
    account_number: Field<LastFour>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireResult {
    #[serde(rename = "type")]
    transfer_type: Field<String>,
    status: Field<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WirePaymentSummary {
    payment_id: Field<TextId>,
    currency: Field<Currency>,
    amount: Field<Minor>,
    status: Field<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireRefundSummary {
    refund_id: Field<TextId>,
    date_time: Field<DateTime<Utc>>,
    currency: Field<Currency>,
    amount: Field<Minor>,
    status: Field<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireReturn {
    payment_id: Field<TextId>,
    date: Field<NaiveDate>,
    return_code: Field<String>,
    return_reason: Field<String>,
    represented: Field<bool>,
    closed: Field<bool>,
}

impl Wire for WireTransfer {
    fn id(&self) -> Option<ShortText> {
        let id = self.payment_id.known().or(self.refund_id.known())?;
        Some(id.0.clone()).filter(|id| !id.is_empty())
    }

    fn convert(self, resource: Resource) -> Result<Record, FieldFault> {
        let (kind, transfer_id) = if resource == Resource::Refunds {
            (TransferKind::Refund, id(self.refund_id, "refundId")?)
        } else {
            (TransferKind::Payment, id(self.payment_id, "paymentId")?)
        };
        let terminal_id = id(self.processing_terminal_id, "processingTerminalId")?;
        let order = self.order.optional("order")?.unwrap_or_default();
        let account = self.bank_account.optional("bankAccount")?.unwrap_or_default();
        let result = self.transaction_result.required("transactionResult")?;
        let number = account.account_number.optional("bankAccount.accountNumber")?;
        Ok(Record::BankTransfer(Box::new(BankTransfer {
            kind,
            transfer_id: TransferId(transfer_id),
            terminal_id: TerminalId(terminal_id),
            order_id: order
                .order_id
                .optional("order.orderId")?
                .and_then(TextId::filled)
                .map(|order| mask_card_numbers(&order).into()),
            run_at: order.date_time.optional("order.dateTime")?,
            amount: order.amount.optional("order.amount")?,
            currency: order.currency.optional("order.currency")?,
            transfer_type: word(result.transfer_type, "transactionResult.type")?,
            status: word(result.status, "transactionResult.status")?,
            account_last4: number.and_then(|four| four.0),
            refunds: each(self.refunds, "refunds", refund_summary, |refund| &refund.refund_id)?,
            returns: each(self.returns, "returns", transfer_return, |back| &back.return_id)?,
            representment: summary(self.representment, "representment")?,
            payment: summary(self.payment, "payment")?,
        })))
    }
}

/// A text id that must not be empty.
fn id(field: Field<TextId>, name: &str) -> Result<ShortText, FieldFault> {
    let id = field.required(name)?;
    id.filled().ok_or_else(|| FieldFault::new::<TextId>(name, "empty text"))
}

/// A word of an open enum that must not be empty.
fn word(field: Field<String>, name: &str) -> Result<String, FieldFault> {
    let word = field.required(name)?;
    filled(Some(word)).ok_or_else(|| FieldFault::new::<String>(name, "empty text"))
}

/// The elements of a list, each named by its index; nulls are skipped. An element that is listed
/// twice counts once; one that is listed with two contents is an error.
fn each<'de, W, T>(
    list: Field<Vec<Field<W>>>,
    name: &str,
    convert: impl Fn(W) -> Result<T, FieldFault>,
    id: impl Fn(&T) -> &TransferId,
) -> Result<Vec<T>, FieldFault>
where
    W: super::field::Shape<'de>,
    T: PartialEq,
{
    let mut converted = Vec::new();
    let mut places = HashMap::new();
    for (index, element) in list.optional(name)?.unwrap_or_default().into_iter().enumerate() {
        let within = |fault: FieldFault| FieldFault {
            field: format!("{name}[{index}].{}", fault.field).trim_end_matches('.').to_owned(),
            ..fault
        };
        let Some(element) = element.optional("").map_err(within)? else { continue };
        let element = convert(element).map_err(within)?;
        match places.entry(id(&element).clone()) {
            Entry::Vacant(place) => {
                place.insert((index, converted.len()));
                converted.push(element);
            }
            Entry::Occupied(place) => {
                let (first, kept) = *place.get();
                if converted[kept] != element {
                    let problem = format!("expected {} as in {name}[{first}]", place.key());
                    return Err(FieldFault {
                        field: format!("{name}[{index}]"),
                        problem: format!("{problem}, found another content"),
                    });
                }
            }
        }
    }
    Ok(converted)
}

fn refund_summary(wire: WireRefundSummary) -> Result<RefundSummary, FieldFault> {
    Ok(RefundSummary {
        refund_id: TransferId(id(wire.refund_id, "refundId")?),
        run_at: wire.date_time.optional("dateTime")?,
        currency: wire.currency.optional("currency")?,
        amount: wire.amount.optional("amount")?,
        status: filled(wire.status.optional("status")?),
    })
}

/// A return without its code is kept; a return without its date cannot be judged.
fn transfer_return(wire: WireReturn) -> Result<TransferReturn, FieldFault> {
    Ok(TransferReturn {
        return_id: TransferId(id(wire.payment_id, "paymentId")?),
        date: wire.date.required("date")?,
        code: wire.return_code.optional("returnCode")?.unwrap_or_default(),
        reason: filled(wire.return_reason.optional("returnReason")?),
        represented: wire.represented.optional("represented")?,
        closed: wire.closed.optional("closed")?.unwrap_or_default(),
    })
}

fn summary(
    field: Field<WirePaymentSummary>,
    name: &str,
) -> Result<Option<PaymentSummary>, FieldFault> {
    let Some(wire) = field.optional(name)? else {
        return Ok(None);
    };
    let convert = |wire: WirePaymentSummary| {
        Ok(PaymentSummary {
            payment_id: TransferId(id(wire.payment_id, "paymentId")?),
            amount: wire.amount.optional("amount")?,
            currency: wire.currency.optional("currency")?,
            status: filled(wire.status.optional("status")?),
        })
    };
    convert(wire).map(Some).map_err(|fault: FieldFault| FieldFault {
        field: format!("{name}.{}", fault.field),
        ..fault
    })
}
