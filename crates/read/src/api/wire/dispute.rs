//! Disputes and their statuses as the API writes them.

use chrono::NaiveDate;
use compact_str::ToCompactString;
use serde::Deserialize;

use super::every_record::{Wire, filled};
use super::field::{Field, FieldFault, object_shapes};
use super::reporting::{WireCard, WireMerchant, WireTransaction, card_transaction, merchant};
use super::scalar::NumericId;
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    Dispute, DisputeId, DisputeStatus, DisputedTransaction, Record, Resource, ShortText,
};

object_shapes!(WireDispute, WireDisputeStatus);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireDispute {
    dispute_id: Field<NumericId>,
    dispute_type: Field<ShortText>,
    current_status: Field<WireDisputeStatus>,
    created_date: Field<NaiveDate>,
    received_date: Field<NaiveDate>,
    reference_number: Field<ShortText>,
    dispute_amount: Field<Minor>,
    fee_amount: Field<Minor>,
    currency: Field<Currency>,
    card: Field<WireCard>,
    merchant: Field<WireMerchant>,
    transaction: Field<WireTransaction>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireDisputeStatus {
    dispute_status_id: Field<NumericId>,
    status: Field<ShortText>,
    status_date: Field<NaiveDate>,
}

impl Wire for WireDispute {
    fn id(&self) -> Option<ShortText> {
        self.dispute_id.known().map(|id| id.0.to_compact_string())
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        let card = self.card.optional("card")?.unwrap_or_default();
        let current = self.current_status.optional("currentStatus")?.unwrap_or_default();
        let transaction = self.transaction.optional("transaction")?.unwrap_or_default();
        let transaction = card_transaction(transaction)?;
        Ok(Record::Dispute(Box::new(Dispute {
            dispute_id: DisputeId(self.dispute_id.required("disputeId")?.0),
            merchant: merchant(self.merchant)?,
            dispute_type: filled(self.dispute_type.optional("disputeType")?),
            status: filled(current.status.optional("currentStatus.status")?),
            status_date: current.status_date.optional("currentStatus.statusDate")?,
            created_date: self.created_date.optional("createdDate")?,
            received_date: self.received_date.optional("receivedDate")?,
            reference_number: filled(self.reference_number.optional("referenceNumber")?),
            amount: self.dispute_amount.optional("disputeAmount")?,
            fee: self.fee_amount.optional("feeAmount")?,
            currency: self.currency.optional("currency")?,
            card_last4: card.card_number.optional("card.cardNumber")?.and_then(|four| four.0),
            transaction: DisputedTransaction {
                transaction_id: transaction.transaction_id,
                transaction_type: transaction.transaction_type,
                date: transaction.date,
                amount: transaction.amount,
            },
        })))
    }
}

impl Wire for WireDisputeStatus {
    fn id(&self) -> Option<ShortText> {
        self.dispute_status_id.known().map(|id| id.0.to_compact_string())
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        let id = self.dispute_status_id.optional("disputeStatusId")?;
        Ok(Record::DisputeStatus(DisputeStatus {
            dispute_status_id: id.map(|id| id.0),
            status: filled(self.status.optional("status")?),
            date: self.status_date.optional("statusDate")?,
        }))
    }
}
