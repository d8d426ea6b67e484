//! Deposits, fees, batches and authorizations as the API writes them.

use chrono::NaiveDate;
use compact_str::ToCompactString;
use serde::Deserialize;

use super::every_record::{Wire, filled};
use super::field::{Field, FieldFault, object_shapes};
use super::scalar::{Count, LastFour, NumericId, TextId};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    Authorization, AuthorizationId, Batch, BatchId, CardTransaction, Deposit, DepositId, Fee,
    MerchantId, MerchantSummary, Record, Resource, ShortText, Transaction, TransactionId,
    mask_card_numbers,
};

object_shapes!(
    WireDeposit,
    WireFee,
    WireBatch,
    WireAuthorization,
    WireMerchant,
    WireDepositSummary,
    WireBatchSummary,
    WireCard,
    WireTransaction,
    WireSettledTransaction,
);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireMerchant {
    merchant_id: Field<TextId>,
    doing_business_as: Field<ShortText>,
    processing_account_id: Field<NumericId>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireDeposit {
    ach_deposit_id: Field<NumericId>,
    association_date: Field<NaiveDate>,
    ach_date: Field<NaiveDate>,
    payment_date: Field<NaiveDate>,
    transactions: Field<Count>,
    sales: Field<Minor>,
    returns: Field<Minor>,
    daily_fees: Field<Minor>,
    held_sales: Field<Minor>,
    ach_adjustment: Field<Minor>,
    holdback: Field<Minor>,
    reserve_release: Field<Minor>,
    net_amount: Field<Minor>,
    merchant: Field<WireMerchant>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireDepositSummary {
    ach_deposit_id: Field<NumericId>,
    settled_by: Field<ShortText>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireFee {
    association_date: Field<NaiveDate>,
    adjustment_date: Field<NaiveDate>,
    description: Field<String>,
    amount: Field<Minor>,
    merchant: Field<WireMerchant>,
    ach_deposit: Field<WireDepositSummary>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireBatch {
    batch_id: Field<NumericId>,
    date: Field<NaiveDate>,
    sale_amount: Field<Minor>,
    return_amount: Field<Minor>,
    transaction_count: Field<Count>,
    currency: Field<Currency>,
    merchant: Field<WireMerchant>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireBatchSummary {
    batch_id: Field<NumericId>,
    date: Field<NaiveDate>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireCard {
    pub(super) card_number: Field<LastFour>,
    #[serde(rename = "type")]
    card_type: Field<ShortText>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireTransaction {
    transaction_id: Field<NumericId>,
    #[serde(rename = "type")]
    transaction_type: Field<ShortText>,
    date: Field<NaiveDate>,
    amount: Field<Minor>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireAuthorization {
    authorization_id: Field<NumericId>,
    authorization_response: Field<ShortText>,
    preauthorization_request_amount: Field<Minor>,
    currency: Field<Currency>,
    batch: Field<WireBatchSummary>,
    card: Field<WireCard>,
    merchant: Field<WireMerchant>,
    transaction: Field<WireTransaction>,
}

/// A transaction as `/transactions` lists it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireSettledTransaction {
    transaction_id: Field<NumericId>,
    #[serde(rename = "type")]
    transaction_type: Field<ShortText>,
    amount: Field<Minor>,
    currency: Field<Currency>,
    merchant: Field<WireMerchant>,
    status: Field<ShortText>,
    settled: Field<WireDepositSummary>,
    batch: Field<WireBatchSummary>,
}

pub(super) fn merchant(field: Field<WireMerchant>) -> Result<MerchantSummary, FieldFault> {
    let Some(wire) = field.optional("merchant")? else {
        return Ok(MerchantSummary::default());
    };
    let merchant_id = wire.merchant_id.optional("merchant.merchantId")?;
    let account = wire.processing_account_id.optional("merchant.processingAccountId")?;
    Ok(MerchantSummary {
        merchant_id: merchant_id.and_then(TextId::filled).map(MerchantId),
        doing_business_as: filled(wire.doing_business_as.optional("merchant.doingBusinessAs")?),
        processing_account_id: account.map(|id| id.0),
    })
}

impl Wire for WireDeposit {
    fn id(&self) -> Option<ShortText> {
        self.ach_deposit_id.known().map(|id| id.0.to_compact_string())
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        Ok(Record::Deposit(Deposit {
            ach_deposit_id: DepositId(self.ach_deposit_id.required("achDepositId")?.0),
            merchant: merchant(self.merchant)?,
            association_date: self.association_date.optional("associationDate")?,
            ach_date: self.ach_date.optional("achDate")?,
            payment_date: self.payment_date.optional("paymentDate")?,
            transactions: self.transactions.optional("transactions")?.map(|count| count.0),
            sales: self.sales.optional("sales")?,
            returns: self.returns.optional("returns")?,
            daily_fees: self.daily_fees.optional("dailyFees")?,
            held_sales: self.held_sales.optional("heldSales")?,
            ach_adjustment: self.ach_adjustment.optional("achAdjustment")?,
            holdback: self.holdback.optional("holdback")?,
            reserve_release: self.reserve_release.optional("reserveRelease")?,
            net_amount: self.net_amount.optional("netAmount")?,
        }))
    }
}

impl Wire for WireFee {
    fn id(&self) -> Option<ShortText> {
        None
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        let deposit = self.ach_deposit.optional("achDeposit")?.unwrap_or_default();
        let deposit_id = deposit.ach_deposit_id.optional("achDeposit.achDepositId")?;
        Ok(Record::Fee(Fee {
            merchant: merchant(self.merchant)?,
            ach_deposit_id: deposit_id.map(|id| DepositId(id.0)),
            association_date: self.association_date.optional("associationDate")?,
            adjustment_date: self.adjustment_date.optional("adjustmentDate")?,
            description: self
                .description
                .optional("description")?
                .map(|text| mask_card_numbers(&text).into_owned()),
            amount: self.amount.optional("amount")?,
        }))
    }
}

impl Wire for WireBatch {
    fn id(&self) -> Option<ShortText> {
        self.batch_id.known().map(|id| id.0.to_compact_string())
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        Ok(Record::Batch(Batch {
            batch_id: BatchId(self.batch_id.required("batchId")?.0),
            merchant: merchant(self.merchant)?,
            date: self.date.optional("date")?,
            sale_amount: self.sale_amount.optional("saleAmount")?,
            return_amount: self.return_amount.optional("returnAmount")?,
            transaction_count: self
                .transaction_count
                .optional("transactionCount")?
                .map(|count| count.0),
            currency: self.currency.optional("currency")?,
        }))
    }
}

impl Wire for WireAuthorization {
    fn id(&self) -> Option<ShortText> {
        self.authorization_id.known().map(|id| id.0.to_compact_string())
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        let batch = self.batch.optional("batch")?.unwrap_or_default();
        let card = self.card.optional("card")?.unwrap_or_default();
        let response = self.authorization_response.optional("authorizationResponse")?;
        let amount = self.preauthorization_request_amount;
        let transaction = self.transaction.optional("transaction")?;
        Ok(Record::Authorization(Authorization {
            authorization_id: AuthorizationId(self.authorization_id.required("authorizationId")?.0),
            merchant: merchant(self.merchant)?,
            authorization_response: filled(response),
            preauthorization_request_amount: amount.optional("preauthorizationRequestAmount")?,
            currency: self.currency.optional("currency")?,
            batch_id: batch.batch_id.optional("batch.batchId")?.map(|id| BatchId(id.0)),
            batch_date: batch.date.optional("batch.date")?,
            card_last4: card.card_number.optional("card.cardNumber")?.and_then(|four| four.0),
            card_type: filled(card.card_type.optional("card.type")?),
            transaction: transaction.map(card_transaction).transpose()?,
        }))
    }
}

impl Wire for WireSettledTransaction {
    fn id(&self) -> Option<ShortText> {
        self.transaction_id.known().map(|id| id.0.to_compact_string())
    }

    fn convert(self, _resource: Resource) -> Result<Record, FieldFault> {
        let batch = self.batch.optional("batch")?.unwrap_or_default();
        let settled = self.settled.optional("settled")?.unwrap_or_default();
        let deposit_id = settled.ach_deposit_id.optional("settled.achDepositId")?;
        Ok(Record::Transaction(Transaction {
            transaction_id: TransactionId(self.transaction_id.required("transactionId")?.0),
            merchant: merchant(self.merchant)?,
            transaction_type: filled(self.transaction_type.optional("type")?),
            currency: self.currency.optional("currency")?,
            amount: self.amount.optional("amount")?,
            batch_id: batch.batch_id.optional("batch.batchId")?.map(|id| BatchId(id.0)),
            batch_date: batch.date.optional("batch.date")?,
            ach_deposit_id: deposit_id.map(|id| DepositId(id.0)),
            status: filled(self.status.optional("status")?),
            settled_by: filled(settled.settled_by.optional("settled.settledBy")?),
        }))
    }
}

pub(super) fn card_transaction(wire: WireTransaction) -> Result<CardTransaction, FieldFault> {
    let transaction_id = wire.transaction_id.optional("transaction.transactionId")?;
    Ok(CardTransaction {
        transaction_id: transaction_id.map(|id| TransactionId(id.0)),
        transaction_type: filled(wire.transaction_type.optional("transaction.type")?),
        date: wire.date.optional("transaction.date")?,
        amount: wire.amount.optional("transaction.amount")?,
    })
}
